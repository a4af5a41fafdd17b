package script_test

import (
	"context"
	"encoding/json"
	"errors"
	"log/slog"
	"slices"
	"sync"
	"testing"
	"time"

	"github.com/google/uuid"
	"github.com/stretchr/testify/require"

	"countersign/internal/principal"
	"countersign/internal/problem"
	"countersign/internal/store"
	"countersign/internal/store/storetest"
	"countersign/sandbox"
	"countersign/script"
	"countersign/script/sdk"
	"countersign/script/typescript"
)

// engine answers every job with one outcome.
type engine struct {
	outcome sandbox.Outcome
	err     error
	// hold keeps a job until it is closed, or its context ends.
	hold chan struct{}

	mu   sync.Mutex
	jobs []sandbox.Job
}

func (e *engine) Run(ctx context.Context, j sandbox.Job) (sandbox.Outcome, error) {
	e.mu.Lock()
	e.jobs = append(e.jobs, j)
	e.mu.Unlock()
	if e.hold != nil {
		select {
		case <-e.hold:
		case <-ctx.Done():
			return sandbox.Outcome{}, ctx.Err()
		}
	}
	return e.outcome, e.err
}

func (e *engine) Close(context.Context) error { return nil }

func (e *engine) last() sandbox.Job {
	e.mu.Lock()
	defer e.mu.Unlock()
	return e.jobs[len(e.jobs)-1]
}

// compiler calls every source its own JavaScript.
type compiler struct{ compiled typescript.Compiled }

func (c compiler) Compile(_ context.Context, source string, _ sdk.Context) (typescript.Compiled, error) {
	if c.compiled.Diagnostics == nil {
		c.compiled.JS, c.compiled.Checked = source, true
	}
	return c.compiled, nil
}

func (c compiler) Transpile(_ context.Context, source string, _ sdk.Context) (typescript.Compiled, error) {
	return typescript.Compiled{JS: source, Report: typescript.Report{Reason: typescript.NotAsked}}, nil
}

type policies script.Policy

func (p policies) Effective(context.Context) script.Policy { return script.Policy(p) }

func run(t *testing.T, e *engine, in script.TestInput) script.TestOutput {
	t.Helper()
	r := &script.Runner{Compiler: compiler{}, JavaScript: e, Shell: e, Policies: policies{Limits: sandbox.Limits{Timeout: time.Second}}}
	out, err := r.Run(t.Context(), in)
	require.NoError(t, err)
	return out
}

func TestAnEmptySampleContextIsEnough(t *testing.T) {
	t.Parallel()
	e := &engine{outcome: sandbox.Outcome{Kind: sandbox.OK, Result: json.RawMessage("null")}}
	for _, sample := range []any{nil, map[string]any{}, map[string]any{"check": nil, "trigger": nil, "unknown": 1}} {
		run(t, e, script.TestInput{Context: sdk.HealthCheckScript, Source: "x", SampleContext: sample})
		require.JSONEq(
			t,
			`{"config":{},"env":{},"check":{"id":"test-check","name":"Test","intervalSeconds":60},"system":{"id":"test-system","name":"Test system"}}`,
			string(e.last().Input),
		)
		run(t, e, script.TestInput{Context: sdk.ActionScript, Source: "x", SampleContext: sample})
		require.JSONEq(
			t,
			`{"trigger":{"event":"test.event","payload":{}},"artifacts":{},"var":{},"env":{},"automation":{"runId":"test-run","automationId":"test-automation","contextKey":""}}`,
			string(e.last().Input),
		)
		run(t, e, script.TestInput{Context: sdk.ActionShell, Source: "x", SampleContext: sample})
		require.Equal(t, "test.event", e.last().Env["COUNTERSIGN_TRIGGER_EVENT"])
	}
	run(
		t,
		e,
		script.TestInput{
			Context:       sdk.HealthCheckShell,
			Source:        "x",
			SampleContext: map[string]any{"environment": map[string]any{"fields": map[string]any{"baseUrl": "u"}}},
		},
	)
	require.Equal(
		t,
		[]string{"u", "test-environment", "Test"},
		[]string{e.last().Env["COUNTERSIGN_ENV_BASE_URL"], e.last().Env["COUNTERSIGN_ENV_ID"], e.last().Env["COUNTERSIGN_CHECK_NAME"]},
	)
}

