package engine_test

import (
	"context"
	"strings"
	"sync/atomic"
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"countersign/check"
	"countersign/check/engine"
	"countersign/check/health"
)

func TestSlotsAreRunOnTimeAndWritten(t *testing.T) {
	t.Parallel()
	w := newWorld(t, 2)
	w.targets(20, 500*time.Millisecond)
	r := &runner{}
	p := w.start(engine.Options{Runner: r})
	p.hold(0, 1)
	w.results(100)
	p.leave()
	results, _ := w.accounted()
	require.GreaterOrEqual(t, results, 100)
	require.Zero(t, r.twice())
	require.Zero(
		t,
		one[int](w, `SELECT count(*) FROM check_results r JOIN check_targets t ON t.id = r.target WHERE (slot - phase_ms) % interval_ms <> 0`),
	)
	require.Zero(t, one[int](w, `SELECT count(*) FROM check_results WHERE late_ms < 0`), "nothing begins before its slot")
	require.Equal(t, 20, one[int](w, `SELECT count(*) FROM check_states WHERE status = 1`))
}

func TestTheNextHolderGoesOnWhereTheOneBeforeStopped(t *testing.T) {
	t.Parallel()
	w := newWorld(t, 1)
	w.targets(50, 200*time.Millisecond)
	r := &runner{}
	first := w.start(engine.Options{Runner: r})
	first.hold(0)
	w.results(200)
	gaps := one[int](w, `SELECT count(*) FROM check_gaps`)
	first.leave()
	second := w.start(engine.Options{Runner: r})
	second.hold(0)
	w.results(one[int](w, `SELECT count(*) FROM check_results`) + 300)
	second.leave()
	w.accounted()
	require.Zero(t, r.twice())
	require.Equal(t, gaps, one[int](w, `SELECT count(*) FROM check_gaps`), "a shard that is handed over misses nothing")
}

// A process that was too slow to end in time does not wait for what nobody does any more.
func TestAShardIsLetGoAfterTheEngineHasEnded(t *testing.T) {
	t.Parallel()
	w := newWorld(t, 1)
	w.targets(5, 200*time.Millisecond)
	p := w.start(engine.Options{})
	p.hold(0)
	w.results(5)
	p.cancel()
	p.ended.Wait()
	began := time.Now()
	p.leave()
	require.ErrorIs(t, <-p.errs, engine.ErrStopped)
	require.Less(t, time.Since(began), 8*time.Second, "a commit is waited for ten seconds")
}

func TestAProcessThatLostItsShardWritesNothing(t *testing.T) {
	t.Parallel()
	w := newWorld(t, 1)
	w.targets(50, 200*time.Millisecond)
	r := &runner{}
	first, second := w.start(engine.Options{Runner: r}), w.start(engine.Options{Runner: r})
	first.hold(0)
	w.results(200)
	second.hold(0) // takes it while the first one runs
	require.ErrorIs(t, <-first.errs, engine.ErrLost)
	w.results(one[int](w, `SELECT count(*) FROM check_results`) + 300)
	second.leave()
	w.accounted()
	require.Zero(t, r.twice(), "each slot belongs to one claim")
}

// Each holder claims three seconds after what was claimed before. One that has held a shard for a moment hands back no slot before
// its own.
func TestAShardThatIsTakenAgainAndAgainRunsNoSlotTwice(t *testing.T) {
	t.Parallel()
	w := newWorld(t, 1)
	w.targets(50, 200*time.Millisecond)
	r := &runner{}
	first := w.start(engine.Options{Runner: r})
	first.hold(0)
	w.results(100)
	second, third := w.start(engine.Options{Runner: r}), w.start(engine.Options{Runner: r})
	second.hold(0)
	require.ErrorIs(t, <-first.errs, engine.ErrLost)
	second.leave()
	third.hold(0)
	w.results(one[int](w, `SELECT count(*) FROM check_results`) + 300)
	third.leave()
	w.accounted()
	require.Zero(t, r.twice())
}

