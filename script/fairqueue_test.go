package script_test

import (
	"context"
	"sync"
	"testing"
	"time"

	"github.com/google/uuid"
	"github.com/stretchr/testify/require"

	"countersign/internal/principal"
	"countersign/internal/problem"
	"countersign/internal/store/storetest"
	"countersign/sandbox"
	"countersign/script"
)

// hanging is an engine in which the tools called "hang" run until their context ends.
type hanging struct {
	mu        sync.Mutex
	now, most int
}

func (e *hanging) Run(ctx context.Context, j sandbox.Job) (sandbox.Outcome, error) {
	if j.Source != "hang" {
		return returned, nil
	}
	e.mu.Lock()
	e.now++
	e.most = max(e.most, e.now)
	e.mu.Unlock()
	<-ctx.Done()
	e.mu.Lock()
	e.now--
	e.mu.Unlock()
	return sandbox.Outcome{}, ctx.Err()
}

func (e *hanging) Close(context.Context) error { return nil }

func (e *hanging) running() (now, most int) {
	e.mu.Lock()
	defer e.mu.Unlock()
	return e.now, e.most
}

// Two processes ask the smallest worker that there is. One principal has dozens of calls that do not end, of every kind.
func TestNobodyHasTheWorkersToThemselves(t *testing.T) {
	t.Parallel()
	e, db := &hanging{}, storetest.New(t)
	processes := []*host{newHostOn(t, e, db), newHostOn(t, e, db)}
	working, stop := context.WithCancel(context.WithoutCancel(t.Context()))
	places := make(chan struct{}, script.MinWorkerPlaces)
	var work sync.WaitGroup
	for _, h := range processes {
		h.start = func(id uuid.UUID) error {
			work.Go(func() {
				select {
				case places <- struct{}{}:
					defer func() { <-places }()
					_ = h.ExecuteCall(working, id)
				case <-working.Done():
				}
			})
			return nil
		}
	}
	mallory, leave := context.WithCancel(asSomebody(t))
	var asking sync.WaitGroup
	t.Cleanup(func() {
		leave()
		stop()
		asking.Wait()
		work.Wait()
	})
	for i := range 60 {
		asking.Go(func() {
			_, err := processes[i%2].CallTool(mallory, script.ToolCall{JS: "hang", DryRun: i%10 == 0, Timeout: time.Minute})
			if mallory.Err() == nil {
				require.True(t, problem.Is(err, problem.Throttled), "%v", err)
			}
		})
	}
	require.Eventually(t, func() bool { now, _ := e.running(); return now == script.MinWorkerPlaces/2 }, time.Minute, 5*time.Millisecond)
	require.Eventually(t, func() bool { return rows(t, db) >= 32 }, time.Minute, 5*time.Millisecond)
	for _, h := range processes {
		a, err := h.CallTool(
			principal.NewContext(t.Context(), principal.Principal{Kind: principal.User, ID: uuid.New()}),
			script.ToolCall{JS: "quick"},
		)
		require.NoError(t, err)
		require.True(t, a.OK)
	}
	now, most := e.running()
	require.Equal(t, script.MinWorkerPlaces/2, now, "the others still run")
	require.Equal(t, script.MinWorkerPlaces/2, most)
}

// What one process has ended lets the next begin in another.
func TestWhoWaitsForTheirOwnInAnotherProcessGoesOn(t *testing.T) {
	t.Parallel()
	e, db := &hanging{}, storetest.New(t)
	first, second := newHostOn(t, e, db), newHostOn(t, e, db)
	working, stop := context.WithCancel(context.WithoutCancel(t.Context()))
	var work sync.WaitGroup
	first.start = func(id uuid.UUID) error {
		work.Go(func() { _ = first.ExecuteCall(working, id) })
		return nil
	}
	second.start = func(id uuid.UUID) error { return second.ExecuteCall(t.Context(), id) }
	ctx := asSomebody(t)
	hang, leave := context.WithCancel(ctx)
	t.Cleanup(func() {
		leave()
		stop()
		work.Wait()
	})
	for range script.MinWorkerPlaces / 2 {
		work.Go(func() { _, _ = first.CallTool(hang, script.ToolCall{JS: "hang"}) })
	}
	require.Eventually(t, func() bool { now, _ := e.running(); return now == script.MinWorkerPlaces/2 }, time.Minute, 5*time.Millisecond)
	ended := make(chan error, 1)
	work.Go(func() {
		_, err := second.CallTool(ctx, script.ToolCall{JS: "quick"})
		ended <- err
	})
	require.Eventually(t, func() bool { return rows(t, db) == script.MinWorkerPlaces/2+1 }, time.Minute, 5*time.Millisecond)
	require.Empty(t, ended)
	leave()
	require.NoError(t, <-ended)
}

