package app_test

import (
	"context"
	"net/http"
	"strings"
	"testing"

	"github.com/google/uuid"
	"github.com/stretchr/testify/require"

	"countersign/app"
	"countersign/app/apptest"
	"countersign/internal/problem"
)

// started opens a streamed answer and reads until it says something. leave closes it.
func started(t *testing.T, c *apptest.Client, path string, body any, says string,
	headers ...apptest.Header,
) (conversation string, leave func()) {
	t.Helper()
	s := c.Stream(t, http.MethodPost, path, body, headers...)
	s.Until(t, func(e apptest.Event) bool { return strings.Contains(e.Chunk, says) })
	return s.Header.Get("Countersign-Conversation"), s.Close
}

func streamed(text string) map[string]any {
	return map[string]any{"model": "countersign", "stream": true, "messages": []any{map[string]any{"role": "user", "content": text}}}
}

func statusOf(p *apptest.Product, t *testing.T, conversation string) func(status string) bool {
	return func(status string) bool {
		return p.Count(t, `SELECT count(*) FROM ai_turns WHERE conversation_id = $1 AND status = $2`, conversation, status) == 1
	}
}

func TestAClosedStreamOfTheOpenAIProtocolStopsItsTurn(t *testing.T) {
	t.Parallel()
	provider := apptest.NewProvider(t)
	p := apptest.Start(t, apptest.Options{Env: provider.Env()})
	ada := p.Person(t)
	program := p.Bearer(ada.ID, newChatToken(t, ada).Token)
	for _, path := range []string{"/v1/chat/completions", "/v1/responses"} {
		provider.Pause(apptest.Text("In short, "))
		body := streamed("Tell me " + path)
		if path == "/v1/responses" {
			body = map[string]any{"model": "countersign", "stream": true, "input": "Tell me " + path}
		}
		conversation, leave := started(t, program, path, body, "In short")
		leave()
		apptest.Eventually(t, "the turn is stopped", func() bool { return statusOf(p, t, conversation)("stopped") })
		require.Contains(t, encode(t, ada.Known(uuid.MustParse(conversation)).Last(t)), "In short")
	}

	t.Log("the same of the AG-UI protocol, and of neither where that is not wanted")
	provider.Pause(apptest.Text("In short, "))
	conversation, leave := started(t, ada, "/api/ai/agui", runInput("thread", aguiSays("u1", "Tell me")), "In short")
	leave()
	apptest.Eventually(t, "the run is stopped", func() bool { return statusOf(p, t, conversation)("stopped") })
}

func TestAClosedStreamGoesOnWhereThatIsWanted(t *testing.T) {
	t.Parallel()
	provider := apptest.NewProvider(t)
	env := provider.Env()
	env["COUNTERSIGN_V1_STOP_ON_CLOSE"] = "false"
	p := apptest.Start(t, apptest.Options{Env: env})
	ada := p.Person(t)
	program := p.Bearer(ada.ID, newChatToken(t, ada).Token)
	pause := provider.Pause(apptest.Text("In short, "))
	conversation, leave := started(t, program, "/v1/chat/completions", streamed("Tell me"), "In short")
	leave()
	pause.Resume(apptest.Text("here it is."))
	apptest.Eventually(t, "the turn is done", func() bool { return statusOf(p, t, conversation)("done") })
}

