package app_test

import (
	"encoding/json"
	"maps"
	"net/http"
	"regexp"
	"slices"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"

	"countersign/app"
	"countersign/app/apptest/declaredtest"
	"countersign/tool"
)

// every mutating operation of the API is that of a tool, or is listed with a reason.
func TestEveryWriteIsGovernedOrListed(t *testing.T) {
	t.Parallel()
	document, err := app.Document()
	require.NoError(t, err)
	var api struct {
		Paths map[string]map[string]struct {
			OperationID string                     `json:"operationId"`
			Responses   map[string]json.RawMessage `json:"responses"`
		} `json:"paths"`
	}
	require.NoError(t, json.Unmarshal(document, &api))
	registry, known := registryOf(t), declaredtest.Load(t)
	seen, ungoverned := map[string]bool{}, 0
	for path, operations := range api.Paths {
		for method, op := range operations {
			method = strings.ToUpper(method)
			if method == http.MethodGet {
				continue
			}
			governing, own, _, ok := registry.Governed(tool.Operation{Method: method, Path: path})
			reason := known.Operations[op.OperationID].Ungoverned
			if !ok {
				const message = "%s %s (%s) changes something and no policy holds for it: declare it in a tool, or the reason in %s"
				require.NotEmpty(t, reason, message, method, path, op.OperationID, declaredtest.File)
				ungoverned++
				continue
			}
			require.Empty(t, reason, "%s is that of %s", op.OperationID, governing.Name)
			_, answersProposal := op.Responses["202"]
			require.True(t, own == answersProposal || governing.Operations.Write.Method == "",
				"%s says whether it can become a proposal", op.OperationID)
			seen[governing.Name+" "+method] = true
		}
	}
	for _, operation := range known.Operations {
		if operation.Ungoverned != "" {
			ungoverned--
		}
	}
	require.Zero(t, ungoverned, "an operation is declared and does not exist")
	for _, one := range registry.All() {
		if one.Effect == tool.Read {
			require.Empty(t, one.Operations.Write, one.Name)
			for _, o := range one.Operations.RelatedOperations {
				require.NotEqual(t, http.MethodGet, o.Method, "%s: what a page reads stays readable", one.Name)
			}
			continue
		}
		if one.Operations.Write.Method == "" {
			require.True(t, one.Access.Hidden && len(one.Operations.RelatedOperations) > 0, "%s governs no operation", one.Name)
			continue
		}
		require.True(
			t,
			seen[one.Name+" "+one.Operations.Write.Method],
			"%s makes %s, which the API does not have",
			one.Name,
			one.Operations.Write,
		)
	}
}

// unproposed are the routes outside of the OpenAPI document that take a write, each with the reason why no policy names it.
var unproposed = map[string]string{
	"POST /oauth/token":              "a program redeems what its person has allowed",
	"POST /oauth/register":           "who is registered may do nothing before a person allows it",
	"POST /oauth/revoke":             "takes away the caller's own",
	"DELETE /oauth/register/:client": "a program takes its own registration away",
}

// Every route that the server has and that can change something is an operation of the document or is listed.
func TestEveryMutatingRouteIsDescribedOrListed(t *testing.T) {
	t.Parallel()
	document, err := app.Document()
	require.NoError(t, err)
	var api struct {
		Paths map[string]map[string]any `json:"paths"`
	}
	require.NoError(t, json.Unmarshal(document, &api))
	described := map[string]bool{}
	for path, operations := range api.Paths {
		for method := range operations {
			described[strings.ToUpper(method)+" "+inPath.ReplaceAllString(path, ":")] = true
		}
	}
	routes, err := app.RoutesServed()
	require.NoError(t, err)
	require.Greater(t, len(routes), 150)
	found := map[string]bool{}
	for _, route := range routes {
		method, path, _ := strings.Cut(route, " ")
		if slices.Contains([]string{
			http.MethodGet, http.MethodHead, http.MethodOptions, "CONNECT", "TRACE",
			"echo_route_not_found",
		}, method) {
			continue
		}
		if described[method+" "+inPath.ReplaceAllString(path, ":")] {
			continue
		}
		require.NotEmpty(t, unproposed[route], "%s is served, and no policy knows it", route)
		found[route] = true
	}
	for route := range unproposed {
		require.True(t, found[route], "%s is listed and not served", route)
	}
}

// inPath is a parameter in a path, as the document or the router writes it.
var inPath = regexp.MustCompile(`\{[^}]*\}|:[A-Za-z]+`)

// What a tool sends is read back as what it was told.
func TestARequestIsReadBackAsItsInput(t *testing.T) {
	t.Parallel()
	const a, b = "0199aa00-0000-7000-8000-000000000001", "0199aa00-0000-7000-8000-000000000002"
	told := 0
	for _, one := range registryOf(t).All() {
		if one.Effect == tool.Read {
			continue
		}
		for _, input := range examplesOf(t, one, a, b) {
			request, ok, err := one.RequestOf(input)
			require.NoError(t, err, "%s %s", one.Name, input)
			if !ok {
				continue
			}
			var body []byte
			if request.Body != nil {
				body, err = json.Marshal(request.Body)
				require.NoError(t, err)
			}
			values := valuesOf(t, one.Operations.Write, request.Path)
			again, err := one.InputOf(values, body)
			require.NoError(t, err, "%s %s", one.Name, input)
			require.JSONEq(t, string(input), string(again), one.Name)
			require.Equal(t, one.Operations.Write.Method, request.Method, one.Name)
			require.NotContains(t, strings.Join(one.Operations.Write.Parameters(), " "), "placeholder")
			told++
		}
	}
	require.Greater(t, told, 40)
}

