package invoke

import (
	"context"

	"github.com/google/uuid"

	"countersign/internal/principal"
	"countersign/internal/problem"
	"countersign/internal/secret/scrub"
	"countersign/tool"
	"countersign/tool/budget"
	"countersign/tool/proposal"
)

// Step makes a new proposal of an ended one: the same call again, or the undo of its change. It passes all checks of a
// call (rights, policies, budget, dry run) in the current state, and a person decides. made is false when p did so
// before; then the card is that of the first one, whatever its status.
func (s *Service) Step(
	ctx context.Context,
	p principal.Principal,
	from uuid.UUID,
	step proposal.Step,
) (card proposal.Card, made bool, err error) {
	if p.TurnID != uuid.Nil {
		return card, false, problem.Errorf(problem.Forbidden, "A tool cannot do this; only a person or an application can.")
	}
	planned, err := s.Proposals.Step(ctx, p, from, step)
	if err != nil {
		return card, false, err
	}
	if card, err = s.Proposals.Get(ctx, p, planned.ID); err == nil || !problem.Is(err, problem.NotFound) {
		return card, false, err
	}
	if err := tool.RefuseCredentials(planned.Tool.Effect, scrub.Paths(planned.Input), planned.Input); err != nil {
		return card, false, err
	}
	id, err := s.Budget.Reserve(ctx, budget.Call{
		ID: planned.ID, Principal: p, Transport: budget.API, Tool: planned.Tool.Name, Effect: planned.Tool.Effect, Arguments: planned.Input,
	})
	if problem.Is(err, problem.Conflict) {
		// A concurrent identical request has created the proposal.
		if card, again := s.Proposals.Get(ctx, p, planned.ID); again == nil {
			return card, false, nil
		}
	}
	if err != nil {
		return card, false, err
	}
	if made, err = s.make(ctx, p, planned); err != nil {
		card, err = s.release(ctx, p, id, err)
		return card, err == nil, err
	}
	card, err = s.Proposals.Get(ctx, p, id)
	return card, made, err
}

// make makes the proposal of a reserved step.
func (s *Service) make(ctx context.Context, p principal.Principal, planned proposal.NextCall) (made bool, err error) {
	if err := s.Proposals.CanRehearse(ctx, p, planned); err != nil {
		return false, err
	}
	n, caller := planned.New, s.Callers.Caller(p, planned.ID)
	var left []string
	if planned.Rebase != nil {
		if planned.Input, left, err = planned.Rebase(ctx, caller, planned.Input); err != nil {
			return false, err
		}
	}
	if n.Proposed, err = planned.Tool.DryRun(ctx, caller, planned.Input); err != nil {
		return false, err
	}
	n.Proposed.Effects = append(n.Proposed.Effects, left...)
	if why := asker(p); why != "" {
		n.WhyConfirm = why
	}
	_, made, err = s.Proposals.CreateOnce(ctx, n)
	return made, err
}
