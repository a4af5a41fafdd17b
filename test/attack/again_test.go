package attack_test

import (
	"maps"
	"net/http"
	"sync"
	"testing"

	"github.com/google/uuid"
	"github.com/stretchr/testify/require"

	"countersign/app/apptest"
	"countersign/internal/problem"
	"countersign/tool/proposal"
)

// message is a message as the AI SDK sends it, of which the last one counts.
func message(chat uuid.UUID, id, text string, more map[string]any) map[string]any {
	body := map[string]any{"id": chat, "trigger": "submit-message", "messages": []any{
		map[string]any{"id": id, "role": "user", "parts": []any{map[string]any{"type": "text", "text": text}}},
	}}
	maps.Copy(body, more)
	return body
}

// The ids that replaced messages get are nobody's to choose: a message that has one would stand in the way of an edit.
func TestNobodyChoosesTheIdOfAReplacedMessage(t *testing.T) {
	t.Parallel()
	p := apptest.Start(t, apptest.Options{})
	ada, bob := p.Person(t), p.Person(t)
	chat := ada.Conversation(t, nil)
	turn := chat.Perform(t, `text="One."`)
	first := chat.Messages(t)[0].ID
	taken := "replaced/" + turn.Metadata.TurnID.String()
	for name, body := range map[string]any{
		"a message":          map[string]any{"conversationId": chat.ID, "messageId": taken, "message": "Two"},
		"of the AI SDK":      message(chat.ID, taken, "Two", nil),
		"one to be replaced": message(chat.ID, taken, "Two", map[string]any{"messageId": taken}),
	} {
		answer := ada.Call(t, http.MethodPost, "/api/ai/chat", body)
		require.Equal(t, http.StatusUnprocessableEntity, answer.Status, "%s: %s", name, answer.Body)
	}
	agui := ada.Call(t, http.MethodPost, "/api/ai/agui", map[string]any{
		"threadId":       chat.ID,
		"runId":          "r",
		"messages":       []any{map[string]any{"id": taken, "role": "user", "content": "Two"}},
		"tools":          []any{},
		"context":        []any{},
		"state":          map[string]any{},
		"forwardedProps": map[string]any{},
	})
	require.GreaterOrEqual(t, agui.Status, 400, "%s", agui.Body)
	require.Less(t, agui.Status, 500, "%s", agui.Body)
	require.Len(t, chat.Messages(t), 2)

	// Nobody edits in the chat of somebody else, or in one that has gone.
	edit := message(chat.ID, first, "Three", map[string]any{"messageId": first})
	bob.Call(t, http.MethodPost, "/api/ai/chat", edit)
	bob.Refused(t, problem.NotFound, http.MethodGet, "/api/ai/conversations/"+chat.ID.String(), nil)
	require.Equal(t, first, chat.Messages(t)[0].ID)
	require.Len(t, chat.Messages(t), 2)
	require.Zero(t, p.Count(t, `SELECT count(*) FROM ai_messages WHERE conversation_id = $1 AND replaced_at IS NOT NULL`, chat.ID))
	require.Equal(t, http.StatusOK, ada.Call(t, http.MethodPost, "/api/ai/chat", edit).Status)
	chat.Idle(t)
	expired := chat.Perform(t, `tool=ai.saveMemory input={"scope":"user","recallHint":"Mine","content":"Mine"}`).Card(t, "proposal")
	p.Exec(t, `UPDATE ai_proposals SET expires_at = now() - interval '1 second' WHERE id = $1`, expired.ProposalID)
	chat.Idle(t)
	p.Exec(t, `DELETE FROM ai_conversations WHERE id = $1`, chat.ID)
	next := ada.Call(t, http.MethodPost, "/api/ai/proposals/"+expired.ProposalID.String()+"/again", nil)
	require.Less(t, next.Status, 500, "%s", next.Body)
	for _, path := range []string{"/api/ai/conversations/" + chat.ID.String() + "/markdown", "/api/ai/turns/" + turn.Metadata.TurnID.String()} {
		ada.Refused(t, problem.NotFound, http.MethodGet, path, nil)
	}
	require.Less(t, ada.Call(t, http.MethodPost, "/api/ai/chat", edit).Status, 500)
	require.NotContains(t, p.Log.String(), `"level":"ERROR"`)
}

// However often and at whatever moment somebody asks for the next proposal, there is one of it, and two people are two still.
func TestTheNextProposalIsMadeOnce(t *testing.T) {
	t.Parallel()
	p := apptest.Start(t, apptest.Options{})
	role := p.Role(t, "catalog.system.manage", "ai.proposal.manage")
	ada, bob, viewer := p.Person(t, role), p.Person(t, role), p.Person(t)
	system := idOf(t, ada.Call(t, http.MethodPost, "/api/catalog/systems", map[string]any{"name": "Ledger", "description": "Before"}))
	p.Countersign(t, p.Admin.Patch(t, "/api/ai/policies/catalog.updateSystem", map[string]any{"twoPerson": true, "anyway": true}, nil))
	card := ada.Propose(t, "catalog.updateSystem", map[string]any{"id": system, "description": "After"})
	bob.Apply(t, card.ProposalID)
	undo := "/api/ai/proposals/" + card.ProposalID.String() + "/undo"
	viewer.Refused(t, problem.NotFound, http.MethodPost, undo, nil)

	answers := make([]apptest.Answer, 12)
	var wg sync.WaitGroup
	for i := range answers {
		wg.Go(func() {
			answers[i] = bob.Call(
				t,
				http.MethodPost,
				undo,
				nil,
				apptest.Header{Name: "Idempotency-Key", Value: []string{"one", "two", uuid.NewString()}[i%3]},
			)
		})
	}
	wg.Wait()
	made := map[uuid.UUID]bool{}
	created := 0
	for _, answer := range answers {
		require.Less(t, answer.Status, 500, "%s", answer.Body)
		if answer.Status >= 300 {
			continue
		}
		var next proposal.Card
		answer.Decode(t, &next)
		made[next.ProposalID] = true
		require.Empty(t, next.Token, "it takes a second person, as the first one did")
		if answer.Status == http.StatusCreated {
			created++
		}
	}
	require.Len(t, made, 1)
	require.Positive(t, created)
	require.Equal(t, 2, p.Count(t, `SELECT count(*) FROM ai_proposals WHERE tool_name = 'catalog.updateSystem'`))
	for id := range made {
		e := bob.Call(t, http.MethodPost, "/api/ai/proposals/apply", map[string]any{"proposalId": id})
		require.GreaterOrEqual(t, e.Status, 400, "who has decided about the change does not take it back alone: %s", e.Body)
		require.Equal(t, proposal.Applied, ada.Apply(t, id).Status)
	}
	// What was taken back by somebody is the other's to take back once more, as a proposal of their own.
	var of struct{ Description string }
	ada.Get(t, "/api/catalog/systems/"+system, &of)
	require.Equal(t, "Before", of.Description)

	// Who has lost the right since proposes nothing, whatever they have proposed or decided before.
	p.Exec(t, `DELETE FROM user_roles WHERE user_id = $1`, ada.ID)
	e := ada.Call(t, http.MethodPost, undo, nil)
	require.GreaterOrEqual(t, e.Status, 400, "%s", e.Body)
	require.Less(t, e.Status, 500, "%s", e.Body)
	require.Equal(t, 2, p.Count(t, `SELECT count(*) FROM ai_proposals WHERE tool_name = 'catalog.updateSystem'`))
}
