package engine_test

import (
	"bufio"
	"context"
	"fmt"
	"log/slog"
	"net/http"
	"net/http/httptest"
	"os"
	"os/exec"
	"os/signal"
	"sync"
	"syscall"
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"countersign/app/apptest"
	"countersign/check"
	"countersign/check/engine"
	"countersign/check/health"
	"countersign/event"
	"countersign/internal/store"
	"countersign/internal/store/storetest"
)

// What a process of the test is told.
const (
	envDatabase = "COUNTERSIGN_TEST_CHECKS_DATABASE"
	envOwner    = "COUNTERSIGN_TEST_CHECKS_OWNER"
	envProbed   = "COUNTERSIGN_TEST_CHECKS_PROBED"
)

// checkShards and checkTargets are how many the test has.
const (
	checkShards  = 4
	checkTargets = 120
)

// asking is what the checks of a process share.
var asking = &http.Client{Timeout: 5 * time.Second}

// probing is a check that asks the test's server, which counts.
type probing struct{ url string }

func (p probing) Prepare(context.Context, *engine.Definition, []byte) (engine.Prepared, error) {
	return p, nil
}
func (probing) Generation() uint64     { return 0 }
func (probing) Timeout() time.Duration { return 5 * time.Second }
func (probing) Lane() string           { return "" }

func (p probing) Start(ctx context.Context, target int32, slot time.Time, done func(check.Outcome)) {
	done(p.run(ctx, target, slot))
}

func (p probing) run(ctx context.Context, target int32, slot time.Time) check.Outcome {
	ctx, cancel := context.WithTimeout(ctx, 5*time.Second)
	defer cancel()
	began := time.Now()
	request, err := http.NewRequestWithContext(ctx, http.MethodGet, fmt.Sprintf("%s/?%d.%d", p.url, target, slot.UnixMilli()), nil)
	if err == nil {
		var response *http.Response
		if response, err = asking.Do(request); err == nil {
			err = response.Body.Close()
		}
	}
	if err != nil {
		return check.Outcome{
			Verdict: check.Failed,
			Cause:   check.Broken,
			Took:    time.Since(began),
			Report:  func() check.Report { return check.Report{Message: "It broke.", Collectors: []check.CollectorReport{}} },
		}
	}
	return check.Outcome{
		Verdict: check.Passed,
		Took:    time.Since(began),
		Report:  func() check.Report { return check.Report{Collectors: []check.CollectorReport{}} },
	}
}

// runChecks is what a process of the test does, until it is asked to end.
func runChecks(t *testing.T) {
	ctx, stop := signal.NotifyContext(t.Context(), syscall.SIGTERM)
	defer stop()
	log := slog.New(slog.NewTextHandler(os.Stderr, nil)).With("process", os.Getenv(envOwner))
	db, err := store.Open(ctx, os.Getenv(envDatabase), store.Options{MaxConns: 4})
	require.NoError(t, err)
	defer db.Close()
	types, err := event.NewRegistry(health.EventTypes("healthcheck.healthcheck.status.read", event.SeeAll)...)
	require.NoError(t, err)
	e, err := engine.New(ctx, engine.Options{
		DB:     db,
		Log:    log,
		Runner: probing{os.Getenv(envProbed)},
		Owner:  os.Getenv(envOwner),
		Events: func(db *store.DB) event.Appender { return event.NewOutbox(db, types) },
	})
	require.NoError(t, err)
	running, end := context.WithCancel(t.Context())
	var ended sync.WaitGroup
	ended.Go(func() { e.Run(running) })
	claiming, release := context.WithCancel(t.Context())
	var claims sync.WaitGroup
	claims.Go(func() { e.ClaimShares(claiming) })
	_, _ = fmt.Fprintln(os.Stdout, "ready")
	<-ctx.Done()
	release()
	claims.Wait()
	end()
	ended.Wait()
	asking.CloseIdleConnections()
}

