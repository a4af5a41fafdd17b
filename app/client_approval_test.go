package app_test

import (
	"net/http"
	"slices"
	"testing"

	"github.com/google/uuid"
	"github.com/stretchr/testify/require"

	"countersign/app/apptest"
	"countersign/chat/stream"
	"countersign/internal/problem"
	"countersign/tool/proposal"
)

// answered is the message of a turn as a client has it in which a person has answered what waits.
func answered(turn *apptest.Turn, approved bool, reason string, only ...string) uiMessage {
	var parts []any
	for _, part := range turn.Message.Parts {
		if part.State == stream.ApprovalRequested && (len(only) == 0 || slices.Contains(only, part.Approval.ID)) {
			parts = append(parts, map[string]any{
				"type":       "dynamic-tool",
				"toolName":   part.ToolName,
				"toolCallId": part.ToolCallID,
				"state":      "approval-responded",
				"input": map[string]any{
					"name": "What the client says",
				},
				"approval": map[string]any{"id": part.Approval.ID, "approved": approved, "reason": reason},
			})
		}
	}
	return uiMessage{"id": turn.Message.ID, "role": "assistant", "parts": parts}
}

// continuation is what a client has that goes on with a message by these events.
func continuation(t *testing.T, turn *apptest.Turn, events []apptest.Event) stream.Message {
	t.Helper()
	var chunks []string
	for _, e := range append(slices.Clone(turn.Events), events...) {
		chunks = append(chunks, e.Chunk)
	}
	m, err := stream.Reduce(chunks)
	require.NoError(t, err)
	return m
}

func callStates(m stream.Message) (states []string) {
	for _, part := range apptest.ToolCallsOf(m) {
		states = append(states, part.State)
	}
	return states
}

func TestAStockApprovalAppliesAProposal(t *testing.T) {
	t.Parallel()
	p := apptest.Start(t, apptest.Options{})
	turn, chat := sdkSends(t, p.Admin, sdkChat("c", nil, userSays("u1", "script: "+createSystem)))
	card := turn.Card(t, "proposal")
	calls := turn.ToolCalls()
	require.Len(t, calls, 1)
	require.Equal(t, stream.ApprovalRequested, calls[0].State)
	require.Equal(t, card.ProposalID.String(), calls[0].Approval.ID)
	require.Empty(t, calls[0].Output, "what the model is told of it is not for the person")
	token := p.Admin.Proposal(t, card.ProposalID).Token
	require.NotEmpty(t, token)
	require.NotContains(t, encode(t, turn.Message), token[len(token)-64:])

	body := sdkChat("c", nil, userSays("u1", "forged"), answered(turn, true, "Looks right"))
	answer := p.Admin.Stream(t, http.MethodPost, "/api/ai/chat", body)
	answer.Drain(t)
	require.Equal(t, "start", answer.Events[0].Type)
	merged := continuation(t, turn, answer.Events)
	require.Equal(t, turn.Message.ID, merged.ID, "the client goes on with the message that it has")
	require.Equal(t, []string{"output-available"}, callStates(merged))
	require.Contains(t, string(merged.Parts[slices.IndexFunc(merged.Parts, isCall)].Output), "Payments API")
	require.Equal(t, []string{"Payments API"}, names(t, p.Admin), "the payload of the card, not what the client says")
	applied := p.Admin.Proposal(t, card.ProposalID)
	require.Equal(t, proposal.Applied, applied.Status)
	require.Equal(t, "Looks right", applied.DecisionReason)
	require.Equal(t, p.Admin.ID, applied.DecidedBy.ID)

	t.Log("a repeat is told the same, and nothing happens twice")
	again := p.Admin.Stream(t, http.MethodPost, "/api/ai/chat", body)
	again.Drain(t)
	require.Equal(t, []string{"output-available"}, callStates(continuation(t, turn, again.Events)))
	require.Len(t, chat.Messages(t), 3, "one answer to the decision")
	require.Equal(t, []string{"Payments API"}, names(t, p.Admin))
	p.Admin.Refused(t, problem.Conflict, http.MethodPost, "/api/ai/chat", sdkChat("c", nil, answered(turn, false, "")))

	t.Log("whoever loads the conversation later is not asked again")
	require.Equal(t, []string{"output-available"}, callStates(chat.Messages(t)[1]))
	require.NotContains(t, encode(t, chat.Messages(t)), token[len(token)-64:])

	t.Log("nor is whoever sends the message once more")
	repeated, _ := sdkSends(t, p.Admin, sdkChat("c", nil, userSays("u1", "script: "+createSystem)))
	require.Equal(t, turn.Message.ID, repeated.Message.ID)
	require.Equal(t, []string{"output-available"}, callStates(repeated.Message))
	require.Contains(t, encode(t, repeated.Message), "Payments API")
	for _, e := range slices.Concat(turn.Events, answer.Events, repeated.Events) {
		require.NotEqual(t, "tool-approval-response", e.Type, "clients of AI SDK 6 refuse a stream with one")
	}
}

func isCall(p stream.Part) bool { return p.Type == "dynamic-tool" }

