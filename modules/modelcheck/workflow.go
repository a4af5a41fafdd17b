package modelcheck

import (
	"strconv"
	"time"

	"github.com/google/uuid"
	"go.temporal.io/sdk/temporal"
	"go.temporal.io/sdk/workflow"

	"countersign/internal/durable"
)

// checkWorkflow checks a model.
var checkWorkflow = durable.Workflow[checkInput, checkOutput]{Name: "ModelCheck", Code: playAll}

// The steps of a check of a model.
var (
	playSituation = durable.Step[playInput, playOutput]{Name: "PlaySituation", Options: playSituationOptions}
	finishCheck   = durable.Step[finishInput, finishOutput]{Name: "FinishModelCheck", Options: durable.OutcomeStepOptions}
)

// checkInput names the check to run, the number of its situations and how many of them run in parallel.
type checkInput struct {
	CheckID    uuid.UUID
	Situations int
	Parallel   int
}

// checkOutput is empty: the outcomes are rows.
type checkOutput struct{}

// playInput names a situation by its number, counted from 0.
type playInput struct {
	CheckID uuid.UUID
	Number  int
}

// playOutput says whether the check has ended.
type playOutput struct {
	Over bool
}

// finishInput names the check whose situations have all been tried.
type finishInput struct {
	CheckID uuid.UUID
}

// finishOutput is empty.
type finishOutput struct{}

var playSituationOptions = durable.StepOptions{ActivityOptions: workflow.ActivityOptions{
	// Longer than any situation (suite.MostTime).
	StartToCloseTimeout: 16 * time.Minute,
	HeartbeatTimeout:    5 * time.Second,
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

// playAll plays the situations of a check, some of them in parallel. A situation that fails in all attempts is left
// out; the row of the check then says that the check is incomplete.
func playAll(ctx workflow.Context, in checkInput) (checkOutput, error) {
	next, over := 0, false
	players := workflow.NewWaitGroup(ctx)
	for range min(in.Parallel, in.Situations) {
		players.Add(1)
		workflow.Go(ctx, func(ctx workflow.Context) {
			defer players.Done()
			for next < in.Situations && !over && ctx.Err() == nil {
				number := next
				next++
				out, err := playSituation.Do(
					ctx,
					strconv.Itoa(number+1)+" of "+strconv.Itoa(in.Situations),
					playInput{CheckID: in.CheckID, Number: number},
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
		return checkOutput{}, ctx.Err()
	}
	_, err := finishCheck.Do(ctx, "", finishInput{CheckID: in.CheckID})
	return checkOutput{}, err
}
