package spenddb

import (
	"context"

	"github.com/jackc/pgx/v5"
)

type sender interface {
	SendBatch(ctx context.Context, b *pgx.Batch) pgx.BatchResults
}

// Reserve locks the spender and reserves the call in one round trip and one transaction.
func Reserve(ctx context.Context, db sender, spender string, p ReserveCallParams) (ReserveCallRow, error) {
	var batch pgx.Batch
	var row ReserveCallRow
	batch.Queue(lockSpender, spender)
	batch.Queue(reserveCall, p.ConnectionID, p.PrincipalID, p.CountsUnattended, p.Estimate, p.Cap, p.WindowSeconds,
		p.ID, p.PrincipalKind, p.Unattended, p.TurnID, p.Step, p.Attempt, p.Purpose, p.RunID).QueryRow(func(r pgx.Row) error {
		return r.Scan(&row.Admitted, &row.Used, &row.FreeInSeconds)
	})
	err := db.SendBatch(ctx, &batch).Close()
	return row, err
}