// The next message of the same client stops what runs, on another process too.
func TestTheNextMessageTakesThePlaceOfARunningTurn(t *testing.T) {
	t.Parallel()
	provider := apptest.NewProvider(t)
	p := apptest.Start(t, apptest.Options{Env: provider.Env()})
	beside := apptest.Start(t, apptest.Options{Env: provider.Env(), Beside: p, Roles: app.Roles{API: true}})
	ada := p.Person(t)
	token := newChatToken(t, ada).Token
	name := apptest.Header{Name: "Countersign-Conversation", Value: "desk"}
	provider.Pause(apptest.Text("In short, "))
	conversation, _ := started(t, p.Bearer(ada.ID, token), "/v1/chat/completions", streamed("Tell me"), "In short", name)
	body := streamed(`script: text="Two."`)
	body["stream"] = false
	answer := beside.Bearer(ada.ID, token).Post(t, "/v1/chat/completions", body, nil, name)
	require.Contains(t, string(answer.Body), "Two.")
	require.Len(t, ada.Known(uuid.MustParse(conversation)).Messages(t), 4)
	require.True(t, statusOf(p, t, conversation)("stopped"))

	t.Log("it may ask to wait, or to be refused")
	pause := provider.Pause(apptest.Text("In short, "))
	started(t, p.Bearer(ada.ID, token), "/v1/chat/completions", streamed("Tell me more"), "In short", name)
	refused := beside.Bearer(ada.ID, token).Call(t, http.MethodPost, "/v1/chat/completions", body, name,
		apptest.Header{Name: "Countersign-While-Running", Value: "refuse"})
	require.Equal(t, http.StatusConflict, refused.Status)
	wrong := beside.Bearer(ada.ID, token).Call(t, http.MethodPost, "/v1/chat/completions", body, name,
		apptest.Header{Name: "Countersign-While-Running", Value: "what"})
	require.Equal(t, http.StatusBadRequest, wrong.Status)
	queued := make(chan apptest.Answer, 1)
	go func() {
		got, _ := beside.Bearer(ada.ID, token).Send(t.Context(), http.MethodPost, "/v1/chat/completions", body, name,
			apptest.Header{Name: "Countersign-While-Running", Value: "queue"})
		queued <- got
	}()
	pause.Resume(apptest.Text("here it is."))
	require.Equal(t, http.StatusOK, (<-queued).Status)
	require.True(t, statusOf(p, t, conversation)("stopped"), "no other turn was stopped")

	t.Log("another client of the person stops nothing, and waits")
	pause = provider.Pause(apptest.Text("In short, "))
	started(t, p.Bearer(ada.ID, token), "/v1/chat/completions", streamed("And more"), "In short", name)
	second := p.Bearer(ada.ID, newChatToken(t, ada).Token)
	go func() {
		got, _ := second.Send(t.Context(), http.MethodPost, "/v1/chat/completions", body, name)
		queued <- got
	}()
	pause.Resume(apptest.Text("here it is."))
	require.Equal(t, http.StatusOK, (<-queued).Status)
	require.True(t, statusOf(p, t, conversation)("stopped"))
}

func TestARunThatIsAbortedMakesRoomForTheNext(t *testing.T) {
	t.Parallel()
	provider := apptest.NewProvider(t)
	p := apptest.Start(t, apptest.Options{Env: provider.Env()})
	provider.Pause(apptest.Text("In short, "))
	_, leave := started(t, p.Admin, "/api/ai/agui", runInput("thread", aguiSays("u1", "Tell me")), "In short")
	leave()
	_, said, chat := aguiRun(t, p.Admin, runInput("thread", aguiSays("u1", "Tell me"), aguiSays("u2", `script: text="Two."`)))
	require.Equal(t, "Two.", said)
	require.Len(t, chat.Messages(t), 4)
}

func TestAStockChatThatWasStoppedGoesOnWithoutAnError(t *testing.T) {
	t.Parallel()
	provider := apptest.NewProvider(t)
	p := apptest.Start(t, apptest.Options{Env: provider.Env()})
	for _, next := range []map[string]any{
		sdkChat("chat-1", nil, userSays("u2", `script: text="Two."`)),
		sdkChat("chat-2", sdkBody{"trigger": "regenerate-message"}, userSays("u1", `script: text="Two."`)),
	} {
		name, _ := next["id"].(string)
		provider.Pause(apptest.Text("In short, "))
		_, leave := started(t, p.Admin, "/api/ai/chat", sdkChat(name, nil, userSays("u1", `script: text="Two."`)), "In short")
		leave()
		turn, _ := sdkSends(t, p.Admin, next)
		require.Equal(t, "Two.", turn.Text())
	}

	t.Log("a window that still reads its answer is not interrupted by another one, unless that asks for it")
	provider.Pause(apptest.Text("In short, "))
	started(t, p.Admin, "/api/ai/chat", sdkChat("chat-3", nil, userSays("u1", "Tell me")), "In short")
	p.Admin.Refused(t, problem.Busy, http.MethodPost, "/api/ai/chat", sdkChat("chat-3", nil, userSays("u2", `script: text="Two."`)))
	answer := p.Admin.Post(t, "/api/ai/chat", sdkChat("chat-3", nil, userSays("u2", `script: text="Two."`)), nil,
		apptest.Header{Name: "Countersign-While-Running", Value: "stop"})
	require.Contains(t, string(answer.Body), "Two.")
}

