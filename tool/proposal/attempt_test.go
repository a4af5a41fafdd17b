package proposal_test

import (
	"context"
	"errors"
	"fmt"
	"testing"

	"github.com/google/uuid"
	"github.com/jackc/pgx/v5/pgconn"
	"github.com/stretchr/testify/require"

	"countersign/internal/problem"
	"countersign/tool"
	"countersign/tool/proposal"
)

var errCrash = errors.New("the process died")

// crashAfterEffect lets the next apply have its effect and die before anything is recorded.
func (w *world) crashAfterEffect(t *testing.T, id uuid.UUID) {
	t.Helper()
	w.onApply(func(c tool.Caller, in boxInput) (boxInput, error) {
		if c.Client.RecordedAnswer != nil {
			_, err := c.Client.Do(t.Context(), "POST", "/boxes", in, &in)
			return in, err
		}
		if err := w.effects.happen(c.Client.IdempotencyKey, `{"name":"as it was made"}`); err != nil {
			return in, err
		}
		return in, errCrash
	})
	_, err := w.Run(t.Context(), id)
	require.ErrorIs(t, err, errCrash)
}

// Between the effect and its record everything may change: rights may go, sessions end, tools disappear. The change was made,
// and that is what is recorded.
func TestAChangeThatWasMadeIsNeverCalledFailed(t *testing.T) {
	t.Parallel()
	for name, meanwhile := range map[string]func(w *world, who, session uuid.UUID){
		"nothing":               func(*world, uuid.UUID, uuid.UUID) {},
		"the session has ended": func(w *world, _, session uuid.UUID) { w.people.revoke(session) },
		"the rights are gone":   func(w *world, who, _ uuid.UUID) { w.people.setRules(who) },
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			w := newWorld(t)
			p := w.people.add("Ada", rule)
			card := w.propose(t, p, "A")
			_, err := w.Begin(t.Context(), p, w.token(t, p, card.ProposalID), "", "")
			require.NoError(t, err)
			w.crashAfterEffect(t, card.ProposalID)
			meanwhile(w, p.ID, p.SessionID)

			again, err := w.Run(t.Context(), card.ProposalID)
			require.NoError(t, err)
			require.Equal(t, proposal.Applied, again.Status)
			require.JSONEq(t, `{"name":"as it was made"}`, string(again.Result))
			require.Equal(t, "applied", w.audit(t, card.ProposalID))
		})
	}
}

// An attempt that its workflow has given up may still go on. What it finds is no longer recorded, and once a change is
// called failed it cannot be made any more.
func TestAnOvertakenAttemptRecordsNothing(t *testing.T) {
	t.Parallel()
	w := newWorld(t)
	p := w.people.add("Ada", rule)
	card := w.propose(t, p, "A")
	_, err := w.Begin(t.Context(), p, w.token(t, p, card.ProposalID), "", "")
	require.NoError(t, err)
	reached, resume := make(chan struct{}), make(chan struct{})
	w.onApply(func(c tool.Caller, in boxInput) (boxInput, error) {
		if w.applied.Load() > 1 {
			return in, problem.Errorf(problem.Conflict, "There is no room.")
		}
		close(reached)
		<-resume
		return in, w.effects.happen(c.Client.IdempotencyKey, `{}`)
	})
	stale := make(chan error, 1)
	go func() {
		_, err := w.Run(context.WithoutCancel(t.Context()), card.ProposalID)
		stale <- err
	}()
	<-reached
	failed, err := w.Run(t.Context(), card.ProposalID)
	require.NoError(t, err)
	require.Equal(t, proposal.Failed, failed.Status)
	close(resume)
	require.ErrorContains(t, <-stale, "another attempt")
	require.Empty(t, w.effects.answers, "what was called failed has had no effect, and gets none")
	now, err := w.Run(t.Context(), card.ProposalID)
	require.NoError(t, err)
	require.Equal(t, proposal.Failed, now.Status)
	require.Equal(t, "There is no room.", now.Error.Message)
}

