package app_test

import (
	"net/http"
	"slices"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"

	"countersign/app/apptest"
	"countersign/internal/problem"
	"countersign/tool/proposal"
)

// shown is all that the model was shown last.
func shown(provider *apptest.Provider) string {
	requests := provider.Requests()
	var b strings.Builder
	for _, m := range requests[len(requests)-1].Messages {
		b.WriteString(m.Content + "\n" + m.Context + "\n")
	}
	return b.String()
}

// A decision stands, and the model learns it, also when the messages behind it are replaced.
func TestAnEditDoesNotHideADecision(t *testing.T) {
	t.Parallel()
	provider := apptest.NewProvider(t)
	p := apptest.Start(t, apptest.Options{Env: provider.Env()})
	ada := p.Person(t, p.Role(t, "ai.chat.read", "catalog.system.read", "catalog.system.manage"))
	for status, decide := range map[proposal.Status]func(card proposal.Card){
		proposal.Applied: func(card proposal.Card) { ada.Apply(t, card.ProposalID) },
		proposal.Declined: func(card proposal.Card) {
			ada.Post(t, "/api/ai/proposals/"+card.ProposalID.String()+"/decline", map[string]any{"reason": "Not this one"}, nil)
		},
		proposal.Expired: func(card proposal.Card) {
			p.Exec(t, `UPDATE ai_proposals SET expires_at = now() - interval '1 second' WHERE id = $1`, card.ProposalID)
		},
	} {
		chat := ada.Conversation(t, nil)
		card := chat.Perform(t, `tool=catalog.createSystem input={"name":"Ledger `+string(status)+`"}`).Card(t, "proposal")
		chat.Perform(t, `text="Meanwhile."`)
		require.Contains(t, shown(provider), "Nothing has changed yet")
		meanwhile := chat.Messages(t)[2].ID
		decide(card)
		if status != proposal.Expired {
			p.AwaitWorkflow(t, "proposal/"+card.ProposalID.String())
			chat.Idle(t)
		}
		sdkSends(t, ada, edits(chat, meanwhile, `script: text="Edited."`))
		said := shown(provider)
		require.NotContains(t, said, "Nothing has changed yet", status)
		require.Contains(t, said, `"status":"`+string(status)+`"`)
		require.Contains(t, said, card.ProposalID.String())
		switch status {
		case proposal.Applied:
			require.Contains(t, said, "the change is live")
			require.Contains(t, said, `"result":{`)
		case proposal.Declined:
			require.Contains(t, said, "Not this one")
		}
	}
}

// A change stands although the message that asked for it is replaced.
func TestAReplacedMessageDoesNotHideItsChange(t *testing.T) {
	t.Parallel()
	provider := apptest.NewProvider(t)
	p := apptest.Start(t, apptest.Options{Env: provider.Env()})
	ada := p.Person(t, p.Role(t, "ai.chat.read", "catalog.system.read", "catalog.system.manage"))
	chat := ada.Conversation(t, nil)
	chat.Perform(t, `text="Hello."`)
	card := chat.Perform(t, createSystem).Card(t, "proposal")
	asked := chat.Messages(t)[2].ID
	ada.Apply(t, card.ProposalID)
	p.AwaitWorkflow(t, "proposal/"+card.ProposalID.String())
	chat.Idle(t)
	sdkSends(t, ada, edits(chat, asked, `script: text="Edited."`))
	require.Contains(t, shown(provider), "They were not taken back")
	require.Contains(t, shown(provider), card.ProposalID.String())
	chat.Perform(t, `text="On."`)
	require.Equal(t, 1, strings.Count(shown(provider), card.ProposalID.String()), "it is told once")

	t.Log("a program that goes back is told the same")
	program := p.Bearer(ada.ID, newChatToken(t, ada).Token)
	first := streamed(`script: text="Hello."`)
	program.Post(t, "/v1/chat/completions", first, nil)
	messages, _ := first["messages"].([]any)
	history := slices.Concat(messages, []any{map[string]any{"role": "assistant", "content": "Hello."}})
	propose := streamed("")
	propose["messages"] = append(history[:2:2], map[string]any{
		"role":    "user",
		"content": `script: tool=catalog.createSystem input={"name":"Second"}`,
	})
	program.Post(t, "/v1/chat/completions", propose, nil)
	var list struct {
		Proposals []proposal.Card `json:"proposals"`
	}
	ada.Get(t, "/api/ai/proposals?status=proposed", &list)
	require.Len(t, list.Proposals, 1)
	ada.Apply(t, list.Proposals[0].ProposalID)
	p.AwaitWorkflow(t, "proposal/"+list.Proposals[0].ProposalID.String())
	ada.Known(*list.Proposals[0].ConversationID).Idle(t)
	propose["messages"] = append(history[:2:2], map[string]any{"role": "user", "content": `script: text="Something else."`})
	require.Equal(t, http.StatusOK, program.Call(t, http.MethodPost, "/v1/chat/completions", propose).Status)
	require.Contains(t, shown(provider), list.Proposals[0].ProposalID.String())
}

// The model learns a decision behind another answer, and in a thread of an agent user interface.
func TestADecisionIsToldToEveryClient(t *testing.T) {
	t.Parallel()
	provider := apptest.NewProvider(t)
	p := apptest.Start(t, apptest.Options{Env: provider.Env()})
	ada := p.Person(t, p.Role(t, "ai.chat.read", "catalog.system.read", "catalog.system.manage"))
	apply := func(chat *apptest.Conversation, card proposal.Card) {
		ada.Apply(t, card.ProposalID)
		p.AwaitWorkflow(t, "proposal/"+card.ProposalID.String())
		chat.Idle(t)
	}
	told := func(card proposal.Card) {
		said := shown(provider)
		require.NotContains(t, said, "Nothing has changed yet")
		require.Contains(t, said, `"status":"applied"`)
		require.Contains(t, said, card.ProposalID.String())
	}

	t.Log("another answer to a message takes the turn of the decision along")
	chat := ada.Conversation(t, nil)
	card := chat.Perform(t, `tool=catalog.createSystem input={"name":"Ledger"}`).Card(t, "proposal")
	chat.Perform(t, `text="Meanwhile."`)
	messages := chat.Messages(t)
	asked, answered := messages[2], messages[3]
	apply(chat, card)
	require.Greater(t, len(chat.Messages(t)), 4, "the decision has a turn of its own")
	again := sdkChat(chat.ID.String(), sdkBody{"trigger": "regenerate-message", "messageId": answered.ID},
		userSays(asked.ID, apptest.TextOf(asked)))
	sdkSends(t, ada, again)
	require.Len(t, chat.Messages(t), 4)
	told(card)

	t.Log("a run of AG-UI goes on behind the decision, and one that says something else under a known id is refused")
	first := aguiSays("u1", `script: tool=catalog.createSystem input={"name":"Payments"}`)
	_, _, thread := aguiRun(t, ada, runInput("thread", first))
	card = ada.Proposal(t, proposalNamed(t, p, "Payments"))
	apply(thread, card)
	aguiRun(t, ada, runInput("thread", first, aguiSays("u2", `script: text="On."`)))
	told(card)
	ada.Refused(t, problem.KeyReused, http.MethodPost, "/api/ai/agui", runInput("thread", aguiSays("u2", `script: text="Else."`)))
}
