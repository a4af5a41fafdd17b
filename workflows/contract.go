package workflows

import (
	"time"

	"github.com/google/uuid"
	"go.temporal.io/sdk/temporal"

	"countersign/internal/problem"

	"countersign/internal/durable"
)

// Task queues. Queue names of a process may carry a prefix, so that several stacks can share a Temporal namespace.
const (
	TurnQueue = string(durable.TurnQueue)
	// ProposalQueue is that of proposals and plans.
	ProposalQueue = string(durable.ProposalQueue)
)

// TurnWorkflow answers a message of a person, ProposalWorkflow waits for the decision about a proposal.
var (
	TurnWorkflow     = Workflow[TurnInput, TurnOutput]{Name: "Turn", Code: Turn}
	ProposalWorkflow = Workflow[ProposalInput, ProposalOutput]{Name: "Proposal", Code: Proposal}
)

// The steps of a turn.
var (
	PrepareTurn = Step[PrepareTurnInput, PrepareTurnOutput]{Name: "PrepareTurn", Options: turnStepOptions}
	CallModel   = Step[CallModelInput, CallModelOutput]{Name: "CallModel", Options: modelStepOptions}
	CallTool    = Step[CallToolInput, CallToolOutput]{Name: "CallTool", Options: turnStepOptions}
	FinishTurn  = Step[FinishTurnInput, FinishTurnOutput]{Name: "FinishTurn", Options: turnStepOptions}
)

// The steps of a proposal.
var (
	ExpireProposal = Step[ExpireProposalInput, ExpireProposalOutput]{Name: "ExpireProposal", Options: proposalStepOptions}
	ApplyProposal  = Step[ApplyProposalInput, ApplyProposalOutput]{Name: "ApplyProposal", Options: proposalStepOptions}
	StartFollowUp  = Step[StartFollowUpInput, StartFollowUpOutput]{Name: "StartFollowUp", Options: proposalStepOptions}
)

// StatusAttribute is the search attribute with the status of a proposal, a plan or a turn.
var StatusAttribute = temporal.NewSearchAttributeKeyKeyword("CountersignStatus")

// StopSignal says that the person stops the turn, DecidedSignal that the row of the proposal holds a decision.
var (
	StopSignal    = Signal[StopInput]{Name: "stop"}
	DecidedSignal = Signal[DecidedInput]{Name: "decided"}
)

// TurnID is the workflow id of a turn.
func TurnID(id uuid.UUID) string { return "turn/" + id.String() }

// ProposalID is the workflow id of a proposal.
func ProposalID(id uuid.UUID) string { return "proposal/" + id.String() }

// turnTimeout is longer than any turn: sixteen model calls of ten minutes, and their tools. It is the last resort for
// turns that the reconciler did not end.
const turnTimeout = 6 * time.Hour

// TurnExecution is the execution of a turn. The reconciler starts turns whose start was lost.
func TurnExecution(in TurnInput) durable.Execution {
	return TurnWorkflow.Execute(durable.Execution{
		ID: TurnID(in.TurnID), Queue: durable.TurnQueue, Summary: "Turn", RunTimeout: turnTimeout, Eager: true, Retried: true,
	}, in)
}

// ProposalExecution is the execution that waits for the decision about a proposal. The reconciler resends lost decisions.
func ProposalExecution(in ProposalInput) durable.Execution {
	return ProposalWorkflow.Execute(durable.Execution{
		ID: ProposalID(in.ProposalID), Queue: durable.ProposalQueue, Summary: "Proposal", Retried: true,
	}, in)
}

// TurnInput starts a turn.
type TurnInput struct {
	TurnID   uuid.UUID
	MaxSteps int
	// Prepare is set for every turn since they start with PrepareTurn, for workers that read nothing else. Without it the
	// code calls workflow.GetVersion, so that older histories replay. The release after next leaves it out.
	Prepare bool `json:",omitempty"`
}

// TurnStatus is how a turn ends.
type TurnStatus string

// The ends of a turn.
const (
	TurnDone    TurnStatus = "done"
	TurnStopped TurnStatus = "stopped"
	TurnFailed  TurnStatus = "failed"
)

