package mcp_test

import (
	"encoding/json"
	"net/http"
	"net/url"
	"slices"
	"testing"

	"github.com/google/uuid"
	"github.com/modelcontextprotocol/go-sdk/jsonrpc"
	sdk "github.com/modelcontextprotocol/go-sdk/mcp"
	"github.com/stretchr/testify/require"

	"countersign/app/apptest"
)

// resources are all of a session, page by page.
func resources(t *testing.T, session *sdk.ClientSession) (all []*sdk.Resource) {
	t.Helper()
	cursor := ""
	for {
		page, err := session.ListResources(t.Context(), &sdk.ListResourcesParams{Cursor: cursor})
		require.NoError(t, err)
		all = append(all, page.Resources...)
		if cursor = page.NextCursor; cursor == "" {
			return all
		}
	}
}

func read(t *testing.T, session *sdk.ClientSession, uri string) *sdk.ResourceContents {
	t.Helper()
	result, err := session.ReadResource(t.Context(), &sdk.ReadResourceParams{URI: uri})
	require.NoError(t, err, uri)
	require.Len(t, result.Contents, 1)
	require.Equal(t, uri, result.Contents[0].URI)
	return result.Contents[0]
}

func notFound(t *testing.T, session *sdk.ClientSession, uri string) {
	t.Helper()
	_, err := session.ReadResource(t.Context(), &sdk.ReadResourceParams{URI: uri})
	require.ErrorIs(t, err, &jsonrpc.Error{Code: jsonrpc.CodeInvalidParams}, uri)
}

// Pages and records can be put into a client's model, as far as its principal sees them.
func resourcesAreRead(t *testing.T, p *apptest.Product) {
	var system struct {
		ID uuid.UUID `json:"id"`
	}
	const name = "Résumé / printer?"
	p.Admin.Post(t, "/api/catalog/systems", map[string]any{"name": name, "description": "Prints"}, &system)
	reader := p.Application(t, p.Role(t, "ai.chat.read", "catalog.system.read"))
	everything := p.Application(t, p.Role(t, everyRule(t, p)...))
	for _, revision := range []string{"", "2025-11-25"} {
		session := connect(t, p, reader, revision, nil)
		all := resources(t, session)
		uri := "countersign://systems/" + system.ID.String()
		i := slices.IndexFunc(all, func(r *sdk.Resource) bool { return r.URI == uri })
		require.GreaterOrEqual(t, i, 0)
		require.Equal(t, name, all[i].Name)
		require.Contains(t, read(t, session, uri).Text, `"Prints"`)
		require.Contains(t, read(t, session, "countersign://systems/"+url.PathEscape(name)).Text, `"Prints"`, "by its name")
		doc := read(t, session, "countersign://docs/reference/mcp")
		require.Equal(t, "text/markdown", doc.MIMEType)
		require.Contains(t, doc.Text, "## Who may")

		templates, err := session.ListResourceTemplates(t.Context(), nil)
		require.NoError(t, err)
		require.Len(t, templates.ResourceTemplates, 2, "of what the application may read")
		for _, missing := range []string{
			"countersign://systems/" + uuid.NewString(), "countersign://systems/No%20such%20system", "countersign://docs/no/such/page", "countersign://targets/x/runs",
			"countersign://", "countersign://systems/", "file:///etc/passwd", "countersign://systems/%zz",
		} {
			notFound(t, session, missing)
		}
		_, err = session.ReadResource(t.Context(), &sdk.ReadResourceParams{URI: "countersign://systems/" + system.ID.String() + "/health"})
		require.ErrorContains(t, err, "healthcheck.healthcheck.status.read")

		session = connect(t, p, everything, revision, nil)
		templates, err = session.ListResourceTemplates(t.Context(), nil)
		require.NoError(t, err)
		require.Len(t, templates.ResourceTemplates, 5)
		require.Contains(t, read(t, session, "countersign://systems/"+system.ID.String()+"/health").Text, system.ID.String())
	}
	require.Positive(
		t,
		p.Count(
			t,
			`SELECT count(*) FROM ai_tool_calls WHERE principal_id = $1 AND transport = 'mcp' AND tool_name = 'catalog.getSystem' AND status = 'executed'`,
			reader.ID,
		),
	)

	// A list tells no more than a tool: credentials that stand in a record are taken out.
	secret := "AKIA" + "Q3EGRZ7X5WM2TLKD"
	p.Admin.Post(t, "/api/catalog/systems", map[string]any{"name": "Careless", "description": "The key is " + secret}, nil)
	session := connect(t, p, reader, "", nil)
	raw, err := json.Marshal(resources(t, session))
	require.NoError(t, err)
	require.Contains(t, string(raw), "Careless")
	require.NotContains(t, string(raw), secret)
	require.NotContains(t, textOf(call(t, session, "catalog_listSystems", map[string]any{"query": "Careless"})), secret)

	nobody := connect(t, p, p.Application(t, p.Role(t, "ai.chat.read")), "", nil)
	for _, r := range resources(t, nobody) {
		require.Contains(t, r.URI, "countersign://docs/")
	}
	_, err = nobody.ReadResource(t.Context(), &sdk.ReadResourceParams{URI: "countersign://systems/" + system.ID.String()})
	require.Error(t, err)
}

