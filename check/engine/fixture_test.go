package engine_test

import (
	"context"
	"fmt"
	"log/slog"
	"sync"
	"sync/atomic"
	"testing"
	"time"

	"github.com/google/uuid"
	"github.com/stretchr/testify/require"

	"countersign/check"
	"countersign/check/engine"
	"countersign/check/health"
	"countersign/event"
	"countersign/internal/store"
	"countersign/internal/store/storetest"
)

// dbTimeout is how long a test waits for what has to happen.
const dbTimeout = time.Minute

// world is a database with checks, and what their runs do.
type world struct {
	t      testing.TB
	db     *store.DB
	check  uuid.UUID
	system uuid.UUID
}

// newWorld has a check and a system, without targets.
func newWorld(t testing.TB, shards int) *world {
	t.Helper()
	return worldOf(t, storetest.New(t), shards)
}

func worldOf(t testing.TB, db *store.DB, shards int) *world {
	t.Helper()
	w := &world{t: t, db: db, check: store.NewID(), system: store.NewID()}
	w.exec(
		`INSERT INTO health_checks (id, name, name_key, description, strategy, definition, interval_seconds) VALUES ($1, 'API', 'api', '', 'test', '{}', 1)`,
		w.check,
	)
	w.exec(`INSERT INTO check_shards (shard) SELECT generate_series(0, $1::int - 1)`, shards)
	return w
}

func (w *world) exec(sql string, args ...any) {
	w.t.Helper()
	_, err := w.db.Conn(w.t.Context()).Exec(w.t.Context(), sql, args...)
	require.NoError(w.t, err)
}

func one[T any](w *world, sql string, args ...any) (value T) {
	w.t.Helper()
	require.NoError(w.t, w.db.Conn(w.t.Context()).QueryRow(w.t.Context(), sql, args...).Scan(&value))
	return value
}

// targets adds targets of an interval, spread over the shards and over the interval.
func (w *world) targets(n int, interval time.Duration) {
	w.t.Helper()
	w.exec(`INSERT INTO check_targets (check_id, system_id, environment_id, shard, interval_ms, phase_ms, active, scope)
		SELECT $1, $2, gen_random_uuid(), i % (SELECT count(*) FROM check_shards), $4::int, i * 7919 % $4::int, true, '{"system": {"name": "Payments"}, "environment": {"name": "production"}}'
		FROM generate_series(0, $3::int - 1) i`, w.check, w.system, n, interval.Milliseconds())
}

// accounted checks that every settled slot of every target has exactly one of a result and a gap, and answers how many there are of
// each.
func (w *world) accounted() (results, gaps int) {
	w.t.Helper()
	var wrong, twice int
	var example *string
	require.NoError(w.t, w.db.Conn(w.t.Context()).QueryRow(w.t.Context(), `
		WITH slots AS (
			SELECT t.id, s.slot FROM check_targets t JOIN check_shards h USING (shard), generate_series(
				t.phase_ms + (t.since_ms - t.phase_ms + t.interval_ms - 1) / t.interval_ms * t.interval_ms::bigint,
					h.settled_to - 1, t.interval_ms) s(slot)
			WHERE t.active
		), counted AS (
			SELECT id, slot, (SELECT count(*) FROM check_results r WHERE r.target = id AND r.slot = slots.slot) AS r,
				(SELECT count(*) FROM check_gaps g WHERE g.target = id AND slots.slot BETWEEN g.from_slot AND g.to_slot) AS g FROM slots
		)
		SELECT coalesce(sum(r), 0), coalesce(sum(g), 0), count(*) FILTER (WHERE r + g <> 1), count(*) FILTER (WHERE r > 1),
			min(format('target %s slot %s: %s results, %s gaps', id, slot, r, g)) FILTER (WHERE r + g <> 1) FROM counted`).Scan(&results, &gaps, &wrong, &twice, &example))
	if wrong > 0 {
		w.t.Logf(
			"%v",
			column[string](
				w,
				`SELECT format('target %s since %s settled %s phase %s interval %s', t.id, since_ms, settled_to, phase_ms, interval_ms) FROM check_targets t JOIN check_shards USING (shard) LIMIT 5`,
			),
		)
		w.t.Fatalf("%d slots have not exactly one of a result and a gap (%d of them twice a result), such as %s", wrong, twice, *example)
	}
	return results, gaps
}

// eventually waits until something is so.
func eventually(t testing.TB, what string, is func() bool) {
	t.Helper()
	again := time.NewTicker(20 * time.Millisecond)
	defer again.Stop()
	for end := time.Now().Add(dbTimeout); !is(); <-again.C {
		if time.Now().After(end) {
			t.Fatalf("it never came that %s", what)
		}
	}
}

