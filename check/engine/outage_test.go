package engine_test

import (
	"context"
	"testing"
	"time"

	"github.com/jackc/pgx/v5"
	"github.com/stretchr/testify/require"

	"countersign/check"
	"countersign/check/engine"
	"countersign/check/engine/lane"
	"countersign/internal/store"
	"countersign/internal/store/storetest"
)

// outage cuts a database off from everybody for as long as f runs.
func outage(t *testing.T, address string, f func()) {
	t.Helper()
	config, err := pgx.ParseConfig(address)
	require.NoError(t, err)
	name := config.Database
	config.Database = "postgres"
	admin, err := pgx.ConnectConfig(t.Context(), config)
	require.NoError(t, err)
	defer func() { _ = admin.Close(context.WithoutCancel(t.Context())) }()
	do := func(sql string, args ...any) {
		_, err := admin.Exec(t.Context(), sql, args...)
		require.NoError(t, err)
	}
	do("ALTER DATABASE " + name + " ALLOW_CONNECTIONS false")
	do("SELECT pg_terminate_backend(pid) FROM pg_stat_activity WHERE datname = $1", name)
	f()
	do("ALTER DATABASE " + name + " ALLOW_CONNECTIONS true")
}

// While the database is away nothing runs beyond what is claimed, and little is kept; afterwards the same process goes on, what
// was missed is recorded, and nothing is made up for.
func TestADatabaseThatIsAwayLeavesGapsAndNoBurst(t *testing.T) {
	t.Parallel()
	address := storetest.URL(t)
	db, err := store.Open(t.Context(), address, store.Options{MaxConns: 4})
	require.NoError(t, err)
	t.Cleanup(db.Close)
	w := worldOf(t, db, 2)
	w.targets(40, 400*time.Millisecond)
	r := &runner{}
	p := w.start(engine.Options{Runner: r})
	p.hold(0, 1)
	w.results(200)
	outage(t, address, func() {
		settles(t, "nothing runs that is not claimed", 5*time.Second, r.count)
	})
	eventually(t, "the database answers", func() bool { return db.Ping(t.Context()) == nil })
	w.goesOn(40)
	p.leave()
	_, gaps := w.accounted()
	require.Greater(t, gaps, 200, "five seconds of a hundred slots, but for the last one, which is made up for")
	require.Zero(t, r.twice())
	require.Zero(t, one[int](w, `SELECT count(*) FROM check_results WHERE late_ms > 3000`), "nothing is made up for")
}

// A second process that takes over after a long time records everything that nobody claimed, without looking at each slot.
func TestWhatNobodyHeldIsAGap(t *testing.T) {
	t.Parallel()
	w := newWorld(t, 1)
	w.targets(10, time.Second)
	first := w.start(engine.Options{})
	first.hold(0)
	w.results(20)
	first.leave()
	w.exec(`UPDATE check_shards SET claimed_to = claimed_to - 7200000, settled_to = settled_to - 7200000`)
	w.exec(`DELETE FROM check_results`)
	w.exec(`DELETE FROM check_gaps`)
	w.exec(`ALTER TABLE check_targets DISABLE TRIGGER ALL`)
	w.exec(`UPDATE check_targets SET since_ms = since_ms - 7200000`)
	second := w.start(engine.Options{})
	second.hold(0)
	w.results(20)
	second.leave()
	results, gaps := w.accounted()
	require.Greater(t, gaps, 70_000)
	require.Less(t, one[int](w, `SELECT count(*) FROM check_gaps`), 100)
	require.GreaterOrEqual(t, results, 20)
}

func TestARunIsMadeAtOnceWhenSomebodyAsks(t *testing.T) {
	t.Parallel()
	w := newWorld(t, 1)
	w.targets(1, time.Hour)
	target := one[int32](w, `SELECT id FROM check_targets`)
	_, err := engine.Requests{DB: w.db}.RunNow(t.Context(), target+1)
	require.Error(t, err)
	p := w.start(engine.Options{})
	p.hold(0)
	slot, err := engine.Requests{DB: w.db}.RunNow(t.Context(), target)
	require.NoError(t, err)
	eventually(t, "its result is there", func() bool {
		return one[int](w, `SELECT count(*) FROM check_results WHERE target = $1 AND slot = $2`, target, slot.UnixMilli()) == 1
	})
	require.Equal(
		t,
		1,
		one[int](w, `SELECT count(*) FROM check_reports WHERE target = $1 AND slot = $2`, target, slot.UnixMilli()),
		"its report is kept",
	)
	eventually(t, "the request is done", func() bool { return one[int](w, `SELECT count(*) FROM check_requests`) == 0 })
	w.exec(`UPDATE check_targets SET active = false`)
	_, err = engine.Requests{DB: w.db}.RunNow(t.Context(), target)
	require.ErrorContains(t, err, "paused")
}

func TestChangedSecretsAreUsedInTheNextRun(t *testing.T) {
	t.Parallel()
	w := newWorld(t, 1)
	w.targets(1, 100*time.Millisecond)
	r := &runner{}
	p := w.start(engine.Options{Runner: r})
	p.hold(0)
	w.results(20)
	before := r.prepared.Load()
	// Once for each time that the shard was taken or its targets were read again.
	require.Less(t, before, int64(10), "what is prepared is kept from run to run")
	r.generation.Add(1)
	eventually(t, "it was prepared again", func() bool { return r.prepared.Load() > before })
}

func TestWhatIsTooMuchIsShedAndSaidSo(t *testing.T) {
	t.Parallel()
	w := newWorld(t, 1)
	w.targets(60, 200*time.Millisecond)
	r := &runner{timeout: 3 * time.Second}
	r.run = func(ctx context.Context, _ int32, _ time.Time) check.Outcome {
		select {
		case <-ctx.Done():
		case <-time.After(500 * time.Millisecond):
		}
		return passed()
	}
	p := w.start(engine.Options{Runner: r, Limits: lane.Limits{Running: 8, Slow: 4, Host: 8, Waiting: 20, WaitTimeout: 300}})
	p.hold(0)
	eventually(t, "slots were shed", func() bool {
		return one[int](w, `SELECT coalesce(sum(missed), 0) FROM check_gaps WHERE reason = 'overloaded'`) > 100
	})
	p.leave()
	w.accounted()
	require.Positive(t, p.Stats().Shed["overloaded"])
}