func TestThePolicyBoundsTheTime(t *testing.T) {
	t.Parallel()
	e := &engine{outcome: sandbox.Outcome{Kind: sandbox.OK, Result: json.RawMessage("null")}}
	out := run(t, e, script.TestInput{Context: sdk.HealthCheckScript, Source: "x", TimeoutMs: 5_000})
	require.Equal(t, time.Second, e.last().Limits.Timeout)
	require.Contains(t, out.Warnings[0], "1000 ms")
	require.Empty(t, run(t, e, script.TestInput{Context: sdk.HealthCheckScript, Source: "x", TimeoutMs: 500}).Warnings)
	require.Equal(t, 500*time.Millisecond, e.last().Limits.Timeout)
	require.Empty(t, run(t, e, script.TestInput{Context: sdk.HealthCheckScript, Source: "x"}).Warnings, "nobody has asked for more")
	require.Equal(t, time.Second, e.last().Limits.Timeout)
}

func TestEachLimitHasItsName(t *testing.T) {
	t.Parallel()
	for kind, want := range map[sandbox.Kind][]script.Limit{
		sandbox.Timeout: {script.TimeLimit}, sandbox.Memory: {script.MemoryLimit}, sandbox.ResultTooLarge: {script.ResultLimit},
		sandbox.HostCalls: {script.HostCallLimit}, sandbox.Failed: {}, sandbox.OK: {},
	} {
		e := &engine{outcome: sandbox.Outcome{Kind: kind, Result: json.RawMessage("true")}}
		out := run(t, e, script.TestInput{Context: sdk.HealthCheckScript, Source: "x"})
		require.Equal(t, want, out.LimitsHit, kind)
		require.Equal(t, kind == sandbox.Timeout, out.TimedOut)
		require.Equal(t, kind != sandbox.OK, out.Error != nil)
		var result sdk.HealthCheckResult
		require.NoError(t, json.Unmarshal(out.Result, &result), "a health check always has a result")
		require.Equal(t, kind == sandbox.OK, result.Success)
	}
	cut := run(
		t,
		&engine{outcome: sandbox.Outcome{Kind: sandbox.OK, OutputCut: true}},
		script.TestInput{Context: sdk.HealthCheckShell, Source: "x"},
	)
	require.Equal(t, []script.Limit{script.OutputLimit}, cut.LimitsHit)
}

func TestOnlyARunWithNetworkTaints(t *testing.T) {
	t.Parallel()
	require.False(t, script.TestOutput{}.Tainted())
	require.True(t, script.TestOutput{NetworkAllowed: true}.Tainted())
}

// host plays Temporal: it runs the activity of a test as often as it is told.
type host struct {
	*script.Service

	start    func(id uuid.UUID) error
	mu       sync.Mutex
	canceled []uuid.UUID
}

func (h *host) StartScriptTest(_ context.Context, id uuid.UUID, _ time.Duration) error {
	return h.start(id)
}

func (h *host) CancelScriptTest(_ context.Context, id uuid.UUID) error {
	h.mu.Lock()
	defer h.mu.Unlock()
	h.canceled = append(h.canceled, id)
	return nil
}

func (h *host) StartToolCall(_ context.Context, id uuid.UUID, _ time.Duration) error {
	return h.start(id)
}

func (h *host) CancelToolCall(ctx context.Context, id uuid.UUID) error {
	return h.CancelScriptTest(ctx, id)
}

// sealer turns values around.
type sealer struct{}

func (sealer) Seal(plaintext, _ []byte) ([]byte, error) {
	sealed := slices.Clone(plaintext)
	slices.Reverse(sealed)
	return sealed, nil
}

func (s sealer) Open(sealed, associated []byte) ([]byte, error) { return s.Seal(sealed, associated) }

func newHost(t *testing.T, e *engine) (*host, *store.DB) {
	t.Helper()
	db := storetest.New(t)
	return newHostOn(t, e, db), db
}

// newHostOn is another process on a database.
func newHostOn(t *testing.T, e sandbox.Runner, db *store.DB) *host {
	t.Helper()
	h := &host{}
	h.Service = script.New(script.Options{
		DB: db, Log: slog.New(slog.DiscardHandler), Starter: h, Sealer: sealer{},
		Runner: &script.Runner{Compiler: compiler{}, JavaScript: e, Shell: e, Policies: policies{}},
	})
	listener := store.NewListener(db, slog.New(slog.DiscardHandler))
	listener.Subscribe(h.Subscriptions())
	ctx, cancel := context.WithCancel(context.WithoutCancel(t.Context()))
	var listening sync.WaitGroup
	listening.Go(func() { listener.Run(ctx) })
	t.Cleanup(func() {
		cancel()
		listening.Wait()
	})
	<-listener.Ready()
	return h
}

