package maintenance_test

import (
	"encoding/json"
	"fmt"
	"log/slog"
	"maps"
	"os"
	"reflect"
	"slices"
	"strconv"
	"sync"
	"testing"
	"time"

	"github.com/google/uuid"
	"github.com/stretchr/testify/require"
	"go.temporal.io/sdk/activity"
	"go.temporal.io/sdk/log"
	"go.temporal.io/sdk/testsuite"
	"go.temporal.io/sdk/workflow"

	"countersign/modules/maintenance"
)

// monthOf is how many maintenances the test of a month has; COUNTERSIGN_MONTH_MAINTENANCES sets another number.
func monthOf(t testing.TB) int {
	t.Helper()
	n, err := strconv.Atoi(os.Getenv("COUNTERSIGN_MONTH_MAINTENANCES"))
	if err != nil {
		return 30
	}
	return n
}

// A month of skipped time over the changes of the clock of three zones: every edge within two seconds, none missed, none
// twice. A fifth of the maintenances recur each day. Workflows and the chore follow the clock together; in the first half
// Temporal is away for eleven days, and in the second one no process runs the chore.
func TestEveryEdgeOfAMonth(t *testing.T) {
	t.Parallel()
	a := newApp(t)
	shop := a.system(t, "Shop")
	begin := moment(t, "2026-03-05T00:00:00Z")
	// Berlin changes on 29 March, New York on 8 March, and Lord Howe, by half an hour, on 5 April.
	zones := []string{"Europe/Berlin", "America/New_York", "Australia/Lord_Howe"}
	a.clock.Store(&begin)
	want := map[uuid.UUID][]time.Time{}
	all := monthOf(t)
	for i := range all {
		zone, err := time.LoadLocation(zones[i%len(zones)])
		require.NoError(t, err)
		day := 6 + i%30
		at := func(d int) time.Time { return time.Date(2026, 3, d, 4+i%16, i%60, i%50, 0, zone) }
		if i%5 != 0 {
			one := a.plan(t, fmt.Sprint("Once ", i), shop, at(day).Format(time.RFC3339), at(day).Add(90*time.Minute).Format(time.RFC3339))
			want[one.ID] = []time.Time{at(day), at(day).Add(90 * time.Minute)}
			continue
		}
		const days = 32
		one := a.plan(t, fmt.Sprint("Daily ", i), shop, at(6).Format(time.RFC3339), at(6).Add(90*time.Minute).Format(time.RFC3339),
			object{"zone": zone.String(), "rule": fmt.Sprintf("FREQ=DAILY;COUNT=%d", days)})
		for d := range days {
			want[one.ID] = append(want[one.ID], at(6+d), at(6+d).Add(90*time.Minute))
		}
	}
	m := &month{app: a, awayFrom: begin.AddDate(0, 0, 3), awayUntil: begin.AddDate(0, 0, 14), idleFrom: begin.AddDate(0, 0, 15)}
	m.run(t, begin, want)
	got := a.edges(t)
	missed, doubled, late, edges := 0, 0, time.Duration(0), 0
	for id, expected := range want {
		edges += len(expected)
		missed += max(len(expected)-len(got[id]), 0)
		doubled += max(len(got[id])-len(expected), 0)
		for i := range min(len(expected), len(got[id])) {
			late = max(late, got[id][i].Sub(expected[i]).Abs())
		}
	}
	t.Logf("%d maintenances, %d edges, %d by the workflows, %d by the chore: %d missed, %d doubled, %s at most apart",
		all, edges, m.byWorkflows, m.byChore, missed, doubled, late)
	require.Positive(t, m.byWorkflows)
	require.Positive(t, m.byChore)
	require.Positive(t, m.slept)
	require.Zero(t, missed)
	require.Zero(t, doubled)
	require.LessOrEqual(t, late, 2*time.Second)
	require.Equal(t, all, a.Count(t, `SELECT count(*) FROM maintenances WHERE status = 'completed'`))
}

// month lets the workflows and the chore of a module live through skipped time.
type month struct {
	*app
	// Temporal is away from awayFrom to awayUntil, and the chore stops at idleFrom.
	awayFrom, awayUntil, idleFrom time.Time

	mu                          sync.Mutex
	byWorkflows, byChore, slept int
}

