package store

import (
	"context"

	"github.com/jackc/pgx/v5"
)

// Locked is Conn for a query that takes turns with all others of the same name, in one round trip: no two of them run at
// once, and each sees what those before it have written. Those of this process stand in line. Only QueryRow does so.
func (db *DB) Locked(ctx context.Context, name string) Conn { return locked{db.Conn(ctx), db, name} }

type locked struct {
	Conn

	db   *DB
	name string
}

// QueryRow implements Conn. The statements of a batch are one transaction, which holds the lock to its end; each sees what
// was committed before it began.
func (l locked) QueryRow(ctx context.Context, sql string, args ...any) pgx.Row {
	leave, err := l.db.InLine(ctx, "locked/"+l.name)
	if err != nil {
		return lockedRow{err: err}
	}
	batch := &pgx.Batch{}
	batch.Queue("SELECT pg_advisory_xact_lock(hashtextextended($1, 55))", l.name)
	batch.Queue(sql, args...)
	return lockedRow{results: l.SendBatch(ctx, batch), leave: leave}
}

type lockedRow struct {
	results pgx.BatchResults
	leave   func()
	err     error
}

// Scan implements pgx.Row.
func (r lockedRow) Scan(into ...any) error {
	if r.err != nil {
		return r.err
	}
	defer r.leave()
	_, err := r.results.Exec()
	if err == nil {
		err = r.results.QueryRow().Scan(into...)
	}
	if closed := r.results.Close(); err == nil {
		err = closed
	}
	return err
}
