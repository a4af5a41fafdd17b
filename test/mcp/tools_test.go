package mcp_test

import (
	"encoding/json"
	"net/http"
	"net/http/httptest"
	"slices"
	"strings"
	"testing"

	"github.com/google/uuid"
	"github.com/modelcontextprotocol/go-sdk/jsonrpc"
	sdk "github.com/modelcontextprotocol/go-sdk/mcp"
	"github.com/stretchr/testify/require"

	"countersign/api/mcp/endpoint"
	"countersign/app/apptest"
	"countersign/internal/problem"
	"countersign/tool"
	"countersign/tool/proposal"
)

// listed are all tools of a session, page by page.
func listed(t *testing.T, session *sdk.ClientSession) (all []*sdk.Tool) {
	t.Helper()
	cursor := ""
	for {
		page, err := session.ListTools(t.Context(), &sdk.ListToolsParams{Cursor: cursor})
		require.NoError(t, err)
		require.LessOrEqual(t, len(page.Tools), 250)
		all = append(all, page.Tools...)
		if cursor = page.NextCursor; cursor == "" {
			return all
		}
	}
}

func namesOf(tools []*sdk.Tool) (names []string) {
	for _, t := range tools {
		names = append(names, t.Name)
	}
	return names
}

// everyRule are all access rules that a role can hold.
func everyRule(t *testing.T, p *apptest.Product) (ids []string) {
	t.Helper()
	var known struct {
		Rules []struct {
			ID string `json:"id"`
		} `json:"rules"`
	}
	p.Admin.Get(t, "/api/access-rules", &known)
	for _, rule := range known.Rules {
		ids = append(ids, rule.ID)
	}
	require.NotEmpty(t, ids)
	return ids
}

// What is listed is what the REST API lists for the same principal, and two tools about proposals.
func listsWhatMayBeUsed(t *testing.T, p *apptest.Product) {
	for _, rules := range [][]string{{"ai.chat.read"}, {"ai.chat.read", "catalog.system.read"}, {"ai.chat.read", "catalog.system.read", "catalog.system.manage"}, everyRule(t, p)} {
		c := p.Application(t, p.Role(t, rules...))
		var known struct {
			Tools []struct {
				Name        string          `json:"name"`
				Effect      tool.Effect     `json:"effect"`
				InputSchema json.RawMessage `json:"inputSchema"`
			} `json:"tools"`
		}
		c.Get(t, "/api/ai/tools", &known)
		var want []string
		for _, k := range known.Tools {
			want = append(want, tool.WireNameOf(k.Name))
		}
		slices.Sort(want)
		want = append([]string{"proposal_apply", "proposal_wait"}, want...)
		for _, revision := range []string{"", "2025-11-25", "2025-06-18", "2025-03-26"} {
			session := connect(t, p, c, revision, nil)
			first, err := session.ListTools(t.Context(), nil)
			require.NoError(t, err)
			require.Len(t, first.Tools, len(want), "clients that read one page have all of the product's tools")
			all := listed(t, session)
			require.Equal(t, want, namesOf(all), "%s %s", rules, revision)
			for _, one := range all {
				require.NotEmpty(t, one.Title, one.Name)
				require.NotEmpty(t, one.Description, one.Name)
				require.Equal(t, "object", one.InputSchema.(map[string]any)["type"], one.Name)
				require.NotNil(t, one.Annotations.DestructiveHint, one.Name)
				require.NotNil(t, one.Annotations.OpenWorldHint, one.Name)
				// What may reach somebody else is proposed or runs, as its input says: its answer has no one shape.
				if one.OutputSchema == nil {
					require.True(t, *one.Annotations.OpenWorldHint, one.Name)
					continue
				}
				require.Equal(t, "object", one.OutputSchema.(map[string]any)["type"], one.Name)
			}
		}
	}
	all := listed(t, connect(t, p, p.Application(t, p.Role(t, everyRule(t, p)...)), "", nil))
	of := map[string]*sdk.Tool{}
	for _, one := range all {
		of[one.Name] = one
	}
	require.Equal(t, "List systems (catalog)", of["catalog_listSystems"].Title)
	require.True(t, of["catalog_listSystems"].Annotations.ReadOnlyHint)
	require.False(t, of["catalog_createSystem"].Annotations.ReadOnlyHint)
	require.False(t, *of["catalog_createSystem"].Annotations.DestructiveHint)
	require.True(t, *of["catalog_deleteSystem"].Annotations.DestructiveHint)
	require.True(t, *of["ai_probeUrl"].Annotations.OpenWorldHint)

	_, err := connect(
		t,
		p,
		p.Application(t, p.Role(t, everyRule(t, p)...)),
		"",
		nil,
	).ListTools(
		t.Context(),
		&sdk.ListToolsParams{Cursor: "no cursor!"},
	)
	requireCode(t, err, jsonrpc.CodeInvalidParams)
}

