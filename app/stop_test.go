package app_test

import (
	"net/http"
	"testing"

	"github.com/stretchr/testify/require"

	"countersign/app"
	"countersign/app/apptest"
	"countersign/model"
)

// requireStopped checks that a stopped turn is marked, leaves nothing open and is stored as the client has it.
func requireStopped(t *testing.T, chat *apptest.Conversation, turn *apptest.Turn) {
	t.Helper()
	require.Equal(t, "stopped", turn.Metadata.Status)
	require.Equal(t, "abort", turn.Events[len(turn.Events)-1].Type)
	for _, part := range turn.Message.Parts {
		require.NotContains(t, []string{"streaming", "input-streaming", "input-available"}, part.State)
	}
	requireStored(t, chat, turn)
}

// What the assistant has said until then is kept, and the provider is not paid for what nobody wants any more.
func TestAStoppedAnswerKeepsWhatWasSaid(t *testing.T) {
	t.Parallel()
	p := apptest.Start(t, apptest.Options{})
	chat := p.Admin.Conversation(t, nil)
	stream := chat.Send(t, apptest.Scripted(`tokens=10000 delay_token=10ms`))
	stream.UntilType(t, "text-delta")
	require.Equal(t, http.StatusAccepted, chat.Stop(t).Status)
	turn := stream.Rest(t)
	requireStopped(t, chat, turn)
	require.NotEmpty(t, turn.Text())

	require.Equal(t, http.StatusOK, chat.Stop(t).Status, "there is nothing more to stop")
	next := chat.Perform(t, "text=hi")
	require.Equal(t, "done", next.Metadata.Status)
}

// Stop is asked of any process; the one that runs the turn hears of it.
func TestAnAnswerCanBeStoppedFromAnotherProcess(t *testing.T) {
	t.Parallel()
	here := apptest.Start(t, apptest.Options{})
	there := apptest.Start(t, apptest.Options{Beside: here, Roles: app.Roles{API: true}})
	chat := here.Admin.Conversation(t, nil)
	stream := chat.Send(t, apptest.Scripted(`tokens=10000 delay_token=10ms`))
	stream.UntilType(t, "text-delta")
	chat.As(here.Admin.At(there)).Stop(t)
	requireStopped(t, chat, stream.Rest(t))
}

// A model that has not said anything yet, or hangs, is given up as well.
func TestAHangingModelIsStopped(t *testing.T) {
	t.Parallel()
	p := apptest.Start(t, apptest.Options{})
	chat := p.Admin.Conversation(t, nil)
	for _, script := range []string{"delay_first=5m", "fault=hang", "tokens=20 fault=stall"} {
		stream := chat.Send(t, apptest.Scripted(script))
		apptest.Eventually(t, "the turn runs", func() bool {
			return p.Count(t, `SELECT count(*) FROM ai_turns WHERE conversation_id = $1 AND status = 'running'`, chat.ID) == 1
		})
		chat.Stop(t)
		requireStopped(t, chat, stream.Rest(t))
	}
}

// While the provider asks to wait, nothing runs that could hear of a stop but the workflow itself.
func TestATurnThatWaitsForItsProviderIsStopped(t *testing.T) {
	t.Parallel()
	p := apptest.Start(t, apptest.Options{})
	chat := p.Admin.Conversation(t, nil)
	stream := chat.Send(t, apptest.Scripted("fault=429 retry_after=59s"))
	stream.UntilType(t, "data-notice")
	chat.Stop(t)
	requireStopped(t, chat, stream.Rest(t))
}

// What a broken attempt has said is dropped when the call is made again; a stop in between must not leave it half there.
func TestATurnThatWaitsAfterABrokenAnswerIsStopped(t *testing.T) {
	t.Parallel()
	p := apptest.Start(t, apptest.Options{})
	chat := p.Admin.Conversation(t, nil)
	stream := chat.Send(t, apptest.Scripted(`fault=cut@1x* tokens=20`))
	stream.UntilType(t, "data-notice")
	chat.Stop(t)
	requireStopped(t, chat, stream.Rest(t))
}

// Every call that the model asked for has a result, so that the next turn can be sent to a provider.
func TestPendingToolCallsOfAStoppedTurnHaveResults(t *testing.T) {
	t.Parallel()
	p := apptest.Start(t, apptest.Options{Env: map[string]string{"COUNTERSIGN_EGRESS_ALLOW": "127.0.0.0/8"}})
	chat := p.Admin.Conversation(t, nil)
	slowPage := silentServer(t)
	stream := chat.Send(
		t,
		apptest.Scripted(`tool=ai.probeUrl input={"url":"`+slowPage+`"} tool=catalog.createSystem input={"name":"Never"} tool=ai.listDocs`),
	)
	stream.UntilType(t, "tool-input-available")
	apptest.Eventually(
		t,
		"the probe runs",
		func() bool { return p.Count(t, `SELECT count(*) FROM ai_tool_calls WHERE status = 'running'`) == 1 },
	)
	chat.Stop(t)
	turn := stream.Rest(t)
	requireStopped(t, chat, turn)
	require.Len(t, turn.ToolCalls(), 3)
	for _, call := range turn.ToolCalls() {
		require.Equal(t, "output-error", call.State)
	}
	require.Zero(t, p.Count(t, `SELECT count(*) FROM ai_proposals`), "what comes after a stop is not proposed")
	require.Zero(t, p.Count(t, `SELECT count(*) FROM ai_tool_calls WHERE status = 'running'`))

	var stored []model.Message
	var raw string
	p.Row(t, `SELECT model_messages::text FROM ai_messages WHERE turn_id = $1 AND role = 'assistant'`, []any{turn.Metadata.TurnID}, &raw)
	decode(t, raw, &stored)
	require.Len(t, stored, 5, "the context of the message, the answer with its calls, and a result for each")
	require.Equal(t, "done", chat.Perform(t, "text=hi").Metadata.Status)
}
