package demo_test

import (
	"encoding/json"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"

	"countersign/chat/assistant"
)

const callTotal = "Call total of Order_desk with the prices 12.5 and 7"

// anAgent is a world with one agent, whose live tool is described by this.
func anAgent(tool string) world {
	return aWorld().
		answering("agent_list", `{"agents":[{"slug":"order_desk","name":"Order_desk","live":4,"tools":1}]}`).
		answering(
			"agent_get",
			`{"slug":"order_desk","revision":4,"state":"live","spec":{"tools":{"strict":{"requires_approval":true}}},"tools":[`+tool+`]}`,
		)
}

const (
	readsTotal = `{"id":"total","description":"Adds.","effect":"read","argsSchema":{"properties":{"prices":{"type":"array","items":{"type":"number"}},"note":{"type":"string"}}}}`
	hashedWire = "agent_order_desk_total_0123456789abcdef"
)

func TestAToolOfAnAgentIsCalledByItsNameOnTheWire(t *testing.T) {
	t.Parallel()
	w := anAgent(readsTotal).answering(hashedWire, `{"tool_id":"total","ok":true,"result":{"total":19.5},"revision":4}`)
	transcript, _ := w.play(t, nil, callTotal)
	require.Contains(t, transcript, "-> "+hashedWire+` {"prices":[12.5,7]}`)
	require.Contains(t, transcript, `{"total":19.5}`)
	require.Contains(t, transcript, "revision 4")

	// What the schema calls a text stays one.
	transcript, _ = w.play(t, nil, "Call total of Order_desk with the note 12.5")
	require.Contains(t, transcript, "-> "+hashedWire+` {"note":"12.5"}`)
}

func TestACallThatAsksIsProposed(t *testing.T) {
	t.Parallel()
	for _, made := range []string{
		strings.Replace(readsTotal, `"read"`, `"mutate"`, 1),
		strings.Replace(readsTotal, `"total"`, `"strict"`, 1),
	} {
		w := anAgent(made)
		for _, name := range []string{"total", "strict"} {
			w.answering("agent_order_desk_"+name, `{"status":"awaiting_operator","proposalId":"p-1"}`)
		}
		ask := callTotal
		if strings.Contains(made, `"strict"`) {
			ask = strings.Replace(ask, "total", "strict", 1)
		}
		transcript, _ := w.play(t, nil, ask)
		require.Contains(t, transcript, "I'll ask to call")
		require.NotContains(t, transcript, "has answered")
	}
}

func TestACallThatCannotBeMadeSaysWhy(t *testing.T) {
	t.Parallel()
	for _, c := range []struct{ world, ask, says string }{
		{readsTotal, "Call sum of Order_desk", "has no live tool called `sum`. It has total."},
		{readsTotal, callTotal, "failed: there is nothing to add."},
	} {
		w := anAgent(
			c.world,
		).answering(
			hashedWire,
			`{"tool_id":"total","ok":false,"error":{"code":"tool_invoke_failed","message":"there is nothing to add"},"revision":4}`,
		)
		transcript, _ := w.play(t, nil, c.ask)
		require.Contains(t, transcript, c.says)
	}
	w := aWorld().answering("agent_list", `{"agents":[{"slug":"order_desk","name":"Order_desk","tools":1}]}`).answering("agent_get", `{}`)
	transcript, _ := w.play(t, nil, callTotal)
	require.Contains(t, transcript, "is live, so nobody can call its tools")

	transcript, _ = w.play(t, nil, "Call total of Stock")
	require.Contains(t, transcript, "There is no agent called **Stock**. The only agent is Order\\_desk.")
}

func TestAToolThatFailsItsTrialIsNotProposed(t *testing.T) {
	t.Parallel()
	w := anAgent(readsTotal).answering("agent_proposeTool", `{"status":"awaiting_operator"}`).
		answering("agent_testTool", `{"ok":false,"error":{"code":"timeout","message":"It took too long"}}`)
	transcript, _ := w.play(t, nil, "Write a tool for Order_desk that adds up prices")
	require.Contains(t, transcript, "it failed: It took too long. Nothing has been proposed.")
	require.NotContains(t, transcript, "-> agent_proposeTool")

	require.Contains(t, transcript, `-> agent_testTool {"agent":"order_desk"`)
	require.Contains(t, transcript, `"rev":"4"`, "it is tried in a revision that there is")

	// An agent without a revision has nothing to try it in: nothing fails, and it is proposed without that.
	w.answering("agent_get", `{"slug":"order_desk","name":"Order_desk","revision":0,"tools":[]}`)
	transcript, _ = w.play(t, nil, "Write a tool for Order_desk that adds up prices")
	require.NotContains(t, transcript, "-> agent_testTool")
	require.Contains(t, transcript, "-> agent_proposeTool")
	require.NotContains(t, transcript, "I have tried it")
}

func TestAToolInADraftIsNotSaidToBeLive(t *testing.T) {
	t.Parallel()
	note := assistant.DecisionNote(
		assistant.Outcome{Status: "applied", Tool: "agent.proposeTool", Summary: "Write the custom tool total of the agent Order desk"},
	)
	transcript, _ := aWorld().play(t, nil, note)
	require.Equal(
		t,
		"Done: “Write the custom tool total of the agent Order desk” is applied. It is in a draft, which runs for nobody before an owner of the agent freezes and promotes it.",
		transcript,
	)

	note = assistant.PlanNote([]assistant.Outcome{
		{Status: "applied", Tool: "catalog.createSystem", Summary: "Create the system Hub"},
		{Status: "applied", Tool: "agent.proposeTool", Summary: "Write the custom tool total"},
	})
	transcript, _ = aWorld().play(t, nil, note)
	require.Equal(
		t,
		"“Create the system Hub” is applied and live. “Write the custom tool total” is applied to a draft, which runs for nobody yet.",
		transcript,
	)
}

func TestACallThatSomebodyAgreedToIsToldWithItsAnswer(t *testing.T) {
	t.Parallel()
	for result, says := range map[string]string{
		`{"tool_id":"total","ok":true,"result":{"total":6.5},"revision":4}`:                             "was done. This is the answer:\n\n```\n{\"total\":6.5}\n```",
		`{"tool_id":"total","ok":false,"error":{"code":"x","message":"There is nothing to add."}}`:      "was done, and it failed: There is nothing to add.",
		`{"url":"https://example.com","status":200,"status_text":"OK","headers":{},"body":"It failed"}`: "was done. The card shows what came back.",
	} {
		note := assistant.DecisionNote(
			assistant.Outcome{Status: "applied", Tool: "agent.order-desk.total", Summary: "Run the tool total", Result: json.RawMessage(result)},
		)
		transcript, _ := aWorld().play(t, nil, note)
		require.Equal(t, "“Run the tool total” "+says, transcript)
	}
	// A name with a hyphen is one of a tool, too.
	note := assistant.DecisionNote(assistant.Outcome{Status: "declined", Tool: "agent.order-desk.total", Summary: "Run what failed"})
	transcript, _ := aWorld().play(t, nil, note)
	require.Contains(t, transcript, "I've left everything as it was")
}
