package workflows

import "github.com/google/uuid"

// Names of the workflow of plans and its activities, as they stand in histories. They must never change.
const (
	PlanWorkflow = "Plan"

	ApplyNextInPlanActivity   = "ApplyNextInPlan"
	StartPlanFollowUpActivity = "StartPlanFollowUp"
)

// PlanID is the workflow id of a plan, which has the id of the turn that made it.
func PlanID(turn uuid.UUID) string { return "plan/" + turn.String() }

// PlanInput starts the workflow of a plan that has been decided.
type PlanInput struct {
	PlanID uuid.UUID
}

// PlanOutput is the status in which a plan ended.
type PlanOutput struct {
	Status string
}

// ApplyNextInPlanInput names the plan of which to carry out one more change.
type ApplyNextInPlanInput struct {
	PlanID uuid.UUID
}

// PlanState is where a plan stands after an activity.
type PlanState struct {
	Status string
	// Left is how many changes are still to be carried out.
	Left int
	// FollowUp is set when the model is to acknowledge the outcome in the conversation.
	FollowUp bool
}

// StartPlanFollowUpInput names the decided plan.
type StartPlanFollowUpInput struct {
	PlanID uuid.UUID
}
