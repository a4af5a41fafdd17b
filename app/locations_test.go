package app_test

import (
	"fmt"
	"net"
	"net/http"
	"net/http/httptest"
	"os"
	"path/filepath"
	"strings"
	"sync/atomic"
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"countersign/app/apptest"
	"countersign/modules/healthcheck"
)

// socketOf is the inode of the local socket that is connected from an address, as Linux lists it.
func socketOf(address string) string {
	_, port, _ := net.SplitHostPort(address)
	var n int
	_, _ = fmt.Sscan(port, &n)
	for _, table := range []string{"/proc/net/tcp", "/proc/net/tcp6"} {
		content, _ := os.ReadFile(table)
		for line := range strings.Lines(string(content)) {
			fields := strings.Fields(line)
			if len(fields) > 9 && strings.HasSuffix(fields[1], fmt.Sprintf(":%04X", n)) {
				return fields[9]
			}
		}
	}
	return ""
}

// owns reports whether a process has the other end of a connection.
func owns(pid int, address string) bool {
	want := "socket:[" + socketOf(address) + "]"
	files, _ := filepath.Glob(fmt.Sprintf("/proc/%d/fd/*", pid))
	for _, file := range files {
		if to, err := os.Readlink(file); err == nil && to == want {
			return true
		}
	}
	return false
}