// A turn is left when its last stream is closed, so a window that closes its own takes nothing from another one.
func TestATurnIsLeftWithItsLastStream(t *testing.T) {
	t.Parallel()
	provider := apptest.NewProvider(t)
	p := apptest.Start(t, apptest.Options{Env: provider.Env()})
	first := provider.Pause(apptest.Text("In short, "))
	a := p.Admin.Stream(t, http.MethodPost, "/api/ai/chat", sdkChat("chat-1", nil, userSays("u1", "Tell me")))
	a.Until(t, func(e apptest.Event) bool { return strings.Contains(e.Chunk, "In short") })
	b := p.Admin.Stream(t, http.MethodGet, "/api/ai/chat/chat-1/stream", nil)
	b.Until(t, func(e apptest.Event) bool { return strings.Contains(e.Chunk, "In short") })
	open := func(n int) {
		t.Helper()
		apptest.Eventually(
			t,
			"the streams are counted",
			func() bool { return p.Count(t, `SELECT open_streams FROM ai_turns WHERE status = 'running'`) == n },
		)
	}
	open(2)
	b.Close()
	open(1)
	p.Admin.Refused(t, problem.Busy, http.MethodPost, "/api/ai/chat", sdkChat("chat-1", nil, userSays("u2", "Tell me more")))
	first.Resume(apptest.Text("here it is."))
	require.Contains(t, a.Rest(t).Text(), "here it is.")
	require.Equal(t, 1, p.Count(t, `SELECT count(*) FROM ai_turns WHERE status = 'done'`), "the other window has its answer")

	t.Log("once both have closed theirs, the next message stops the turn, from either")
	provider.Pause(apptest.Text("Another moment, "))
	a = p.Admin.Stream(t, http.MethodPost, "/api/ai/chat", sdkChat("chat-1", nil, userSays("u3", "Tell me")))
	a.Until(t, func(e apptest.Event) bool { return strings.Contains(e.Chunk, "Another moment") })
	b = p.Admin.Stream(t, http.MethodGet, "/api/ai/chat/chat-1/stream", nil)
	b.Until(t, func(e apptest.Event) bool { return strings.Contains(e.Chunk, "Another moment") })
	open(2)
	a.Close()
	b.Close()
	answered, _ := sdkSends(t, p.Admin, sdkChat("chat-1", nil, userSays("u4", `script: text="Two."`)))
	require.Equal(t, "Two.", answered.Text())
	require.Equal(t, 1, p.Count(t, `SELECT count(*) FROM ai_turns WHERE status = 'stopped'`))
}

// A run that joins another one does not stop it by closing its stream, while that one is read.
func TestARunThatJoinsDoesNotStopTheFirst(t *testing.T) {
	t.Parallel()
	provider := apptest.NewProvider(t)
	p := apptest.Start(t, apptest.Options{Env: provider.Env()})
	pause := provider.Pause(apptest.Text("In short, "))
	run := runInput("thread", aguiSays("u1", "Tell me"))
	a := p.Admin.Stream(t, http.MethodPost, "/api/ai/agui", run)
	a.Until(t, func(e apptest.Event) bool { return strings.Contains(e.Chunk, "In short") })
	_, leave := started(t, p.Admin, "/api/ai/agui", run, "In short")
	leave()
	apptest.Eventually(
		t,
		"the streams are counted",
		func() bool { return p.Count(t, `SELECT open_streams FROM ai_turns WHERE status = 'running'`) == 1 },
	)
	pause.Resume(apptest.Text("here it is."))
	a.Until(t, func(e apptest.Event) bool { return strings.Contains(e.Chunk, "here it is.") })
	a.Until(t, func(e apptest.Event) bool { return strings.Contains(e.Chunk, "RUN_FINISHED") })
	apptest.Eventually(t, "the run is done", func() bool { return p.Count(t, `SELECT count(*) FROM ai_turns WHERE status = 'done'`) == 1 })
}

func TestAChatTokenStopsItsOwnTurnsAlone(t *testing.T) {
	t.Parallel()
	provider := apptest.NewProvider(t)
	p := apptest.Start(t, apptest.Options{Env: provider.Env()})
	ada := p.Person(t)
	program := p.Bearer(ada.ID, newChatToken(t, ada).Token)
	provider.Pause(apptest.Text("In short, "))
	conversation, _ := started(t, program, "/v1/chat/completions", streamed("Tell me"), "In short")
	turn := p.Column(t, `SELECT id FROM ai_turns WHERE conversation_id = $1`, conversation)[0]
	for _, other := range []*apptest.Client{
		p.Bearer(ada.ID, newChatToken(t, ada).Token),
		p.Bearer(p.Admin.ID, newChatToken(t, p.Admin).Token),
	} {
		for _, id := range []string{"resp_" + turn, "chatcmpl-" + turn, "resp_x", turn} {
			require.Equal(t, http.StatusNotFound, other.Call(t, http.MethodPost, "/v1/responses/"+id+"/cancel", nil).Status)
		}
	}
	require.True(t, statusOf(p, t, conversation)("running"))
	var answer struct{ Status string }
	program.Post(t, "/v1/responses/resp_"+turn+"/cancel", nil, &answer)
	require.Equal(t, "cancelled", answer.Status)
	program.Post(t, "/v1/responses/chatcmpl-"+turn+"/cancel", nil, &answer)
	require.Equal(t, "cancelled", answer.Status)
}

func contextOf(t *testing.T) (context.Context, context.CancelFunc) {
	t.Helper()
	ctx, cancel := context.WithCancel(t.Context())
	t.Cleanup(cancel)
	return ctx, cancel
}
