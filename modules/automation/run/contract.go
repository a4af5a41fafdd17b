// Package run is the workflow of a run of an automation: it walks the steps of one revision, and each step is an activity.
// The workflow decides nothing that a row knows: whether a condition holds, what an effect came to and when a wait is over
// are answers of activities, so that a change of the expression language cannot break the replay of a history.
package run

import (
	"time"

	"github.com/google/uuid"
	"go.temporal.io/sdk/temporal"
	"go.temporal.io/sdk/workflow"

	"countersign/automation/definition"
	"countersign/internal/durable"
)

// Workflow runs an automation once.
var Workflow = durable.Workflow[Input, Output]{Name: "RunAutomation", Code: interpret}

// Steps of the workflow.
var (
	// Load begins the run and returns what to walk.
	Load = durable.Step[LoadInput, LoadOutput]{Name: "LoadAutomationRun", Options: looking}
	// Look evaluates a step without effects: conditions, loops, variables, waits.
	Look = durable.Step[LookInput, LookOutput]{Name: "LookAtAutomationStep", Options: looking}
	// Act executes an action.
	Act = durable.Step[ActInput, ActOutput]{Name: "ExecuteAutomationStep", Options: acting}
	// Settle returns the outcome of an action whose activity did not, from its row, and writes there that it is over.
	Settle = durable.Step[SettleInput, SettleOutput]{Name: "SettleAutomationStep", Options: looking}
	// Finish records the outcome of the run.
	Finish = durable.Step[FinishInput, FinishOutput]{Name: "FinishAutomationRun", Options: looking}
)

// Woken tells a run that something it waits for has come, and is empty: a row says what.
var Woken = durable.Signal[WokenInput]{Name: "automation-woken"}

// Input names the run. Progress is nil at its begin, and what was done when its history was continued.
type Input struct {
	RunID    uuid.UUID
	Progress *Progress `json:",omitempty"`
}

// Output is empty: what was done are rows.
type Output struct{}

// LoadInput names the run.
type LoadInput struct{ RunID uuid.UUID }

// LoadOutput is what to walk. Config and variables are left out of the definition: activities read them.
type LoadOutput struct {
	// Over says that the run must not begin: it was cancelled, or has ended.
	Over bool `json:",omitempty"`
	// Cancelled says that only what is done is still undone.
	Cancelled  bool `json:",omitempty"`
	Definition definition.Definition
	// Left is the time that the run may still take.
	Left time.Duration
}

// StepInput names one attempt of a step.
type StepInput struct {
	RunID     uuid.UUID
	Path      string
	Iteration string `json:",omitempty"`
	Attempt   int
}

// Status is the state of a step after an activity.
type Status string

// The states. A step that waits is looked at again; the others are ends.
const (
	Waiting   Status = "waiting"
	Success   Status = "success"
	Failed    Status = "failed"
	Unknown   Status = "unknown"
	Cancelled Status = "cancelled"
)

// StepOutput is what a step came to.
type StepOutput struct {
	Status Status `json:"status"`
	// Reason is why, as a sentence of at most 300 characters.
	Reason string `json:"reason,omitempty"`
	// Passes is whether a condition holds, or a loop goes on.
	Passes bool `json:"passes,omitempty"`
	// Branch is the chosen one of choose: its index, the number of branches for else, or -1.
	Branch int `json:"branch,omitempty"`
	// Items is the number of items of a loop.
	Items int `json:"items,omitempty"`
	// Wait is how long to wait before the step is looked at again.
	Wait time.Duration `json:"wait,omitempty"`
	// Retry says that another attempt can succeed.
	Retry bool `json:"retry,omitempty"`
}

// Inputs and outputs of the steps that look at an attempt of a step, execute it, and settle it.
type (
	// LookInput names the attempt.
	LookInput struct{ StepInput }
	// LookOutput is what it came to.
	LookOutput struct{ StepOutput }
	// ActInput names the attempt.
	ActInput struct{ StepInput }
	// ActOutput is what it came to.
	ActOutput struct{ StepOutput }
	// SettleOutput is what it came to.
	SettleOutput struct{ StepOutput }
)

// SettleInput names the attempt. Cancelled says that the run does not wait for it any more.
type SettleInput struct {
	StepInput

	Cancelled bool `json:",omitempty"`
}

// FinishInput is the outcome of a run.
type FinishInput struct {
	RunID    uuid.UUID
	Status   Status
	Reason   string `json:",omitempty"`
	Failures int    `json:",omitempty"`
}

// FinishOutput is empty.
type FinishOutput struct{}

// WokenInput is empty.
type WokenInput struct{}

// ID is the id of the workflow of a run.
func ID(run uuid.UUID) string { return durable.ID("automation-run", run) }

var (
	looking = durable.StepOptions{ActivityOptions: workflow.ActivityOptions{
		StartToCloseTimeout: 30 * time.Second,
		// Without an end: a run is not forgotten because the database was away for a day.
		RetryPolicy: &temporal.RetryPolicy{InitialInterval: time.Second, BackoffCoefficient: 2, MaximumInterval: 20 * time.Second},
	}}
	acting = durable.StepOptions{ActivityOptions: workflow.ActivityOptions{
		HeartbeatTimeout: 5 * time.Second,
		RetryPolicy: &temporal.RetryPolicy{
			InitialInterval:    200 * time.Millisecond,
			BackoffCoefficient: 2,
			MaximumInterval:    20 * time.Second,
		},
	}}
)

const (
	// DefaultTimeout bounds an attempt of an action that names none.
	DefaultTimeout = time.Minute
	// grace is what an attempt may take beyond its own timeout before the workflow reads its row.
	grace = 20 * time.Second
)
