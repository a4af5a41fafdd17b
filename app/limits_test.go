package app_test

import (
	"net/http"
	"testing"

	"github.com/google/uuid"
	"github.com/stretchr/testify/require"

	"countersign/app/apptest"
	"countersign/internal/problem"
	"countersign/model/demo"
)

// endless is an answer that goes on until somebody stops it.
const endless = "tokens=10000 delay_token=20ms"

func TestSoManyTurnsOfOnePersonRunAtOnceOnAllProcesses(t *testing.T) {
	t.Parallel()
	env := map[string]string{"COUNTERSIGN_MAX_RUNNING_TURNS": "2"}
	p := apptest.Start(t, apptest.Options{Env: env})
	other := apptest.Start(t, apptest.Options{Env: env, Beside: p})
	ada := p.Person(t)
	first, second, third := ada.Conversation(t, nil), ada.Conversation(t, nil), ada.Conversation(t, nil)
	one, two := first.Send(t, apptest.Scripted(endless)), second.As(ada.At(other)).Send(t, apptest.Scripted(endless))
	one.UntilType(t, "text-delta")
	two.UntilType(t, "text-delta")

	refused := third.As(ada.At(other)).Refused(t, apptest.Scripted("text=hi"))
	require.Contains(t, refused.Problem(t).Detail, "answering you in 2 conversations already")
	require.Equal(t, "5", refused.Header.Get("Retry-After"))
	require.Zero(t, p.Count(t, "SELECT count(*) FROM ai_messages WHERE conversation_id = $1", third.ID), "nothing is left of it")
	require.Equal(t, problem.Busy, first.Refused(t, apptest.Scripted("text=hi")).Problem(t).Code, "a busy conversation says so")
	p.Person(t).Conversation(t, nil).Perform(t, "text=hi")

	first.Stop(t)
	one.Drain(t)
	first.Idle(t)
	third.Perform(t, "text=hi")
	second.Stop(t)
	two.Drain(t)
}

func TestSoManyStreamsOfOnePersonAreOpenAtOnce(t *testing.T) {
	t.Parallel()
	p := apptest.Start(t, apptest.Options{Env: map[string]string{"COUNTERSIGN_MAX_OPEN_STREAMS": "2"}})
	chat := p.Person(t).Conversation(t, nil)
	message := apptest.Scripted(endless)
	message.ID = uuid.NewString()
	one := chat.Send(t, message)
	one.UntilType(t, "text-delta")
	two := chat.Send(t, message)
	two.UntilType(t, "text-delta")
	require.Contains(t, chat.Refused(t, message).Problem(t).Detail, "2 streams open already")
	two.Close()
	apptest.Eventually(t, "the closed stream gave its place back", func() bool { return p.Count(t, "SELECT count(*) FROM held_places") == 1 })
	chat.Resume(t, "").UntilType(t, "text-delta")
	chat.Stop(t)
	one.Drain(t)
	apptest.Eventually(t, "every place is given back", func() bool { return p.Count(t, "SELECT count(*) FROM held_places") == 0 })
}

func TestOnePersonKeepsSoManyConversations(t *testing.T) {
	t.Parallel()
	p := apptest.Start(t, apptest.Options{Env: map[string]string{"COUNTERSIGN_MAX_CONVERSATIONS": "2"}})
	ada := p.Person(t)
	first := ada.Conversation(t, nil)
	ada.Conversation(t, nil)
	refused := ada.Call(t, http.MethodPost, "/api/ai/conversations", map[string]any{})
	require.Contains(
		t,
		refused.Problem(t).Detail,
		"You keep 2 conversations, and the limit for one person is 2. Each counts until it is deleted: archived ones too",
	)
	require.NotEmpty(t, refused.Header.Get("Retry-After"))
	_, err := p.DB.Conn(t.Context()).Exec(t.Context(), "DELETE FROM ai_conversations WHERE id = $1", first.ID) // as retention does
	require.NoError(t, err)
	ada.Conversation(t, nil)
}

func TestARevokedSessionEndsItsStreams(t *testing.T) {
	t.Parallel()
	p := apptest.Start(t, apptest.Options{Env: map[string]string{"COUNTERSIGN_STREAM_HEARTBEAT": "50ms"}})
	ada := p.Person(t)
	stream := ada.Conversation(t, nil).Send(t, apptest.Scripted(endless))
	stream.UntilType(t, "text-delta")
	require.Equal(t, http.StatusNoContent, ada.Call(t, http.MethodPost, "/api/auth/logout", nil).Status)
	require.True(t, stream.BreaksOff(t), "without the end of the turn")
	apptest.Eventually(t, "its place is given back", func() bool { return p.Count(t, "SELECT count(*) FROM held_places") == 0 })
}

func TestTheScriptedModelIsForTestsOnly(t *testing.T) {
	t.Parallel()
	p := apptest.Start(t, apptest.Options{Env: map[string]string{"COUNTERSIGN_DEMO_SCRIPTS": "false"}})
	chat := p.Person(t).Conversation(t, nil)
	turn := chat.Perform(t, `never_ends text="as I was told"`)
	require.NotContains(t, turn.Text(), "as I was told")
	plain := chat.Send(t, apptest.Message{Text: `script: never_ends text="as I was told"`, Model: demo.Assistant}).Rest(t)
	require.NotContains(t, plain.Text(), "as I was told")
	id := p.Column(t, "SELECT id::text FROM ai_connections WHERE kind = 'demo'")[0]
	p.Admin.Patch(t, "/api/ai/connections/"+id, map[string]any{"availableModels": []string{demo.Scripted}, "defaultModel": demo.Scripted}, nil)
	again := p.Person(t).Conversation(t, nil).Perform(t, `never_ends text="as I was told"`)
	require.NotContains(t, again.Text(), "as I was told", "whatever an administrator chooses")
}
