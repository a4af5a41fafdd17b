package workflows

import (
	"fmt"

	"go.temporal.io/sdk/workflow"
)

// Plan carries out the changes of a plan that a person has decided about together, one after the other in the order of
// their calls, and lets the model acknowledge the whole outcome once. The rows are the truth: each activity takes the
// next change that is still to be made, and a failed one closes those after it in the same transaction. So a repeated
// activity, or a workflow that is started again, goes on where the rows say.
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
