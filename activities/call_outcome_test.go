package activities_test

import (
	"testing"

	"github.com/google/uuid"
	"github.com/stretchr/testify/require"

	"countersign/internal/crash"
	"countersign/workflows"
)

// dies makes the first call of step 1 and dies at a point of its proposal.
func (p *process) dies(t *testing.T, id uuid.UUID, point string) {
	t.Helper()
	crash.On(t, "tool.after-reserve", id, func() {
		call := uuid.MustParse(p.text(t, `SELECT id::text FROM ai_tool_calls WHERE turn_id = $1`, id))
		crash.On(t, point, call, func() { panic("killed") })
	})
	require.PanicsWithValue(t, "killed", func() {
		_, _ = p.CallTool(t.Context(), workflows.CallToolInput{TurnID: id, Step: 1, Call: 1})
	})
}

// A process dies between the commit of a proposal and the record of its call, and nobody repeats the call: the end of
// the turn says how the proposal stands.
func TestATurnEndsWithTheCardsOfAllItsProposals(t *testing.T) {
	t.Parallel()
	for name, c := range map[string]struct {
		status    workflows.TurnStatus
		auto      bool
		point     string
		standing  string
		doneParts string
	}{
		"failed": {status: "failed", point: "proposal.after-store", standing: "proposed", doneParts: "approval-requested"},
		"failed in auto": {
			status: "failed", auto: true, point: "apply.after-signal", standing: "applied",
			doneParts: "output-available",
		},
		"stopped":         {status: "stopped", point: "proposal.after-store", standing: "declined", doneParts: "output-error"},
		"stopped in auto": {status: "stopped", auto: true, point: "apply.before-begin", standing: "declined", doneParts: "output-error"},
		"stopped too late": {
			status: "stopped", auto: true, point: "apply.after-signal", standing: "applied",
			doneParts: "output-available",
		},
		"died before store": {status: "failed", point: "proposal.before-store", doneParts: "output-error"},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			p := newProcess(t)
			id := p.begin(t, "Hello")
			if c.auto {
				id = p.begin(t, "Hello", auto)
			}
			p.answers(callsOf("shelf_putBox", "a")...)
			p.call(t, id, 1)
			p.dies(t, id, c.point)

			next := p.beside(t)
			next.Sessions.LostPause = 0
			_, err := next.FinishTurn(t.Context(), workflows.FinishTurnInput{TurnID: id, Status: c.status})
			require.NoError(t, err)
			require.Equal(t, string(c.status), p.text(t, `SELECT status FROM ai_turns WHERE id = $1`, id))
			require.Equal(t, c.doneParts, p.text(t, `SELECT string_agg(p ->> 'state', ' ')
				FROM ai_messages m, jsonb_array_elements(m.parts) p
				WHERE m.turn_id = $1 AND m.role = 'assistant' AND p ->> 'type' = 'dynamic-tool'`, id))
			shown := p.texts(t, `SELECT p -> 'data' ->> 'status' FROM ai_messages m, jsonb_array_elements(m.parts) p
				WHERE m.turn_id = $1 AND m.role = 'assistant' AND p ->> 'type' IN ('data-proposal', 'data-applied')`, id)
			stored := p.texts(t, `SELECT status FROM ai_proposals WHERE turn_id = $1`, id)
			require.Equal(t, stored, shown)
			if c.standing != "" {
				require.Equal(t, []string{c.standing}, stored)
			}
			require.Equal(t, "0", p.text(t, `SELECT count(*)::text FROM ai_tool_calls WHERE turn_id = $1 AND status = 'running'`, id))

			require.Equal(t, "0", p.text(t, `SELECT count(*)::text FROM ai_tool_calls c JOIN ai_proposals p ON p.id = c.id
				WHERE c.turn_id = $1 AND c.status <> p.status`, id))
		})
	}
}

// A process that was stopped in the middle of a call goes on when another one has ended the turn: it can propose
// nothing any more.
func TestACallProposesNothingOnceItsTurnIsOver(t *testing.T) {
	t.Parallel()
	p := newProcess(t)
	other := p.beside(t)
	id := p.begin(t, "Hello")
	p.answers(callsOf("shelf_putBox", "a")...)
	p.call(t, id, 1)
	crash.On(t, "tool.after-reserve", id, func() {
		call := uuid.MustParse(p.text(t, `SELECT id::text FROM ai_tool_calls WHERE turn_id = $1`, id))
		crash.On(t, "proposal.before-store", call, func() {
			_, err := other.FinishTurn(t.Context(), workflows.FinishTurnInput{TurnID: id, Status: "stopped"})
			require.NoError(t, err)
		})
	})
	_, err := p.CallTool(t.Context(), workflows.CallToolInput{TurnID: id, Step: 1, Call: 1})
	require.Error(t, err, "the turn is another's by now")
	require.Equal(t, "0", p.text(t, `SELECT count(*)::text FROM ai_proposals WHERE turn_id = $1`, id))
	require.Equal(t, "failed stopped", p.text(t, `SELECT status || ' ' || error_code FROM ai_tool_calls WHERE turn_id = $1`, id))
}
