package attack_test

import (
	"context"
	"encoding/json"
	"fmt"
	"net/http"
	"net/http/httptest"
	"strings"
	"sync/atomic"
	"testing"

	"github.com/google/uuid"
	sdk "github.com/modelcontextprotocol/go-sdk/mcp"
	"github.com/stretchr/testify/require"

	"countersign/app/apptest"
	"countersign/tool/proposal"
)

// closedServer is an MCP server of others with two tools that are accepted, which one team alone may see.
type closedServer struct {
	id, word string
	team     uuid.UUID
	owner    *apptest.Client
	calls    atomic.Int32
}

// path is the address of the server in the API, with more behind it.
func (s *closedServer) path(more string) string { return "/api/mcp/servers/" + s.id + more }

func closesServer(t *testing.T, p *apptest.Product) *closedServer {
	t.Helper()
	s := &closedServer{word: "canary" + strings.ReplaceAll(uuid.NewString(), "-", "")[:12]}
	protocol := sdk.NewServer(&sdk.Implementation{Name: "remote", Version: "1"}, nil)
	for _, name := range []string{"find", "create"} {
		protocol.AddTool(&sdk.Tool{Name: name, Description: "For " + s.word, InputSchema: json.RawMessage(`{"type":"object"}`)},
			func(context.Context, *sdk.CallToolRequest) (*sdk.CallToolResult, error) {
				s.calls.Add(1)
				return &sdk.CallToolResult{Content: []sdk.Content{&sdk.TextContent{Text: s.word}}}, nil
			})
	}
	remote := httptest.NewServer(
		sdk.NewStreamableHTTPHandler(func(*http.Request) *sdk.Server { return protocol }, &sdk.StreamableHTTPOptions{Stateless: true}),
	)
	t.Cleanup(remote.Close)
	var made struct{ ID string }
	p.Admin.Post(t, "/api/mcp/servers", map[string]any{"slug": s.word, "name": "Server " + s.word, "address": remote.URL}, &made)
	s.id = made.ID
	p.Admin.Post(t, s.path("/refresh"), nil, nil)
	var list struct {
		Tools []struct{ ID, Hash string }
	}
	p.Admin.Get(t, s.path("/tools"), &list)
	require.Len(t, list.Tools, 2)
	choices := []any{}
	for _, one := range list.Tools {
		choices = append(
			choices,
			map[string]any{"id": one.ID, "hash": one.Hash, "effect": map[string]string{"find": "read", "create": "mutate"}[one.ID], "trusted": true},
		)
	}
	require.Equal(t, http.StatusOK, p.Admin.Call(t, http.MethodPut, s.path("/tools"), map[string]any{"tools": choices}).Status)
	var team struct{ ID uuid.UUID }
	p.Admin.Post(t, "/api/teams", map[string]any{"name": "Desk"}, &team)
	s.team = team.ID
	s.opens(t, p, true)
	return s
}

// opens lets the team see the server, or nobody but a stranger, who owns it.
func (s *closedServer) opens(t *testing.T, p *apptest.Product, team bool) {
	t.Helper()
	if s.owner == nil {
		s.owner = p.Person(t)
	}
	grants := []any{map[string]any{"subjectType": "user", "subjectId": s.owner.ID, "relation": "owner"}}
	if team {
		grants = append(grants, map[string]any{"subjectType": "team", "subjectId": s.team, "relation": "viewer"})
	}
	answer := p.Admin.Call(t, http.MethodPut, "/api/grants/mcp.server/"+s.id, map[string]any{"private": true, "grants": grants})
	require.Equal(t, http.StatusOK, answer.Status, "%s", answer.Body)
}

