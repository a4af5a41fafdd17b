package app

import (
	"context"
	"time"

	"countersign/store"
)

// databasePatience bounds the wait of a starting process for the database. A supervisor restarts with backoff, so that
// without this wait all processes would come back late after an outage.
const databasePatience = time.Minute

// openDatabase connects to the database, and waits for one that is away. One that is there and refuses this process is an error at once.
func (a *App) openDatabase(ctx context.Context) (*store.DB, error) {
	options := store.Options{
		MaxConns: a.config.DatabaseMaxConns, SlowQueryThreshold: a.slowQuery(),
		StatementTimeout: a.config.DatabaseStatementTimeout, LockTimeout: a.config.DatabaseLockTimeout, AcquireTimeout: a.config.DatabaseAcquireTimeout,
	}
	look := time.NewTicker(time.Second)
	defer look.Stop()
	for began := time.Now(); ; {
		db, err := store.Open(ctx, a.config.DatabaseURL, options)
		if !store.Unavailable(err) || time.Since(began) >= databasePatience {
			return db, err
		}
		a.log.Warn("The database is away; this process waits for it", "error", err)
		select {
		case <-ctx.Done():
			return nil, err
		case <-look.C:
		}
	}
}