func asSomebody(t *testing.T) context.Context {
	t.Helper()
	return principal.NewContext(t.Context(), principal.Principal{Kind: principal.User, ID: uuid.New()})
}

func rows(t *testing.T, db *store.DB) (n int) {
	t.Helper()
	require.NoError(t, db.Conn(t.Context()).QueryRow(t.Context(), `SELECT count(*) FROM script_tests`).Scan(&n))
	return n
}

func shell(source string) script.TestInput {
	return script.TestInput{Context: sdk.HealthCheckShell, Source: source}
}

func TestWhatTheScriptSaysComesBackAsItIs(t *testing.T) {
	t.Parallel()
	e := &engine{outcome: sandbox.Outcome{Kind: sandbox.OK, Stdout: "a\x00b \U0001f600\n", ExitCode: 2}}
	h, db := newHost(t, e)
	h.start = func(id uuid.UUID) error { return h.Execute(t.Context(), id) }
	out, err := h.Test(asSomebody(t), nil, shell("x"))
	require.NoError(t, err)
	require.Equal(t, "a\x00b \U0001f600\n", out.Stdout)
	require.Equal(t, 2, *out.ExitCode)
	require.Zero(t, rows(t, db), "the answer is taken")
}

// A process dies in mid-run. Temporal gives the test to another one, which does not run the script again.
func TestAScriptIsNotRunTwice(t *testing.T) {
	t.Parallel()
	e := &engine{hold: make(chan struct{}), outcome: sandbox.Outcome{Kind: sandbox.OK}}
	h, _ := newHost(t, e)
	first := make(chan error, 1)
	h.start = func(id uuid.UUID) error {
		go func() { first <- h.Execute(context.WithoutCancel(t.Context()), id) }()
		require.Eventually(t, func() bool {
			e.mu.Lock()
			defer e.mu.Unlock()
			return len(e.jobs) == 1
		}, time.Minute, time.Millisecond)
		return h.Execute(t.Context(), id)
	}
	_, err := h.Test(asSomebody(t), nil, shell("x"))
	require.True(t, problem.Is(err, problem.Unavailable))
	require.ErrorContains(t, err, "died")
	require.Len(t, e.jobs, 1)
	close(e.hold)
	require.NoError(t, <-first, "a late answer is nobody's")
}

func TestAFaultOfTheHostIsAnsweredWithoutItsText(t *testing.T) {
	t.Parallel()
	h, _ := newHost(t, &engine{err: errors.New("wasm: secret detail")})
	h.start = func(id uuid.UUID) error {
		require.ErrorContains(t, h.Execute(t.Context(), id), "secret detail", "Temporal and the log see it")
		return nil
	}
	_, err := h.Test(asSomebody(t), nil, shell("x"))
	require.True(t, problem.Is(err, problem.Unavailable))
	require.NotContains(t, err.Error(), "secret detail")
}

func TestACallerWhoLeavesCancelsTheTest(t *testing.T) {
	t.Parallel()
	h, db := newHost(t, &engine{})
	ctx, leave := context.WithCancelCause(asSomebody(t))
	gone := errors.New("gone")
	h.start = func(uuid.UUID) error {
		leave(gone)
		return nil
	}
	_, err := h.Test(ctx, nil, shell("x"))
	require.ErrorIs(t, err, gone)
	require.Len(t, h.canceled, 1)
	require.Zero(t, rows(t, db))
	require.NoError(t, h.Execute(t.Context(), h.canceled[0]), "nobody waits for it any more")
}

func TestAScriptWhoseCallerHasLeftIsNoFailure(t *testing.T) {
	t.Parallel()
	e := &engine{hold: make(chan struct{})}
	h, _ := newHost(t, e)
	ctx, leave := context.WithCancel(asSomebody(t))
	work, cancel := context.WithCancel(t.Context())
	ended := make(chan error, 1)
	h.start = func(id uuid.UUID) error {
		go func() { ended <- h.Execute(work, id) }()
		return nil
	}
	asked := make(chan error, 1)
	go func() {
		_, err := h.Test(ctx, nil, shell("x"))
		asked <- err
	}()
	require.Eventually(t, func() bool {
		e.mu.Lock()
		defer e.mu.Unlock()
		return len(e.jobs) == 1
	}, time.Minute, time.Millisecond)
	leave()
	require.ErrorIs(t, <-asked, context.Canceled)
	cancel()
	require.NoError(t, <-ended, "neither Temporal nor the log has to hear of it")
}

