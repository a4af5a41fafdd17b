package modelcheck

import (
	"context"
	"time"

	"github.com/google/uuid"
	"go.temporal.io/sdk/activity"

	"countersign/internal/durable"
)

// checkTimeout bounds the workflow of a check.
const checkTimeout = 24 * time.Hour

// Workflows is the workflow of a check, beside the turns.
func (m *Module) Workflows() []durable.Registration {
	return []durable.Registration{{
		Queue:    durable.TurnQueue,
		Workflow: checkWorkflow.Named(),
		Steps:    []durable.Named{playSituation.Bind(m.playSituation), finishCheck.Bind(m.finishCheck)},
	}}
}

// start starts the workflow of a check; a repeat finds the running one.
func (m *Module) start(ctx context.Context, c Check) error {
	e := durable.Execution{ID: executionID(c.ID), Queue: durable.TurnQueue, Summary: "Check of a model", Timeout: checkTimeout}
	return m.Engine.Start(ctx, checkWorkflow.Execute(e, checkInput{CheckID: c.ID, Situations: c.Total, Parallel: c.Parallel}))
}

// playSituation plays one situation and keeps its outcome. A repeat plays only what has none.
func (m *Module) playSituation(ctx context.Context, in playInput) (playOutput, error) {
	over, err := m.Play(ctx, in.CheckID, in.Number, int(activity.GetInfo(ctx).Attempt))
	return playOutput{Over: over}, err
}

// finishCheck ends a check of which everything was tried.
func (m *Module) finishCheck(ctx context.Context, in finishInput) (finishOutput, error) {
	return finishOutput{}, m.Finish(ctx, in.CheckID)
}

func executionID(check uuid.UUID) string { return durable.ID("model-check", check) }
