package activities

import (
	"context"
	"time"

	"github.com/google/uuid"

	"countersign/chat/conversation"
	"countersign/internal/store"
	"countersign/workflows"
)

// TurnStopper stops a turn; one that is gone is no error.
type TurnStopper interface {
	StopTurn(ctx context.Context, id uuid.UUID) error
}

// WorkflowTerminator terminates workflows, idempotently; a workflow that is gone is no error.
type WorkflowTerminator interface {
	Terminate(ctx context.Context, id, why string) error
}

// deleted is the termination reason of workflows whose rows are deleted.
const deleted = "its conversation is deleted"

// Retention holds the activities that delete conversations.
type Retention struct {
	Sweeper            *conversation.Sweeper
	Erasures           *conversation.Erasures
	Turns              TurnStopper
	WorkflowTerminator WorkflowTerminator
}

// SweepConversations deletes the next conversations whose retention period is over.
func (a *Retention) SweepConversations(
	ctx context.Context,
	in workflows.SweepConversationsInput,
) (workflows.SweepConversationsOutput, error) {
	deleted, more, err := a.Sweeper.Sweep(withoutDegradedTimeout(ctx), in.Limit)
	return workflows.SweepConversationsOutput{Deleted: workflows.Deleted(deleted), More: more}, err
}

// QuietPerson stops running work in the name of the person.
func (a *Retention) QuietPerson(ctx context.Context, in workflows.QuietPersonInput) (workflows.QuietPersonOutput, error) {
	running, err := a.Erasures.Quiet(ctx, in.ErasureID)
	out := workflows.QuietPersonOutput{Running: len(running.Turns)}
	if err != nil {
		return out, err
	}
	var ended []string
	for _, id := range running.Turns {
		if in.Force {
			// The reconciler ends its row.
			ended = append(ended, workflows.TurnID(id))
		} else if err := a.Turns.StopTurn(ctx, id); err != nil {
			return out, err
		}
	}
	for _, id := range running.Proposals {
		ended = append(ended, workflows.ProposalID(id))
	}
	for _, id := range running.Plans {
		ended = append(ended, workflows.PlanID(id))
	}
	for _, id := range ended {
		if err := a.WorkflowTerminator.Terminate(ctx, id, deleted); err != nil {
			return out, err
		}
	}
	return out, nil
}

// ErasePerson deletes the next conversations of the person.
func (a *Retention) ErasePerson(ctx context.Context, in workflows.ErasePersonInput) (workflows.ErasePersonOutput, error) {
	progress, err := a.Erasures.Erase(withoutDegradedTimeout(ctx), in.ErasureID, in.Limit)
	return workflows.ErasePersonOutput{Deleted: workflows.Deleted(progress.Deleted), Busy: progress.Busy, More: progress.Left}, err
}

// FinishErasure deletes the remaining data and completes the record.
func (a *Retention) FinishErasure(ctx context.Context, in workflows.FinishErasureInput) (workflows.FinishErasureOutput, error) {
	busy, err := a.Erasures.Finish(withoutDegradedTimeout(ctx), in.ErasureID)
	return workflows.FinishErasureOutput{Busy: busy}, err
}

// withoutDegradedTimeout gives a statement that deletes many rows a longer timeout.
func withoutDegradedTimeout(ctx context.Context) context.Context {
	return store.WithStatementTimeout(ctx, 4*time.Minute)
}