func requireCode(t *testing.T, err error, code int64) {
	t.Helper()
	require.ErrorIs(t, err, &jsonrpc.Error{Code: code})
}

// A read runs as the application, leaves one audit row that says how it came, and its result is data.
func readsRun(t *testing.T, p *apptest.Product) {
	p.Admin.Post(t, "/api/catalog/systems", map[string]any{"name": "Reads run"}, nil)
	c := p.Application(t, p.Role(t, "ai.chat.read", "catalog.system.read"))
	for _, revision := range []string{"", "2025-11-25"} {
		result := call(t, connect(t, p, c, revision, nil), "catalog_listSystems", map[string]any{"query": "Reads run"})
		require.False(t, result.IsError)
		require.Contains(t, textOf(result), "<data>\n")
		raw, err := json.Marshal(result.StructuredContent)
		require.NoError(t, err)
		require.Contains(t, string(raw), `"Reads run"`)
	}
	// The dotted name is the same tool.
	require.False(t, call(t, connect(t, p, c, "", nil), "catalog.listSystems", map[string]any{}).IsError)
	require.Equal(
		t,
		3,
		p.Count(
			t,
			`SELECT count(*) FROM ai_tool_calls WHERE principal_id = $1 AND transport = 'mcp' AND status = 'executed' AND tool_name = 'catalog.listSystems'`,
			c.ID,
		),
	)

	session := connect(t, p, c, "", nil)
	result := call(t, session, "catalog_listSystems", map[string]any{"no": "such member"})
	require.True(t, result.IsError, "a model reads what was wrong")
	require.Nil(t, result.StructuredContent)
	require.Contains(t, textOf(result), "no")
	require.Equal(t, "invalid", result.Meta[endpoint.MetaProblem].(map[string]any)["code"])

	_, err := session.CallTool(t.Context(), &sdk.CallToolParams{Name: "catalog_noSuchTool"})
	requireCode(t, err, jsonrpc.CodeInvalidParams)
	result = call(t, session, "catalog_createSystem", map[string]any{"name": "Not allowed"})
	require.True(t, result.IsError)
	require.Contains(t, textOf(result), "catalog.system.manage")
	require.Zero(t, p.Count(t, `SELECT count(*) FROM ai_proposals WHERE principal_id = $1`, c.ID))
}

// An address that a client's model has chosen can carry out what it has read: somebody decides first.
func whatMayLeaveIsProposed(t *testing.T, p *apptest.Product) {
	var visits int
	site := httptest.NewServer(http.HandlerFunc(func(http.ResponseWriter, *http.Request) { visits++ }))
	defer site.Close()
	c := p.Application(t, p.Role(t, everyRule(t, p)...))
	o := outcome(t, connect(t, p, c, "", nil), "ai_probeUrl", map[string]any{"url": site.URL + "/?secret=1"})
	require.Equal(t, proposal.Proposed, o.Status)
	require.Zero(t, visits)
}

