package maintenance_test

import (
	"encoding/json"
	"fmt"
	"os"
	"strconv"
	"testing"
	"time"

	"github.com/google/uuid"
	"github.com/stretchr/testify/require"

	"countersign/modules/maintenance"
)

// monthOf is how many maintenances the test of a month has; COUNTERSIGN_MONTH_MAINTENANCES sets another number.
func monthOf(t testing.TB) int {
	t.Helper()
	n, err := strconv.Atoi(os.Getenv("COUNTERSIGN_MONTH_MAINTENANCES"))
	if err != nil {
		return 60
	}
	return n
}

// A month of skipped time over the changes of the clock of three zones: every edge within two seconds, none missed, none
// twice. A fifth of the maintenances recur each day.
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
	ticks := 0
	for now := begin; ; ticks++ {
		var next *time.Time
		require.NoError(t, a.DB.Conn(t.Context()).QueryRow(t.Context(), `SELECT min(next_edge) FROM maintenances`).Scan(&next))
		if next == nil {
			break
		}
		// The chore runs once a second.
		for !now.After(*next) {
			now = next.Truncate(time.Second).Add(time.Second)
		}
		a.clock.Store(&now)
		a.tick(t)
	}
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
	t.Logf("%d maintenances, %d edges in %d runs: %d missed, %d doubled, %s at most apart", all, edges, ticks, missed, doubled, late)
	require.Zero(t, missed)
	require.Zero(t, doubled)
	require.LessOrEqual(t, late, 2*time.Second)
	require.Equal(t, all, a.Count(t, `SELECT count(*) FROM maintenances WHERE status = 'completed'`))
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
