package engine_test

import (
	"context"
	"sync/atomic"
	"testing"
	"time"

	"github.com/prometheus/client_golang/prometheus"
	"github.com/stretchr/testify/require"

	"countersign/check"
	"countersign/check/engine"
	"countersign/check/engine/lane"
	"countersign/internal/store"
	"countersign/internal/store/storetest"
)

// The database refuses to copy rows of which one is there already. The others of the batch are written then, and the
// one that was there stays.
func TestResultsThatAreThereAlreadyKeepNoOthersOut(t *testing.T) {
	t.Parallel()
	w := newWorld(t, 1)
	w.targets(20, 250*time.Millisecond)
	first := one[int32](w, `SELECT min(id) FROM check_targets`)
	w.exec(`INSERT INTO check_results (target, slot, late_ms, took_us, held, verdict, cause, code)
		SELECT id, phase_ms + (since_ms / interval_ms + k) * interval_ms::bigint, 0, 0, 0, 1, 0, 77 FROM check_targets, generate_series(1, 40) k WHERE id = $1`, first)
	p := w.start(engine.Options{})
	p.hold(0)
	w.results(40 + 19*40)
	p.leave()
	results, gaps := w.accounted()
	require.Greater(t, results, 19*40)
	require.Zero(t, gaps, "nothing is given up")
	require.Equal(t, 40, one[int](w, `SELECT count(*) FROM check_results WHERE target = $1 AND code = 77`, first), "what was there stays")
	require.Positive(t, counter(t, p, "countersign_checks_flush_failures_total"), "it was tried")
}

// What a target says can hold characters that the database does not take. It spoils neither its own results nor those of others.
func TestWhatATargetSaysSpoilsNoResults(t *testing.T) {
	t.Parallel()
	w := newWorld(t, 1)
	w.targets(20, 200*time.Millisecond)
	hostile := one[int32](w, `SELECT min(id) FROM check_targets`)
	r := &runner{run: func(_ context.Context, target int32, _ time.Time) check.Outcome {
		if target == hostile {
			return failed("It said \x00\xff\xfe and \u0000.")
		}
		return passed()
	}}
	p := w.start(engine.Options{Runner: r})
	p.hold(0)
	eventually(t, "it is unhealthy", func() bool {
		return one[int](w, `SELECT count(*) FROM check_states WHERE target = $1 AND status = 3`, hostile) == 1
	})
	p.leave()
	_, gaps := w.accounted()
	require.Zero(t, gaps)
	require.Contains(t, one[string](w, `SELECT reason FROM check_states WHERE target = $1`, hostile), "It said")
	require.Positive(t, one[int](w, `SELECT count(*) FROM check_reports WHERE target = $1`, hostile))
	require.Equal(t, 19, one[int](w, `SELECT count(*) FROM check_states WHERE status = 1`))
}

// However long the database is away: a process keeps what it has found within its claims, and then finds nothing more.
// Afterwards each slot has one result or gap, and nothing is made up for.
func TestALongOutageOfTheDatabaseTakesNoMoreMemoryThanAShortOne(t *testing.T) {
	t.Parallel()
	address := storetest.URL(t)
	db, err := store.Open(t.Context(), address, store.Options{MaxConns: 4})
	require.NoError(t, err)
	t.Cleanup(db.Close)
	w := worldOf(t, db, 4)
	const each = 400 * time.Millisecond
	const targets, bound = 200, 200 * 4 * 10 // a claim lasts for 3 s, in which each target has 8 slots
	w.targets(targets, each)
	var most atomic.Int64
	r := &runner{timeout: time.Second, run: func(ctx context.Context, target int32, _ time.Time) check.Outcome {
		if target%20 == 0 {
			<-ctx.Done()
			return check.Outcome{Verdict: check.Failed, Cause: check.TimedOut, Took: time.Second, Report: report("It took more than 1 s.")}
		}
		return passed()
	}}
	p := w.start(engine.Options{Runner: deadlined{r}, Limits: lane.Limits{Running: 400}})
	p.hold(0, 1, 2, 3)
	w.results(5 * targets)
	begun := 0
	outage(t, address, func() {
		settles(t, "nothing runs that is not claimed", 5*time.Second, func() int {
			most.Store(max(most.Load(), int64(p.Unwritten())))
			return r.count()
		})
		begun = r.count()
		require.Positive(t, p.Unwritten(), "what was found is kept")
	})
	require.LessOrEqual(t, most.Load(), int64(bound))
	eventually(t, "the database answers", func() bool { return db.Ping(t.Context()) == nil })
	w.goesOn(targets)
	eventually(t, "what was kept is written", func() bool { return p.Unwritten() < targets })
	p.leave()
	_, gaps := w.accounted()
	require.Greater(t, gaps, 5*targets, "some seconds of every target")
	require.Greater(t, r.count(), begun)
	require.Zero(t, r.twice())
	require.Zero(t, one[int](w, `SELECT count(*) FROM check_results WHERE late_ms > 3000`), "nothing is made up for")
	require.LessOrEqual(
		t,
		one[int](w, `SELECT max(n) FROM (SELECT count(*) AS n FROM check_results GROUP BY (slot + late_ms) / 1000) s`),
		3*targets*int(time.Second)/int(each),
		"nor do runs come in a burst: what may be a second late, and what comes meanwhile",
	)
}

// A process that has just begun knows no check and no secret. What that takes delays the first runs, which are then
// gaps or late, and no slot is lost or run twice.
func TestAProcessBeginsWithColdCaches(t *testing.T) {
	t.Parallel()
	w := newWorld(t, 2)
	w.targets(300, 500*time.Millisecond)
	r := &runner{}
	p := w.start(engine.Options{Runner: &cold{runner: r, takes: 700 * time.Millisecond}})
	p.hold(0, 1)
	w.results(3 * 300)
	p.leave()
	w.accounted()
	require.Zero(t, r.twice())
	require.GreaterOrEqual(t, r.prepared.Load(), int64(300), "each target is prepared")
	require.Zero(t, one[int](w, `SELECT count(*) FROM check_results WHERE late_ms > 3000`))
}

// cold takes a while to prepare a target.
type cold struct {
	*runner

	takes time.Duration
}

func (c *cold) Prepare(ctx context.Context, d *engine.Definition, scope []byte) (engine.Prepared, error) {
	select {
	case <-time.After(c.takes):
	case <-ctx.Done():
	}
	return c.runner.Prepare(ctx, d, scope)
}

// deadlined gives runs a context that ends at their timeout.
type deadlined struct{ *runner }

func (d deadlined) Prepare(ctx context.Context, definition *engine.Definition, scope []byte) (engine.Prepared, error) {
	p, err := d.runner.Prepare(ctx, definition, scope)
	return timed{p}, err
}

type timed struct{ engine.Prepared }

func (p timed) Start(ctx context.Context, target int32, slot time.Time, done func(check.Outcome)) {
	ctx, cancel := context.WithTimeout(ctx, p.Timeout())
	defer cancel()
	p.Prepared.Start(ctx, target, slot, done)
}

// counter is the value of one of the engine's counters.
func counter(t *testing.T, p *process, name string) float64 {
	t.Helper()
	registry := prometheus.NewRegistry()
	registry.MustRegister(p.Collectors()...)
	families, err := registry.Gather()
	require.NoError(t, err)
	for _, f := range families {
		if f.GetName() == name {
			return f.GetMetric()[0].GetCounter().GetValue()
		}
	}
	t.Fatalf("there is no metric %s", name)
	return 0
}