// TurnOutput says how a turn ended.
type TurnOutput struct {
	Status TurnStatus
	Steps  int
}

// StopInput is the signal that a person stops the turn.
type StopInput struct{}

// PrepareTurnInput names the turn to prepare.
type PrepareTurnInput struct {
	TurnID uuid.UUID
}

// PrepareTurnOutput says whether the turn had ended before.
type PrepareTurnOutput struct {
	Over bool
}

// CallModelInput asks for one model call. Final offers no tools. Stopped asks for the record of a call that the person
// stopped between two attempts.
type CallModelInput struct {
	TurnID  uuid.UUID
	Step    int
	Attempt int
	Final   bool
	Stopped bool `json:",omitempty"`
	// Correction and Search are those of the attempt before.
	Correction string `json:",omitempty"`
	Search     string `json:",omitempty"`
}

// CallModelOutput is the outcome of a model call. With none of its fields set the model has answered.
type CallModelOutput struct {
	// Calls are the tool calls in order.
	Calls []PlannedCall
	// Retry is set when the provider failed transiently.
	Retry *Retry
	// Failure is set when the call failed and is not retried.
	Failure *Failure
	Stopped bool
	// Over is set when the turn had ended before.
	Over bool
}

// PlannedCall is a tool call of the model. Parallel calls only read.
type PlannedCall struct {
	Tool     string
	Parallel bool
}

// Retry is the delay before the next attempt.
type Retry struct {
	After time.Duration
	// Correction names what the model did wrong, a reason of package model; "" when the provider failed.
	Correction string `json:",omitempty"`
	// Search is the state of the search for content that the provider refuses, hashes and numbers; "" when there is none.
	Search string `json:",omitempty"`
}

// Failure is a failed turn's reason, as the person reads it.
type Failure struct {
	Code    problem.Code
	Message string
}

// CallToolInput asks for tool call number Call, from 1, of a step.
type CallToolInput struct {
	TurnID uuid.UUID
	Step   int
	Call   int
}

// CallToolOutput says whether the turn continues.
type CallToolOutput struct {
	// Ends is set when a person has to decide before the turn can continue.
	Ends bool
	// Asks is set when the call was a question to the person: the calls after it do not run.
	Asks    bool `json:",omitempty"`
	Stopped bool
	Over    bool
}

// FinishTurnInput ends a turn.
type FinishTurnInput struct {
	TurnID  uuid.UUID
	Status  TurnStatus
	Failure *Failure
}

// FinishTurnOutput is empty.
type FinishTurnOutput struct{}

// ProposalInput starts the workflow of a proposal.
type ProposalInput struct {
	ProposalID uuid.UUID
	TTL        time.Duration
}

// ProposalStatus is the status of a proposal or a plan. The workflow of a proposal continues while it is Proposed or
// Applying, and ends with every other status.
type ProposalStatus string

// The statuses that the workflow of a proposal distinguishes. A proposal that was decided with its plan is Planned: the
// plan's workflow applies it.
const (
	Proposed ProposalStatus = "proposed"
	Applying ProposalStatus = "applying"
	Planned  ProposalStatus = "planned"
)

// ProposalOutput is the status in which a proposal ended.
type ProposalOutput struct {
	Status ProposalStatus
}

// DecidedInput is the signal that the proposal's row holds a decision, which the workflow reads there.
type DecidedInput struct{}

// ApplyProposalInput names the proposal to apply.
type ApplyProposalInput struct {
	ProposalID uuid.UUID
}

// ExpireProposalInput names the proposal that may have expired.
type ExpireProposalInput struct {
	ProposalID uuid.UUID
}

// ProposalState is the state of a proposal after a step.
type ProposalState struct {
	Status ProposalStatus
	// FollowUp is set when the model is to acknowledge the decision in the conversation.
	FollowUp bool
}

// ExpireProposalOutput is the state of the proposal.
type ExpireProposalOutput struct{ ProposalState }

// ApplyProposalOutput is the state of the proposal after the apply.
type ApplyProposalOutput struct{ ProposalState }

// StartFollowUpInput names the decided proposal.
type StartFollowUpInput struct {
	ProposalID uuid.UUID
}

// StartFollowUpOutput is empty.
type StartFollowUpOutput struct{}
