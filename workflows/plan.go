package workflows

import (
	"fmt"

	"go.temporal.io/sdk/workflow"
)

// Plan applies the changes of a decided plan one by one, in the order of their calls, and has the model acknowledge the
// whole outcome once. The rows are the truth: each activity applies the next pending change, and a failed change
// cancels those after it in the same transaction, so that a retried activity or a restarted workflow continues from the
// rows.
func Plan(ctx workflow.Context, in PlanInput) (PlanOutput, error) {
	var state ApplyNextInPlanOutput
	var err error
	for n := 1; n == 1 || state.Left > 0; n++ {
		workflow.SetCurrentDetails(ctx, fmt.Sprintf("applying change %d", n))
		if state, err = ApplyNextInPlan.Do(ctx, "apply the next change", ApplyNextInPlanInput(in)); err != nil {
			return PlanOutput{}, err
		}
	}
	if state.FollowUp {
		_, err = StartPlanFollowUp.Do(ctx, "let the model acknowledge", StartPlanFollowUpInput(in))
	}
	describeStatus(ctx, state.Status)
	return PlanOutput{Status: state.Status}, err
}
