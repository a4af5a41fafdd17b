package mcp_test

import (
	"context"
	"net/http"
	"net/http/httptest"
	"sync/atomic"
	"testing"

	sdk "github.com/modelcontextprotocol/go-sdk/mcp"
	"github.com/stretchr/testify/require"

	"countersign/app/apptest"
	"countersign/mcp/endpoint"
	"countersign/modules/mcpserver"
	"countersign/tool/proposal"
)

// A program that was let read alone is listed the reads that it can make: not those of an MCP server where nobody vouches for where arguments go, each of
// which has to be proposed.
func TestAReaderIsListedTheReadsThatItCanMake(t *testing.T) {
	t.Parallel()
	type wanted struct {
		Query string `json:"query"`
	}
	var asked atomic.Int32
	tickets := sdk.NewServer(&sdk.Implementation{Name: "tickets", Version: "1"}, nil)
	sdk.AddTool(tickets, &sdk.Tool{Name: "find", Description: "Finds tickets."}, func(_ context.Context, _ *sdk.CallToolRequest, in wanted) (*sdk.CallToolResult, any, error) {
		asked.Add(1)
		return &sdk.CallToolResult{Content: []sdk.Content{&sdk.TextContent{Text: "found " + in.Query}}}, nil, nil
	})
	other := httptest.NewServer(sdk.NewStreamableHTTPHandler(func(*http.Request) *sdk.Server { return tickets }, &sdk.StreamableHTTPOptions{Stateless: true}))
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
