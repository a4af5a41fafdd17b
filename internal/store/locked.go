package store

import (
	"context"

	"github.com/jackc/pgx/v5"
)

// Locked is Conn for a query under an advisory lock of that name, in one round trip: queries of the same name run one after the
// other, and each sees the writes of those before it. Within this process they queue locally. Only QueryRow takes the lock.
func (db *DB) Locked(ctx context.Context, name string) Conn {
	return lockedConn{db.Conn(ctx), db, name}
}

type lockedConn struct {
	Conn

	db   *DB
	name string
}

// QueryRow implements Conn. The statements of a batch are one transaction, which holds the lock to its end; each takes its own
// snapshot.
func (l lockedConn) QueryRow(ctx context.Context, sql string, args ...any) pgx.Row {
	unlock, err := l.db.LockLocally(ctx, "locked/"+l.name)
	if err != nil {
		return lockedRow{err: err}
	}
	batch := &pgx.Batch{}
	batch.Queue("SELECT pg_advisory_xact_lock(hashtextextended($1, 55))", l.name)
	batch.Queue(sql, args...)
	return lockedRow{results: l.SendBatch(ctx, batch), unlock: unlock}
}

type lockedRow struct {
	results pgx.BatchResults
	unlock  func()
	err     error
}

// Scan implements pgx.Row.
func (r lockedRow) Scan(into ...any) error {
	if r.err != nil {
		return r.err
	}
	defer r.unlock()
	_, err := r.results.Exec()
	if err == nil {
		err = r.results.QueryRow().Scan(into...)
	}
	if closed := r.results.Close(); err == nil {
		err = closed
	}
	return err
}