func registryOf(t *testing.T) *tool.Registry {
	t.Helper()
	registry, err := app.Registry()
	require.NoError(t, err)
	return registry
}

func valuesOf(t *testing.T, o tool.Operation, path string) []string {
	t.Helper()
	template, parts := strings.Split(o.Path, "/"), strings.Split(path, "/")
	require.Len(t, parts, len(template), "%s %s", o, path)
	var values []string
	for i, part := range template {
		if strings.HasPrefix(part, "{") {
			values = append(values, parts[i])
			continue
		}
		require.Equal(t, part, parts[i], "%s %s", o, path)
	}
	return values
}

// examplesOf makes inputs from the schema of a tool: one with what is required, one with everything, and one with each
// other member alone.
func examplesOf(t *testing.T, one tool.Tool, ids ...string) []json.RawMessage {
	t.Helper()
	type schema struct {
		Type       json.RawMessage            `json:"type"`
		Format     string                     `json:"format"`
		Enum       []any                      `json:"enum"`
		Properties map[string]json.RawMessage `json:"properties"`
		Required   []string                   `json:"required"`
		Items      json.RawMessage            `json:"items"`
	}
	var valueOf func(raw json.RawMessage, n int) any
	valueOf = func(raw json.RawMessage, n int) any {
		var s schema
		if err := json.Unmarshal(raw, &s); err != nil {
			return true
		}
		var kind string
		if json.Unmarshal(s.Type, &kind) != nil {
			var kinds []string
			_ = json.Unmarshal(s.Type, &kinds)
			if len(kinds) > 0 {
				kind = kinds[0]
			}
		}
		switch {
		case len(s.Enum) > 0:
			return s.Enum[0]
		case s.Format == "uuid":
			return ids[n%len(ids)]
		case s.Format == "date-time":
			return "2026-11-01T12:00:00Z"
		case kind == "string":
			return "some text"
		case kind == "boolean":
			return true
		case kind == "integer", kind == "number":
			return 7
		case kind == "array":
			return []any{valueOf(s.Items, n), valueOf(s.Items, n+1)}
		case kind == "object":
			inner := map[string]any{}
			if len(s.Properties) == 0 {
				inner["some"] = "member"
			}
			for name, property := range s.Properties {
				inner[name] = valueOf(property, n)
			}
			return inner
		}
		return ids[0]
	}
	var root schema
	require.NoError(t, json.Unmarshal(one.Input.JSON(), &root))
	full, least := map[string]any{}, map[string]any{}
	names := make([]string, 0, len(root.Properties))
	for name := range root.Properties {
		names = append(names, name)
	}
	slices.Sort(names)
	for i, name := range names {
		full[name] = valueOf(root.Properties[name], i)
		if slices.Contains(root.Required, name) {
			least[name] = full[name]
		}
	}
	examples := []map[string]any{full, least}
	for _, name := range names {
		if _, required := least[name]; !required {
			some := map[string]any{name: full[name]}
			maps.Copy(some, least)
			examples = append(examples, some)
		}
	}
	var inputs []json.RawMessage
	for _, example := range examples {
		raw, err := json.Marshal(example)
		require.NoError(t, err)
		inputs = append(inputs, raw)
	}
	return inputs
}

// A proposal to change what exists names the revision that it was made on, and its write is refused where that has changed.
func TestEveryProposedChangeIsBasedOnARevision(t *testing.T) {
	t.Parallel()
	document, err := app.Document()
	require.NoError(t, err)
	var api struct {
		Paths map[string]map[string]struct {
			Parameters []struct{ Name, In string } `json:"parameters"`
		} `json:"paths"`
	}
	require.NoError(t, json.Unmarshal(document, &api))
	registry, seen, unrevised := registryOf(t), 0, []string{}
	for path, operations := range api.Paths {
		for method, op := range operations {
			one, own, _, ok := registry.Governed(tool.Operation{Method: strings.ToUpper(method), Path: path})
			if !ok || !own || method == "post" {
				continue
			}
			based := false
			for _, p := range op.Parameters {
				based = based || p.In == "header" && p.Name == "If-Match"
			}
			if !based && one.Identity.Title != "" {
				unrevised = append(unrevised, one.Name)
				continue
			}
			require.True(t, based, "%s %s of %s takes no If-Match", method, path, one.Name)
			seen++
		}
	}
	require.Greater(t, seen, 15)
	slices.Sort(unrevised)
	require.Equal(
		t,
		[]string{
			"auth.disconnectProgram", "auth.revokePasswordLink", "healthcheck.removeLocation", "healthcheck.renameLocation",
			"maintenance.endFeed", "notification.subscribe", "notification.unsubscribe",
		},
		unrevised,
		"these are about what has no revision",
	)
}