// fleet is processes that share the checks of a database.
type fleet struct {
	t        *testing.T
	db       *store.DB
	url      string
	probed   string
	mu       sync.Mutex
	seen     map[string]int
	children map[string]*exec.Cmd
}

func newFleet(t *testing.T) *fleet {
	t.Helper()
	f := &fleet{t: t, url: storetest.URL(t), seen: map[string]int{}, children: map[string]*exec.Cmd{}}
	server := httptest.NewServer(http.HandlerFunc(func(_ http.ResponseWriter, r *http.Request) {
		f.mu.Lock()
		defer f.mu.Unlock()
		f.seen[r.URL.RawQuery]++
	}))
	t.Cleanup(server.Close)
	f.probed = server.URL
	var err error
	f.db, err = store.Open(t.Context(), f.url, store.Options{MaxConns: 4})
	require.NoError(t, err)
	t.Cleanup(f.db.Close)
	ctx, id := t.Context(), store.NewID()
	_, err = f.db.Conn(
		ctx,
	).Exec(
		ctx,
		`INSERT INTO health_checks (id, name, name_key, description, strategy, definition, interval_seconds) VALUES ($1, 'API', 'api', '', 'test', '{}', 1)`,
		id,
	)
	require.NoError(t, err)
	_, err = f.db.Conn(
		ctx,
	).Exec(
		ctx,
		`INSERT INTO check_targets (check_id, system_id, environment_id, shard, interval_ms, phase_ms, active, scope)
		SELECT $1, gen_random_uuid(), gen_random_uuid(), i % $2::int, 1000, i * 7919 % 1000, true, '{}' FROM generate_series(0, $3::int - 1) i`,
		id,
		checkShards,
		checkTargets,
	)
	require.NoError(t, err)
	require.NoError(t, (&engine.Sharding{DB: f.db, Count: checkShards}).Distribute(ctx))
	return f
}

// start starts a process and waits until it works.
func (f *fleet) start(owner string) {
	f.t.Helper()
	child := exec.CommandContext(f.t.Context(), os.Args[0], "-test.run=^"+f.t.Name()+"$", "-test.v")
	child.Env = append(os.Environ(), envDatabase+"="+f.url, envOwner+"="+owner, envProbed+"="+f.probed)
	child.Stderr = os.Stderr
	out, err := child.StdoutPipe()
	require.NoError(f.t, err)
	require.NoError(f.t, child.Start())
	f.children[owner] = child
	f.t.Cleanup(func() {
		_ = child.Process.Kill()
		_ = child.Wait()
	})
	for lines := bufio.NewScanner(out); lines.Scan(); {
		if lines.Text() == "ready" {
			go func() {
				for lines.Scan() { // whatever it says later
				}
			}()
			return
		}
	}
	f.t.Fatal("the process did not start")
}

// held is how many shards an owner holds by claims that are good.
func (f *fleet) held(owner string) (n int) {
	f.t.Helper()
	require.NoError(
		f.t,
		f.db.Conn(
			f.t.Context(),
		).QueryRow(
			f.t.Context(),
			`SELECT count(*) FROM check_shards WHERE owner = $1 AND claimed_to > extract(epoch FROM clock_timestamp()) * 1000`,
			owner,
		).Scan(
			&n,
		),
	)
	return n
}

func (f *fleet) eventually(what string, is func() bool) time.Duration {
	f.t.Helper()
	began := time.Now()
	apptest.Eventually(f.t, what, is)
	return time.Since(began)
}

// grow waits until so many more runs have been written.
func (f *fleet) grow(more int) {
	f.t.Helper()
	count := func() (n int) {
		require.NoError(f.t, f.db.Conn(f.t.Context()).QueryRow(f.t.Context(), `SELECT count(*) FROM check_results`).Scan(&n))
		return n
	}
	before := count()
	f.eventually("results are written", func() bool { return count() >= before+more })
}

