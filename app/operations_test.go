package app_test

import (
	"encoding/json"
	"maps"
	"net/http"
	"slices"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"

	"countersign/app"
	"countersign/tool"
)

// ungoverned are the operations that change something and that no tool's policy is about, each with the reason why it is
// no way around one.
var ungoverned = map[string]string{
	// One's own session, password and chats: no tool does them, and they change nothing of anybody else's.
	"login": "starts a session of the caller", "logout": "ends the caller's own session",
	"make-chat-token": "lets a program chat as the caller; what is done in a chat goes through its tools", "revoke-chat-token": "the caller's own",
	"run-agent":              "what the assistant does in it goes through its tools",
	"create-chat-completion": "what the assistant does in it goes through its tools",
	"change-password":        "the caller's own, with the current one", "revoke-session": "ends one of the caller's own sessions",
	"revoke-other-sessions": "ends the caller's own sessions", "revoke-password-link": "takes away",
	"look-at-password-link": "reads", "use-password-link": "was made under the policy of passwords, for whom it is about",
	"create-conversation": "the caller's own chat", "update-conversation": "the caller's own chat", "archive-conversation": "the caller's own chat",
	"restore-conversation": "the caller's own chat", "chat": "what the assistant does in it goes through its tools", "stop-chat": "the caller's own chat",
	"accept-outside-content": "the caller's own chat; what is done in it goes through its tools",
	"share-conversation":     "lets somebody read what they may see anyway", "unshare-conversation": "takes away",
	"give-feedback": "what the caller thinks of an answer, which no tool reads", "take-back-feedback": "the same",
	// The gate itself.
	"apply-proposal": "decides, under the same policies", "decline-proposal": "changes nothing", "apply-plan": "decides, under the same policies",
	"decline-plan": "changes nothing", "call-tool": "reads", "propose-tool": "proposes", "propose-again": "proposes", "propose-undo": "proposes",
	// Runs something that changes no record.
	"decode-payloads": "decrypts what it is given", "encode-payloads": "encrypts what it is given",
	"test-connection": "changes no setting", "ask-provider-models": "reads",
	"start-model-check": "plays to a model and executes nothing", "stop-model-check": "ends what executes nothing",
	// Administration of which no tool does anything. It opens no way to what a policy keeps: an application is no second
	// person, and whoever made its token is none for what it proposes.
	"create-application": "gives no person anything", "update-application": "gives no person anything", "delete-application": "takes away",
	"replace-application-token": "whoever makes a token stands behind what is proposed with it",
	"ask-authorization":         "changes nothing", "decide-authorization": "what a program then asks for goes through tools with policies",
	"disconnect-program": "takes away", "set-program-registration": "who is registered may do nothing",
	"set-mcp-policy":    "what a program may decide about its person may decide about",
	"create-mcp-server": "none of its tools is offered before it is accepted", "update-mcp-server": "no record of the catalog", "delete-mcp-server": "takes away",
	"refresh-mcp-server": "what is new is off", "set-mcp-server-tools": "what a tool then does goes through its own policy",
	"start-mcp-sign-in": "no tool can be called by it alone", "finish-mcp-sign-in": "what a tool then does goes through its own policy", "end-mcp-sign-in": "takes away",
	"create-role": "nobody holds it yet", "remove-team-member": "takes away",
	"create-team": "it has no members and owns nothing", "update-team": "names it", "delete-team": "refused while it owns anything",
	"validate-check": "stores nothing", "preview-import": "stores nothing",
	"replace-heartbeat-address": "a job calls in elsewhere, and the check does the same",
	"set-check-retention":       "deletes what runs found, which no tool does",
	"retry-parked-event":        "what happens next is what should have happened", "skip-parked-event": "what should have happened does not",
	"send-heartbeat": "a job says how it fares, and changes no record", "send-failed-heartbeat": "a job says how it fares, and changes no record",
	"create-connection": "no record of the catalog", "update-connection": "no record of the catalog", "delete-connection": "no record of the catalog",
	"create-secret": "write-only, used by nobody's tools", "update-secret": "write-only, used by nobody's tools", "delete-secret": "write-only, used by nobody's tools",
	"set-script-policy":     "bounds what scripts may do; no script changes a record",
	"create-agent":          "nobody is offered anything by it",
	"update-agent":          "names it",
	"create-agent-revision": "a draft runs for nobody", "delete-agent-revision": "a draft runs for nobody", "put-agent-md": "a draft runs for nobody",
	"put-agent-spec": "a draft runs for nobody", "put-agent-bundle": "a draft runs for nobody", "put-agent-skill": "a draft runs for nobody",
	"delete-agent-skill": "a draft runs for nobody", "delete-agent-tool": "a draft runs for nobody",
	"clone-agent-revision": "a draft runs for nobody", "check-agent-tool": "stores nothing", "dry-run-agent-tool": "computes without a network",
	"put-agent-tool-examples": "a draft runs for nobody", "run-agent-tool-examples": "computes without a network", "validate-agent-revision": "stores nothing",
	"freeze-agent-revision": "what is sealed runs for nobody", "promote-agent-revision": "its tools compute, and what they ask for goes through tools with policies",
	"archive-agent-revision": "takes away", "delete-agent": "takes away",
	"create-skill": "text for a model, whose changes go through its tools", "update-skill": "text for a model, whose changes go through its tools",
	"delete-skill":  "text for a model, whose changes go through its tools",
	"set-retention": "deletes conversations, which no tool does", "request-erasure": "a person's right to be forgotten; asked for by name and kept in the audit log",
}

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
	registry := registryOf(t)
	seen := map[string]bool{}
	for path, operations := range api.Paths {
		for method, op := range operations {
			method = strings.ToUpper(method)
			if method == http.MethodGet {
				continue
			}
			governing, own, _, ok := registry.Governed(tool.Operation{Method: method, Path: path})
			reason, listed := ungoverned[op.OperationID]
			if !ok {
				require.True(t, listed, "%s %s (%s) changes something and no policy holds for it: declare it in a tool, or list it with the reason", method, path, op.OperationID)
				require.NotEmpty(t, reason, op.OperationID)
				seen[op.OperationID] = true
				continue
			}
			require.False(t, listed, "%s is that of %s", op.OperationID, governing.Name)
			_, answersProposal := op.Responses["202"]
			require.Equal(t, own, answersProposal, "%s says whether it can become a proposal", op.OperationID)
			seen[governing.Name+" "+method] = true
		}
	}
	for id := range ungoverned {
		require.True(t, seen[id], "%s is listed and does not exist", id)
	}
	for _, one := range registry.All() {
		if one.Effect == tool.Read {
			require.Empty(t, one.Operation, one.Name)
			for _, o := range one.Also {
				require.NotEqual(t, http.MethodGet, o.Method, "%s: what a page reads stays readable", one.Name)
			}
			continue
		}
		require.NotEmpty(t, one.Operation.Method, one.Name)
		require.True(t, seen[one.Name+" "+one.Operation.Method], "%s makes %s, which the API does not have", one.Name, one.Operation)
	}
}

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
			values := valuesOf(t, one.Operation, request.Path)
			again, err := one.InputOf(values, body)
			require.NoError(t, err, "%s %s", one.Name, input)
			require.JSONEq(t, string(input), string(again), one.Name)
			require.Equal(t, one.Operation.Method, request.Method, one.Name)
			require.NotContains(t, strings.Join(one.Operation.Parameters(), " "), "placeholder")
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
	registry, seen := registryOf(t), 0
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
			require.True(t, based, "%s %s of %s takes no If-Match", method, path, one.Name)
			seen++
		}
	}
	require.Greater(t, seen, 15)
}
