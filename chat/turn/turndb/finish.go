package turndb

import (
	"context"

	"github.com/google/uuid"
	"github.com/jackc/pgx/v5"
)

// Finish is FinishTurn with the turn locked before, in one round trip: a proposal of the turn that is just being stored
// is waited for, and then seen. It returns pgx.ErrNoRows when the turn does not end by it.
func Finish(ctx context.Context, db sender, p FinishTurnParams) error {
	var batch pgx.Batch
	batch.Queue(lockTurn, p.ID)
	var found error
	batch.Queue(finishTurn, p.Status, p.ErrorCode, p.ErrorMessage, p.InputTokens, p.OutputTokens, p.ID, p.Claim,
		p.Content, p.Parts, p.Metadata, p.ModelMessages, p.Step, p.Seqs, p.Chunks).QueryRow(func(row pgx.Row) error {
		var id uuid.UUID
		found = row.Scan(&id)
		return nil
	})
	if err := db.SendBatch(ctx, &batch).Close(); err != nil {
		return err
	}
	return found
}
