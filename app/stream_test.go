package app_test

import (
	"net/http"
	"slices"
	"testing"

	"github.com/google/uuid"
	"github.com/stretchr/testify/require"

	"countersign/app"
	"countersign/app/apptest"
	"countersign/model/demo"
	"countersign/problem"
)

// slow is a script of an answer that takes long enough to do something in the middle of it: some fifty tokens, half of
// them after a round of tools.
const slow = `tool=ai.listDocs r1.text="Let me look at the documentation first." tokens=40 delay_token=15ms`

// requireStored checks that a turn is stored as the client has it.
func requireStored(t *testing.T, chat *apptest.Conversation, turn *apptest.Turn) {
	t.Helper()
	require.JSONEq(t, encode(t, turn.Message), encode(t, chat.Last(t)))
}

func TestAnAnswerStreamsInTheProtocolOfTheAISDK(t *testing.T) {
	t.Parallel()
	p := apptest.Start(t, apptest.Options{})
	chat := p.Admin.Conversation(t, nil)
	stream := chat.Send(t, apptest.Scripted(`tool=ai.listDocs r1.text="One moment." text="Here it is." reasoning=3`))
	for name, value := range map[string]string{
		"Content-Type": "text/event-stream", "X-Vercel-Ai-Ui-Message-Stream": "v1", "X-Accel-Buffering": "no",
	} {
		require.Equal(t, value, stream.Header.Get(name))
	}
	turn := stream.Rest(t)

	require.Equal(t, []string{
		"start",
		"start-step", "reasoning-start", "reasoning-delta", "reasoning-end", "text-start", "text-delta", "text-end", "tool-input-available", "tool-output-available", "finish-step",
		"start-step", "reasoning-start", "reasoning-delta", "reasoning-end", "text-start", "text-delta", "text-end", "finish-step",
		"finish",
	}, slices.Compact(turn.Types()))
	require.Equal(t, "One moment.\nHere it is.", turn.Text())
	require.Empty(t, turn.Events[0].ID, "the first chunk stands before all that can be continued after")
	require.NotEmpty(t, turn.Events[1].ID)
	requireStored(t, chat, turn)
}

// Whoever watches an answer, from wherever and whenever, sees the same.
func TestAnAnswerCanBeFollowedFromAnywhere(t *testing.T) {
	t.Parallel()
	here := apptest.Start(t, apptest.Options{})
	there := apptest.Start(t, apptest.Options{Beside: here, Roles: app.Roles{API: true}})
	chat := here.Admin.Conversation(t, nil)
	elsewhere := chat.As(here.Admin.At(there))
	live := chat.Send(t, apptest.Scripted(slow))
	seen := live.Until(t, func(e apptest.Event) bool { return e.Type == "text-delta" && len(live.Events) > 8 })

	fromStart, continued := elsewhere.Resume(t, ""), elsewhere.Resume(t, seen.ID)
	rest := continued.Drain(t)
	turn := live.Rest(t)

	require.Equal(t, encode(t, turn.Message), encode(t, fromStart.Rest(t).Message))
	before := slices.Index(live.Events, seen)
	require.Equal(t, live.Events[before+1:], rest, "only what came after, with the same ids")
	requireStored(t, elsewhere, turn)
}

// A browser that is closed, and one whose process goes away, find the answer when they come back.
func TestAnAnswerGoesOnWithoutItsReader(t *testing.T) {
	t.Parallel()
	p := apptest.Start(t, apptest.Options{})
	chat := p.Admin.Conversation(t, nil)
	message := apptest.Scripted(slow)
	message.ID = "message-1"
	stream := chat.Send(t, message)
	first := stream.UntilType(t, "text-delta")
	stream.Close()

	turn := chat.Resume(t, "").Rest(t)
	require.Contains(t, turn.Events, first)
	require.Equal(t, "done", turn.Metadata.Status)
	requireStored(t, chat, turn)

	// When it is over, the same message gets the stored answer.
	again := chat.Send(t, message).Rest(t)
	require.JSONEq(t, encode(t, turn.Message), encode(t, again.Message))
	require.Equal(t, 1, p.Count(t, `SELECT count(*) FROM ai_turns WHERE conversation_id = $1`, chat.ID))
}

func TestTheSameMessageIsOneTurn(t *testing.T) {
	t.Parallel()
	p := apptest.Start(t, apptest.Options{})
	chat := p.Admin.Conversation(t, nil)
	message := apptest.Scripted(slow)
	message.ID = "message-1"
	first := chat.Send(t, message)
	first.UntilType(t, "text-delta")
	second := chat.Send(t, message)

	other := message
	other.Text = "Something else"
	refused := chat.Refused(t, other)
	require.Equal(t, http.StatusUnprocessableEntity, refused.Status)
	require.Equal(t, problem.KeyReused, refused.Problem(t).Code)

	turn, same := first.Rest(t), second.Rest(t)
	require.Equal(t, encode(t, turn.Message), encode(t, same.Message))
	require.Equal(t, turn.Metadata.TurnID, same.Metadata.TurnID)
	require.Len(t, chat.Messages(t), 2)
	require.Equal(t, 2, p.Count(t, `SELECT count(*) FROM turn_steps WHERE turn_id = $1 AND call = 0`, turn.Metadata.TurnID), "model calls")
}

