package mcp_test

import (
	"context"
	"encoding/json"
	"strings"
	"testing"
	"time"

	sdk "github.com/modelcontextprotocol/go-sdk/mcp"
	"github.com/stretchr/testify/require"

	"countersign/api/mcp/endpoint"
	"countersign/app/apptest"
	"countersign/tool/proposal"
)

// A client that comes to another process with each request is told and can do the same: it proposes at one, waits and decides at the
// other, and answers there what it was asked here.
func TestAClientOfTwoProcesses(t *testing.T) {
	t.Parallel()
	env := map[string]string{"COUNTERSIGN_STREAM_HEARTBEAT": "50ms"}
	one := apptest.Start(t, apptest.Options{Env: env})
	other := apptest.Start(t, apptest.Options{Beside: one, Env: env})
	c := manager(t, one)
	for _, revision := range []string{"", "2025-11-25"} {
		here, there := connect(t, one, c, revision, nil), connect(t, other, c, revision, nil)
		require.Equal(t, namesOf(listed(t, here)), namesOf(listed(t, there)))

		name := strings.TrimSpace("Waited for elsewhere " + revision)
		o := outcome(t, here, "catalog_createSystem", map[string]any{"name": name})
		require.Equal(t, proposal.Proposed, o.Status)
		var heard *sdk.CallToolResult
		var failed error
		wait := background(t, func(ctx context.Context) {
			heard, failed = there.CallTool(
				ctx,
				&sdk.CallToolParams{Name: "proposal_wait", Arguments: map[string]any{"proposalId": o.ProposalID, "seconds": 45}},
			)
		})
		require.Eventually(
			t,
			func() bool { return one.Count(t, `SELECT count(*) FROM held_places WHERE kind = 'mcp wait'`) == 1 },
			time.Minute,
			20*time.Millisecond,
		)
		one.Admin.Apply(t, o.ProposalID)
		wait()
		require.NoError(t, failed)
		require.Equal(t, proposal.Applied, outcomeOf(t, heard).Status)
		require.Equal(t, 1, one.Count(t, `SELECT count(*) FROM catalog_systems WHERE name = $1`, name))

		name = strings.TrimSpace("Applied elsewhere " + revision)
		o = outcome(t, here, "catalog_createSystem", map[string]any{"name": name})
		for _, session := range []*sdk.ClientSession{there, here} {
			applied := outcome(t, session, "proposal_apply", map[string]any{"token": o.Token, "reason": "They said yes"})
			require.Equal(t, proposal.Applied, applied.Status)
			require.Contains(t, string(applied.Result), name)
		}
		require.Equal(t, 1, one.Count(t, `SELECT count(*) FROM catalog_systems WHERE name = $1`, name))
	}

	body, headers := agreement(t, one, c, "form", "Asked here")
	for _, p := range []*apptest.Product{other, one} {
		var answered struct {
			StructuredContent endpoint.Outcome `json:"structuredContent"`
		}
		require.NoError(t, json.Unmarshal(rpc(t, post(t, p, c.Token(), body, headers...)).Result, &answered))
		require.Equal(t, proposal.Applied, answered.StructuredContent.Status)
	}
	require.Equal(t, 1, one.Count(t, `SELECT count(*) FROM catalog_systems WHERE name = 'Asked here'`))
	require.Equal(t, 5, one.Count(t, `SELECT count(*) FROM ai_proposals WHERE status = 'applied'`))

	// Who has heard at one what there is goes on at the other, which says what has changed and nothing else.
	listener := begin(t, one, c, "2025-11-25")
	first := listenTo(t, one, listener, "")
	told := first.next(t)
	first.leave()
	require.Empty(t, listenTo(t, other, listener, told.id).next(t).data, "nothing has changed, and both know it by the same mark")
	one.Countersign(t, one.Admin.Patch(t, "/api/ai/policies/catalog.createSystem", map[string]any{"enabled": false}, nil))
	require.JSONEq(t, toolsChanged, listenTo(t, other, listener, told.id).next(t).data)
}

// A client of the oldest revision that is served lists, reads, proposes and hears of the decision.
func TestTheOldestRevision(t *testing.T) {
	t.Parallel()
	p := apptest.Start(t, apptest.Options{})
	p.Admin.Post(t, "/api/catalog/systems", map[string]any{"name": "Old enough"}, nil)
	c := manager(t, p)
	const oldest = "2024-11-05"
	session := connect(t, p, c, oldest, answering(form, agreeing))
	require.Equal(t, oldest, session.InitializeResult().ProtocolVersion)
	require.Equal(t, namesOf(listed(t, connect(t, p, c, "", nil))), namesOf(listed(t, session)))
	require.Contains(t, textOf(call(t, session, "catalog_listSystems", map[string]any{})), "Old enough")
	o := outcome(t, session, "catalog_createSystem", map[string]any{"name": "By an old client"})
	require.Equal(t, proposal.Proposed, o.Status, "it cannot be asked")
	require.Equal(t, proposal.Applied, outcome(t, session, "proposal_apply", map[string]any{"token": o.Token}).Status)

	// Without a library, which names the revision in a header that this one does not have.
	raw := begin(t, p, c, oldest)
	require.Empty(t, raw.headers()[1:], "the name of the client alone")
	var list struct {
		Tools      []struct{ Name string }
		NextCursor string
	}
	require.NoError(
		t,
		json.Unmarshal(
			rpc(t, post(t, p, raw.token, map[string]any{"jsonrpc": "2.0", "id": "a", "method": "tools/list"}, raw.headers()...)).Result,
			&list,
		),
	)
	require.Contains(t, list.Tools, struct{ Name string }{"catalog_listSystems"})
	var called struct {
		Content []struct{ Text string }
	}
	require.NoError(t, json.Unmarshal(rpc(t, post(t, p, raw.token, map[string]any{
		"jsonrpc": "2.0", "id": 2, "method": "tools/call", "params": map[string]any{"name": "catalog_listSystems", "arguments": map[string]any{}},
	}, raw.headers()...)).Result, &called))
	require.Contains(t, called.Content[0].Text, "By an old client")
}