func TestATestThatCannotBeStartedLeavesNothing(t *testing.T) {
	t.Parallel()
	h, db := newHost(t, &engine{})
	h.start = func(uuid.UUID) error { return errors.New("temporal is away") }
	_, err := h.Test(asSomebody(t), nil, shell("x"))
	require.True(t, problem.Is(err, problem.Unavailable))
	require.Zero(t, rows(t, db))
}

func TestOnePrincipalCannotFillTheQueue(t *testing.T) {
	t.Parallel()
	h, db := newHost(t, &engine{})
	h.start = func(uuid.UUID) error { return nil }
	ctx, leave := context.WithCancel(asSomebody(t))
	var waiting sync.WaitGroup
	for range 8 {
		waiting.Go(func() { _, _ = h.Test(ctx, nil, shell("x")) })
	}
	require.Eventually(t, func() bool { return rows(t, db) == 8 }, time.Minute, 5*time.Millisecond)
	_, err := h.Test(ctx, nil, shell("x"))
	require.True(t, problem.Is(err, problem.Throttled), "%v", err)
	other, leaveToo := context.WithCancel(asSomebody(t))
	waiting.Go(func() { _, _ = h.Test(other, nil, shell("x")) })
	require.Eventually(t, func() bool { return rows(t, db) == 9 }, time.Minute, 5*time.Millisecond, "another one is served")
	leave()
	leaveToo()
	waiting.Wait()
	require.Zero(t, rows(t, db))
}

// When no worker has time, most tests wait where they are no load for anybody.
func TestOnlySomeTestsWaitForAWorkerAtOnce(t *testing.T) {
	t.Parallel()
	e := &engine{hold: make(chan struct{}), outcome: sandbox.Outcome{Kind: sandbox.OK}}
	h, db := newHost(t, e)
	started := make(chan uuid.UUID, 24)
	h.start = func(id uuid.UUID) error {
		started <- id
		return nil
	}
	ctx, leave := context.WithCancel(t.Context())
	var asking sync.WaitGroup
	for range 12 {
		person := principal.NewContext(ctx, principal.Principal{Kind: principal.User, ID: uuid.New()})
		for range 2 {
			asking.Go(func() { _, _ = h.Test(person, nil, shell("x")) })
		}
	}
	var waiting []uuid.UUID
	for range 16 {
		waiting = append(waiting, <-started)
	}
	require.Eventually(t, func() bool { return rows(t, db) == 24 }, time.Minute, 5*time.Millisecond)
	require.Empty(t, started)

	var running sync.WaitGroup
	running.Go(func() { _ = h.Execute(t.Context(), waiting[0]) })
	require.NotContains(t, waiting, <-started, "the next one comes as soon as one is begun, not when it is done")
	require.Empty(t, started)
	close(e.hold)
	leave()
	asking.Wait()
	running.Wait()
	require.Zero(t, rows(t, db))
}

// Somebody with many tests does not have all the workers.
func TestTheTestsOfOnePersonWaitForEachOther(t *testing.T) {
	t.Parallel()
	e := &engine{hold: make(chan struct{}), outcome: sandbox.Outcome{Kind: sandbox.OK}}
	h, db := newHost(t, e)
	started := make(chan uuid.UUID, 9)
	var running sync.WaitGroup
	h.start = func(id uuid.UUID) error {
		started <- id
		running.Go(func() { _ = h.Execute(t.Context(), id) })
		return nil
	}
	busy := asSomebody(t)
	answers := make(chan error, 6)
	for range 6 {
		go func() {
			_, err := h.Test(busy, nil, shell("x"))
			answers <- err
		}()
	}
	<-started
	<-started
	require.Eventually(t, func() bool { return rows(t, db) == 6 }, time.Minute, 5*time.Millisecond)
	require.Empty(t, started)

	other := make(chan error, 1)
	go func() {
		_, err := h.Test(asSomebody(t), nil, shell("x"))
		other <- err
	}()
	<-started
	close(e.hold)
	require.NoError(t, <-other)
	for range 6 {
		require.NoError(t, <-answers)
	}
	running.Wait()
	require.Len(t, started, 4, "they came one after the other")
}

func TestRowsThatNobodyFetchesArePruned(t *testing.T) {
	t.Parallel()
	h, db := newHost(t, &engine{})
	_, err := db.Conn(t.Context()).Exec(t.Context(), `INSERT INTO script_tests (id, principal, request, created_at)
		VALUES (gen_random_uuid(), 'user:a', '', now() - interval '11 minutes'), (gen_random_uuid(), 'user:a', '', now())`)
	require.NoError(t, err)
	require.NoError(t, h.Prune(t.Context()))
	require.Equal(t, 1, rows(t, db))
}
