package budgetdb

import (
	"context"

	"github.com/google/uuid"
	"github.com/jackc/pgx/v5"
)

type sender interface {
	SendBatch(ctx context.Context, b *pgx.Batch) pgx.BatchResults
}

// Reserve locks the principal and reserves the call in one round trip and one transaction. It returns pgx.ErrNoRows
// when the budget has no room.
func Reserve(ctx context.Context, db sender, principal string, p ReserveCallParams) (uuid.UUID, error) {
	var batch pgx.Batch
	var id uuid.UUID
	var scanErr error
	batch.Queue(lockPrincipal, principal)
	batch.Queue(reserveCall, p.TurnID, p.Step, p.Call, p.ID, p.PrincipalID, p.PrincipalKind, p.Transport, p.ToolName,
		p.Effect, p.ArgsHash, p.MaxCalls, p.WindowSeconds).QueryRow(func(row pgx.Row) error {
		scanErr = row.Scan(&id)
		return nil
	})
	if err := db.SendBatch(ctx, &batch).Close(); err != nil {
		return id, err
	}
	return id, scanErr
}