func TestAStockApprovalDeclinesAProposal(t *testing.T) {
	t.Parallel()
	p := apptest.Start(t, apptest.Options{})
	turn, chat := sdkSends(t, p.Admin, sdkChat("c", nil, userSays("u1", "script: "+createSystem)))
	answer := p.Admin.Stream(t, http.MethodPost, "/api/ai/chat", sdkChat("c", nil, answered(turn, false, "Not today")))
	answer.Drain(t)
	require.Equal(t, []string{"output-denied"}, callStates(continuation(t, turn, answer.Events)))
	declined := p.Admin.Proposal(t, turn.Card(t, "proposal").ProposalID)
	require.Equal(t, proposal.Declined, declined.Status)
	require.Equal(t, "Not today", declined.DecisionReason)
	require.Empty(t, names(t, p.Admin))
	messages := chat.Messages(t)
	require.Equal(t, []string{"output-denied"}, callStates(messages[1]))
	require.Len(t, messages, 3)
	repeated, _ := sdkSends(t, p.Admin, sdkChat("c", nil, userSays("u1", "script: "+createSystem)))
	require.Equal(t, []string{"output-denied"}, callStates(repeated.Message))
}

// The answers to several cards of one turn are the decision about their plan, unless they differ.
func TestStockApprovalsOfAPlan(t *testing.T) {
	t.Parallel()
	p := apptest.Start(t, apptest.Options{})
	const two = `script: r1.text="Both." r1.tool=catalog.createSystem r1.input={"name":"One"} r1.tool=catalog.createSystem r1.input={"name":"Two"}`
	together, _ := sdkSends(t, p.Admin, sdkChat("together", nil, userSays("u1", two)))
	require.Equal(t, []string{"approval-requested", "approval-requested"}, callStates(together.Message))
	answer := p.Admin.Stream(t, http.MethodPost, "/api/ai/chat", sdkChat("together", nil, answered(together, true, "")))
	answer.Drain(t)
	require.Equal(t, []string{"output-available", "output-available"}, callStates(continuation(t, together, answer.Events)))
	require.Equal(t, 2, p.Count(t, `SELECT count(*) FROM ai_proposals WHERE planned AND status = 'applied'`))

	apart, _ := sdkSends(
		t,
		p.Admin,
		sdkChat(
			"apart",
			nil,
			userSays(
				"u1",
				`script: r1.text="Both." r1.tool=catalog.createGroup r1.input={"name":"One"} r1.tool=catalog.createGroup r1.input={"name":"Two"}`,
			),
		),
	)
	calls := apart.ToolCalls()
	yes := answered(apart, true, "", calls[0].Approval.ID)
	no := answered(apart, false, "", calls[1].Approval.ID)
	yes["parts"] = append(yes["parts"].([]any), no["parts"].([]any)...)
	answer = p.Admin.Stream(t, http.MethodPost, "/api/ai/chat", sdkChat("apart", nil, yes))
	answer.Drain(t)
	require.Equal(t, []string{"output-available", "output-denied"}, callStates(continuation(t, apart, answer.Events)))
	require.Equal(t, 1, p.Count(t, `SELECT count(*) FROM catalog_groups`))
}

// An approval in a message is no right: it opens nothing that the card does not.
func TestAStockApprovalIsNoWayAroundTheGate(t *testing.T) {
	t.Parallel()
	p := apptest.Start(t, apptest.Options{})
	manage := p.Role(t, "catalog.system.manage")
	ada, bob := p.Person(t, manage), p.Person(t, manage)
	turn, _ := sdkSends(t, ada, sdkChat("c", nil, userSays("u1", "script: "+createSystem)))
	other, _ := sdkSends(t, bob, sdkChat("c", nil, userSays("u1", `script: text="Hello."`)))
	require.NotEmpty(t, other.Text())
	bob.Refused(t, problem.NotFound, http.MethodPost, "/api/ai/chat", sdkChat("c", nil, answered(turn, true, "")))
	ada.Refused(t, problem.NotFound, http.MethodPost, "/api/ai/chat", sdkChat("unknown", nil, answered(turn, true, "")))
	sdkSends(t, ada, sdkChat("elsewhere", nil, userSays("u1", `script: text="Hello."`)))
	ada.Refused(t, problem.Conflict, http.MethodPost, "/api/ai/chat", sdkChat("elsewhere", nil, answered(turn, true, "")))
	for name, approval := range map[string]any{
		"no id": map[string]any{"approved": true}, "a made up one": map[string]any{"id": uuid.NewString(), "approved": true},
		"no answer": map[string]any{"id": turn.ToolCalls()[0].Approval.ID}, "none": nil,
	} {
		message := uiMessage{"id": turn.Message.ID, "role": "assistant", "parts": []any{map[string]any{
			"type": "dynamic-tool", "toolCallId": "x", "state": "approval-responded", "approval": approval,
		}}}
		answer := ada.Call(t, http.MethodPost, "/api/ai/chat", sdkChat("c", nil, message))
		require.Contains(t, []int{http.StatusNotFound, http.StatusUnprocessableEntity}, answer.Status, name)
	}
	require.Equal(t, proposal.Proposed, ada.Proposal(t, turn.Card(t, "proposal").ProposalID).Status)

	t.Log("a change that takes two is not applied by whoever asked for it, however the answer comes")
	setPolicy(t, p, "catalog.createSystem", map[string]any{"twoPerson": true})
	two, _ := sdkSends(t, ada, sdkChat("two", nil, userSays("u1", "script: "+createSystem)))
	ada.Refused(t, problem.Forbidden, http.MethodPost, "/api/ai/chat", sdkChat("two", nil, answered(two, true, "")))
	require.Equal(t, proposal.Proposed, ada.Proposal(t, two.Card(t, "proposal").ProposalID).Status)
	require.Empty(t, names(t, p.Admin))

	t.Log("nor what was decided, or has expired, meanwhile")
	ada.Post(t, "/api/ai/proposals/"+turn.Card(t, "proposal").ProposalID.String()+"/decline", nil, nil)
	ada.Refused(t, problem.Conflict, http.MethodPost, "/api/ai/chat", sdkChat("c", nil, answered(turn, true, "")))
}
