package workflows

import (
	"fmt"
	"time"

	"github.com/google/uuid"
	"go.temporal.io/sdk/temporal"
	"go.temporal.io/sdk/workflow"

	"countersign/internal/durable"
)

// RetentionWorkflow deletes the conversations whose retention period is over, ErasureWorkflow all data of a person.
var (
	RetentionWorkflow = Workflow[RetentionInput, RetentionOutput]{Name: "Retention", Code: Retention}
	ErasureWorkflow   = Workflow[ErasureInput, ErasureOutput]{Name: "Erasure", Code: Erasure}
)

// The steps that delete.
var (
	SweepConversations = Step[SweepConversationsInput, SweepConversationsOutput]{Name: "SweepConversations", Options: deleteStepOptions}
	QuietPerson        = Step[QuietPersonInput, QuietPersonOutput]{Name: "QuietPerson", Options: deleteStepOptions}
	ErasePerson        = Step[ErasePersonInput, ErasePersonOutput]{Name: "ErasePerson", Options: deleteStepOptions}
	FinishErasure      = Step[FinishErasureInput, FinishErasureOutput]{Name: "FinishErasure", Options: deleteStepOptions}
)

var deleteStepOptions = durable.StepOptions{ActivityOptions: workflow.ActivityOptions{
	StartToCloseTimeout: 5 * time.Minute,
	HeartbeatTimeout:    heartbeatTimeout,
	RetryPolicy: &temporal.RetryPolicy{
		InitialInterval:    500 * time.Millisecond,
		BackoffCoefficient: 2,
		MaximumInterval:    30 * time.Second,
	},
}}

// RetentionSchedule is the id of the schedule that sweeps conversations.
const RetentionSchedule = "countersign-retention"

// batchSize is the number of conversations that one activity deletes, maxBatches that of activities in one history.
const (
	batchSize  = 100
	maxBatches = 200
)

// forceAfterRounds is the number of rounds in which an erasure waits for running turns before it terminates their
// workflows.
const forceAfterRounds = 20

// ErasureID is the workflow id of an erasure.
func ErasureID(id uuid.UUID) string { return "erasure/" + id.String() }

// ErasureExecution is the execution of an erasure, again if it was terminated.
func ErasureExecution(in ErasureInput) durable.Execution {
	return ErasureWorkflow.Execute(durable.Execution{
		ID: ErasureID(in.ErasureID), Queue: durable.TurnQueue, Summary: "Deletes everything that is kept of a person",
		Again: durable.AfterEnd, Retried: true,
	}, in)
}

// Deleted counts what was deleted.
type Deleted struct {
	Conversations int64
	Messages      int64
	Turns         int64
	Proposals     int64
}

func (d *Deleted) add(more Deleted) {
	d.Conversations += more.Conversations
	d.Messages += more.Messages
	d.Turns += more.Turns
	d.Proposals += more.Proposals
}

func (d *Deleted) describe(ctx workflow.Context, doing string) {
	workflow.SetCurrentDetails(
		ctx,
		fmt.Sprintf(
			"%s: %d conversations, %d messages, %d turns, %d proposals deleted",
			doing,
			d.Conversations,
			d.Messages,
			d.Turns,
			d.Proposals,
		),
	)
}

// RetentionInput starts a sweep. Deleted counts what its earlier runs have deleted.
type RetentionInput struct {
	Deleted Deleted
}

// RetentionOutput counts what a sweep has deleted.
type RetentionOutput struct {
	Deleted Deleted
}

// SweepConversationsInput is the size of the next batch.
type SweepConversationsInput struct {
	Limit int
}

// SweepConversationsOutput counts what a batch has deleted, and says whether there may be more to delete.
type SweepConversationsOutput struct {
	Deleted Deleted
	More    bool
}

// Retention deletes the conversations whose retention period is over, in batches. Each batch reads the setting, so that
// turning it off ends a running sweep.
func Retention(ctx workflow.Context, in RetentionInput) (RetentionOutput, error) {
	total := in.Deleted
	for range maxBatches {
		out, err := SweepConversations.Do(ctx, "", SweepConversationsInput{Limit: batchSize})
		if err != nil {
			return RetentionOutput{}, err
		}
		total.add(out.Deleted)
		if !out.More {
			total.describe(ctx, "done")
			return RetentionOutput{total}, nil
		}
		total.describe(ctx, "sweeping")
	}
	return RetentionOutput{}, durable.ContinueAsNew(ctx, Retention, RetentionInput{total})
}

// ErasureInput names the erasure. Deleted counts what its earlier runs have deleted.
type ErasureInput struct {
	ErasureID uuid.UUID
	Deleted   Deleted
}

// ErasureOutput counts what an erasure has deleted in conversations; its row has the complete count.
type ErasureOutput struct {
	Deleted Deleted
}

// QuietPersonInput asks to refuse new work in the conversations of the person and to stop running work. Force
// terminates the workflows of turns that do not stop.
type QuietPersonInput struct {
	ErasureID uuid.UUID
	Force     bool
}

// QuietPersonOutput counts the turns that still run.
type QuietPersonOutput struct {
	Running int
}

// ErasePersonInput is the size of the next batch.
type ErasePersonInput struct {
	ErasureID uuid.UUID
	Limit     int
}

// ErasePersonOutput counts what a batch has deleted, and conversations that are still in use.
type ErasePersonOutput struct {
	Deleted Deleted
	Busy    int
	More    bool
}

// FinishErasureInput names the erasure to complete.
type FinishErasureInput struct {
	ErasureID uuid.UUID
}

// FinishErasureOutput counts the proposals that are still being applied; with none the erasure is complete.
type FinishErasureOutput struct {
	Busy int
}

// Erasure deletes all data of a person. It stops running work of theirs first; a change that is already being applied
// completes first.
func Erasure(ctx workflow.Context, in ErasureInput) (ErasureOutput, error) {
	total := in.Deleted
	for round := range maxBatches {
		busy, err := eraseRound(ctx, in.ErasureID, round >= forceAfterRounds, &total)
		if err != nil {
			return ErasureOutput{}, err
		}
		if !busy {
			total.describe(ctx, "done")
			return ErasureOutput{total}, nil
		}
		total.describe(ctx, "erasing")
		wait := min(time.Duration(round+1)*200*time.Millisecond, 5*time.Second)
		options := workflow.TimerOptions{Summary: "what runs comes to an end"}
		if err := workflow.NewTimerWithOptions(ctx, wait, options).Get(ctx, nil); err != nil {
			return ErasureOutput{}, err
		}
	}
	return ErasureOutput{}, durable.ContinueAsNew(ctx, Erasure, ErasureInput{in.ErasureID, total})
}

// eraseRound deletes one batch and reports whether another round has to follow.
func eraseRound(ctx workflow.Context, id uuid.UUID, force bool, total *Deleted) (busy bool, err error) {
	quiet, err := QuietPerson.Do(ctx, "", QuietPersonInput{id, force})
	if err != nil {
		return false, err
	}
	batch, err := ErasePerson.Do(ctx, "", ErasePersonInput{id, batchSize})
	if err != nil {
		return false, err
	}
	total.add(batch.Deleted)
	if batch.More || batch.Busy > 0 || quiet.Running > 0 {
		return true, nil
	}
	finished, err := FinishErasure.Do(ctx, "", FinishErasureInput{id})
	return finished.Busy > 0, err
}
