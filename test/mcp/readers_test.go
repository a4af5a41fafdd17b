package mcp_test

import (
	"context"
	"net/http"
	"net/http/httptest"
	"sync/atomic"
	"testing"

	sdk "github.com/modelcontextprotocol/go-sdk/mcp"
	"github.com/stretchr/testify/require"

	"countersign/api/mcp/endpoint"
	"countersign/app/apptest"
	"countersign/internal/principal"
	"countersign/modules/mcpserver"
	"countersign/tool/proposal"
)

// A program that was let read alone is listed the reads that it can make: not those of an MCP server where nobody
// vouches for where arguments go, each of which has to be proposed.
func TestAReaderIsListedTheReadsThatItCanMake(t *testing.T) {
	t.Parallel()
	type wanted struct {
		Query string `json:"query"`
	}
	var asked atomic.Int32
	tickets := sdk.NewServer(&sdk.Implementation{Name: "tickets", Version: "1"}, nil)
	sdk.AddTool(
		tickets,
		&sdk.Tool{Name: "find", Description: "Finds tickets."},
		func(_ context.Context, _ *sdk.CallToolRequest, in wanted) (*sdk.CallToolResult, any, error) {
			asked.Add(1)
			return &sdk.CallToolResult{Content: []sdk.Content{&sdk.TextContent{Text: "found " + in.Query}}}, nil, nil
		},
	)
	other := httptest.NewServer(
		sdk.NewStreamableHTTPHandler(func(*http.Request) *sdk.Server { return tickets }, &sdk.StreamableHTTPOptions{Stateless: true}),
	)
	t.Cleanup(other.Close)
	p := apptest.Start(t, apptest.Options{Env: map[string]string{"COUNTERSIGN_EGRESS_ALLOW": "127.0.0.1"}})
	var added mcpserver.Server
	p.Admin.Post(t, "/api/mcp/servers", map[string]any{"slug": "tickets", "name": "Tickets", "address": other.URL}, &added)
	path := "/api/mcp/servers/" + added.ID.String()
	p.Admin.Post(t, path+"/refresh", nil, nil)
	accept := func(trusted bool) {
		t.Helper()
		var list struct{ Tools []mcpserver.Tool }
		p.Admin.Get(t, path+"/tools", &list)
		require.Len(t, list.Tools, 1)
		answer := p.Admin.Call(t, http.MethodPut, path+"/tools", map[string]any{"tools": []any{
			map[string]any{"id": "find", "hash": list.Tools[0].Hash, "effect": "read", "trusted": trusted},
		}})
		require.Equal(t, http.StatusOK, answer.Status, "%s", answer.Body)
	}
	const find = "mcp_tickets_find"
	person := p.Person(t, p.Role(t, "ai.chat.read", mcpserver.Use, mcpserver.Read))
	accept(false)
	writer, reader := (&signedIn{Client: person, p: p}).connectAs(t), (&signedIn{Client: person, p: p}).connectAs(t, "countersign:read")
	require.Contains(t, names(t, writer), find)
	require.Equal(t, proposal.Proposed, outcome(t, writer, find, map[string]any{"query": "a printer"}).Status)
	require.NotContains(t, names(t, reader), find)
	require.Contains(t, names(t, reader), "ai_probeUrl", "there are calls of it that it can make")

	refused, err := reader.CallTool(t.Context(), &sdk.CallToolParams{Name: find, Arguments: map[string]any{"query": "a printer"}})
	require.True(t, err != nil || refused.IsError)
	require.Zero(t, asked.Load(), "nothing was sent there")

	accept(true)
	// Lists may be kept for a moment, and the library of clients does that.
	reader = (&signedIn{Client: person, p: p}).connectAs(t, "countersign:read")
	require.Contains(t, names(t, reader), find)
	// What comes from outside is marked as that, in each revision.
	program := p.Application(t, p.Role(t, "ai.chat.read", mcpserver.Use, mcpserver.Read))
	for _, session := range []*sdk.ClientSession{reader, connect(t, p, program, "", nil), connect(t, p, program, "2025-11-25", nil)} {
		result := call(t, session, find, map[string]any{"query": "a printer"})
		require.Contains(t, textOf(result), "found a printer")
		require.Contains(t, textOf(result), "<untrusted")
		require.Equal(t, true, result.Meta[endpoint.MetaUntrusted])
	}
}

