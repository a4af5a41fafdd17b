package activities

import (
	"context"

	"github.com/google/uuid"

	"countersign/workflows"
)

// ModelChecks plays situations to models. *modelcheck.Module is one.
type ModelChecks interface {
	Play(ctx context.Context, id uuid.UUID, number, attempt int) (over bool, err error)
	Finish(ctx context.Context, id uuid.UUID) error
}

// ModelCheck holds the activities of checks of models.
type ModelCheck struct {
	Checks ModelChecks
}

// PlaySituation plays one situation and keeps its outcome. A repeat plays only what has none.
func (a *ModelCheck) PlaySituation(ctx context.Context, in workflows.PlaySituationInput) (workflows.PlaySituationOutput, error) {
	over, err := a.Checks.Play(ctx, in.CheckID, in.Number, int(attemptNumber(ctx)))
	return workflows.PlaySituationOutput{Over: over}, err
}

// FinishModelCheck ends a check of which everything was tried.
func (a *ModelCheck) FinishModelCheck(ctx context.Context, in workflows.FinishModelCheckInput) (workflows.FinishModelCheckOutput, error) {
	return workflows.FinishModelCheckOutput{}, a.Checks.Finish(ctx, in.CheckID)
}
