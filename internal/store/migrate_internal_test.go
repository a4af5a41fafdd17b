package store

import (
	"errors"
	"fmt"
	"testing"

	"github.com/jackc/pgx/v5/pgconn"
	"github.com/stretchr/testify/require"
)

// A migration that is chosen to end a deadlock comes again like one whose lock timed out; any other failure is final.
func TestAMigrationThatMissedALockComesAgain(t *testing.T) {
	t.Parallel()
	for code, again := range map[string]bool{"55P03": true, "40P01": true, "23505": false, "57014": false} {
		require.Equal(t, again, lockMissed(fmt.Errorf("apply: %w", &pgconn.PgError{Code: code})), code)
	}
	require.False(t, lockMissed(errors.New("no answer")))
}