// A program that was let read alone makes those calls that only read of a tool whose effect depends on its input. It is
// refused what changes something, what could carry out what its model has read, and each proposal.
func TestAReaderMakesTheCallsThatOnlyRead(t *testing.T) {
	t.Parallel()
	var asked atomic.Int32
	outside := httptest.NewServer(http.HandlerFunc(func(http.ResponseWriter, *http.Request) { asked.Add(1) }))
	t.Cleanup(outside.Close)
	p := apptest.Start(
		t,
		apptest.Options{Env: map[string]string{"COUNTERSIGN_EGRESS_ALLOW": "127.0.0.1", "COUNTERSIGN_CHECK_EGRESS_ALLOW": "127.0.0.1"}},
	)
	var policy map[string]any
	p.Admin.Get(t, "/api/script-policy", &policy)
	p.Admin.Call(
		t,
		http.MethodPut,
		"/api/script-policy",
		map[string]any{"network": "public", "allow": []string{}, "run": policy["run"], "test": policy["test"]},
	)
	person := p.Person(t, p.Role(t, "ai.chat.read", "healthcheck.healthcheck.manage", "healthcheck.healthcheck.read"))
	reader := (&signedIn{Client: person, p: p}).connectAs(t, principal.ScopeRead)
	const test, draft = "healthcheck_testScript", "healthcheck_testDraft"
	listed := names(t, reader)
	require.True(t, listed[test])
	require.False(t, listed[draft], "each of its calls could carry out what the model has read")
	require.False(t, listed["healthcheck_propose"])

	script := func(without bool) map[string]any {
		return map[string]any{
			"context":        "healthcheck-script",
			"source":         "export default () => ({success: true, message: 'computed'})",
			"withoutNetwork": without,
		}
	}
	require.Contains(t, textOf(call(t, reader, test, script(true))), "computed")
	audited := func() int {
		return p.Count(t, `SELECT count(*) FROM ai_tool_calls WHERE tool_name = 'healthcheck.testScript' AND status = 'executed'`)
	}
	require.Equal(t, 1, audited())

	token := (&signedIn{Client: person, p: p}).token(t, principal.ScopeRead)
	drafted := func(method string) map[string]any {
		return map[string]any{"configuration": map[string]any{
			"intervalSeconds": 60,
			"strategyId":      "healthcheck-http.http",
			"config":          map[string]any{},
			"collectors": []any{
				map[string]any{"collectorId": "healthcheck-http.request", "config": map[string]any{"method": method, "url": outside.URL}},
			},
		}}
	}
	for _, c := range []struct {
		name, tool string
		input      map[string]any
	}{
		{"a script with a network", test, script(false)},
		{"a draft that carries something out", draft, drafted("GET")},
		{"a draft that changes something", draft, drafted("DELETE")},
		{"a change", "healthcheck_propose", map[string]any{"name": "Mine"}},
	} {
		for _, key := range []map[string]any{nil, {endpoint.MetaKey: "key"}} {
			params := map[string]any{"name": c.tool, "arguments": c.input}
			if key != nil {
				params["_meta"] = key
			}
			body, headers := request("tools/call", c.tool, params)
			answer := post(t, p, token, body, headers...)
			require.Equal(t, http.StatusForbidden, answer.Status, "%s: %s", c.name, answer.Body)
			require.Contains(t, answer.Header.Get("WWW-Authenticate"), `error="insufficient_scope"`, c.name)
		}
	}
	require.Zero(t, p.Count(t, `SELECT count(*) FROM ai_proposals`))
	require.Zero(t, asked.Load(), "nothing was sent")
	require.Equal(t, 1, audited())
}
