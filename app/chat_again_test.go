package app_test

import (
	"net/http"
	"testing"

	"github.com/google/uuid"
	"github.com/stretchr/testify/require"

	"countersign/app/apptest"
	"countersign/internal/problem"
	"countersign/tool/proposal"
)

// edits changes a message of a chat, as the app does.
func edits(chat *apptest.Conversation, message, text string) sdkBody {
	return sdkChat(chat.ID.String(), sdkBody{"messageId": message}, userSays(message, text))
}

func TestWhatAReplacedMessageHasProposedIsWithdrawn(t *testing.T) {
	t.Parallel()
	p := apptest.Start(t, apptest.Options{})
	ada := p.Person(t, p.Role(t, "ai.chat.read", "catalog.system.read", "catalog.system.manage"))
	chat := ada.Conversation(t, nil)
	applied := chat.Perform(t, createSystem).Card(t, "proposal")
	ada.Apply(t, applied.ProposalID)
	p.AwaitWorkflow(t, "proposal/"+applied.ProposalID.String())
	chat.Idle(t)
	plan := chat.Perform(t, `tool=catalog.createSystem input={"name":"Second"} tool=catalog.createSystem input={"name":"Third"}`)
	var open []proposal.Card
	for _, id := range p.Column(t, `SELECT id FROM ai_proposals WHERE status = 'proposed'`) {
		open = append(open, ada.Proposal(t, uuid.MustParse(id)))
	}
	require.Len(t, open, 2, plan.Text())
	messages := chat.Messages(t)
	asked := messages[len(messages)-2]
	require.Equal(t, "user", asked.Role)
	before := len(messages)

	edited, _ := sdkSends(t, ada, edits(chat, asked.ID, `script: text="Never mind."`))
	require.Equal(t, "Never mind.", edited.Text())
	for _, card := range open {
		now := ada.Proposal(t, card.ProposalID)
		require.Equal(t, proposal.Declined, now.Status)
		require.Equal(t, proposal.WithdrawnReason, now.DecisionReason)
		require.Equal(t, card.Proposer.ID, now.DecidedBy.ID)
		ada.Refused(t, problem.Conflict, http.MethodPost, "/api/ai/proposals/apply", map[string]any{"token": card.Token})
		require.Equal(t, 1, p.Count(t, `SELECT count(*) FROM ai_tool_calls WHERE id = $1 AND status = 'declined'`, card.ProposalID))
		ada.Refused(t, problem.Conflict, http.MethodPost, "/api/ai/chat", map[string]any{
			"conversationId": chat.ID, "decision": map[string]any{"proposalId": card.ProposalID, "kind": "decline"},
		})
	}
	require.Equal(t, proposal.Applied, ada.Proposal(t, applied.ProposalID).Status, "what was decided stays")

	t.Log("nobody talks about it: its workflows end, and no turn follows")
	for _, card := range open {
		p.AwaitWorkflow(t, "proposal/"+card.ProposalID.String())
	}
	require.Len(t, chat.Messages(t), before)
	require.Zero(
		t,
		p.Count(
			t,
			`SELECT count(*) FROM ai_turns t JOIN ai_proposals p ON t.proposal_id IN (p.id, p.turn_id) WHERE p.decision_reason = $1`,
			proposal.WithdrawnReason,
		),
	)
}

func TestAChatThatHasSeenSomethingFromOutsideHasSeenItStill(t *testing.T) {
	t.Parallel()
	p := apptest.Start(t, apptest.Options{})
	chat := p.Admin.Conversation(t, nil)
	chat.Perform(t, `text="Hello."`)
	p.Exec(
		t,
		`INSERT INTO ai_taints (conversation_id, turn_id, kind, tool_name, source) SELECT $1, id, 'tool', 'ai.probeUrl', 'https://evil.example' FROM ai_turns WHERE conversation_id = $1`,
		chat.ID,
	)
	sdkSends(t, p.Admin, edits(chat, chat.Messages(t)[0].ID, `script: text="Another."`))
	var held struct {
		Outside []struct{ Source string } `json:"outside"`
	}
	p.Admin.Get(t, "/api/ai/conversations/"+chat.ID.String(), &held)
	require.Len(t, held.Outside, 1)
}

func TestTwoWindowsThatEditAMessageMakeOneAnswerAtATime(t *testing.T) {
	t.Parallel()
	provider := apptest.NewProvider(t)
	p := apptest.Start(t, apptest.Options{Env: provider.Env()})
	chat := p.Admin.Conversation(t, nil)
	chat.Perform(t, `text="Hello."`)
	asked := chat.Messages(t)[0].ID
	pause := provider.Pause(apptest.Text("In "), apptest.Text("short, "))
	body := edits(chat, asked, "Tell me")
	delete(body, "model")
	first := p.Admin.Stream(t, http.MethodPost, "/api/ai/chat", body)
	first.UntilType(t, "text-delta")
	t.Log("a second click on the same edit follows the same turn, another edit has to wait")
	p.Admin.Refused(t, problem.Busy, http.MethodPost, "/api/ai/chat", edits(chat, asked, "Tell me more"))
	second := p.Admin.Stream(t, http.MethodPost, "/api/ai/chat", body)
	second.UntilType(t, "text-delta")
	pause.Resume()
	require.Equal(t, first.Rest(t).Message.ID, second.Rest(t).Message.ID)
	require.Len(t, chat.Messages(t), 2)

	t.Log("nobody else edits it")
	stranger := p.Person(t)
	_, other := sdkSends(t, stranger, edits(chat, asked, `script: text="Mine."`))
	require.NotEqual(t, chat.ID, other.ID)
	require.Len(t, chat.Messages(t), 2)
}
