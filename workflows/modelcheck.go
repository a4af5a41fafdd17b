package workflows

import (
	"strconv"
	"time"

	"go.temporal.io/sdk/temporal"
	"go.temporal.io/sdk/workflow"
)

var playSituationOptions = stepOptions{ActivityOptions: workflow.ActivityOptions{
	// Longer than any situation.
	StartToCloseTimeout: 5 * time.Minute,
	HeartbeatTimeout:    heartbeatTimeout,
	WaitForCancellation: true,
	// For about four minutes: during a database outage, or while only workers of another version, which lack the step,
	// run.
	RetryPolicy: &temporal.RetryPolicy{
		InitialInterval:    time.Second,
		BackoffCoefficient: 2,
		MaximumInterval:    30 * time.Second,
		MaximumAttempts:    12,
	},
}}

// ModelCheck plays the situations of a check, some of them in parallel. A situation that fails in all attempts is left
// out; the row of the check then says that the check is incomplete.
func ModelCheck(ctx workflow.Context, in ModelCheckInput) (ModelCheckOutput, error) {
	next, over := 0, false
	players := workflow.NewWaitGroup(ctx)
	for range min(in.Parallel, in.Situations) {
		players.Add(1)
		workflow.Go(ctx, func(ctx workflow.Context) {
			defer players.Done()
			for next < in.Situations && !over && ctx.Err() == nil {
				number := next
				next++
				out, err := PlaySituation.Do(
					ctx,
					strconv.Itoa(number+1)+" of "+strconv.Itoa(in.Situations),
					PlaySituationInput{CheckID: in.CheckID, Number: number},
				)
				if err != nil && ctx.Err() == nil {
					workflow.GetLogger(ctx).Error("Situation not played", "number", number, "error", err)
				}
				over = over || out.Over
			}
		})
	}
	players.Wait(ctx)
	if ctx.Err() != nil {
		return ModelCheckOutput{}, ctx.Err()
	}
	_, err := FinishModelCheck.Do(ctx, "", FinishModelCheckInput{CheckID: in.CheckID})
	return ModelCheckOutput{}, err
}