func TestAConversationAnswersOneMessageAtATime(t *testing.T) {
	t.Parallel()
	p := apptest.Start(t, apptest.Options{})
	chat := p.Admin.Conversation(t, nil)
	running := chat.Send(t, apptest.Scripted(slow))
	running.UntilType(t, "text-delta")

	refused := chat.Refused(t, apptest.Message{Text: "And another thing"})
	require.Equal(t, http.StatusConflict, refused.Status)
	e := refused.Problem(t)
	require.Equal(t, problem.Busy, e.Code)
	require.Contains(t, e.Detail, "Wait for the answer, or stop it")
	turn := running.Rest(t)
	require.Equal(t, turn.Metadata.TurnID.String(), e.Extra["turnId"])

	// Another conversation is not in the way, and this one is free again.
	require.Equal(t, "done", p.Admin.Conversation(t, nil).Perform(t, "text=hi").Metadata.Status)
	require.Equal(t, "done", chat.Perform(t, "text=hi").Metadata.Status)
}

func TestNothingIsFollowedWhenNothingRuns(t *testing.T) {
	t.Parallel()
	p := apptest.Start(t, apptest.Options{})
	chat := p.Admin.Conversation(t, nil)
	for range 2 {
		answer := p.Admin.Call(t, http.MethodGet, "/api/ai/chat/"+chat.ID.String()+"/stream", nil)
		require.Equal(t, http.StatusNoContent, answer.Status)
		require.Empty(t, answer.Body)
		chat.Perform(t, "text=hi")
	}
}

// A process that accepts messages need not be the one that answers them.
func TestTheAPIAndTheWorkersCanRunApart(t *testing.T) {
	t.Parallel()
	api := apptest.Start(t, apptest.Options{Roles: app.Roles{API: true}})
	worker := apptest.Start(t, apptest.Options{Beside: api, Roles: app.Roles{Worker: true}})
	chat := api.Admin.Conversation(t, nil)
	turn := chat.Perform(t, `tool=ai.listDocs text="Here it is."`)
	require.Equal(t, "done", turn.Metadata.Status)
	require.Equal(t, "output-available", turn.ToolCalls()[0].State)
	requireStored(t, chat, turn)

	answer := api.Admin.At(worker).Call(t, http.MethodGet, "/api/me", nil)
	require.Equal(t, http.StatusNotFound, answer.Status, "a worker serves its probes and nothing else")
}

// A message that was accepted is answered, also when no worker was there to take it.
func TestAnAcceptedMessageIsNotLost(t *testing.T) {
	t.Parallel()
	api := apptest.Start(t, apptest.Options{Roles: app.Roles{API: true}})
	chat := api.Admin.Conversation(t, nil)
	stream := chat.Send(t, apptest.Scripted(`text="At last."`))
	require.Equal(t, "start", stream.UntilType(t, "start").Type)

	apptest.Start(t, apptest.Options{Beside: api, Roles: app.Roles{Worker: true}})
	turn := stream.Rest(t)
	require.Equal(t, "At last.", turn.Text())
}

// A process that is stopped in mid-answer leaves the turn to another one, which says what is missing.
func TestATurnSurvivesTheEndOfItsProcess(t *testing.T) {
	t.Parallel()
	first := apptest.Start(t, apptest.Options{Env: map[string]string{"COUNTERSIGN_DRAIN_TIMEOUT": "100ms"}})
	second := apptest.Start(t, apptest.Options{Beside: first})
	chat := first.Admin.Conversation(t, nil)
	stream := chat.Send(t, apptest.Scripted(`tool=ai.listDocs r1.text="One moment." tokens=150 delay_token=20ms`))
	stream.UntilType(t, "tool-output-available")
	last := stream.UntilType(t, "text-delta")
	seen := slices.Clone(stream.Events)
	stream.Close()
	first.Stop(t)

	elsewhere := chat.As(first.Admin.At(second))
	turn := apptest.TurnOf(t, slices.Concat(seen, elsewhere.Resume(t, last.ID).Drain(t)))
	require.Equal(t, "done", turn.Metadata.Status)
	require.Len(t, turn.ToolCalls(), 1, "a step that was recorded is not made again")
	requireStored(t, elsewhere, turn)
	require.Equal(t, 1, second.Count(t, `SELECT count(*) FROM ai_tool_calls WHERE turn_id = $1`, turn.Metadata.TurnID))
}

func TestAnAnswerSurvivesAnOldLastEventID(t *testing.T) {
	t.Parallel()
	p := apptest.Start(t, apptest.Options{})
	chat := p.Admin.Conversation(t, nil)
	live := chat.Send(t, apptest.Scripted(slow))
	live.UntilType(t, "text-delta")
	for _, id := range []string{"no-number", "-1", "99999999999999999999999", uuid.NewString()} {
		require.Equal(t, "start", chat.Resume(t, id).UntilType(t, "start").Type, "%s is as none", id)
	}
	turn := live.Rest(t)
	require.Equal(t, "done", turn.Metadata.Status)
}

func TestAMessageMayBeAUIMessage(t *testing.T) {
	t.Parallel()
	p := apptest.Start(t, apptest.Options{})
	chat := p.Admin.Conversation(t, nil)
	answer := p.Admin.Call(t, http.MethodPost, "/api/ai/chat", map[string]any{
		"conversationId": chat.ID, "model": demo.Scripted,
		"message": map[string]any{"id": "ui-1", "role": "user", "parts": []any{map[string]any{"type": "text", "text": "script: text=hi"}}},
	})
	require.Equal(t, http.StatusOK, answer.Status, "%s", answer.Body)
	require.Equal(t, "ui-1", chat.Messages(t)[0].ID)
	require.Equal(t, "hi", apptest.TextOf(chat.Last(t)))
}
