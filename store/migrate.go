package store

import (
	"context"
	"fmt"

	"github.com/jackc/pgx/v5/stdlib"
	"github.com/pressly/goose/v3"
	"github.com/pressly/goose/v3/lock"

	"countersign/store/migrations"
)

// Migrate brings the database to the schema of this binary and reports how many migrations it applied. Processes that
// start together take turns.
func (db *DB) Migrate(ctx context.Context) (int, error) {
	locker, err := lock.NewPostgresSessionLocker()
	if err != nil {
		return 0, fmt.Errorf("make migration lock: %w", err)
	}
	// A migration may take its time; what it must not do is keep others waiting behind its locks.
	ctx = Patient(ctx, 0)
	unhurried, err := db.beside(ctx, db.pool.Config().MaxConns, "SET statement_timeout = 0")
	if err != nil {
		return 0, err
	}
	defer unhurried.Close()
	conn := stdlib.OpenDBFromPool(unhurried.pool)
	defer func() { _ = conn.Close() }()
	provider, err := goose.NewProvider(goose.DialectPostgres, conn, migrations.FS, goose.WithSessionLocker(locker))
	if err != nil {
		return 0, fmt.Errorf("read migrations: %w", err)
	}
	results, err := provider.Up(ctx)
	if err != nil {
		return len(results), fmt.Errorf("migrate: %w", err)
	}
	return len(results), nil
}

// MigrateDown takes every migration back; tests use it to prove that each has a way back.
func (db *DB) MigrateDown(ctx context.Context) error {
	ctx = Patient(ctx, 0)
	conn := stdlib.OpenDBFromPool(db.pool)
	defer func() { _ = conn.Close() }()
	provider, err := goose.NewProvider(goose.DialectPostgres, conn, migrations.FS)
	if err != nil {
		return fmt.Errorf("read migrations: %w", err)
	}
	if _, err := provider.DownTo(ctx, 0); err != nil {
		return fmt.Errorf("migrate down: %w", err)
	}
	return nil
}
