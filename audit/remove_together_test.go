package audit_test

import (
	"context"
	"testing"

	"github.com/stretchr/testify/require"

	"countersign/audit"
	"countersign/internal/problem"
)

// Two removals at the same moment, the first ones ever, take turns: what one has noted is there for the other, and the chain stays sound.
func TestRemovalsTakeTurns(t *testing.T) {
	t.Parallel()
	w := old(t)
	shorter := w.removable(t, 38)
	longer := w.removable(t, 31)
	require.Less(t, shorter.Seq, longer.Seq)
	ended := make(chan error, 2)
	remove := func(a audit.Checkpoint) {
		_, err := w.keeper().Remove(t.Context(), audit.Removal{To: a, Batch: 1})
		ended <- err
	}
	waiting := func(n int) {
		t.Helper()
		require.Eventually(t, func() bool {
			return count(t, w.owner, `SELECT count(*) FROM pg_stat_activity WHERE datname = current_database() AND wait_event_type = 'Lock'`) == n
		}, patience, patience/10_000)
	}
	// The first one has noted what it removes, and cannot commit yet, when the second one begins.
	require.NoError(t, w.owner.InTx(t.Context(), func(ctx context.Context) error {
		_, err := w.owner.Conn(ctx).Exec(ctx, `SELECT FROM ai_audit_state FOR UPDATE`)
		require.NoError(t, err)
		go remove(longer)
		waiting(1)
		go remove(shorter)
		waiting(2)
		return nil
	}))
	for range 2 {
		// Whoever comes second may be told to wait for the first one.
		if err := <-ended; err != nil {
			require.True(t, problem.Is(err, problem.Conflict), "%v", err)
		}
	}
	w.remove(t, longer)
	require.Empty(t, w.background(t))
	w.sound(t)
	require.Equal(t, longer.Seq, int64(count(t, w.owner, `SELECT target_seq FROM ai_audit_begin`)))
}
