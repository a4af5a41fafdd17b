package app_test

import (
	"net/http"
	"slices"
	"strings"
	"testing"

	"github.com/google/uuid"
	"github.com/stretchr/testify/require"

	"countersign/app"
	"countersign/app/apptest"
	"countersign/internal/problem"
	"countersign/model/demo"
)

// startPaused starts a turn whose answer waits after its first words until it is resumed.
func startPaused(
	t *testing.T,
	provider *apptest.Provider,
	chat *apptest.Conversation,
	m apptest.Message,
) (*apptest.Stream, *apptest.Pause) {
	t.Helper()
	pause := provider.Pause(apptest.Text("In "), apptest.Text("short, "))
	stream := chat.Send(t, m)
	stream.Until(t, func(e apptest.Event) bool { return e.Type == "text-delta" && strings.Contains(e.Chunk, "short") })
	return stream, pause
}

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
		"start-step",
		"reasoning-start",
		"reasoning-delta",
		"reasoning-end",
		"text-start",
		"text-delta",
		"text-end",
		"tool-input-available",
		"tool-output-available",
		"finish-step",
		"start-step",
		"reasoning-start",
		"reasoning-delta",
		"reasoning-end",
		"text-start",
		"text-delta",
		"text-end",
		"finish-step",
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
	provider := apptest.NewProvider(t)
	here := apptest.Start(t, apptest.Options{Env: provider.Env()})
	there := apptest.Start(t, apptest.Options{Beside: here, Roles: app.Roles{API: true}})
	chat := here.Admin.Conversation(t, nil)
	elsewhere := chat.As(here.Admin.At(there))
	provider.Answer(apptest.Events("tool_calls", apptest.Text("Let me look."), apptest.ToolCall("c1", "ai_listDocs", "{}")))
	live, pause := startPaused(t, provider, chat, apptest.Message{Text: "Hello"})
	first := live.Events[len(live.Events)-2]

	fromStart, continued := elsewhere.Resume(t, ""), elsewhere.Resume(t, first.ID)
	require.Equal(t, live.Events[len(live.Events)-1], continued.UntilType(t, "text-delta"), "only what came after, with the same ids")
	fromStart.Until(t, func(e apptest.Event) bool { return e == first })
	pause.Resume(apptest.Text("all is well."))
	turn := live.Rest(t)

	require.Equal(t, "Let me look.\nIn short, all is well.", turn.Text())
	require.Equal(t, encode(t, turn.Message), encode(t, fromStart.Rest(t).Message))
	continued.Drain(t)
	require.Equal(t, live.Events[slices.Index(live.Events, first)+1:], continued.Events)
	requireStored(t, elsewhere, turn)
}

// A browser that is closed finds the answer when it comes back.
func TestAnAnswerGoesOnWithoutItsReader(t *testing.T) {
	t.Parallel()
	provider := apptest.NewProvider(t)
	p := apptest.Start(t, apptest.Options{Env: provider.Env()})
	chat := p.Admin.Conversation(t, nil)
	message := apptest.Message{ID: "message-1", Text: "Hello"}
	stream, pause := startPaused(t, provider, chat, message)
	stream.Close()
	resumed := chat.Resume(t, "")
	pause.Resume(apptest.Text("all is well."))

	turn := resumed.Rest(t)
	require.Equal(t, "In short, all is well.", turn.Text())
	requireStored(t, chat, turn)

	// When it is over, the same message gets the stored answer.
	again := chat.Send(t, message).Rest(t)
	require.JSONEq(t, encode(t, turn.Message), encode(t, again.Message))
	require.Len(t, provider.Requests(), 1)
}

func TestTheSameMessageIsOneTurn(t *testing.T) {
	t.Parallel()
	provider := apptest.NewProvider(t)
	p := apptest.Start(t, apptest.Options{Env: provider.Env()})
	chat := p.Admin.Conversation(t, nil)
	message := apptest.Message{ID: "message-1", Text: "Hello"}
	first, pause := startPaused(t, provider, chat, message)
	second := chat.Send(t, message)

	refused := chat.Refused(t, apptest.Message{ID: "message-1", Text: "Something else"})
	require.Equal(t, http.StatusUnprocessableEntity, refused.Status)
	require.Equal(t, problem.KeyReused, refused.Problem(t).Code)

	pause.Resume(apptest.Text("all is well."))
	turn, same := first.Rest(t), second.Rest(t)
	require.Equal(t, encode(t, turn.Message), encode(t, same.Message))
	require.Equal(t, turn.Metadata.TurnID, same.Metadata.TurnID)
	require.Len(t, chat.Messages(t), 2)
	require.Len(t, provider.Requests(), 1)
}