func TestAHangingTargetDelaysNoOther(t *testing.T) {
	t.Parallel()
	w := newWorld(t, 1)
	w.targets(40, 250*time.Millisecond)
	hangs := one[int32](w, `SELECT min(id) FROM check_targets`)
	r := &runner{timeout: time.Second}
	var others, idle atomic.Int64
	r.run = func(ctx context.Context, target int32, _ time.Time) check.Outcome {
		if target != hangs {
			others.Add(1)
			return passed()
		}
		before := others.Load()
		select {
		case <-ctx.Done():
		case <-time.After(time.Second):
		}
		if others.Load() == before {
			idle.Add(1)
		}
		return check.Outcome{Verdict: check.Failed, Cause: check.TimedOut, Took: time.Second, Report: report("It took more than 1 s.")}
	}
	p := w.start(engine.Options{Runner: r})
	p.hold(0)
	eventually(t, "it timed out, and the slots that its runs covered with them", func() bool {
		return one[int](w, `SELECT count(*) FROM check_results WHERE target = $1 AND verdict = 1 AND took_us > 0`, hangs) >= 2 &&
			one[int](w, `SELECT count(*) FROM check_results WHERE target = $1 AND verdict = 1 AND took_us = 0`, hangs) >= 4
	})
	p.leave()
	w.accounted()
	require.Zero(t, one[int](w, `SELECT count(*) FROM check_results WHERE target = $1 AND verdict <> 1`, hangs))
	require.Equal(t, one[int](w, `SELECT count(*) FROM check_results WHERE target = $1`, hangs),
		one[int](w, `SELECT count(*) FROM check_reports WHERE target = $1`, hangs), "each slot says why")
	// It is degraded with the second slot, and was so since the first.
	require.EqualValues(
		t,
		250,
		one[int64](w, `SELECT at_ms - began_ms FROM check_transitions WHERE target = $1 ORDER BY at_ms LIMIT 1`, hangs),
	)
	// A machine that is busy otherwise may skip slots of others, too; none of them fails, and they run while one hangs.
	require.Zero(t, one[int](w, `SELECT count(*) FROM check_results WHERE target <> $1 AND verdict NOT IN (0, 3)`, hangs))
	require.Zero(t, idle.Load(), "times in which nothing ran beside the hanging target")
}

func TestStatusesTransitionsAndEventsFollowTheRuns(t *testing.T) {
	t.Parallel()
	w := newWorld(t, 1)
	w.targets(2, 100*time.Millisecond)
	var broken atomic.Int32
	r := &runner{run: func(_ context.Context, target int32, _ time.Time) check.Outcome {
		if broken.Load() == target {
			return failed("Could not connect to localhost:1: the connection was refused.")
		}
		return passed()
	}}
	p := w.start(engine.Options{Runner: r})
	p.hold(0)
	status := func() int {
		return one[int](w, `SELECT coalesce(max(status), 0) FROM check_system_states WHERE system_id = $1`, w.system)
	}
	eventually(t, "the system is healthy", func() bool { return status() == 1 })
	target := one[int32](w, `SELECT min(id) FROM check_targets`)
	broken.Store(target)
	eventually(t, "the system is unhealthy", func() bool { return status() == 3 })
	require.Contains(t, one[string](w, `SELECT reason FROM check_system_states`), "the connection was refused")
	require.Equal(t, target, one[int32](w, `SELECT target FROM check_system_states`))
	broken.Store(0)
	eventually(t, "the system is healthy again", func() bool { return status() == 1 })
	p.leave()
	require.Equal(t, []int16{1, 2, 3, 1}, column[int16](w, `SELECT after FROM check_transitions WHERE target = $1 ORDER BY id`, target))
	// Until both targets have run the system is unknown, and partly unknown in between if they are flushed apart.
	require.Equal(
		t,
		[]int16{1, 2, 3},
		column[int16](w, `SELECT before FROM check_transitions WHERE target IS NULL AND before NOT IN (0, 4) ORDER BY id`),
	)
	require.Equal(t, []string{
		health.EventDegraded,
		health.EventChanged,
		health.EventDegraded,
		health.EventChanged,
		health.EventHealthy,
		health.EventChanged,
	}, column[string](w, `SELECT type FROM events WHERE payload->>'before' NOT IN ('unknown', 'partly-unknown') ORDER BY id`))
	require.Zero(
		t,
		one[int](
			w,
			`SELECT count(*) FROM check_results r WHERE verdict = 1 AND NOT EXISTS (SELECT FROM check_reports p WHERE p.target = r.target AND p.slot = r.slot)`,
		),
		"each run that failed has its report",
	)
	require.Less(t, one[int](w, `SELECT count(*) FROM check_reports p JOIN check_results r USING (target, slot) WHERE verdict = 0`), 8)
}

func TestTheReportOfARunThatPassedOnARetryIsKept(t *testing.T) {
	t.Parallel()
	w := newWorld(t, 1)
	w.targets(1, 100*time.Millisecond)
	p := w.start(engine.Options{Runner: &runner{run: func(context.Context, int32, time.Time) check.Outcome {
		o := passed()
		o.Retried, o.Cause, o.Report = true, check.Refused, report("Passed on the second try. The first try failed: It was away.")
		return o
	}}})
	p.hold(0)
	eventually(t, "runs are stored", func() bool { return one[int](w, `SELECT count(*) FROM check_results`) > 3 })
	p.leave()
	require.Zero(t, one[int](w, `SELECT count(*) FROM check_results r WHERE NOT EXISTS (
		SELECT FROM check_reports p WHERE p.target = r.target AND p.slot = r.slot AND p.report::text LIKE '%It was away.%')`))
	require.Equal(t, []int16{0}, column[int16](w, `SELECT DISTINCT verdict FROM check_results`))
	require.Equal(t, []int16{int16(check.Refused)}, column[int16](w, `SELECT DISTINCT cause FROM check_results`))
	require.Equal(t, 1, one[int](w, `SELECT max(status) FROM check_system_states`), "it is healthy")
}

