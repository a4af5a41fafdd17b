package activities_test

import (
	"testing"
	"time"

	"github.com/stretchr/testify/require"
	"go.temporal.io/sdk/temporal"

	"countersign/activities"
	"countersign/app/apptest"
	"countersign/chat/turn"
	"countersign/internal/crash"
	"countersign/tool/spend"
	"countersign/workflows"
)

// lost checks that a step has found its turn elsewhere, and is repeated soon.
func lost(t *testing.T, err error) {
	t.Helper()
	var fenced *temporal.ApplicationError
	require.ErrorAs(t, err, &fenced)
	require.Equal(t, workflows.FencedError, fenced.Type())
	require.False(t, fenced.NonRetryable())
	require.Positive(t, fenced.NextRetryDelay())
	require.Less(t, fenced.NextRetryDelay(), 5*time.Second, "a longer pause would end the workflow task")
}

// A process that another one has taken the turn from leaves it alone for a while, and then takes it back: by then the server
// has dropped whatever workflow code is stale.
func TestALostTurnIsTriedAgain(t *testing.T) {
	t.Parallel()
	p := newProcess(t)
	id := p.begin(t, "Hello")
	_, err := p.Sessions.Open(t.Context(), id)
	require.NoError(t, err)
	p.beside(t).call(t, id, 1)

	_, err = p.CallModel(t.Context(), workflows.CallModelInput{TurnID: id, Step: 1, Attempt: 1})
	lost(t, err)
	_, err = p.CallModel(t.Context(), workflows.CallModelInput{TurnID: id, Step: 1, Attempt: 1})
	lost(t, err)
	require.ErrorIs(t, err, turn.ErrElsewhere, "it leaves the turn alone for a while")
	_, err = p.FinishTurn(t.Context(), workflows.FinishTurnInput{TurnID: id, Status: "done"})
	lost(t, err)
	calls := len(p.provider.Requests())

	p.Sessions.LostPause = 0
	p.call(t, id, 1)
	require.Len(t, p.provider.Requests(), calls, "what the other one has recorded counts")
	_, err = p.FinishTurn(t.Context(), workflows.FinishTurnInput{TurnID: id, Status: "done"})
	require.NoError(t, err)
	require.Equal(t, "done", p.text(t, `SELECT status FROM ai_turns WHERE id = $1`, id))
}

// A stale process takes the turn in each window of a step; the owner does the step once more, and the turn ends with one answer.
func TestAStaleProcessCannotFailATurn(t *testing.T) {
	t.Parallel()
	for _, point := range []string{"model.before-request", "model.before-record", "tool.before-reserve", "tool.after-reserve", "tool.after-run", "turn.before-finish"} {
		t.Run(point, func(t *testing.T) {
			t.Parallel()
			p := newProcess(t)
			stale := p.beside(t)
			p.Sessions.LostPause = 0
			id := p.begin(t, "Hello")
			taken := false
			crash.On(t, point, id, func() {
				_, err := stale.Sessions.Open(t.Context(), id)
				taken = err == nil
			})
			// As the SDK does it: what fails in a way that may pass is tried again.
			again := func(step func() error) {
				err := step()
				if err != nil {
					lost(t, err)
					err = step()
				}
				require.NoError(t, err)
			}
			model := func(number int) {
				again(func() error {
					_, err := p.CallModel(t.Context(), workflows.CallModelInput{TurnID: id, Step: number, Attempt: 1})
					return err
				})
			}
			for range 2 {
				p.answers(callsOf("shelf_putBox", "a")...)
			}
			model(1)
			again(func() error {
				_, err := p.CallTool(t.Context(), workflows.CallToolInput{TurnID: id, Step: 1, Call: 1})
				return err
			})
			again(func() error {
				_, err := p.FinishTurn(t.Context(), workflows.FinishTurnInput{TurnID: id, Status: "done"})
				return err
			})
			require.True(t, taken, "the stale process had the turn")
			require.Equal(t, "done", p.text(t, `SELECT status FROM ai_turns WHERE id = $1`, id))
			require.Equal(t, "1", p.text(t, `SELECT count(*)::text FROM ai_proposals WHERE turn_id = $1`, id))
			require.Equal(t, "1", p.text(t, `SELECT count(*)::text FROM ai_messages WHERE turn_id = $1 AND role = 'assistant'`, id))
		})
	}
}

// A process that stood still between the message and its own first look at the turn leaves it to the one that has it.
func TestAnEarlyCallTakesATurnFromNobody(t *testing.T) {
	t.Parallel()
	p := newProcess(t)
	owner := p.beside(t)
	id := p.begin(t, "Hello")
	crash.On(t, "turn.before-claim", id, func() { owner.call(t, id, 1) })
	p.StartFirstModelCall(t.Context(), id, nil)
	require.Len(t, p.provider.Requests(), 1)
	_, err := owner.FinishTurn(t.Context(), workflows.FinishTurnInput{TurnID: id, Status: "done"})
	require.NoError(t, err)
	require.Equal(t, "1", p.text(t, `SELECT claim::text FROM ai_turns WHERE id = $1`, id))
}

// A session whose process has not seen a step that the workflow knows is read again.
func TestAStepThatASessionDoesNotKnowIsLookedFor(t *testing.T) {
	t.Parallel()
	p := newProcess(t)
	p.Sessions.LostPause, p.Sessions.ClaimTTL = 0, time.Hour
	owner := p.beside(t)
	id := p.begin(t, "Hello")
	_, err := p.Sessions.Open(t.Context(), id)
	require.NoError(t, err)
	p.answers(callsOf("shelf_getBox", "a")...)
	owner.call(t, id, 1)

	in := workflows.CallToolInput{TurnID: id, Step: 1, Call: 1}
	_, err = p.CallTool(t.Context(), in)
	require.Error(t, err)
	_, err = p.CallTool(t.Context(), in)
	require.NoError(t, err)
}

// A process dies in the middle of a second attempt, and another one begins again with the first, which has failed and
// is paid for. What it spends counts for itself, and what the dead one has reserved at its estimate.
func TestACallThatIsMadeAgainIsPaidForAgain(t *testing.T) {
	t.Parallel()
	p := newProcess(t)
	heir := p.beside(t)
	capped := func(c *activities.Connection) { c.Cap = spend.Cap{Tokens: 100_000, Window: time.Hour} }
	p.connects(capped)
	heir.connects(capped)
	id := p.begin(t, "script: fault=cut text=hi")
	require.NotNil(t, p.call(t, id, 1).Retry)
	crash.On(t, "model.before-request", id, func() { panic("killed") })
	require.Panics(t, func() {
		_, _ = p.CallModel(t.Context(), workflows.CallModelInput{TurnID: id, Step: 1, Attempt: 2})
	})

	heir.provider.Answer(apptest.Events("stop", apptest.Text("hi")))
	heir.call(t, id, 1)
	require.Equal(t, []string{"reserved 2", "settled 1", "settled 1"},
		p.texts(t, `SELECT status || ' ' || attempt FROM ai_spend WHERE turn_id = $1 AND purpose = 'answer' ORDER BY 1`, id))
}
