package app_test

import (
	"encoding/json"
	"strings"
	"testing"

	"github.com/google/uuid"
	"github.com/stretchr/testify/require"

	"countersign/app"
	"countersign/app/apptest"
	"countersign/chat/stream"
	"countersign/internal/crash"
	"countersign/workflows"
)

// cardsOf are the proposals that a message shows, with how its parts say that they stand.
func cardsOf(t *testing.T, m stream.Message) map[string]string {
	t.Helper()
	shown := map[string]string{}
	for _, part := range m.Parts {
		if part.Type != "data-proposal" && part.Type != "data-applied" {
			continue
		}
		var card struct{ ProposalID, Status string }
		require.NoError(t, json.Unmarshal(part.Data, &card))
		shown[card.ProposalID] = card.Status
	}
	return shown
}

// requireCardsMatch checks that a message shows exactly the proposals of its turn, and that no call which it says was
// not done has a proposal that can still be applied, or was.
func requireCardsMatch(t *testing.T, p *apptest.Product, m stream.Message, turn uuid.UUID) {
	t.Helper()
	shown := cardsOf(t, m)
	stored := p.Column(t, `SELECT id::text FROM ai_proposals WHERE turn_id = $1`, turn)
	require.Len(t, shown, len(stored), "cards of the message and proposals of the turn: %s", encode(t, m.Parts))
	for _, id := range stored {
		require.Contains(t, shown, id)
	}
	for _, call := range apptest.ToolCallsOf(m) {
		if call.State != "output-error" {
			continue
		}
		require.Zero(t, p.Count(t, `SELECT count(*) FROM ai_proposals WHERE turn_id = $1 AND tool_call_ref = $2
			AND status IN ('proposed', 'applying', 'applied')`, turn, call.ToolCallID),
			"the call %s says that it was not done", call.ToolCallID)
	}
	require.Zero(t, p.Count(t, `SELECT count(*) FROM ai_tool_calls WHERE turn_id = $1 AND status = 'running'`, turn))
	require.Zero(t, p.Count(t, `SELECT count(*) FROM ai_tool_calls c JOIN ai_proposals p ON p.id = c.id
		WHERE c.turn_id = $1 AND p.status <> c.status`, turn))
}

// A stop comes at each point between the reservation of a write and the record of how it went, from another process.
func TestAStoppedWriteIsToldAsItStands(t *testing.T) { //nolint:tparallel // its parts share one provider, one after the other
	t.Parallel()
	points := []struct {
		name   string
		ofTurn bool
		auto   bool
	}{
		{name: "tool.before-reserve", ofTurn: true},
		{name: "tool.after-reserve", ofTurn: true},
		{name: "proposal.before-store"},
		{name: "proposal.after-store"},
		{name: "proposal.after-start"},
		{name: "apply.before-begin", auto: true},
		{name: "apply.after-begin", auto: true},
		{name: "apply.after-signal", auto: true},
		{name: "apply.before-effect", auto: true},
		{name: "apply.after-effect", auto: true},
		{name: "apply.before-answer", auto: true},
		{name: "tool.after-run", ofTurn: true},
		{name: "tool.after-record", ofTurn: true},
	}
	provider := apptest.NewProvider(t)
	here := apptest.Start(t, apptest.Options{Env: provider.Env()})
	there := apptest.Start(t, apptest.Options{Beside: here, Roles: app.Roles{API: true}, Env: provider.Env()})
	for _, mode := range []string{"approve", "auto"} {
		for _, point := range points {
			if point.auto && mode != "auto" {
				continue
			}
			t.Run(mode+" "+point.name, func(t *testing.T) {
				chat := here.Admin.Conversation(t, apptest.Settings{"permissionMode": mode})
				following, pause := startPaused(t, provider, chat, apptest.Message{Text: "Make three systems"})
				turn := uuid.MustParse(here.Column(t, `SELECT id::text FROM ai_turns WHERE conversation_id = $1`, chat.ID)[0])
				reached := false
				stop := func() {
					reached = true
					heard := make(chan struct{})
					crash.On(t, "stop.heard", turn, func() { close(heard) })
					chat.As(here.Admin.At(there)).Stop(t)
					<-heard
				}
				if point.ofTurn {
					crash.On(t, point.name, turn, stop)
				} else {
					crash.On(t, "tool.after-reserve", turn, func() {
						call := uuid.MustParse(here.Column(t, `SELECT id::text FROM ai_tool_calls WHERE turn_id = $1`, turn)[0])
						crash.On(t, point.name, call, stop)
					})
				}
				var calls []string
				for _, index := range []string{"0", "1", "2"} {
					call := apptest.ToolCall("call"+index, "catalog_createSystem",
						encode(t, map[string]string{"name": mode + " " + point.name + " " + index}))
					calls = append(calls, strings.Replace(call, `"index":0`, `"index":`+index, 1))
				}
				pause.Resume(calls...)
				answer := following.Rest(t)
				require.True(t, reached)
				require.Equal(t, "stopped", answer.Metadata.Status)
				requireStored(t, chat, answer)
				requireCardsMatch(t, here, chat.Last(t), turn)

				// Nothing comes of it later, and nothing is begun because of it.
				here.AwaitWorkflow(t, workflows.TurnID(turn))
				for _, id := range here.Column(t, `SELECT id::text FROM ai_proposals WHERE turn_id = $1 AND status <> 'proposed'`, turn) {
					here.AwaitWorkflow(t, workflows.ProposalID(uuid.MustParse(id)))
				}
				requireCardsMatch(t, here, chat.Last(t), turn)
				require.Equal(t, 1, here.Count(t, `SELECT count(*) FROM ai_turns WHERE conversation_id = $1`, chat.ID))
				systems := here.Count(t, `SELECT count(*) FROM catalog_systems WHERE name LIKE $1`, mode+" "+point.name+" %")
				applied := here.Count(t, `SELECT count(*) FROM ai_proposals WHERE turn_id = $1 AND status = 'applied'`, turn)
				require.Equal(t, applied, systems)
			})
		}
	}
}