// account requires that every settled slot has exactly one of a result and a gap, and that no target was probed twice for one.
func (f *fleet) account() {
	f.t.Helper()
	var results, gaps, wrong int
	require.NoError(f.t, f.db.Conn(f.t.Context()).QueryRow(f.t.Context(), `
		WITH slots AS (
			SELECT t.id, s.slot FROM check_targets t JOIN check_shards h USING (shard), generate_series(
				t.phase_ms + (t.since_ms - t.phase_ms + t.interval_ms - 1) / t.interval_ms * t.interval_ms::bigint,
					h.settled_to - 1, t.interval_ms) s(slot)
		), counted AS (
			SELECT (SELECT count(*) FROM check_results r WHERE r.target = id AND r.slot = slots.slot) AS r,
				(SELECT count(*) FROM check_gaps g WHERE g.target = id AND slots.slot BETWEEN g.from_slot AND g.to_slot) AS g FROM slots
		)
		SELECT sum(r), sum(g), count(*) FILTER (WHERE r + g <> 1) FROM counted`).Scan(&results, &gaps, &wrong))
	require.Zero(f.t, wrong, "slots with neither a result nor a gap, or with both, beside %d results and %d gaps", results, gaps)
	f.mu.Lock()
	defer f.mu.Unlock()
	for slot, times := range f.seen {
		require.Equal(f.t, 1, times, "slot %s was probed more than once", slot)
	}
	f.t.Logf("%d results, %d slots in gaps", results, gaps)
}

// missed is how many slots lie in gaps.
func (f *fleet) missed() (n int) {
	f.t.Helper()
	require.NoError(f.t, f.db.Conn(f.t.Context()).QueryRow(f.t.Context(), `SELECT coalesce(sum(missed), 0) FROM check_gaps`).Scan(&n))
	return n
}

// Processes come, are killed, stand still, wake up and are asked to end: others run their shards soon, no target is
// probed twice for a slot, and every slot has a result or lies in a gap.
func TestProcessesThatRunChecksComeAndGo(t *testing.T) {
	if os.Getenv(envDatabase) != "" {
		runChecks(t)
		return
	}
	t.Parallel()
	f := newFleet(t)
	f.start("a")
	f.eventually("the first holds all shards", func() bool { return f.held("a") == checkShards })
	f.grow(200)

	f.start("b")
	took := f.eventually("the second has its share", func() bool { return f.held("a") == checkShards/2 && f.held("b") == checkShards/2 })
	t.Logf("shared after %v", took)
	f.grow(200)
	f.account()

	require.NoError(t, f.children["a"].Process.Kill())
	took = f.eventually("the second holds what the killed one held", func() bool { return f.held("b") == checkShards })
	t.Logf("kill -9: elsewhere after %v", took)
	require.Less(t, took, time.Minute)
	f.grow(200)
	f.account()

	f.start("c")
	f.eventually("the third has its share", func() bool { return f.held("b") == checkShards/2 && f.held("c") == checkShards/2 })
	require.NoError(t, f.children["b"].Process.Signal(syscall.SIGSTOP))
	took = f.eventually("the third holds what the frozen one held", func() bool { return f.held("c") == checkShards })
	t.Logf("frozen: elsewhere after %v", took)
	require.Less(t, took, time.Minute)
	f.grow(200)
	require.NoError(t, f.children["b"].Process.Signal(syscall.SIGCONT))
	f.eventually(
		"the one that woke up has its share again",
		func() bool { return f.held("b") == checkShards/2 && f.held("c") == checkShards/2 },
	)
	f.grow(200)
	f.account()
	missed := f.missed()

	require.NoError(t, f.children["b"].Process.Signal(syscall.SIGTERM))
	took = f.eventually("the third holds what the ended one has handed over", func() bool { return f.held("c") == checkShards })
	t.Logf("SIGTERM: elsewhere after %v, %d slots missed", took, f.missed()-missed)
	f.grow(200)
	f.account()
}