// A process that dies between the admission of a job and its start leaves a row that no workflow will ever end.
func TestWhatADeadCallerNeverStartedGivesItsPlaceBack(t *testing.T) {
	t.Parallel()
	h, db := newHost(t, &engine{outcome: sandbox.Outcome{Kind: sandbox.OK}})
	ctx := asSomebody(t)
	for _, left := range []struct {
		status, age string
		attempts    int
		admitted    bool
	}{
		{"waiting", "10 seconds", 0, false}, // its caller may still start it
		{"waiting", "16 seconds", 0, true},
		{"running", "16 seconds", 1, false},
		{"waiting", "16 seconds", 1, false}, // the next attempt is to come
		{"running", "181 seconds", 1, true},
	} {
		_, err := db.Conn(ctx).Exec(ctx, `DELETE FROM script_tests`)
		require.NoError(t, err)
		_, err = db.Conn(ctx).Exec(ctx, `INSERT INTO script_tests (id, kind, principal, request, status, attempts, created_at, admitted_at)
			SELECT gen_random_uuid(), 'tool_call', $1, '', $2, $3, at, at
			FROM (SELECT clock_timestamp() - $4::text::interval AS at) a, generate_series(1, 4)`,
			principal.FromContext(ctx).Key(), left.status, left.attempts, left.age)
		require.NoError(t, err)
		h.start = func(id uuid.UUID) error { return h.Execute(t.Context(), id) }
		asking, leave := context.WithCancel(ctx)
		ended := make(chan error, 1)
		go func() {
			_, err := h.Test(asking, nil, shell("x"))
			ended <- err
		}()
		if left.admitted {
			require.NoError(t, <-ended, "%+v", left)
			leave()
			continue
		}
		require.Eventually(t, func() bool { return rows(t, db) == 5 }, time.Minute, 5*time.Millisecond)
		var waits bool
		row := db.Conn(ctx).QueryRow(ctx, `SELECT admitted_at IS NULL FROM script_tests WHERE kind = 'test'`)
		require.NoError(t, row.Scan(&waits))
		require.True(t, waits, "%+v", left)
		leave()
		require.ErrorIs(t, <-ended, context.Canceled)
	}
}

// A place becomes free while an earlier script waits in one process and a later one comes to another.
func TestWhoCameFirstRunsFirst(t *testing.T) {
	t.Parallel()
	db := storetest.New(t)
	first, second := newHostOn(t, &engine{outcome: sandbox.Outcome{Kind: sandbox.OK}}, db), newHostOn(t, &hanging{}, db)
	ctx := asSomebody(t)
	// All places are taken, and one that waited longest asks no longer, as its process has died.
	_, err := db.Conn(ctx).Exec(ctx, `
		INSERT INTO script_tests (id, kind, principal, request, status, attempts, created_at, asked_at, admitted_at)
		SELECT gen_random_uuid(), 'tool_call', $1, '', CASE n WHEN 0 THEN 'waiting' ELSE 'running' END, least(n, 1), at, at,
			CASE WHEN n > 0 THEN at END
		FROM (SELECT clock_timestamp() - interval '2 seconds' AS at) a, generate_series(0, 4) n`, principal.FromContext(ctx).Key())
	require.NoError(t, err)
	started := make(chan string, 2)
	first.start = func(id uuid.UUID) error {
		started <- "the first"
		return first.Execute(t.Context(), id)
	}
	second.start = func(id uuid.UUID) error {
		started <- "the second"
		return second.ExecuteCall(t.Context(), id)
	}
	var asking sync.WaitGroup
	defer asking.Wait()
	asking.Go(func() {
		_, err := first.Test(ctx, nil, shell("x"))
		require.NoError(t, err)
	})
	asked := func() (n int) {
		row := db.Conn(ctx).QueryRow(ctx, `SELECT count(*) FROM script_tests WHERE kind = 'test' AND admitted_at IS NULL`)
		require.NoError(t, row.Scan(&n))
		return n
	}
	require.Eventually(t, func() bool { return asked() == 1 }, time.Minute, time.Millisecond)
	_, err = db.Conn(ctx).Exec(ctx, `DELETE FROM script_tests WHERE id = (SELECT id FROM script_tests WHERE status = 'running' LIMIT 1)`)
	require.NoError(t, err)
	asking.Go(func() {
		_, err := second.CallTool(ctx, script.ToolCall{JS: "quick"})
		require.NoError(t, err)
	})
	require.Equal(t, "the first", <-started)
	require.Equal(t, "the second", <-started)
}
