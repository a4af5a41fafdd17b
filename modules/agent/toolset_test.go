package agent_test

import (
	"encoding/json"
	"net/http"
	"testing"

	"github.com/stretchr/testify/require"

	"countersign/internal/access"
	"countersign/internal/problem"
	"countersign/modules/agent"
)

// An assistant tries a tool out, proposes it, and what is countersigned stands in a draft, which is made when there is none.
func TestAToolIsTestedProposedAndWrittenIntoADraft(t *testing.T) {
	t.Parallel()
	a := newApp(t)
	a.live(t, "billing", "export default 1", nil)
	input := tool("export default 2", compactObject{"agent": "billing", "rev": "draft", "tool": "refund"})
	require.Contains(
		t,
		a.Call(
			t,
			"root",
			"agent.testTool",
			compactObject{
				"agent":       "billing",
				"rev":         "1",
				"tool":        "refund",
				"args":        compactObject{"n": 1},
				"source":      "export default 2",
				"args_schema": compactObject{"type": "object"},
			},
		),
		`"ok":true`,
	)
	require.Zero(t, a.Count(t, `SELECT count(*) FROM agent_revisions WHERE state = 'draft'`))

	proposed, err := a.Propose(t, "root", "agent.proposeTool", input)
	require.NoError(t, err)
	require.Equal(t, "Write the custom tool refund of the agent Agent billing", proposed.Summary)
	require.Contains(t, proposed.Effects[1], "reaches no network, and refers to no secret")
	var payload struct{ Agent string }
	require.NoError(t, json.Unmarshal(proposed.Payload, &payload))
	require.Equal(t, "Agent billing", proposed.Labels[payload.Agent], "a card says the name of the agent")
	require.Zero(t, a.Count(t, `SELECT count(*) FROM agent_revisions WHERE state = 'draft'`), "a proposal writes nothing")
	_, err = a.Apply(t, "root", "agent.proposeTool", proposed)
	require.NoError(t, err)
	require.Equal(t, 1, a.Count(t, `SELECT count(*) FROM agent_revisions WHERE state = 'draft'`))
	require.Len(t, a.bundle(t, agents+"/billing/revisions/2").Bundle.Tools, 3, "the draft began with what is live")

	// What is there is shown as a difference, and a draft that was written meanwhile is not overwritten.
	input["source"] = `ctx.secrets.ref("A_TOKEN")`
	changed, err := a.Propose(t, "root", "agent.proposeTool", input)
	require.NoError(t, err)
	require.Equal(t, "source", changed.Diff[0].Path)
	require.Contains(t, changed.Effects[1], "refers to the secrets A_TOKEN")
	a.ok(t, http.MethodPut, agents+"/billing/revisions/2/agent_md", compactObject{"content": "Another."})
	_, err = a.Apply(t, "root", "agent.proposeTool", changed)
	require.True(t, problem.Is(err, problem.Precondition))

	input["source"] = "fine\nWRONG"
	_, err = a.Propose(t, "root", "agent.proposeTool", input)
	require.Equal(t, []problem.Issue{{Path: "source:2:1", Message: "is wrong Write it right."}}, problem.As(err).Issues)
	input["source"] = "a \u202e b"
	_, err = a.Propose(t, "root", "agent.proposeTool", input)
	require.True(t, problem.Is(err, problem.Invalid), "what a person does not see is not proposed")

	a.Person("reader", agent.Read)
	require.Contains(t, a.Call(t, "reader", "agent.get", compactObject{"agent": "billing"}), "export default 2")
	require.Contains(t, a.Call(t, "reader", "agent.list", compactObject{}), `"live":1`)
	input["source"] = "export default 3"
	_, err = a.Propose(t, "reader", "agent.proposeTool", input)
	require.True(t, problem.Is(err, problem.Forbidden))
	require.Equal(t, access.Edit, a.Tool(t, "agent.proposeTool").Access.Grants[0].Level)
}
