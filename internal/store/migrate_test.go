package store_test

import (
	"context"
	"strings"
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"countersign/internal/store/storetest"
	"countersign/migrations"
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

// A change that was written beside others can land after them with a lower number. A database that has theirs gets it too.
func TestAMigrationWithALowerNumberIsAppliedLater(t *testing.T) {
	t.Parallel()
	const late = "00482_intake.sql"
	db := open(t, storetest.URL(t))
	text, err := migrations.FS.ReadFile(late)
	require.NoError(t, err)
	_, down, found := strings.Cut(string(text), "-- +goose Down")
	require.True(t, found)
	_, err = db.Conn(t.Context()).Exec(t.Context(), down+`; DELETE FROM goose_db_version WHERE version_id = 482`)
	require.NoError(t, err)

	applied, err := db.Migrate(t.Context())
	require.NoError(t, err)
	require.Equal(t, 1, applied)
	var there bool
	require.NoError(t, db.Conn(t.Context()).QueryRow(t.Context(), `SELECT to_regclass('intake_sources') IS NOT NULL`).Scan(&there))
	require.True(t, there, "the late migration has been applied")
}
