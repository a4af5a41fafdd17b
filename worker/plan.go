package worker

import (
	"context"

	"github.com/google/uuid"
	"go.temporal.io/api/enums/v1"

	"countersign/workflows"
)

// DecidedPlan starts the workflow of a decided plan, again if it has ended.
func (e *Engine) DecidedPlan(ctx context.Context, plan uuid.UUID) error {
	return e.startPlan(ctx, plan, enums.WORKFLOW_ID_REUSE_POLICY_ALLOW_DUPLICATE)
}

// EnsurePlan starts the workflow of a decided plan unless it runs or has completed.
func (e *Engine) EnsurePlan(ctx context.Context, plan uuid.UUID) error {
	return e.startPlan(ctx, plan, enums.WORKFLOW_ID_REUSE_POLICY_ALLOW_DUPLICATE_FAILED_ONLY)
}

func (e *Engine) startPlan(ctx context.Context, plan uuid.UUID, reuse enums.WorkflowIdReusePolicy) error {
	options := e.options(workflows.PlanID(plan), "Plan")
	options.TaskQueue = e.proposalQueue(ctx)
	options.WorkflowIDReusePolicy = reuse
	err := start(ctx, e, options, workflows.PlanWorkflow, workflows.PlanInput{PlanID: plan})
	return ignoreStarted(err, "start plan")
}
