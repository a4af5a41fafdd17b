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

	"countersign/store/migrations"
)

const (
	// lockPatience is how long a migration waits for a lock: whoever asks for the table after it waits behind it, so it steps back
	// rather than let everybody wait for one long transaction. What is built beside writers keeps nobody waiting, and waits on.
	lockPatience = 4 * time.Second
	// lockPause lets those go on that have waited, lockTries is how often it is tried until an operator has to look.
	lockPause = 2 * time.Second
	lockTries = 50
)

// Migrate brings the database to the schema of this binary and reports how many migrations it applied. Processes that
// start together take turns.
func (db *DB) Migrate(ctx context.Context) (int, error) {
	// A migration may take its time; what it must not do is keep others waiting behind its locks.
	ctx = Patient(ctx, 0)
	brief, closeBrief, err := db.migrations(ctx, lockPatience)
	if err != nil {
		return 0, err
	}
	defer closeBrief()
	patient, closePatient, err := db.migrations(ctx, 0)
	if err != nil {
		return 0, err
	}
	defer closePatient()
	total := 0
	for try := 1; ; try++ {
		applied, err := up(ctx, brief, patient)
		total += applied
		if err == nil {
			return total, nil
		}
		if !lockTimedOut(err) || try == lockTries {
			return total, fmt.Errorf("migrate: %w", err)
		}
		select {
		case <-ctx.Done():
			return total, fmt.Errorf("migrate: %w", context.Cause(ctx))
		case <-time.After(lockPause):
		}
	}
}

// up applies what is pending, in its order: what needs a transaction is brief, the rest patient.
func up(ctx context.Context, brief, patient *goose.Provider) (applied int, err error) {
	if pending, err := brief.HasPending(ctx); err != nil || !pending {
		return 0, err
	}
	sources := brief.ListSources()
	for i, s := range sources {
		beside, err := isBeside(s.Path)
		if err != nil {
			return applied, err
		}
		if i+1 < len(sources) {
			if next, err := isBeside(sources[i+1].Path); err != nil || next == beside {
				continue
			}
		}
		provider := brief
		if beside {
			provider = patient
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

// isBeside reports whether a migration does without a transaction, so that it may build beside writers.
func isBeside(path string) (bool, error) {
	text, err := migrations.FS.ReadFile(path)
	if err != nil {
		return false, fmt.Errorf("read migration: %w", err)
	}
	return strings.Contains(string(text), "-- +goose NO TRANSACTION"), nil
}

// MigrateDown takes every migration back; tests use it to prove that each has a way back.
func (db *DB) MigrateDown(ctx context.Context) error {
	ctx = Patient(ctx, 0)
	provider, done, err := db.migrations(ctx, 0)
	if err != nil {
		return err
	}
	defer done()
	if _, err := provider.DownTo(ctx, 0); err != nil {
		return fmt.Errorf("migrate down: %w", err)
	}
	return nil
}

// migrations works by connections of its own, which wait for a lock for so long, 0 for as long as it takes, and for their own work in
// any case as long as it takes.
func (db *DB) migrations(ctx context.Context, lockTimeout time.Duration) (_ *goose.Provider, done func(), err error) {
	locker, err := lock.NewPostgresSessionLocker()
	if err != nil {
		return nil, nil, fmt.Errorf("make migration lock: %w", err)
	}
	own, err := db.beside(ctx, 2, fmt.Sprintf("SET lock_timeout = %d; SET statement_timeout = 0", lockTimeout.Milliseconds()))
	if err != nil {
		return nil, nil, err
	}
	conn := stdlib.OpenDBFromPool(own.pool)
	done = func() {
		_ = conn.Close()
		own.Close()
	}
	provider, err := goose.NewProvider(goose.DialectPostgres, conn, migrations.FS, goose.WithSessionLocker(locker))
	if err != nil {
		done()
		return nil, nil, fmt.Errorf("read migrations: %w", err)
	}
	return provider, done, nil
}

// lockTimedOut reports whether a statement was ended because it would have waited for a lock for too long.
func lockTimedOut(err error) bool {
	e, ok := errors.AsType[*pgconn.PgError](err)
	return ok && e.Code == "55P03"
}
