package audit_test

import (
	"context"
	"log/slog"
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"countersign/audit"
)

// verifying is one round of the verification in the background, which reads so many places at a time.
func (w *world) verifying(ctx context.Context, slice int) error {
	r := &audit.Runner{Chain: w.chain, Log: slog.New(slog.DiscardHandler), Slice: slice}
	for _, c := range r.Chores() {
		if c.Name == "verify audit chain" {
			return c.Do(ctx)
		}
	}
	return nil
}

// interrupted is a log of which four of ten places that were to be removed are gone.
func interrupted(t *testing.T) (*world, audit.Checkpoint) {
	t.Helper()
	w := old(t)
	a := w.removable(t, 31)
	ctx, kill := context.WithCancel(t.Context())
	_, err := w.keeper().Remove(ctx, audit.Removal{To: a, Batch: 4, Progress: func(audit.Progress) { kill() }})
	require.ErrorIs(t, err, context.Canceled)
	w.extend(t)
	exec(t, w.owner, `UPDATE ai_audit_state SET whole_at = NULL`)
	return w, a
}

// What a removal has left when it was interrupted is verified as everything else is, in slices, and how far that has come is stored.
func TestWhatAnInterruptedRemovalHasLeftIsVerified(t *testing.T) {
	t.Parallel()
	w, a := interrupted(t)
	type state struct {
		left, pass    int
		whole, broken bool
	}
	verify := func() (s state) {
		t.Helper()
		require.NoError(t, w.verifying(t.Context(), 2))
		require.NoError(
			t,
			w.owner.Conn(
				t.Context(),
			).QueryRow(
				t.Context(),
				`SELECT pass_left_seq, pass_seq, whole_at IS NOT NULL, problem IS NOT NULL FROM ai_audit_state`,
			).
				Scan(
					&s.left,
					&s.pass,
					&s.whole,
					&s.broken,
				),
		)
		return s
	}
	require.Equal(t, state{left: 6, pass: 10}, verify())
	require.Equal(t, state{left: 8, pass: 10}, verify())
	require.Equal(t, state{left: 10, pass: 12}, verify())
	// The removal goes on, and what is verified does too.
	require.Equal(t, int64(10), w.remove(t, a).Begin.Seq)
	last := state{}
	for range 4 {
		if last = verify(); last.whole {
			break
		}
	}
	require.True(t, last.whole)
	require.False(t, last.broken)
	require.Empty(t, w.background(t))
	w.sound(t)
}

func TestWhatIsChangedInWhatARemovalHasLeftIsFound(t *testing.T) {
	t.Parallel()
	for name, c := range map[string]struct{ sql, what string }{
		"an entry is changed":      {`UPDATE ai_audit_entries SET tool_name = 'harmless' WHERE id = 9`, "does not fit entry 9"},
		"one is missing":           {`DELETE FROM ai_audit_entries WHERE id = 7`, "entry 7 is missing"},
		"the last link is missing": {`DELETE FROM ai_audit_links WHERE seq = 9`, "the link is missing"},
		"the begin is moved":       {`UPDATE ai_audit_begin SET seq = 8, hash = (SELECT hash FROM ai_audit_links WHERE seq = 8)`, "was changed, or forged"},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			w, _ := interrupted(t)
			edit(t, w.owner, c.sql)
			require.Contains(t, w.background(t), c.what)
		})
	}
}

// A removal that goes on while the log is verified in the background moves the begin of the chain over checkpoints.
// That keeps nothing from being stored.
func TestAVerificationGoesOnWhileEntriesAreRemoved(t *testing.T) {
	t.Parallel()
	w := old(t)
	a := w.removable(t, 31)
	exec(t, w.owner, `UPDATE ai_audit_state SET verified_at = NULL, recent_at = NULL, whole_at = now()`)
	begun, goOn, removed := make(chan struct{}), make(chan struct{}), make(chan error, 1)
	go func() {
		first := true
		_, err := w.keeper().Remove(t.Context(), audit.Removal{To: a, Batch: 2, Progress: func(audit.Progress) {
			if first {
				first = false
				close(begun)
				<-goOn
			}
		}})
		removed <- err
	}()
	<-begun
	found := make(chan error, 1)
	require.NoError(t, w.owner.InTx(t.Context(), func(ctx context.Context) error {
		// Whoever reads the checkpoints waits here, and knows by then where the chain began.
		_, err := w.owner.Conn(ctx).Exec(ctx, "LOCK TABLE ai_audit_checkpoints IN ACCESS EXCLUSIVE MODE")
		require.NoError(t, err)
		go func() { found <- w.verifying(t.Context(), 0) }()
		require.Eventually(t, func() bool {
			return count(t, w.owner, "SELECT count(*) FROM pg_locks WHERE relation = 'ai_audit_checkpoints'::regclass AND NOT granted") > 0
		}, patience, tick)
		close(goOn)
		return <-removed
	}))
	require.NoError(t, <-found)
	status, err := audit.NewLog(w.app, sight{}, "").Status(t.Context())
	require.NoError(t, err)
	require.Empty(t, status.Problem)
	require.NotNil(t, status.VerifiedAt)
	require.NotNil(t, status.RecentAt)
	require.WithinDuration(t, time.Now(), *status.VerifiedAt, time.Hour)
}
