package oncall

import (
	"time"

	"github.com/google/uuid"
	"go.temporal.io/sdk/temporal"
	"go.temporal.io/sdk/workflow"

	"countersign/internal/durable"
)

// escalateIncident calls people about an incident until one of them takes it on.
var escalateIncident = durable.Workflow[escalateInput, escalateOutput]{Name: "EscalateIncident", Code: escalate}

// advanceEscalation takes the steps that are due and says how long to wait.
var advanceEscalation = durable.Step[advanceInput, advanceOutput]{Name: "AdvanceEscalation", Options: advanceOptions}

// escalationChanged tells an escalation to read its row again: the incident was acknowledged, resolved or changed, or the
// policy was edited.
var escalationChanged = durable.Signal[changedInput]{Name: "escalation-changed"}

// escalateInput names the incident, and the opening of it that the workflow is for.
type escalateInput struct {
	IncidentID uuid.UUID
	Opening    int32
}

// escalateOutput is empty: what was done are rows.
type escalateOutput struct{}

// advanceInput names the escalation.
type advanceInput struct {
	IncidentID uuid.UUID
	Opening    int32
}

// advanceOutput says whether the escalation has ended, and otherwise how long to wait for its next step.
type advanceOutput struct {
	Ended bool
	Wait  time.Duration
}

// changedInput is empty: the row says what has changed.
type changedInput struct{}

var advanceOptions = durable.StepOptions{ActivityOptions: workflow.ActivityOptions{
	StartToCloseTimeout: 30 * time.Second,
	// Without an end: an incident is not forgotten because the database was away for a day.
	RetryPolicy: &temporal.RetryPolicy{InitialInterval: time.Second, BackoffCoefficient: 2, MaximumInterval: 20 * time.Second},
}}

// wakesOfAHistory bounds the history of an escalation.
const wakesOfAHistory = 400

// escalate waits between the steps of a policy. A signal that comes while a step runs is still there afterwards.
func escalate(ctx workflow.Context, in escalateInput) (escalateOutput, error) {
	changed := escalationChanged.Inbox(ctx)
	for range wakesOfAHistory {
		changed.Drain()
		out, err := advanceEscalation.DoLocalFirst(ctx, "", advanceInput(in))
		if err != nil || out.Ended {
			return escalateOutput{}, err
		}
		waiting, cancel := workflow.WithCancel(ctx)
		changed.WaitFor(ctx, workflow.NewTimer(waiting, out.Wait))
		cancel()
	}
	return escalateOutput{}, durable.ContinueAsNew(ctx, escalate, in)
}
