package action

import (
	"context"

	"countersign/internal/principal"
	"countersign/internal/problem"
)

// Permit refuses a principal that lacks rules of the action, and names them.
func (a Action) Permit(p principal.Principal) error {
	if missing := p.Missing(a.Rules...); len(missing) > 0 {
		return problem.MissingRule("use the action "+a.ID, missing...)
	}
	return nil
}

// Permitted is the action with a check of the application's rules before each call and dry run: rights can be withdrawn
// between any two steps of a run.
func Permitted(a Action) Action {
	do, dryRun := a.Do, a.DryRun
	a.Do = func(ctx context.Context, c Call) (Result, error) {
		if err := a.Permit(c.Caller.Principal); err != nil {
			return Result{}, err
		}
		return do(ctx, c)
	}
	a.DryRun = func(ctx context.Context, c Call) (Preview, error) {
		if err := a.Permit(c.Caller.Principal); err != nil {
			return Preview{}, err
		}
		return dryRun(ctx, c)
	}
	return a
}
