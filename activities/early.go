package activities

import (
	"context"
	"errors"
	"time"

	"github.com/google/uuid"

	"countersign/chat/turn"
	"countersign/workflows"
)

// Begin makes the first model call of a turn ahead of its workflow, in the process that has just accepted the turn: the
// start of a workflow takes longer than a model takes to answer. The workflow's own first step waits for the call and
// finds its record, so nothing is decided here, and a turn whose Begin fails or never happens is as any other.
//
// It has the turn by the claim with which it was accepted, or claims it if nobody has: a process that stood still in between
// must not take the turn from the one that has gone on with it. Nobody else ends it, so it has a deadline of its own, however
// long the model goes on. ahead may be nil.
func (a *Turn) Begin(ctx context.Context, id uuid.UUID, ahead *Ahead) {
	ctx, cancel := context.WithTimeout(ctx, a.earlyTimeout())
	defer cancel()
	s, err := a.Sessions.OpenNew(ctx, id)
	if errors.Is(err, turn.ErrElsewhere) || errors.Is(err, turn.ErrFinal) {
		return
	}
	if err == nil {
		if ahead != nil {
			s.Memo.ahead.Put(ahead)
		}
		err = a.prepareEarly(ctx, s)
	}
	if err != nil {
		a.Log.Warn("Turn not prepared early; the workflow does it again", "turn", id, "error", err)
		return
	}
	in := workflows.CallModelInput{TurnID: id, Step: 1, Attempt: 1}
	leave, err := s.Enter(ctx, in.Step, 0)
	if err != nil {
		return
	}
	defer leave()
	if s.Step(in.Step).Model != nil || s.TookOver() {
		return
	}
	out, err := a.callModel(ctx, s, in)
	if err != nil {
		a.Log.Warn("Early model call failed; the workflow makes it again", "turn", id, "error", err)
		return
	}
	if out.Retry != nil {
		// The workflow has to wait as the provider asked, not to call at once.
		s.Memo.early.Put(out)
	}
}

// prepareEarly is PrepareTurn of a turn that is open.
func (a *Turn) prepareEarly(ctx context.Context, s *session) error {
	leave, err := s.Enter(ctx, 0, 0)
	if err != nil {
		return err
	}
	defer leave()
	return a.prepare(ctx, s)
}

// earlyTimeout is that of the step in the workflow.
func (a *Turn) earlyTimeout() time.Duration {
	if a.EarlyTimeout > 0 {
		return a.EarlyTimeout
	}
	return workflows.StepTimeout
}

// takeEarly is the outcome of an early call that left no record, once.
func takeEarly(s *session, in workflows.CallModelInput) (workflows.CallModelOutput, bool) {
	if in.Step != 1 || in.Attempt != 1 {
		return workflows.CallModelOutput{}, false
	}
	return s.Memo.early.Take()
}
