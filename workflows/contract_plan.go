package workflows

import (
	"github.com/google/uuid"

	"countersign/internal/durable"
)

// PlanWorkflow applies a plan.
var PlanWorkflow = Workflow[PlanInput, PlanOutput]{Name: "Plan", Code: Plan}

// The steps of a plan.
var (
	ApplyNextInPlan   = Step[ApplyNextInPlanInput, ApplyNextInPlanOutput]{Name: "ApplyNextInPlan", Options: proposalStepOptions}
	StartPlanFollowUp = Step[StartPlanFollowUpInput, StartPlanFollowUpOutput]{Name: "StartPlanFollowUp", Options: proposalStepOptions}
)

// PlanID is the workflow id of a plan, which has the id of the turn that made it.
func PlanID(turn uuid.UUID) string { return "plan/" + turn.String() }

// PlanExecution is the execution of a plan, once more as said.
func PlanExecution(in PlanInput, again durable.Again) durable.Execution {
	return PlanWorkflow.Execute(durable.Execution{
		ID: PlanID(in.PlanID), Queue: durable.ProposalQueue, Summary: "Plan", Again: again, Retried: true,
	}, in)
}

// PlanInput starts the workflow of a plan that has been decided.
type PlanInput struct {
	PlanID uuid.UUID
}

// PlanOutput is the status in which a plan ended.
type PlanOutput struct {
	Status ProposalStatus
}

// ApplyNextInPlanInput names the plan whose next change to apply.
type ApplyNextInPlanInput struct {
	PlanID uuid.UUID
}

// ApplyNextInPlanOutput is the state of the plan after a change.
type ApplyNextInPlanOutput struct {
	Status ProposalStatus
	// Left counts the changes that are still to be applied.
	Left int
	// FollowUp is set when the model is to acknowledge the outcome in the conversation.
	FollowUp bool
}

// StartPlanFollowUpInput names the decided plan.
type StartPlanFollowUpInput struct {
	PlanID uuid.UUID
}

// StartPlanFollowUpOutput is empty.
type StartPlanFollowUpOutput struct{}
