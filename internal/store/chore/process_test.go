package chore_test

import (
	"context"
	"log/slog"
	"slices"
	"strconv"
	"syscall"
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"countersign/internal/store"
	"countersign/internal/store/chore"
	"countersign/internal/store/storetest"
)

// serve works in a process of its own: each run of its chore leaves a row.
func serve(t *testing.T) func(db *store.DB, request string) string {
	t.Helper()
	var r *chore.Runner
	return func(db *store.DB, request string) string {
		if request == "state" {
			return strconv.FormatBool(r.State().Holding)
		}
		r = chore.NewRunner(chore.Options{
			DB: db, Log: slog.New(slog.DiscardHandler), Holder: request, Lease: 2 * time.Second,
			Chores: []chore.Chore{{Name: "write", Every: 20 * time.Millisecond, Do: func(ctx context.Context) error {
				_, err := db.Conn(ctx).Exec(ctx, `INSERT INTO noted_runs (who, began) VALUES ($1, $2)`, request, time.Now())
				return err
			}}},
		})
		go r.Run(t.Context())
		return "works"
	}
}

// A process that is killed is followed within its lease. One that was paused for longer, and goes on as if nothing had
// happened, does no chore beside its successor.
func TestAProcessThatIsPausedOrKilledIsFollowed(t *testing.T) {
	t.Parallel()
	url, processes := storetest.Processes(t, storetest.URL, 2, serve(t))
	a, b := processes[:1], processes[1:]
	db := open(t, url)
	_, err := db.Conn(t.Context()).Exec(t.Context(), `CREATE TABLE noted_runs (who text, began timestamptz)`)
	require.NoError(t, err)
	count := func(who string) (n int) {
		require.NoError(t, db.Conn(t.Context()).QueryRow(t.Context(), `SELECT count(*) FROM noted_runs WHERE who = $1`, who).Scan(&n))
		return n
	}
	more := func(who string) {
		t.Helper()
		before := count(who)
		require.Eventually(t, func() bool { return count(who) > before+5 }, statementTimeout, tick, who)
	}
	storetest.Ask(t, a, "a")
	more("a")
	storetest.Ask(t, b, "b")
	require.Zero(t, count("b"))

	a[0].Signal(t, syscall.SIGSTOP)
	more("b")
	a[0].Signal(t, syscall.SIGCONT)
	more("b")
	var beside int
	require.NoError(t, db.Conn(t.Context()).QueryRow(t.Context(),
		`SELECT count(*) FROM noted_runs WHERE who = 'a' AND began >= (SELECT min(began) FROM noted_runs WHERE who = 'b')`).Scan(&beside))
	require.Zero(t, beside)
	// It learns that it is not needed any more as soon as it asks for more time.
	require.Eventually(
		t,
		func() bool { return slices.Equal(storetest.Ask(t, processes, "state"), []string{"false", "true"}) },
		statementTimeout,
		tick,
	)

	b[0].Signal(t, syscall.SIGKILL)
	more("a")
}
