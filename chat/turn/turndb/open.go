package turndb

import (
	"context"
	"errors"

	"github.com/google/uuid"
	"github.com/jackc/pgx/v5"
)

// Opened is the state that a process needs to continue a turn.
type Opened struct {
	Turn    AiTurn
	History []TurnHistoryRow
	Summary string
	// IsClipped says that this turn made the summary without a part of a message.
	IsClipped bool
	// Told is the client's own history as a JSON array, nil for none.
	Told    []byte
	LeftOut int
	Taints  []TurnTaintsRow
	Steps   []TurnStepsRow
}

type sender interface {
	SendBatch(ctx context.Context, b *pgx.Batch) pgx.BatchResults
}

// ClaimMode is how a process claims a turn that it opens.
type ClaimMode string

// ClaimAny claims a turn from any process, ClaimUnclaimed only an unclaimed turn. AlreadyClaimed opens a turn that was
// accepted as claimed by this process.
const (
	ClaimAny       ClaimMode = claimTurn
	ClaimUnclaimed ClaimMode = claimNewTurn
	AlreadyClaimed ClaimMode = heldTurn
)

// Open claims the turn for a process and loads it, in one round trip. It returns pgx.ErrNoRows when the turn is final,
// unknown, or cannot be claimed in this mode.
func Open(ctx context.Context, db sender, id uuid.UUID, mode ClaimMode) (Opened, error) {
	var o Opened
	var claimErr error
	var batch pgx.Batch
	batch.Queue(string(mode), id).Query(func(rows pgx.Rows) error {
		o.Turn, claimErr = pgx.CollectExactlyOneRow(rows, pgx.RowToStructByPos[AiTurn])
		return nil
	})
	batch.Queue(turnHistory, id).Query(func(rows pgx.Rows) error {
		var err error
		o.History, err = pgx.CollectRows(rows, pgx.RowToStructByPos[TurnHistoryRow])
		return err
	})
	batch.Queue(turnSummary, id).QueryRow(func(row pgx.Row) error {
		if err := row.Scan(&o.Summary, &o.IsClipped, &o.Told, &o.LeftOut); err != nil && !errors.Is(err, pgx.ErrNoRows) {
			return err
		}
		return nil
	})
	batch.Queue(turnTaints, id).Query(func(rows pgx.Rows) error {
		var err error
		o.Taints, err = pgx.CollectRows(rows, pgx.RowToStructByPos[TurnTaintsRow])
		return err
	})
	batch.Queue(turnSteps, id).Query(func(rows pgx.Rows) error {
		var err error
		o.Steps, err = pgx.CollectRows(rows, pgx.RowToStructByPos[TurnStepsRow])
		return err
	})
	if err := db.SendBatch(ctx, &batch).Close(); err != nil {
		return o, err
	}
	return o, claimErr
}