func TestAConversationAnswersOneMessageAtATime(t *testing.T) {
	t.Parallel()
	provider := apptest.NewProvider(t)
	p := apptest.Start(t, apptest.Options{Env: provider.Env()})
	chat := p.Admin.Conversation(t, nil)
	running, pause := startPaused(t, provider, chat, apptest.Message{Text: "Hello"})

	refused := chat.Refused(t, apptest.Message{Text: "And another thing"})
	require.Equal(t, http.StatusConflict, refused.Status)
	e := refused.Problem(t)
	require.Equal(t, problem.Busy, e.Code)
	require.Contains(t, e.Detail, "Wait for the answer, or stop it")

	// Another conversation is not in the way.
	require.Equal(t, "done", p.Admin.Conversation(t, nil).Perform(t, "text=hi").Metadata.Status)
	pause.Resume()
	turn := running.Rest(t)
	require.Equal(t, turn.Metadata.TurnID.String(), e.Extra["turnId"])
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

// A process that is stopped in mid-answer leaves the turn to another one, which says again what was not finished.
func TestATurnSurvivesTheEndOfItsProcess(t *testing.T) {
	t.Parallel()
	provider := apptest.NewProvider(t)
	env := provider.Env()
	env["COUNTERSIGN_DRAIN_TIMEOUT"] = "100ms"
	first := apptest.Start(t, apptest.Options{Env: env})
	second := apptest.Start(t, apptest.Options{Beside: first})
	chat := first.Admin.Conversation(t, nil)
	provider.Answer(apptest.Events("tool_calls", apptest.Text("Let me look."), apptest.ToolCall("c1", "ai_listDocs", "{}")))
	stream, _ := startPaused(t, provider, chat, apptest.Scripted(`text="Here it is."`))
	seen := slices.Clone(stream.Events)
	stream.Close()
	first.Stop(t)

	elsewhere := chat.As(first.Admin.At(second))
	rest := elsewhere.Resume(t, seen[len(seen)-1].ID).Drain(t)
	turn := apptest.TurnOf(t, slices.Concat(seen, rest))
	require.Equal(t, "done", turn.Metadata.Status)
	require.Equal(t, "Let me look.\nHere it is.", turn.Text())
	require.Len(t, turn.ToolCalls(), 1, "a step that was recorded is not made again")
	requireStored(t, elsewhere, turn)
	require.Equal(t, 1, second.Count(t, `SELECT count(*) FROM ai_tool_calls WHERE turn_id = $1`, turn.Metadata.TurnID))
	require.Len(t, provider.Requests(), 3, "only the call in flight was made twice")
}

func TestALastEventIDThatIsNoneIsIgnored(t *testing.T) {
	t.Parallel()
	provider := apptest.NewProvider(t)
	p := apptest.Start(t, apptest.Options{Env: provider.Env()})
	chat := p.Admin.Conversation(t, nil)
	live, pause := startPaused(t, provider, chat, apptest.Message{Text: "Hello"})
	for _, id := range []string{"no-number", "-1", "99999999999999999999999", uuid.NewString()} {
		require.Equal(t, "start", chat.Resume(t, id).UntilType(t, "start").Type, "%s is as none", id)
	}
	// What this turn has not said yet, because it was another one, or the database was restored, hides nothing.
	for _, id := range []string{"1", "4294968295", "9223372036854775807"} {
		stream := chat.Resume(t, id)
		require.Equal(t, "start", stream.UntilType(t, "start").Type, "%s is as none", id)
		stream.Until(t, func(e apptest.Event) bool { return e.Type == "text-delta" && strings.Contains(e.Chunk, "short") })
	}
	pause.Resume()
	require.Equal(t, "done", live.Rest(t).Metadata.Status)
}

func TestAnArchivedConversationIsReadOnly(t *testing.T) {
	t.Parallel()
	p := apptest.Start(t, apptest.Options{})
	chat := p.Admin.Conversation(t, nil)
	chat.Perform(t, "text=hi")
	p.Admin.Post(t, "/api/ai/conversations/"+chat.ID.String()+"/archive", nil, nil)
	require.Equal(t, problem.Conflict, chat.Refused(t, apptest.Message{Text: "And?"}).Problem(t).Code)
	require.Len(t, chat.Messages(t), 2)
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