// Prompts are the built-in skills and one's own: what others wrote is not put into a person's mouth.
func promptsAreSkills(t *testing.T, p *apptest.Product) {
	var foreign struct {
		ID string `json:"id"`
	}
	p.Admin.Post(t, "/api/ai/skills", map[string]any{
		"name": "Of an administrator", "description": "Foreign", "targets": []string{"chat"}, "systemPrompt": "Do what I say.",
	}, &foreign)
	c := p.Application(t, p.Role(t, everyRule(t, p)...))
	var own struct {
		ID string `json:"id"`
	}
	c.Post(t, "/api/ai/skills", map[string]any{
		"name": "Own", "description": "Of the application", "targets": []string{"chat"}, "systemPrompt": "Answer in one line.",
	}, &own)
	for _, revision := range []string{"", "2025-11-25"} {
		session := connect(t, p, c, revision, nil)
		list, err := session.ListPrompts(t.Context(), nil)
		require.NoError(t, err)
		var names []string
		for _, prompt := range list.Prompts {
			names = append(names, prompt.Name)
			got, err := session.GetPrompt(
				t.Context(),
				&sdk.GetPromptParams{Name: prompt.Name, Arguments: map[string]string{"request": "Look at Payments"}},
			)
			require.NoError(t, err)
			text, ok := got.Messages[0].Content.(*sdk.TextContent)
			require.True(t, ok)
			require.Contains(t, text.Text, "Look at Payments")
		}
		require.Contains(t, names, own.ID)
		require.NotContains(t, names, foreign.ID)
		require.Greater(t, len(names), 1, "built-in ones too")
		for _, other := range []string{foreign.ID, "no-such-skill", uuid.NewString(), "..%2f..%2fusers", "any"} {
			_, err := session.GetPrompt(t.Context(), &sdk.GetPromptParams{Name: other})
			require.ErrorIs(t, err, &jsonrpc.Error{Code: jsonrpc.CodeInvalidParams}, other)
		}
	}
	list, err := connect(t, p, p.Application(t, p.Role(t, "ai.chat.read")), "", nil).ListPrompts(t.Context(), nil)
	require.NoError(t, err)
	require.Empty(t, list.Prompts)
}

// completed is what completes a variable of a resource.
func completed(t *testing.T, session *sdk.ClientSession, uri, variable, typed string) []string {
	t.Helper()
	result, err := session.Complete(t.Context(), &sdk.CompleteParams{
		Ref: &sdk.CompleteReference{Type: "ref/resource", URI: uri}, Argument: sdk.CompleteParamsArgument{Name: variable, Value: typed},
	})
	require.NoError(t, err)
	return result.Completion.Values
}

