package store_test

import (
	"context"
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"countersign/internal/store/storetest"
)

// Whoever asks for a table after a migration waits behind it. One that cannot have its lock soon steps back, lets them through and
// tries again, until it gets it.
func TestAMigrationStepsBackFromALockAndComesAgain(t *testing.T) {
	t.Parallel()
	url := storetest.URL(t)
	db, holder := open(t, url), open(t, url)
	migrated := make(chan error, 1)
	err := holder.InTx(t.Context(), func(ctx context.Context) error {
		if _, err := holder.Conn(ctx).Exec(ctx, `LOCK TABLE goose_db_version`); err != nil {
			return err
		}
		go func() {
			_, err := db.Migrate(t.Context())
			migrated <- err
		}()
		waits := map[time.Time]bool{}
		require.Eventually(t, func() bool {
			var since *time.Time
			err := db.Conn(t.Context()).QueryRow(t.Context(), `SELECT min(l.waitstart) FROM pg_locks l JOIN pg_class c ON c.oid = l.relation
				WHERE c.relname = 'goose_db_version' AND l.database = (SELECT oid FROM pg_database WHERE datname = current_database()) AND NOT l.granted`).Scan(&since)
			if err == nil && since != nil {
				waits[*since] = true
			}
			return len(waits) > 1
		}, time.Minute, 50*time.Millisecond, "it waits once, and does not come again")
		return nil
	})
	require.NoError(t, err)
	require.NoError(t, <-migrated)
}