// A system is not green while one of its checks cannot be made: it has a status of its own at once, an event says so once it
// lasts, and a system in trouble is announced as healthy only when all is known again.
func TestASystemIsPartlyUnknownWhileACheckCannotBeMade(t *testing.T) {
	t.Parallel()
	w := newWorld(t, 1)
	w.targets(2, 100*time.Millisecond)
	impossible := one[int32](w, `SELECT max(id) FROM check_targets`)
	var mode atomic.Value // what a run of the impossible target, and of the other one, is
	mode.Store([2]check.Verdict{check.Errored, check.Passed})
	r := &runner{run: func(_ context.Context, target int32, _ time.Time) check.Outcome {
		at := 1
		if target == impossible {
			at = 0
		}
		switch mode.Load().([2]check.Verdict)[at] {
		case check.Errored:
			return check.Outcome{Verdict: check.Errored, Cause: check.NotRunnable, Report: report("The secret PAGE is not there.")}
		case check.Failed:
			return failed("It was refused.")
		default:
			return passed()
		}
	}}
	p := w.start(engine.Options{Runner: r})
	p.hold(0)
	settled := func(what string, status int, reason string) {
		t.Helper()
		eventually(t, what, func() bool {
			return one[int](w, `SELECT count(*) FROM check_system_states WHERE status = $1 AND reason LIKE '%' || $2 || '%'`, status, reason) == 1
		})
	}
	settled("one of two is unknown", int(health.PartlyUnknown), "3 runs in a row could not be made: The secret PAGE is not there.")
	reason := one[string](w, `SELECT reason FROM check_system_states`)
	require.True(t, strings.HasPrefix(reason, "Healthy, 1 of 2 unknown, API"), reason)
	require.Equal(t, impossible, one[int32](w, `SELECT target FROM check_system_states`))
	events := func(kind string) []string {
		return column[string](w, `SELECT payload->>'reason' FROM events WHERE type = $1 ORDER BY id`, kind)
	}
	eventually(t, "the event", func() bool { return len(events(health.EventCheckUnknown)) == 1 })
	require.Contains(t, events(health.EventCheckUnknown)[0], "is unknown: 3 runs in a row could not be made: The secret PAGE is not there.")

	mode.Store([2]check.Verdict{check.Errored, check.Failed})
	settled("the other one is unhealthy", int(health.Unhealthy), "It was refused")
	mode.Store([2]check.Verdict{check.Errored, check.Passed})
	settled("nothing is known of one again", int(health.PartlyUnknown), "The secret PAGE is not there.")
	require.Empty(t, events(health.EventHealthy), "it is not known to be healthy")
	mode.Store([2]check.Verdict{check.Passed, check.Passed})
	settled("all is known", int(health.Healthy), "All of its checks are healthy.")
	mode.Store([2]check.Verdict{check.Errored, check.Passed})
	settled("it cannot be made again", int(health.PartlyUnknown), "3 runs in a row could not be made")
	p.leave()
	require.Len(t, events(health.EventHealthy), 1)
	require.Len(t, events(health.EventCheckUnknown), 2, "once for each streak")
	require.Empty(t, column[int16](w, `SELECT after FROM check_transitions WHERE target IS NOT NULL AND after = 4`))
}

// column is one column of all rows.
func column[T any](w *world, sql string, args ...any) (values []T) {
	w.t.Helper()
	rows, err := w.db.Conn(w.t.Context()).Query(w.t.Context(), sql, args...)
	require.NoError(w.t, err)
	defer rows.Close()
	for rows.Next() {
		var v T
		require.NoError(w.t, rows.Scan(&v))
		values = append(values, v)
	}
	require.NoError(w.t, rows.Err())
	return values
}

func TestChangesOfTargetsAreNoticedWhileTheyAreHeld(t *testing.T) {
	t.Parallel()
	w := newWorld(t, 1)
	w.targets(1, 200*time.Millisecond)
	p := w.start(engine.Options{})
	p.hold(0)
	w.results(5)
	first := one[int32](w, `SELECT min(id) FROM check_targets`)
	w.targets(1, 100*time.Millisecond) // another, for the same check in another environment
	count := func(target int32) int {
		return one[int](w, `SELECT count(*) FROM check_results WHERE target = $1`, target)
	}
	eventually(t, "the new one runs", func() bool { return count(first+1) > 5 })
	w.exec(`UPDATE check_targets SET active = false WHERE id = $1`, first+1)
	settles(t, "it has stopped", 600*time.Millisecond, func() int { return count(first + 1) })
	w.exec(`UPDATE check_targets SET interval_ms = 50, phase_ms = 10 WHERE id = $1`, first)
	w.exec(`UPDATE check_targets SET active = true WHERE id = $1`, first+1)
	eventually(t, "the first runs by its new interval", func() bool {
		return one[int](w, `SELECT count(*) FROM check_results WHERE target = $1 AND slot % 50 = 10`, first) > 20
	})
	resumed := count(first + 1)
	eventually(t, "the second goes on", func() bool { return count(first+1) > resumed+5 })
	p.leave()
	w.accounted()
}
