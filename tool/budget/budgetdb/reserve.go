package budgetdb

import (
	"context"
	"errors"

	"github.com/google/uuid"
	"github.com/jackc/pgx/v5"
)

// Sender is a connection, a pool or a transaction.
type Sender interface {
	SendBatch(ctx context.Context, b *pgx.Batch) pgx.BatchResults
}

// Reserve locks the principal and reserves its calls in one round trip and one transaction. A call over the budget gets
// uuid.Nil. along may add queries, which run last.
func Reserve(ctx context.Context, db Sender, principal string, calls []ReserveCallParams, along func(*pgx.Batch)) ([]uuid.UUID, error) {
	var batch pgx.Batch
	ids := make([]uuid.UUID, len(calls))
	batch.Queue(lockPrincipal, principal)
	for i, p := range calls {
		batch.Queue(reserveCall, p.TurnID, p.Step, p.Call, p.ID, p.PrincipalID, p.PrincipalKind, p.Transport, p.ToolName,
			p.Effect, p.ArgsHash, p.MaxCalls, p.WindowSeconds).QueryRow(func(row pgx.Row) error {
			err := row.Scan(&ids[i])
			if errors.Is(err, pgx.ErrNoRows) {
				return nil
			}
			return err
		})
	}
	along(&batch)
	return ids, db.SendBatch(ctx, &batch).Close()
}

// Finish records outcomes of calls in one round trip and one transaction.
func Finish(ctx context.Context, db Sender, calls []FinishCallParams) error {
	var batch pgx.Batch
	for _, p := range calls {
		batch.Queue(finishCall, p.Status, p.ErrorCode, p.ID)
	}
	return db.SendBatch(ctx, &batch).Close()
}