// One server and two probes, which are processes of their own. The target answers by the process that asks.
func TestProbesCheckFromTheirLocations(t *testing.T) {
	t.Parallel()
	env := map[string]string{"COUNTERSIGN_CHECK_EGRESS_ALLOW": "127.0.0.0/8"}
	p := apptest.Start(t, apptest.Options{Env: env})
	probe := func(location string) *apptest.Process {
		return p.Spawn(t, "probe", map[string]string{
			"COUNTERSIGN_CHECK_EGRESS_ALLOW": "127.0.0.0/8", "COUNTERSIGN_PROBE_LOCATION": location, "COUNTERSIGN_PROBE_LABELS": "cloud=ours",
			"TEMPORAL_ADDRESS": "127.0.0.1:1",
		})
	}
	frankfurt, oregon := probe("Frankfurt"), probe("Oregon")
	var refused atomic.Int64 // the process that the target refuses
	target := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		if pid := refused.Load(); pid != 0 && owns(int(pid), r.RemoteAddr) {
			w.WriteHeader(http.StatusServiceUnavailable)
		}
	}))
	t.Cleanup(target.Close)

	var locations struct{ Locations []healthcheck.Location }
	apptest.Eventually(t, "both locations are alive", func() bool {
		p.Admin.Get(t, "/api/healthcheck/locations", &locations)
		return len(locations.Locations) == 3 && locations.Locations[1].Alive && locations.Locations[2].Alive
	})
	require.Equal(t, map[string]string{"cloud": "ours"}, locations.Locations[2].Labels)
	system := newSystem(t, p.Admin, "Shop")
	var check healthcheck.Check
	p.Admin.Post(t, "/api/healthcheck/checks", map[string]any{
		"name": "Home page", "strategyId": "healthcheck-http.http", "config": map[string]any{}, "intervalSeconds": 1, "assignToSystemId": system,
		"locations": []string{"main", "Frankfurt", "Oregon"}, "locationRule": "any",
		"collectors": []any{map[string]any{
			"collectorId": "healthcheck-http.request", "config": map[string]any{"url": target.URL},
			"assertions": []any{map[string]any{"field": "statusCode", "operator": "equals", "value": 200}},
		}},
	}, &check)
	read := func() healthcheck.TargetStatus {
		var status healthcheck.SystemStatus
		p.Admin.Get(t, "/api/healthcheck/systems/"+system.String(), &status)
		require.Len(t, status.Targets, 1)
		return status.Targets[0]
	}
	becomes := func(status healthcheck.Status, reason string) healthcheck.TargetStatus {
		t.Helper()
		var now healthcheck.TargetStatus
		apptest.Eventually(t, "it is "+string(status)+": "+reason, func() bool {
			now = read()
			return now.Status == status && strings.HasPrefix(now.Reason, reason)
		})
		return now
	}
	becomes(healthcheck.Healthy, "Healthy from 3 of 3")

	// The target refuses one of them.
	refused.Store(int64(oregon.Pid))
	now := becomes(healthcheck.Unhealthy, "Down from 1 of 3: Oregon: 5 runs in a row failed: Expected statusCode = 200, got 503")
	require.Equal(t, []healthcheck.Status{healthcheck.Healthy, healthcheck.Healthy, healthcheck.Unhealthy},
		[]healthcheck.Status{now.Locations[0].Status, now.Locations[1].Status, now.Locations[2].Status})
	var runs struct{ Runs []healthcheck.Run }
	p.Admin.Get(t, fmt.Sprintf("/api/healthcheck/targets/%d/runs?verdict=failed", now.Locations[2].ID), &runs)
	require.NotEmpty(t, runs.Runs)
	p.Admin.Get(t, fmt.Sprintf("/api/healthcheck/targets/%d/runs?verdict=failed", now.Locations[1].ID), &runs)
	for _, run := range runs.Runs {
		require.Equal(t, "timed-out", run.Cause, "only a busy machine fails one of these")
	}
	measured := scrape(t, p.Admin)
	for place, down := range map[string]float64{"": 1, "Frankfurt": 0, "Oregon": 1} {
		require.InDelta(t, down, measured.value(t, "countersign_check_status", `location="`+place+`"`, `status="unhealthy"`), 0)
	}
	require.InDelta(t, 1, measured.value(t, "countersign_check_up", `location="Frankfurt"`), 0)
	require.InDelta(t, 0, measured.value(t, "countersign_check_up", `location="Oregon"`), 0)
	require.Empty(t, measured.series("countersign_check_up", `location=""`), "it has runs from locations alone")

	// It is killed: nothing is known from there, and that no longer counts.
	killed := time.Now()
	oregon.Kill()
	refused.Store(0)
	now = becomes(healthcheck.Unknown, "Unknown from 1 of 3: Oregon: No probe is running in Oregon")
	took := time.Since(killed)
	t.Logf("unknown from there after %s", took.Round(100*time.Millisecond))
	require.Less(t, took, time.Minute)
	require.Equal(t, healthcheck.Healthy, now.Locations[1].Status)
	p.Admin.Get(t, "/api/healthcheck/locations", &locations)
	require.False(t, locations.Locations[2].Alive)
	require.True(t, locations.Locations[1].Alive)

	// It comes back; one that is stopped as a deployment does it leaves no trace.
	probe("Oregon")
	becomes(healthcheck.Healthy, "Healthy from 3 of 3")
	require.NoError(t, frankfurt.Stop())
	probe("Frankfurt")
	slots := func() (wrong int) {
		require.NoError(t, p.DB.Conn(t.Context()).QueryRow(t.Context(), `
			WITH slots AS (
				SELECT s.id, g.slot FROM check_schedule s JOIN check_claims h ON h.shard = s.shard, generate_series(
					s.phase_ms + (s.since_ms - s.phase_ms + s.interval_ms - 1) / s.interval_ms * s.interval_ms::bigint, h.settled_to - 1,
					s.interval_ms) g(slot)
				WHERE s.runs
			)
			SELECT count(*) FROM slots WHERE 1 <> (SELECT count(*) FROM check_results r WHERE r.target = id AND r.slot = slots.slot)
				+ (SELECT count(*) FROM check_gaps g WHERE g.target = id AND slots.slot BETWEEN g.from_slot AND g.to_slot)`).Scan(&wrong))
		return wrong
	}
	since := p.Count(t, `SELECT (extract(epoch FROM clock_timestamp()))::integer`)
	apptest.Eventually(t, "all shards are settled beyond the stops", func() bool {
		return p.Count(t, `SELECT count(*) FROM check_schedule s JOIN check_claims h ON h.shard = s.shard
			WHERE s.runs AND h.settled_to / 1000 <= $1`, since) == 0
	})
	require.Zero(t, slots(), "each slot has one result or lies in one gap")
	require.Equal(t, 3, p.Count(t, `SELECT count(DISTINCT target) FROM check_results`))
}
