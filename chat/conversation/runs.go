package conversation

import (
	"context"
	"fmt"

	"github.com/google/uuid"

	"countersign/chat/conversation/conversationdb"
	"countersign/internal/principal"
	"countersign/internal/store"
	"countersign/tool/disposition"
)

// runsAtOnce bounds the deletions of one SweepRuns.
const runsAtOnce = 500

// RunConversation are the settings of a conversation of kind run.
type RunConversation struct {
	// ID is derived from the run by the caller, so that a repeat creates no second one.
	ID           uuid.UUID
	ConnectionID uuid.UUID
	Model        string
	Mode         disposition.Mode
}

// CreateInRun creates a conversation of the run of p, unless it exists. The run owns it, so that no list, search, share or
// export of a person or an application holds it; its retention is that of the run.
func (s *Service) CreateInRun(ctx context.Context, p principal.Principal, c RunConversation) error {
	_, err := s.queries(ctx).CreateRunConversation(ctx, conversationdb.CreateRunConversationParams{
		ID: c.ID, RunID: p.Run.ID, ConnectionID: c.ConnectionID, Model: c.Model, PermissionMode: string(c.Mode),
	})
	if err != nil {
		return fmt.Errorf("create conversation of a run: %w", err)
	}
	return nil
}

// SweepRuns deletes the conversations of runs whose retention period is over. It skips one with running work.
func (s *Sweeper) SweepRuns(ctx context.Context) error {
	ids, err := s.queries(ctx).DueRunConversations(ctx, runsAtOnce)
	if err != nil {
		return fmt.Errorf("list conversations of ended runs: %w", err)
	}
	for _, id := range ids {
		if err := s.deleteOfRun(ctx, id); err != nil {
			return err
		}
	}
	return nil
}

func (s *Sweeper) deleteOfRun(ctx context.Context, id uuid.UUID) error {
	return s.db.InTx(ctx, func(ctx context.Context) error {
		if _, err := s.queries(ctx).LockConversation(ctx, id); store.NoRows(err) {
			return nil
		} else if err != nil {
			return fmt.Errorf("lock conversation: %w", err)
		}
		one, busy, err := deleteLocked(ctx, s.queries(ctx), s.removed, id)
		if err != nil || busy {
			return err
		}
		return s.recordSwept(ctx, id, one, "the retention of runs")
	})
}