// offers is everything that a person is offered, in a chat, over the REST API, over MCP and to a client of the OpenAI
// protocol, as one text.
func offers(t *testing.T, p *apptest.Product, provider *apptest.Provider, who *apptest.Client) map[string]string {
	t.Helper()
	asked := func(send func()) string {
		before := len(provider.Requests())
		send()
		requests := provider.Requests()
		require.Greater(t, len(requests), before)
		return requests[len(requests)-1].Raw
	}
	program := connects(t, p, who, "countersign:read countersign:write")
	return map[string]string{
		"the REST API": string(who.Get(t, "/api/ai/tools", nil).Body),
		"MCP":          strings.Join(overMCP(t, p, program.access), "\n"),
		"a chat":       asked(func() { who.Conversation(t, nil).Say(t, "Hello") }),
		"/v1": asked(func() {
			p.Bearer(who.ID, chatToken(t, who)).Post(t, "/v1/chat/completions", map[string]any{
				"model": "countersign", "messages": []any{map[string]any{"role": "user", "content": "Hello"}},
			}, nil)
		}),
	}
}

// A server that is closed to all but one team is offered to nobody else, named to nobody else and called by nobody
// else, whatever their rules: over the REST API, in chats, over MCP and by clients of the OpenAI protocol. What was
// proposed before somebody left is not done after.
func TestAClosedMCPServerIsThereForItsTeamAlone(t *testing.T) {
	t.Parallel()
	provider := apptest.NewProvider(t)
	env := provider.Env()
	env["COUNTERSIGN_EGRESS_ALLOW"] = "127.0.0.1"
	p := apptest.Start(t, apptest.Options{Env: env})
	s := closesServer(t, p)
	uses := p.Role(t, "mcp.tool.use", "mcp.server.read")
	member, manager, outsider := p.Person(
		t,
		uses,
	), p.Person(
		t,
		p.Role(t, "mcp.tool.use", "mcp.server.read", "mcp.server.manage"),
	), p.Person(
		t,
		uses,
	)
	membership := fmt.Sprintf("/api/teams/%s/members/%s", s.team, member.ID)
	require.Less(t, p.Admin.Call(t, http.MethodPut, membership, nil).Status, 300)
	find, create := "mcp."+s.word+".find", "mcp."+s.word+".create"

	for way, all := range offers(t, p, provider, member) {
		require.True(t, strings.Contains(all, "mcp_"+s.word+"_find") || strings.Contains(all, find), way)
	}
	read := member.Call(t, http.MethodPost, "/api/ai/tools/"+find+"/call", map[string]any{"input": map[string]any{}})
	require.Equal(t, http.StatusOK, read.Status, "%s", read.Body)
	require.EqualValues(t, 1, s.calls.Load())
	waits := []proposal.Card{
		member.Propose(t, create, map[string]any{}), member.Propose(t, create, map[string]any{}),
		member.Conversation(t, nil).Perform(t, "tool="+create+" input={} text=Done.").Card(t, "proposal"),
	}
	applied := member.Apply(t, waits[0].ProposalID)
	require.Equal(t, proposal.Applied, applied.Status, "%+v", applied.Error)
	require.EqualValues(t, 2, s.calls.Load())

	kept := func() []string {
		return p.Column(t, `SELECT row_to_json(s)::text FROM mcp_servers s UNION ALL SELECT row_to_json(x)::text FROM mcp_tools x
			UNION ALL SELECT row_to_json(r)::text FROM relation_tuples r UNION ALL SELECT p.id || p.status FROM ai_proposals p ORDER BY 1`)
	}
	rest := []struct {
		method, path string
		body         any
	}{
		{http.MethodGet, "/api/mcp/servers", nil},
		{http.MethodGet, s.path(""), nil},
		{http.MethodGet, s.path("/tools"), nil},
		{http.MethodPost, s.path("/refresh"), nil},
		{http.MethodPatch, s.path(""), map[string]any{"name": "Mine"}},
		{http.MethodDelete, s.path(""), nil},
		{http.MethodPut, s.path("/tools"), map[string]any{"tools": []any{map[string]any{"id": "find", "hash": strings.Repeat("0", 64)}}}},
		{http.MethodPost, s.path("/tools/find/call"), map[string]any{"args": map[string]any{}}},
		{http.MethodPost, s.path("/tools/create/call"), map[string]any{"args": map[string]any{}}},
		{http.MethodGet, "/api/grants/mcp.server/" + s.id, nil},
		{http.MethodPut, "/api/grants/mcp.server/" + s.id, map[string]any{"private": false, "grants": []any{}}},
		{http.MethodGet, "/api/ai/proposals", nil},
		{http.MethodGet, "/api/ai/policies", nil},
		{http.MethodGet, "/api/ai/proposals/" + waits[1].ProposalID.String(), nil},
		{http.MethodGet, "/api/ai/audit/changes?objectType=mcp.server&objectId=" + s.id, nil},
		// By the name that they may have heard somewhere.
		{http.MethodPost, "/api/ai/tools/" + find + "/call", map[string]any{"input": map[string]any{}}},
		{http.MethodPost, "/api/ai/tools/" + create + "/propose", map[string]any{"input": map[string]any{}}},
	}
	refuses := func(who string, c *apptest.Client) {
		before, calls := kept(), s.calls.Load()
		for _, r := range rest {
			answer := c.Call(t, r.method, r.path, r.body)
			require.Less(t, answer.Status, 500, "%s %s as %s: %s", r.method, r.path, who, answer.Body)
			told := strings.ReplaceAll(string(answer.Body), r.path, "")
			if strings.HasPrefix(r.path, "/api/ai/tools/") {
				require.GreaterOrEqual(t, answer.Status, 400, "%s %s as %s", r.method, r.path, who)
				// What was asked for is repeated, and nothing else of it.
				told = strings.NewReplacer(find, "", create, "").Replace(told)
			}
			require.NotContains(t, told, s.word, "%s %s as %s", r.method, r.path, who)
		}
		for way, all := range offers(t, p, provider, c) {
			require.NotContains(t, all, s.word, "%s as %s", way, who)
		}
		program := connects(t, p, c, "countersign:read countersign:write")
		for _, name := range []string{"find", "create"} {
			answer := asProgram(t, p, program.access, calling("mcp_"+s.word+"_"+name, `{}`))
			require.NotContains(t, strings.ReplaceAll(string(answer.Body), "mcp_"+s.word+"_"+name, ""), s.word, "over MCP as %s", who)
			turn := c.Conversation(t, nil).Perform(t, "tool=mcp."+s.word+"."+name+" input={} text=Done.")
			require.Len(t, turn.ToolCalls(), 1)
			require.True(t, strings.HasSuffix(turn.ToolCalls()[0].State, "-error"), "%s in a chat as %s: %s", name, who, turn.ToolCalls()[0].State)
		}
		require.Equal(t, calls, s.calls.Load(), who)
		require.Equal(t, before, kept(), who)
	}
	refuses("somebody with the rules", outsider)
	refuses("who manages servers", manager)

	// Whoever leaves the team, or whose team loses the server, applies nothing that was proposed before.
	for i, leaves := range []func(){
		func() { require.Less(t, p.Admin.Call(t, http.MethodDelete, membership, nil).Status, 300) },
		func() {
			require.Less(t, p.Admin.Call(t, http.MethodPut, membership, nil).Status, 300)
			s.opens(t, p, false)
		},
	} {
		leaves()
		token := waits[1+i].Token
		if token == "" {
			token = member.Proposal(t, waits[1+i].ProposalID).Token
		}
		answer := member.Call(t, http.MethodPost, "/api/ai/proposals/apply", map[string]any{"token": token})
		require.GreaterOrEqual(t, answer.Status, 400, "%s", answer.Body)
		require.Less(t, answer.Status, 500, "%s", answer.Body)
		require.EqualValues(t, 2, s.calls.Load(), "nothing was sent")
		require.NotContains(t, string(member.Get(t, "/api/ai/tools", nil).Body), s.word)
	}
	require.Zero(t, p.Count(t, `SELECT count(*) FROM ai_proposals WHERE status = 'applied' AND id <> $1`, waits[0].ProposalID))
}
