package turndb

import (
	"context"
	"errors"

	"github.com/google/uuid"
	"github.com/jackc/pgx/v5"
)

// Opened is all that a process needs to know of a turn to go on with it.
type Opened struct {
	Turn    AiTurn
	History []TurnHistoryRow
	Summary string
	// Told is a JSON array of what a client says was said before, nil for nothing.
	Told    []byte
	LeftOut int
	Taints  []TurnTaintsRow
	Steps   []TurnStepsRow
}

type sender interface {
	SendBatch(ctx context.Context, b *pgx.Batch) pgx.BatchResults
}

// Way is how a process comes to a turn that it opens.
type Way string

// Whoever Takes a turn claims it from whoever has it, and whoever is First, only if nobody has claimed it. Held is a
// turn that was accepted as claimed by this process.
const (
	Take  Way = claimTurn
	First Way = claimNewTurn
	Held  Way = heldTurn
)

// Open gets the turn for a process and loads it, in one round trip. It returns pgx.ErrNoRows when the turn is final or
// unknown, or not to be had in this way.
func Open(ctx context.Context, db sender, id uuid.UUID, process int64, way Way) (Opened, error) {
	var o Opened
	var claimErr error
	var batch pgx.Batch
	batch.Queue(string(way), process, id).Query(func(rows pgx.Rows) error {
		o.Turn, claimErr = pgx.CollectExactlyOneRow(rows, pgx.RowToStructByPos[AiTurn])
		return nil
	})
	batch.Queue(turnHistory, id).Query(func(rows pgx.Rows) error {
		var err error
		o.History, err = pgx.CollectRows(rows, pgx.RowToStructByPos[TurnHistoryRow])
		return err
	})
	batch.Queue(turnSummary, id).QueryRow(func(row pgx.Row) error {
		if err := row.Scan(&o.Summary, &o.Told, &o.LeftOut); err != nil && !errors.Is(err, pgx.ErrNoRows) {
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
