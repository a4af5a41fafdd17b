package app

import (
	"context"
	"time"

	"countersign/internal/store"
)

// databaseTimeout bounds the wait of a starting process for the database. Supervisors restart with backoff, so without
// this wait all processes would return late after an outage.
const databaseTimeout = time.Minute

// openDatabase connects to the database and waits during an outage. A refusal of this process fails at once.
func (a *App) openDatabase(ctx context.Context) (*store.DB, error) {
	options := store.Options{
		MaxConns:           a.config.DatabaseMaxConns,
		SlowQueryThreshold: a.slowQuery(),
		StatementTimeout:   a.config.DatabaseStatementTimeout,
		LockTimeout:        a.config.DatabaseLockTimeout,
		AcquireTimeout:     a.config.DatabaseAcquireTimeout,
	}
	look := time.NewTicker(time.Second)
	defer look.Stop()
	for began := time.Now(); ; {
		db, err := store.Open(ctx, a.config.DatabaseURL, options)
		if !store.Unavailable(err) || time.Since(began) >= databaseTimeout {
			return db, err
		}
		a.log.Warn("Waiting for the database: it is unreachable", "error", err)
		select {
		case <-ctx.Done():
			return nil, err
		case <-look.C:
		}
	}
}