// settles waits until a count has stayed as it is for a while.
func settles(t testing.TB, what string, while time.Duration, count func() int) {
	t.Helper()
	last, since := count(), time.Now()
	eventually(t, what, func() bool {
		if n := count(); n != last {
			last, since = n, time.Now()
		}
		return time.Since(since) > while
	})
}

// process is an engine that runs and holds shards.
type process struct {
	*engine.Engine
	w      *world
	stop   chan struct{}
	cancel context.CancelFunc
	holds  sync.WaitGroup
	ended  sync.WaitGroup
	errs   chan error
}

// start runs an engine; it ends with the test.
func (w *world) start(o engine.Options) *process {
	w.t.Helper()
	if o.DB == nil {
		o.DB = w.db
	}
	if o.Runner == nil {
		o.Runner = &runner{}
	}
	types, err := event.NewRegistry(health.EventTypes("healthcheck.healthcheck.status.read", event.SeeAll)...)
	require.NoError(w.t, err)
	o.Events = func(db *store.DB) event.Appender { return event.NewOutbox(db, types) }
	o.Log = slog.New(slog.NewTextHandler(testLog{w.t}, nil))
	e, err := engine.New(w.t.Context(), o)
	require.NoError(w.t, err)
	ctx, cancel := context.WithCancel(context.WithoutCancel(w.t.Context()))
	p := &process{Engine: e, w: w, stop: make(chan struct{}), cancel: cancel, errs: make(chan error, 100)}
	p.ended.Go(func() { e.Run(ctx) })
	w.t.Cleanup(p.end)
	return p
}

// hold holds shards until the process ends or another one takes them over.
func (p *process) hold(shards ...int16) {
	for _, sh := range shards {
		p.holds.Go(func() { p.errs <- p.Hold(context.Background(), sh, p.stop) })
	}
}

// leave hands all shards over.
func (p *process) leave() {
	select {
	case <-p.stop:
	default:
		close(p.stop)
	}
	p.holds.Wait()
}

// end hands all shards over and stops the engine.
func (p *process) end() {
	p.leave()
	p.cancel()
	p.ended.Wait()
}

// results waits for a number of results.
func (w *world) results(n int) {
	w.t.Helper()
	eventually(w.t, fmt.Sprintf("there are %d results", n), func() bool { return one[int](w, `SELECT count(*) FROM check_results`) >= n })
}

// goesOn waits until each of so many targets has a result of a slot from now on.
func (w *world) goesOn(targets int) {
	w.t.Helper()
	since := one[int64](w, `SELECT (extract(epoch FROM clock_timestamp()) * 1000)::bigint`)
	eventually(w.t, "all targets run", func() bool {
		return one[int](w, `SELECT count(DISTINCT target) FROM check_results WHERE slot > $1`, since) >= targets
	})
}

// runner runs what the test says.
type runner struct {
	run        func(ctx context.Context, target int32, slot time.Time) check.Outcome
	timeout    time.Duration
	generation atomic.Uint64
	prepared   atomic.Int64
	mu         sync.Mutex
	seen       map[[2]int64]int
}

func (r *runner) Prepare(context.Context, *engine.Definition, []byte) (engine.Prepared, error) {
	r.prepared.Add(1)
	return ready{r}, nil
}

func (r *runner) Generation() uint64 { return r.generation.Load() }

// count is how many runs have begun.
func (r *runner) count() int {
	r.mu.Lock()
	defer r.mu.Unlock()
	return len(r.seen)
}

// twice are the slots that were run more than once.
func (r *runner) twice() (n int) {
	r.mu.Lock()
	defer r.mu.Unlock()
	for _, times := range r.seen {
		if times > 1 {
			n++
		}
	}
	return n
}

type ready struct{ r *runner }

func (p ready) Start(ctx context.Context, target int32, slot time.Time, done func(check.Outcome)) {
	p.r.mu.Lock()
	if p.r.seen == nil {
		p.r.seen = map[[2]int64]int{}
	}
	p.r.seen[[2]int64{int64(target), slot.UnixMilli()}]++
	p.r.mu.Unlock()
	if p.r.run == nil {
		done(passed())
		return
	}
	done(p.r.run(ctx, target, slot))
}

func (p ready) Timeout() time.Duration { return max(p.r.timeout, 100*time.Millisecond) }
func (ready) Lane() string             { return "localhost" }

func passed() check.Outcome {
	return check.Outcome{Verdict: check.Passed, Held: 1, Code: 200, Took: time.Millisecond, Report: report("")}
}

func failed(message string) check.Outcome {
	return check.Outcome{Verdict: check.Failed, Cause: check.Refused, Took: time.Millisecond, Report: report(message)}
}

func report(message string) func() check.Report {
	return func() check.Report { return check.Report{Message: message, Collectors: []check.CollectorReport{}} }
}

// testLog writes to the log of the test.
type testLog struct{ t testing.TB }

func (l testLog) Write(p []byte) (int, error) {
	l.t.Log(string(p))
	return len(p), nil
}
