package mcp_test

import (
	"encoding/json"
	"net/http"
	"testing"

	"github.com/google/uuid"
	"github.com/modelcontextprotocol/go-sdk/jsonrpc"
	sdk "github.com/modelcontextprotocol/go-sdk/mcp"
	"github.com/stretchr/testify/require"

	"countersign/app/apptest"
	"countersign/tool/proposal"
)

const doubles = `import type { CustomTool } from "@countersign/sdk/tool";

interface Args { number: number }

export default { actions: { default: async (args: Args) => ({ twice: 2 * args.number }) } } satisfies CustomTool;
`

// promoted makes an agent with these tools, each with its effect, and lets them go live. Who holds the rule sees it.
func promoted(t *testing.T, p *apptest.Product, effects map[string]string) (slug string) {
	t.Helper()
	slug = "numbers-" + uuid.NewString()[:8]
	path := "/api/agents/" + slug
	p.Admin.Post(t, "/api/agents", map[string]any{"slug": slug, "name": "Numbers", "private": false}, nil)
	var draft struct{ ID string }
	p.Admin.Post(t, path+"/revisions", map[string]any{}, &draft)
	path += "/revisions/" + draft.ID
	answer := p.Admin.Call(
		t,
		http.MethodPut,
		path+"/spec",
		map[string]any{"spec": map[string]any{"limits": map[string]any{"timeout_ms": 20_000}}},
	)
	require.Less(t, answer.Status, 300, "%s", answer.Body)
	for id, effect := range effects {
		answer := p.Admin.Call(t, http.MethodPut, path+"/tools/"+id, map[string]any{
			"description": "Doubles a number.",
			"effect":      effect,
			"source":      doubles,
			"args_schema": map[string]any{
				"type":                 "object",
				"properties":           map[string]any{"number": map[string]any{"type": "number"}},
				"required":             []string{"number"},
				"additionalProperties": false,
			},
		})
		require.Less(t, answer.Status, 300, "%s", answer.Body)
	}
	// The sandbox of a process has to be compiled first.
	apptest.Eventually(t, "it is frozen", func() bool { return p.Admin.Call(t, http.MethodPost, path+"/freeze", nil).Status < 300 })
	p.Admin.Post(t, path+"/promote", nil, nil)
	return slug
}

// The live tools of an agent are listed for and called by whoever may see it, in each revision of the protocol, and are
// nothing to all others.
func TestLiveToolsOfAnAgentAreTools(t *testing.T) {
	t.Parallel()
	p := apptest.Start(t, apptest.Options{})
	slug := promoted(t, p, map[string]string{"look": "read", "pay": "mutate"})
	look, pay := "agent_"+slug+"_look", "agent_"+slug+"_pay"
	may, mayNot := p.Application(t, p.Role(t, "ai.chat.read", "agent.agent.read")), p.Application(t, p.Role(t, "ai.chat.read"))
	input := map[string]any{"number": 21}
	refused := func(session *sdk.ClientSession) {
		t.Helper()
		names := namesOf(listed(t, session))
		for _, name := range []string{look, pay} {
			require.NotContains(t, names, name)
			_, err := session.CallTool(t.Context(), &sdk.CallToolParams{Name: name, Arguments: input})
			requireCode(t, err, jsonrpc.CodeInvalidParams)
		}
	}
	for _, revision := range []string{"", "2025-11-25"} {
		session := connect(t, p, may, revision, nil)
		described := map[string]*sdk.Tool{}
		for _, one := range listed(t, session) {
			described[one.Name] = one
		}
		require.Contains(t, described, look)
		require.True(t, described[look].Annotations.ReadOnlyHint)
		require.Equal(t, "look ("+slug+")", described[look].Title)
		require.Contains(t, described[look].InputSchema.(map[string]any)["properties"], "number")
		require.False(t, described[pay].Annotations.ReadOnlyHint)

		result := call(t, session, look, input)
		require.False(t, result.IsError, "%s", textOf(result))
		raw, err := json.Marshal(result.StructuredContent)
		require.NoError(t, err)
		require.Contains(t, string(raw), `"twice":42`)
		require.True(t, call(t, session, look, map[string]any{"number": "many"}).IsError)

		o := outcome(t, session, pay, input)
		require.Equal(t, proposal.Proposed, o.Status)
		applied := p.Admin.Apply(t, o.ProposalID)
		require.Equal(t, proposal.Applied, applied.Status, "%+v", applied.Error)
		require.Contains(t, string(applied.Result), `"twice"`)

		refused(connect(t, p, mayNot, revision, nil))
	}
	require.Zero(t, p.Count(t, `SELECT count(*) FROM ai_tool_calls WHERE principal_id = $1 AND status <> 'refused'`, mayNot.ID))

	// What becomes private is there for those with a grant alone.
	ada := &signedIn{Client: p.Person(t), p: p}
	var agent struct{ ID uuid.UUID }
	p.Admin.Get(t, "/api/agents/"+slug, &agent)
	answer := p.Admin.Call(t, http.MethodPut, "/api/grants/agent.agent/"+agent.ID.String(), map[string]any{
		"private": true, "grants": []any{
			map[string]any{
				"subjectType": "user",
				"subjectId":   p.Admin.ID,
				"relation":    "owner",
			},
			map[string]any{"subjectType": "user", "subjectId": ada.ID, "relation": "viewer"},
		},
	})
	p.Countersign(t, answer)
	require.Less(t, answer.Status, 300, "%s", answer.Body)
	refused(connect(t, p, may, "", nil))
	session := ada.connectAs(t)
	require.Contains(t, namesOf(listed(t, session)), look)
	require.False(t, call(t, session, look, input).IsError)
}