func (m *month) run(t testing.TB, begin time.Time, want map[uuid.UUID][]time.Time) {
	t.Helper()
	suite := &testsuite.WorkflowTestSuite{}
	suite.SetLogger(log.NewStructuredLogger(slog.New(slog.DiscardHandler)))
	env := suite.NewTestWorkflowEnvironment()
	env.SetStartTime(begin)
	env.SetTestTimeout(20 * time.Minute)
	r := m.module.Workflows()[0]
	env.RegisterWorkflowWithOptions(r.Workflow.Code, workflow.RegisterOptions{Name: r.Workflow.Name})
	env.RegisterActivityWithOptions(m.step(t, env, r.Steps[0].Code), activity.RegisterOptions{Name: r.Steps[0].Name})
	// The chore runs once a second; seconds without an edge find nothing.
	planned := map[time.Duration]bool{}
	for _, edges := range want {
		for _, edge := range edges {
			planned[edge.Sub(begin).Truncate(time.Second)+time.Second] = true
		}
	}
	for after := range planned {
		env.RegisterDelayedCallback(func() {
			if env.Now().Before(m.idleFrom) {
				m.follow(t, env, &m.byChore, func() { m.tick(t) })
			}
		}, after)
	}
	ids := slices.Collect(maps.Keys(want))
	env.ExecuteWorkflow(func(ctx workflow.Context) error {
		var running []workflow.Future
		for _, id := range ids {
			running = append(running, workflow.ExecuteChildWorkflow(ctx, r.Workflow.Name, map[string]any{"MaintenanceID": id}))
		}
		for _, one := range running {
			if err := one.Get(ctx, nil); err != nil {
				return err
			}
		}
		return nil
	})
	require.NoError(t, env.GetWorkflowError())
}

// step is the step of the workflows. While Temporal is away it does nothing and lets the workflow sleep until the end of that, as
// timers that are due then all fire.
func (m *month) step(t testing.TB, env *testsuite.TestWorkflowEnvironment, code any) any {
	t.Helper()
	return reflect.MakeFunc(reflect.TypeOf(code), func(in []reflect.Value) (out []reflect.Value) {
		if now := env.Now(); now.After(m.awayFrom) && now.Before(m.awayUntil) {
			m.mu.Lock()
			defer m.mu.Unlock()
			m.slept++
			asleep := reflect.New(reflect.TypeOf(code).Out(0)).Elem()
			asleep.FieldByName("Wait").SetInt(int64(m.awayUntil.Sub(now)))
			return []reflect.Value{asleep, reflect.Zero(reflect.TypeOf(code).Out(1))}
		}
		m.follow(t, env, &m.byWorkflows, func() { out = reflect.ValueOf(code).Call(in) })
		return out
	}).Interface()
}

// follow does something at the time of an environment, and counts the edges that it brings.
func (m *month) follow(t testing.TB, env *testsuite.TestWorkflowEnvironment, edges *int, do func()) {
	t.Helper()
	m.mu.Lock()
	defer m.mu.Unlock()
	count := func() int {
		var n int
		err := m.DB.Conn(t.Context()).QueryRow(t.Context(), `SELECT count(*) FROM events`).Scan(&n)
		require.NoError(t, err)
		return n
	}
	now := env.Now()
	m.clock.Store(&now)
	before := count()
	do()
	*edges += count() - before
}

// edges are the moments of the starts and ends of maintenances by their events, in order.
func (a *app) edges(t testing.TB) map[uuid.UUID][]time.Time {
	t.Helper()
	rows, err := a.DB.Conn(t.Context()).Query(t.Context(),
		`SELECT payload FROM events WHERE type IN ('maintenance.started', 'maintenance.ended') ORDER BY id`)
	require.NoError(t, err)
	defer rows.Close()
	edges := map[uuid.UUID][]time.Time{}
	for rows.Next() {
		var raw []byte
		var p maintenance.Payload
		require.NoError(t, rows.Scan(&raw))
		require.NoError(t, json.Unmarshal(raw, &p))
		edges[p.MaintenanceID] = append(edges[p.MaintenanceID], p.At)
	}
	require.NoError(t, rows.Err())
	return edges
}
