package maintenance

import (
	"time"

	"github.com/google/uuid"
	"go.temporal.io/sdk/temporal"
	"go.temporal.io/sdk/workflow"

	"countersign/internal/durable"
)

// watchWorkflow begins and ends the occurrences of a maintenance on time.
var watchWorkflow = durable.Workflow[watchInput, watchOutput]{Name: "Maintenance", Code: watch}

// followPlan lets the row of a maintenance follow the clock.
var followPlan = durable.Step[followInput, followOutput]{Name: "FollowMaintenance", Options: followOptions}

// planChanged tells the workflow that the row has another next start or end.
var planChanged = durable.Signal[struct{}]{Name: "maintenance-changed"}

type watchInput struct{ MaintenanceID uuid.UUID }

// watchOutput is empty: the outcome is the row.
type watchOutput struct{}

type followInput struct{ MaintenanceID uuid.UUID }

// followOutput has the time until the next start or end by the clock of the database. Over means that there is none.
type followOutput struct {
	Wait time.Duration
	Over bool
}

var followOptions = durable.StepOptions{ActivityOptions: workflow.ActivityOptions{
	StartToCloseTimeout: 30 * time.Second,
	// Without an end, as a database outage may last. The chore does the same work meanwhile.
	RetryPolicy: &temporal.RetryPolicy{
		InitialInterval:    time.Second,
		BackoffCoefficient: 2,
		MaximumInterval:    time.Minute,
		MaximumAttempts:    0,
	},
}}

const (
	// maxWakes is how often one history wakes: for fifty occurrences or so.
	maxWakes = 100
	// longestSleep bounds a timer, so that a row that was changed without a signal is noticed.
	longestSleep = 30 * 24 * time.Hour
)

// watch sleeps until the next start or end and follows the row then. It reads the row at each wake and trusts nothing else.
func watch(ctx workflow.Context, in watchInput) (watchOutput, error) {
	inbox := planChanged.Inbox(ctx)
	for range maxWakes {
		inbox.Drain()
		out, err := followPlan.DoLocalFirst(ctx, "Follow the clock", followInput(in))
		if err != nil || out.Over {
			return watchOutput{}, err
		}
		timing, stop := workflow.WithCancel(ctx)
		inbox.WaitFor(ctx, workflow.NewTimer(timing, min(out.Wait, longestSleep)))
		stop()
		if ctx.Err() != nil {
			return watchOutput{}, ctx.Err()
		}
	}
	inbox.Drain()
	return watchOutput{}, durable.ContinueAsNew(ctx, watch, in)
}