// The older attempt has its effect while the newer one is refused: what counts is the effect.
func TestAnEffectOfAnOvertakenAttemptCounts(t *testing.T) {
	t.Parallel()
	w := newWorld(t)
	p := w.people.add("Ada", rule)
	card := w.propose(t, p, "A")
	_, err := w.Begin(t.Context(), p, w.token(t, p, card.ProposalID), "", "")
	require.NoError(t, err)
	w.onApply(func(c tool.Caller, in boxInput) (boxInput, error) {
		if c.Client.RecordedAnswer != nil {
			return in, nil
		}
		require.NoError(t, w.effects.happen(c.Client.IdempotencyKey, `{}`))
		return in, problem.Errorf(problem.Conflict, "There is such a box already.")
	})
	applied, err := w.Run(t.Context(), card.ProposalID)
	require.NoError(t, err)
	require.Equal(t, proposal.Applied, applied.Status)
	require.Nil(t, applied.Error)
}

// What fails in the same way each time ends, says so, and is right about what it says.
func TestAChangeThatTheHostCannotMakeEnds(t *testing.T) {
	t.Parallel()
	for name, c := range map[string]struct {
		apply func(w *world) func(c tool.Caller, in boxInput) (boxInput, error)
		tries int
		want  proposal.Status
	}{
		"an error each time": {func(*world) func(tool.Caller, boxInput) (boxInput, error) {
			return func(_ tool.Caller, in boxInput) (boxInput, error) { return in, errors.New("status 500") }
		}, 12, proposal.Failed},
		"an outage of the database": {func(*world) func(tool.Caller, boxInput) (boxInput, error) {
			return func(_ tool.Caller, in boxInput) (boxInput, error) {
				return in, fmt.Errorf("POST /boxes: %w", tool.ErrOutage)
			}
		}, 40, proposal.Failed},
		"a full disk": {func(*world) func(tool.Caller, boxInput) (boxInput, error) {
			return func(_ tool.Caller, in boxInput) (boxInput, error) { return in, &pgconn.PgError{Code: "53100"} }
		}, 40, proposal.Failed},
		"a panic each time": {func(*world) func(tool.Caller, boxInput) (boxInput, error) {
			return func(tool.Caller, boxInput) (boxInput, error) { panic("index out of range") }
		}, 3, proposal.Failed},
		"an error after the effect": {func(w *world) func(tool.Caller, boxInput) (boxInput, error) {
			return func(c tool.Caller, in boxInput) (boxInput, error) {
				if c.Client.RecordedAnswer == nil {
					_ = w.effects.happen(c.Client.IdempotencyKey, `{"name":"made"}`)
				}
				return in, errors.New("status 500")
			}
		}, 2, proposal.Applied},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			w := newWorld(t)
			p := w.people.add("Ada", rule)
			card := w.propose(t, p, "A")
			_, err := w.Begin(t.Context(), p, w.token(t, p, card.ProposalID), "", "")
			require.NoError(t, err)
			w.onApply(c.apply(w))
			for range c.tries - 1 {
				_, err := w.Run(t.Context(), card.ProposalID)
				require.Error(t, err)
				require.Equal(t, "applying", w.audit(t, card.ProposalID))
			}
			ended, err := w.Run(t.Context(), card.ProposalID)
			require.NoError(t, err)
			require.Equal(t, c.want, ended.Status)
			require.Equal(t, string(c.want), w.audit(t, card.ProposalID))
			if c.want == proposal.Failed {
				require.Equal(t, problem.Internal, ended.Error.Code)
				require.Contains(t, ended.Error.Message, "nothing was changed")
				require.True(t, w.effects.closed[card.ProposalID.String()], "and nothing can be any more")
			}
		})
	}
}

// A result that the database does not take is no reason to do everything again.
func TestAResultThatCannotBeStoredDoesNotHoldUp(t *testing.T) {
	t.Parallel()
	w := newWorld(t)
	p := w.people.add("Ada", rule)
	card := w.propose(t, p, "A")
	w.onApply(func(tool.Caller, boxInput) (boxInput, error) { return boxInput{Name: "a\x00b"}, nil })
	require.Equal(t, proposal.Applied, w.begin(t, p, card.ProposalID).Status)
}
