package workflows

import (
	"fmt"
	"time"

	"go.temporal.io/sdk/temporal"
	"go.temporal.io/sdk/workflow"
)

// Plan carries out the changes of a plan that a person has decided about together, one after the other in the order of
// their calls, and lets the model acknowledge the whole outcome once. The rows are the truth: each activity takes the
// next change that is still to be made, and a failed one closes those after it in the same transaction. So a repeated
// activity, or a workflow that is started again, goes on where the rows say.
func Plan(ctx workflow.Context, in PlanInput) (PlanOutput, error) {
	ctx = workflow.WithActivityOptions(ctx, workflow.ActivityOptions{
		StartToCloseTimeout: time.Minute,
		HeartbeatTimeout:    heartbeatTimeout,
		RetryPolicy:         &temporal.RetryPolicy{InitialInterval: 200 * time.Millisecond, BackoffCoefficient: 2, MaximumInterval: 10 * time.Second},
	})
	var state PlanState
	for n := 1; n == 1 || state.Left > 0; n++ {
		workflow.SetCurrentDetails(ctx, fmt.Sprintf("applying change %d", n))
		if err := workflow.ExecuteActivity(planSummary(ctx, "apply the next change"), ApplyNextInPlanActivity, ApplyNextInPlanInput(in)).Get(ctx, &state); err != nil {
			return PlanOutput{}, err
		}
	}
	var err error
	if state.FollowUp {
		err = workflow.ExecuteActivity(planSummary(ctx, "let the model acknowledge"), StartPlanFollowUpActivity, StartPlanFollowUpInput(in)).Get(ctx, nil)
	}
	workflow.SetCurrentDetails(ctx, state.Status)
	if err := workflow.UpsertTypedSearchAttributes(ctx, StatusAttribute.ValueSet(state.Status)); err != nil {
		workflow.GetLogger(ctx).Warn("Status not searchable", "error", err)
	}
	return PlanOutput{Status: state.Status}, err
}

func planSummary(ctx workflow.Context, text string) workflow.Context {
	options := workflow.GetActivityOptions(ctx)
	options.Summary = text
	return workflow.WithActivityOptions(ctx, options)
}
