package store

import (
	"context"
	"errors"
	"fmt"
	"strings"
	"time"

	"github.com/jackc/pgx/v5/pgconn"
	"github.com/jackc/pgx/v5/stdlib"
	"github.com/pressly/goose/v3"
	"github.com/pressly/goose/v3/lock"

	"countersign/migrations"
)

const (
	// migrationLockTimeout bounds how long a migration waits for a lock: later statements on the table queue behind it, so it
	// gives up and retries rather than block them behind one long transaction. Concurrent index builds block nobody and have no
	// timeout.
	migrationLockTimeout = 4 * time.Second
	// lockRetryDelay lets the queued statements run between attempts; maxLockTries is the number of attempts.
	lockRetryDelay = 2 * time.Second
	maxLockTries   = 50
)

// Migrate applies the pending migrations and reports how many. Processes that start together take turns. Numbers are reserved
// while changes are written, so one that lands later can have the lower number: it is applied after those that a database has.
func (db *DB) Migrate(ctx context.Context) (int, error) {
	// A migration may run long, but it must not block others behind its locks.
	ctx = WithStatementTimeout(ctx, 0)
	transactional, closeTransactional, err := db.migrationProvider(ctx, migrationLockTimeout)
	if err != nil {
		return 0, err
	}
	defer closeTransactional()
	concurrent, closeConcurrent, err := db.migrationProvider(ctx, 0)
	if err != nil {
		return 0, err
	}
	defer closeConcurrent()
	total := 0
	for try := 1; ; try++ {
		applied, err := applyPending(ctx, transactional, concurrent)
		total += applied
		if err == nil {
			return total, nil
		}
		if !lockMissed(err) || try == maxLockTries {
			return total, fmt.Errorf("migrate: %w", err)
		}
		select {
		case <-ctx.Done():
			return total, fmt.Errorf("migrate: %w", context.Cause(ctx))
		case <-time.After(lockRetryDelay):
		}
	}
}

// applyPending applies pending migrations in their order: transactional ones with a lock timeout, concurrent ones without.
func applyPending(ctx context.Context, transactional, concurrent *goose.Provider) (applied int, err error) {
	if pending, err := transactional.HasPending(ctx); err != nil || !pending {
		return 0, err
	}
	sources := transactional.ListSources()
	for i, s := range sources {
		beside, err := withoutTransaction(s.Path)
		if err != nil {
			return applied, err
		}
		if i+1 < len(sources) {
			if next, err := withoutTransaction(sources[i+1].Path); err != nil || next == beside {
				continue
			}
		}
		provider := transactional
		if beside {
			provider = concurrent
		}
		results, err := provider.UpTo(ctx, s.Version)
		applied += len(results)
		if partial, ok := errors.AsType[*goose.PartialError](err); ok {
			applied += len(partial.Applied)
		}
		if err != nil {
			return applied, err
		}
	}
	return applied, nil
}

// withoutTransaction reports whether a migration runs outside a transaction, as CREATE INDEX CONCURRENTLY must.
func withoutTransaction(path string) (bool, error) {
	text, err := migrations.FS.ReadFile(path)
	if err != nil {
		return false, fmt.Errorf("read migration: %w", err)
	}
	return strings.Contains(string(text), "-- +goose NO TRANSACTION"), nil
}

// MigrateDown reverts every migration; tests use it to prove that each can be reverted.
func (db *DB) MigrateDown(ctx context.Context) error {
	ctx = WithStatementTimeout(ctx, 0)
	provider, done, err := db.migrationProvider(ctx, 0)
	if err != nil {
		return err
	}
	defer done()
	if _, err := provider.DownTo(ctx, 0); err != nil {
		return fmt.Errorf("migrate down: %w", err)
	}
	return nil
}

// migrationProvider opens a pool for migrations with a lock timeout, 0 for none, and without a statement timeout.
func (db *DB) migrationProvider(ctx context.Context, lockTimeout time.Duration) (_ *goose.Provider, done func(), err error) {
	locker, err := lock.NewPostgresSessionLocker()
	if err != nil {
		return nil, nil, fmt.Errorf("make migration lock: %w", err)
	}
	own, err := db.openPool(ctx, 2, fmt.Sprintf("SET lock_timeout = %d; SET statement_timeout = 0", lockTimeout.Milliseconds()))
	if err != nil {
		return nil, nil, err
	}
	conn := stdlib.OpenDBFromPool(own.pool)
	done = func() {
		_ = conn.Close()
		own.Close()
	}
	provider, err := goose.NewProvider(goose.DialectPostgres, conn, migrations.FS,
		goose.WithSessionLocker(locker), goose.WithAllowOutofOrder(true))
	if err != nil {
		done()
		return nil, nil, fmt.Errorf("read migrations: %w", err)
	}
	return provider, done, nil
}

// lockMissed reports whether a statement gave up its wait for a lock, by lock_timeout or to end a deadlock with the
// statements of a process of the version before, which take locks in another order.
func lockMissed(err error) bool {
	e, ok := errors.AsType[*pgconn.PgError](err)
	return ok && (e.Code == "55P03" || e.Code == "40P01")
}
