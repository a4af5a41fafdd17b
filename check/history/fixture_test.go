package history_test

import (
	"context"
	"log/slog"
	"math/rand/v2"
	"slices"
	"testing"
	"time"

	"github.com/google/uuid"
	"github.com/jackc/pgx/v5"
	"github.com/stretchr/testify/require"
	"go.uber.org/goleak"

	"countersign/check"
	"countersign/check/history"
	"countersign/internal/store"
	"countersign/internal/store/storetest"
)

func TestMain(m *testing.M) { goleak.VerifyTestMain(m) }

// noon is when most tests begin: noon of a day, in milliseconds.
const noon = 20_000*history.Day + 12*history.Hour

// world is a database with a clock that tests set.
type world struct {
	t      testing.TB
	db     *store.DB
	now    int64
	keeper *history.Keeper
	reader *history.Reader
}

func newWorld(t testing.TB) *world {
	t.Helper()
	return worldOf(t, storetest.New(t))
}

func worldOf(t testing.TB, db *store.DB) *world {
	t.Helper()
	w := &world{t: t, db: db, now: noon}
	clock := func(context.Context) (int64, error) { return w.now, nil }
	w.keeper = history.NewKeeper(db, slog.New(slog.DiscardHandler), history.KeeperOptions{Now: clock})
	w.reader = history.NewReader(db, history.ReaderOptions{Now: clock})
	return w
}

func (w *world) exec(sql string, args ...any) {
	w.t.Helper()
	_, err := w.db.Conn(w.t.Context()).Exec(w.t.Context(), sql, args...)
	require.NoError(w.t, err)
}

func (w *world) count(sql string, args ...any) (n int64) {
	w.t.Helper()
	require.NoError(w.t, w.db.Conn(w.t.Context()).QueryRow(w.t.Context(), sql, args...).Scan(&n))
	return n
}

// target makes a target of a system, of a check that runs every minute.
func (w *world) target(system uuid.UUID) (id int32) {
	w.t.Helper()
	require.NoError(
		w.t,
		w.db.Conn(
			w.t.Context(),
		).QueryRow(
			w.t.Context(),
			`INSERT INTO check_targets (check_id, system_id, shard, interval_ms, phase_ms, since_ms, active, scope)
		VALUES ($1, $2, 0, 60000, 0, 0, true, '{}') RETURNING id`,
			uuid.New(),
			system,
		).Scan(
			&id,
		),
	)
	return id
}

func copyResults(ctx context.Context, db *store.DB, target int32, all []history.Result) error {
	_, err := db.Conn(
		ctx,
	).CopyFrom(
		ctx,
		pgx.Identifier{"check_results"},
		[]string{"target", "slot", "late_ms", "took_us", "held", "verdict", "cause", "code", "kept"},
		pgx.CopyFromSlice(len(all), func(i int) ([]any, error) {
			r := all[i]
			return []any{target, r.Slot, r.LateMS, r.TookUS, int64(r.Held), int16(r.Verdict), int16(r.Cause), r.Code, r.Kept}, nil
		}),
	)
	return err
}

func (w *world) put(target int32, all []history.Result) {
	w.t.Helper()
	require.NoError(w.t, copyResults(w.t.Context(), w.db, target, all))
}

func (w *world) seal() history.Sealed {
	w.t.Helper()
	did, err := w.keeper.Seal(w.t.Context())
	require.NoError(w.t, err)
	return did
}

// all are all runs of a target, oldest first, page by page.
func (w *world) all(target int32) []history.Result {
	w.t.Helper()
	var all []history.Result
	q := history.RunsQuery{Target: target, Limit: 37}
	for {
		page, err := w.reader.Runs(w.t.Context(), q)
		require.NoError(w.t, err)
		all = append(all, page.Results...)
		if page.Next == 0 {
			break
		}
		q.Before = page.Next
	}
	slices.Reverse(all)
	return all
}

// hours are results of some hours before noon.
func hours(seed uint64, n int64, kept int) []history.Result {
	r := rand.New(rand.NewPCG(seed, 7))
	var all []history.Result
	for h := noon/history.Hour - n; h < noon/history.Hour; h++ {
		all = append(all, results(r, h, 60_000, kept)...)
	}
	return all
}

// steady are runs every minute that passed in 2 ms, from one moment to before another.
func steady(from, to int64) []history.Result {
	var all []history.Result
	for slot := from; slot < to; slot += 60_000 {
		all = append(all, history.Result{Slot: slot, TookUS: 2000, Held: 1, Code: 200})
	}
	return all
}

func fail(all []history.Result, from, to int) {
	for i := from; i < to; i++ {
		all[i].Verdict, all[i].Cause, all[i].Held = check.Failed, check.Refused, 0
	}
}

func at(ms int64) time.Time { return time.UnixMilli(ms).UTC() }
