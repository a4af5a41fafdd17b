package turndb

import (
	"context"

	"github.com/google/uuid"
	"github.com/jackc/pgx/v5"
)

// Finish is FinishTurn after locking the turn, in one round trip: it waits for a proposal that is being stored, and
// then sees it. It returns pgx.ErrNoRows when it does not end the turn.
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
