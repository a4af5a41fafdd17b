package activities

import (
	"context"
	"errors"
	"time"

	"github.com/google/uuid"

	"countersign/chat/turn"
	"countersign/workflows"
)

// AcceptAhead returns the function by which the API of a process that also works accepts turns: it starts to load the
// turn context at once, and claims the turn for this process. The function that it returns makes the first model call
// after acceptance. background runs work that outlasts its request.
func (a *Turn) AcceptAhead(background func(ctx context.Context, work func(context.Context))) func(
	ctx context.Context, set turn.Settings,
) (turn.Settings, func(context.Context, uuid.UUID)) {
	return func(ctx context.Context, set turn.Settings) (turn.Settings, func(context.Context, uuid.UUID)) {
		prefetch, load := a.NewPrefetch(set)
		background(ctx, load)
		set.Claimed = true
		return set, func(ctx context.Context, id uuid.UUID) {
			a.Sessions.RegisterAccepted(id)
			background(ctx, func(ctx context.Context) { a.StartFirstModelCall(ctx, id, prefetch) })
		}
	}
}

// StartFirstModelCall makes the first model call of a turn beside the start of its workflow, in the process that
// accepted the turn: starting a workflow takes longer than a model takes to answer. The workflow's first step waits for
// the call and finds its record, so the workflow works the same without it.
//
// It uses the claim with which the turn was accepted, or claims an unclaimed turn: a process that hung in between must
// not take the turn from the one that claimed it since. It has a timeout of its own. prefetch may be nil.
func (a *Turn) StartFirstModelCall(ctx context.Context, id uuid.UUID, prefetch *Prefetch) {
	ctx, cancel := context.WithTimeout(ctx, a.earlyTimeout())
	defer cancel()
	s, err := a.Sessions.OpenUnclaimed(ctx, id)
	if errors.Is(err, turn.ErrElsewhere) || errors.Is(err, turn.ErrFinal) {
		return
	}
	if err == nil {
		if prefetch != nil {
			s.Memo.prefetch.Put(prefetch)
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
	if s.Step(in.Step).Model != nil || s.IsTakeover() {
		return
	}
	out, err := a.callModel(ctx, s, in)
	if err != nil {
		a.Log.Warn("Early model call failed; the workflow makes it again", "turn", id, "error", err)
		return
	}
	if out.Retry != nil {
		// The workflow has to wait for the provider's backoff, not to call at once.
		s.Memo.early.Put(out)
	}
}

// prepareEarly is PrepareTurn of an open turn.
func (a *Turn) prepareEarly(ctx context.Context, s *session) error {
	leave, err := s.Enter(ctx, 0, 0)
	if err != nil {
		return err
	}
	defer leave()
	return a.prepare(ctx, s)
}

// earlyTimeout is the timeout of the call in the workflow.
func (a *Turn) earlyTimeout() time.Duration {
	if a.EarlyTimeout > 0 {
		return a.EarlyTimeout
	}
	return workflows.ModelCallTimeout
}

// takeEarlyOutcome returns the outcome of an early call that left no record, once.
func takeEarlyOutcome(s *session, in workflows.CallModelInput) (workflows.CallModelOutput, bool) {
	if in.Step != 1 || in.Attempt != 1 {
		return workflows.CallModelOutput{}, false
	}
	return s.Memo.early.Take()
}