// What is being typed is completed by what the principal sees.
func namesAreCompleted(t *testing.T, p *apptest.Product) {
	for _, name := range []string{"Ledger one", "Ledger two"} {
		p.Admin.Post(t, "/api/catalog/systems", map[string]any{"name": name}, nil)
	}
	complete := func(c *apptest.Client, uri, variable, typed string) []string {
		return completed(t, connect(t, p, c, "", nil), uri, variable, typed)
	}
	sees, blind := manager(t, p), p.Application(t, p.Role(t, "ai.chat.read"))
	require.Equal(t, []string{"Ledger one", "Ledger two"}, complete(sees, "countersign://systems/{system}", "system", "ledger"))
	require.Empty(t, complete(blind, "countersign://systems/{system}", "system", "ledger"))
	require.Contains(t, complete(blind, "countersign://docs/{+slug}", "slug", "mcp"), "reference/mcp")
	require.Empty(t, complete(sees, "countersign://systems/{system}", "other", "ledger"))
}

// The targets of health checks are completed by the name of their system, as far as the principal sees both, and read by what came.
func targetsAreCompleted(t *testing.T, p *apptest.Product) {
	const uri = "countersign://targets/{target}/runs"
	for _, name := range []string{"Till one", "Till two"} {
		var system struct{ ID uuid.UUID }
		p.Admin.Post(t, "/api/catalog/systems", map[string]any{"name": name}, &system)
		var check struct{ ID uuid.UUID }
		p.Admin.Post(t, "/api/healthcheck/checks", map[string]any{
			"name": "Of " + name, "strategyId": "healthcheck-http.http", "config": map[string]any{}, "intervalSeconds": 3600,
			"collectors": []any{map[string]any{"collectorId": "healthcheck-http.request", "config": map[string]any{"url": "http://127.0.0.1:9/"}}},
		}, &check)
		assigned := p.Admin.Call(t, http.MethodPut, "/api/healthcheck/checks/"+check.ID.String()+"/systems/"+system.ID.String(), map[string]any{})
		require.Less(t, assigned.Status, 300, "%s", assigned.Body)
		apptest.Eventually(t, "the check has a target", func() bool {
			return p.Count(t, `SELECT count(*) FROM check_targets WHERE check_id = $1`, check.ID) == 1
		})
		if name == "Till two" {
			closed := p.Admin.Call(
				t,
				http.MethodPut,
				"/api/grants/healthcheck.healthcheck/"+check.ID.String(),
				map[string]any{"private": true, "grants": []any{
					map[string]any{"subjectType": "user", "subjectId": p.Person(t).ID, "relation": "owner"},
				}},
			)
			require.Equal(t, http.StatusOK, closed.Status, "%s", closed.Body)
		}
	}
	sees := connect(
		t,
		p,
		p.Application(
			t,
			p.Role(t, "ai.chat.read", "catalog.system.read", "healthcheck.healthcheck.status.read", "healthcheck.healthcheck.details.read"),
		),
		"",
		nil,
	)
	blind := connect(t, p, p.Application(t, p.Role(t, "ai.chat.read", "catalog.system.read")), "", nil)
	one := completed(t, sees, uri, "target", "till")
	require.Len(t, one, 1, "the other check is closed")
	hidden := p.Column(t, `SELECT t.id::text FROM check_targets t WHERE t.id::text <> $1`, one[0])
	require.Len(t, hidden, 1)
	require.Equal(t, one, completed(t, sees, uri, "target", one[0]))
	require.Empty(t, completed(t, sees, uri, "target", hidden[0]))
	require.Empty(t, completed(t, sees, uri, "target", "no such system"))
	require.Contains(t, read(t, sees, "countersign://targets/"+one[0]+"/runs").Text, "runs")
	notFound(t, sees, "countersign://targets/"+hidden[0]+"/runs")
	for _, typed := range []string{"till", "", one[0], hidden[0]} {
		require.Empty(t, completed(t, blind, uri, "target", typed), typed)
	}
}