// Nothing happens until somebody has agreed, and then once.
func writesPropose(t *testing.T, p *apptest.Product) {
	c := p.Application(t, p.Role(t, "ai.chat.read", "catalog.system.read", "catalog.system.manage"))
	session := connect(t, p, c, "", nil)
	before := p.World(t, "ai_proposals", "applications", "api_tokens")
	o := outcome(t, session, "catalog_createSystem", map[string]any{"name": "Over MCP"})
	require.Empty(t, p.World(t, "ai_proposals", "applications", "api_tokens").Minus(before))
	require.Equal(t, proposal.Proposed, o.Status)
	require.Equal(t, p.URL+"/proposals?proposal="+o.ProposalID.String(), strings.Replace(o.ConfirmURL, "localhost", "127.0.0.1", 1))
	require.NotEmpty(t, o.Token, "an application may spend the token itself")
	require.Equal(
		t,
		1,
		p.Count(t, `SELECT count(*) FROM ai_tool_calls WHERE id = $1 AND transport = 'mcp' AND status = 'proposed'`, o.ProposalID),
	)
	require.Equal(t, 1, p.Count(t, `SELECT count(*) FROM ai_proposals WHERE id = $1 AND transport = 'mcp'`, o.ProposalID))

	require.Equal(t, proposal.Proposed, outcome(t, session, "proposal_wait", map[string]any{"proposalId": o.ProposalID}).Status)
	applied := outcome(t, session, "proposal_apply", map[string]any{"token": o.Token, "reason": "They said yes"})
	require.Equal(t, proposal.Applied, applied.Status)
	require.Equal(t, "They said yes", applied.Reason)
	require.Contains(t, string(applied.Result), "Over MCP")
	require.Equal(
		t,
		proposal.Applied,
		outcome(t, session, "proposal_apply", map[string]any{"token": o.Token}).Status,
		"a repeat is told how it went",
	)
	require.Equal(t, 1, p.Count(t, `SELECT count(*) FROM catalog_systems WHERE name = 'Over MCP'`))
	require.Equal(
		t,
		1,
		p.Count(t, `SELECT count(*) FROM ai_tool_calls WHERE id = $1 AND status = 'applied' AND applied_by_id = $2`, o.ProposalID, c.ID),
	)
	require.Positive(t, p.Count(t, `SELECT count(*) FROM ai_audit_entries WHERE transport = 'mcp' AND proposal_id = $1`, o.ProposalID))

	// A client that has lost its connection repeats the call with its key.
	keyed := &sdk.CallToolParams{
		Name:      "catalog_createSystem",
		Arguments: map[string]any{"name": "Once"},
		Meta:      sdk.Meta{endpoint.MetaKey: "k1", endpoint.MetaReason: "For the release"},
	}
	first, err := session.CallTool(t.Context(), keyed)
	require.NoError(t, err)
	again, err := session.CallTool(t.Context(), keyed)
	require.NoError(t, err)
	require.Equal(t, outcomeOf(t, first).ProposalID, outcomeOf(t, again).ProposalID)
	require.Equal(t, "For the release", p.Admin.Proposal(t, outcomeOf(t, first).ProposalID).Reason)

	result := call(t, session, "proposal_wait", map[string]any{"proposalId": uuid.New()})
	require.True(t, result.IsError)
	result = call(t, session, "proposal_apply", map[string]any{"token": "propose:" + uuid.NewString() + "." + strings.Repeat("0", 64)})
	require.True(t, result.IsError)
}

// What removes something is decided about by looking at the card, whoever asks by a program.
func whatRemovesHasNoToken(t *testing.T, p *apptest.Product) {
	var system struct {
		ID uuid.UUID `json:"id"`
	}
	p.Admin.Post(t, "/api/catalog/systems", map[string]any{"name": "Stays"}, &system)
	c := p.Application(t, p.Role(t, "ai.chat.read", "catalog.system.read", "catalog.system.manage"))
	for _, options := range []*sdk.ClientOptions{nil, answering(form, agreeing)} {
		session := connect(t, p, c, "", options)
		result := call(t, session, "catalog_deleteSystem", map[string]any{"id": system.ID})
		o := outcomeOf(t, result)
		require.Equal(t, proposal.Proposed, o.Status, "%s", textOf(result))
		require.Empty(t, o.Token)
		require.NotContains(t, textOf(result), "propose:")
		// The token that the REST API gives an application is none for here.
		refused := call(t, session, "proposal_apply", map[string]any{"token": c.Proposal(t, o.ProposalID).Token})
		require.True(t, refused.IsError)
		require.Contains(t, textOf(refused), "in the app")
	}
	require.Equal(t, 1, p.Count(t, `SELECT count(*) FROM catalog_systems WHERE name = 'Stays'`))
}

// A principal has one budget, whatever way its calls take.
func theBudgetIsOne(t *testing.T, p *apptest.Product) {
	c := p.Application(t, p.Role(t, "ai.chat.read"))
	for range 2 {
		require.False(t, call(t, connect(t, p, c, "", nil), "ai_listDocs", map[string]any{}).IsError)
	}
	c.Post(t, "/api/ai/tools/ai.listDocs/call", map[string]any{"input": map[string]any{}}, nil)
	var last apptest.Answer
	for range 80 {
		body, headers := request("tools/call", "ai_listDocs", map[string]any{"name": "ai_listDocs", "arguments": map[string]any{}})
		if last = post(t, p, c.Token(), body, headers...); last.Status != http.StatusOK {
			break
		}
	}
	require.Equal(t, http.StatusTooManyRequests, last.Status)
	require.NotEmpty(t, last.Header.Get("Retry-After"))
	require.Equal(t, "application/json", last.Header.Get("Content-Type"))
	message := rpc(t, last)
	require.Equal(t, problem.RateLimited, message.Error.Code)
	require.Contains(t, string(message.Error.Data), `"budget"`)
	// The library takes the status for its answer.
	for _, revision := range []string{"", "2025-11-25"} {
		_, err := connect(t, p, c, revision, nil).CallTool(t.Context(), &sdk.CallToolParams{Name: "ai_listDocs"})
		require.ErrorContains(t, err, http.StatusText(http.StatusTooManyRequests))
	}
}
