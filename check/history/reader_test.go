package history_test

import (
	"context"
	"errors"
	"slices"
	"testing"
	"time"

	"github.com/google/uuid"
	"github.com/stretchr/testify/require"

	"countersign/check"
	"countersign/check/health"
	"countersign/check/history"
	"countersign/internal/problem"
)

const (
	// patience is how long a test waits for what has to happen. It measures nothing.
	patience = time.Minute
	tick     = 10 * time.Millisecond
)

// chart is one of the 24 hours before noon.
func (w *world) chart(points int, targets ...int32) history.Chart {
	w.t.Helper()
	c, err := w.reader.Chart(w.t.Context(), history.ChartQuery{Targets: targets, From: at(noon - history.Day), To: at(noon), Points: points})
	require.NoError(w.t, err)
	return c
}

func TestAChartIsTheSameFromRowsBlocksAndSums(t *testing.T) {
	t.Parallel()
	w := newWorld(t)
	all := hours(1, 24, 0)
	w.put(1, all)
	w.put(2, hours(2, 24, 0))
	raw, byHour, both := w.chart(288, 1), w.chart(24, 1), w.chart(100, 1, 2)
	require.Equal(t, history.ByRun, raw.Resolution)
	require.Len(t, raw.Points, 288)
	require.Equal(t, history.ByHour, byHour.Resolution)
	require.Len(t, byHour.Points, 24)

	// What the points say, found in another way.
	for i, p := range raw.Points {
		var took []int32
		var runs, failed int64
		for _, r := range all {
			if r.Slot < p.At.UnixMilli() || r.Slot >= p.At.UnixMilli()+300_000 {
				continue
			}
			if r.Verdict != check.Skipped {
				runs++
			}
			if r.Verdict == check.Failed {
				failed++
			}
			if r.Answered() {
				took = append(took, r.TookUS)
			}
		}
		require.Equal(t, runs, p.Runs, i)
		require.Equal(t, failed, p.Failed, i)
		if len(took) == 0 {
			require.Nil(t, p.P50MS)
			continue
		}
		slices.Sort(took)
		require.InEpsilon(t, float64(took[(len(took)-1)/2])/1000, *p.P50MS, 0.008, "as exact as the figures of sums")
		require.InDelta(t, float64(took[len(took)-1])/1000, *p.MaxMS, 1e-9)
	}
	w.now = noon + 10*history.Minute
	for range 8 { // the ring is shorter than the day
		w.seal()
		w.now += history.Hour
	}
	require.Zero(t, w.count(`SELECT count(*) FROM check_results`))
	w.now = noon + 10*history.Minute
	require.Equal(t, raw, w.chart(288, 1))
	require.Equal(t, both, w.chart(100, 1, 2))
	require.Equal(t, byHour, w.chart(24, 1))
}

func TestAChartShowsChangesAndGaps(t *testing.T) {
	t.Parallel()
	w := newWorld(t)
	target := w.target(uuid.New())
	all := steady(noon-history.Day, noon)
	w.put(target, slices.Concat(all[:100], all[160:]))
	w.exec(`INSERT INTO check_gaps VALUES ($1, $2, $3, 60, 'database away')`, target, all[100].Slot, all[159].Slot)
	for i, status := range []int16{1, 2, 3, 1} {
		w.exec(`INSERT INTO check_transitions (system_id, target, at_ms, before, after, reason) VALUES ($1, $2, $3, 0, $4, 'why')`,
			uuid.New(), target, noon-2*history.Day+int64(i)*12*history.Hour, status)
	}
	c := w.chart(24, target)
	require.EqualValues(t, 20, c.Points[1].Missed)
	require.EqualValues(t, 40, c.Points[2].Missed)
	require.EqualValues(t, 40, c.Points[1].Runs)
	c = w.chart(144, target)
	var missed int64
	for i, p := range c.Points {
		missed += p.Missed
		require.EqualValues(t, 10, p.Runs+p.Missed, i)
	}
	require.EqualValues(t, 60, missed)
	require.Len(t, c.Gaps, 1)
	require.Equal(t, "database away", c.Gaps[0].Reason)
	require.Len(t, c.Transitions, 2)
	require.Equal(t, "unhealthy", c.Transitions[0].To)
	for _, bad := range []history.ChartQuery{
		{From: at(5), To: at(5), Points: 100},
		{From: at(5), To: at(50), Points: 9},
		{From: at(5), To: at(50), Points: 2001},
		{From: at(0), To: at(2000 * history.Day), Points: 10},
	} {
		_, err := w.reader.Chart(t.Context(), bad)
		_, ok := errors.AsType[*problem.Error](err)
		require.True(t, ok)
	}
}

func TestRunsArePagedNewestFirstAndFiltered(t *testing.T) {
	t.Parallel()
	w := newWorld(t)
	all := steady(noon-30*history.Hour, noon)
	fail(all, 1000, 1010)
	fail(all, 3, 5)
	w.put(1, all)
	w.now = noon - 10*history.Minute // the last hours stay rows
	for range 8 {
		w.seal()
		w.now += history.Hour
	}
	w.now = noon
	require.NotZero(t, w.count(`SELECT count(*) FROM check_blocks`))
	page, err := w.reader.Runs(t.Context(), history.RunsQuery{Target: 1, Limit: 10})
	require.NoError(t, err)
	require.Equal(t, all[len(all)-1], page.Results[0])
	// A new run does not move the next page.
	w.put(1, steady(noon, noon+1))
	next, err := w.reader.Runs(t.Context(), history.RunsQuery{Target: 1, Limit: 10, Before: page.Next})
	require.NoError(t, err)
	require.Equal(t, all[len(all)-11], next.Results[0])

	var failed []history.Result
	q := history.RunsQuery{Target: 1, Limit: 5, Verdicts: []check.Verdict{check.Failed}}
	for {
		page, err := w.reader.Runs(t.Context(), q)
		require.NoError(t, err)
		failed = append(failed, page.Results...)
		if q.Before = page.Next; page.Next == 0 {
			break
		}
	}
	slices.Reverse(failed)
	require.Equal(t, slices.Concat(all[3:5], all[1000:1010]), failed)
	none, err := w.reader.Runs(t.Context(), history.RunsQuery{Target: 1, Causes: []check.Cause{check.TimedOut}})
	require.NoError(t, err)
	require.Empty(t, none.Results)

	w.exec(`INSERT INTO check_reports VALUES (1, $1, '{"message": "no"}')`, all[3].Slot)
	run, report, err := w.reader.Run(t.Context(), 1, at(all[3].Slot))
	require.NoError(t, err)
	require.Equal(t, all[3], run)
	require.JSONEq(t, `{"message": "no"}`, string(report))
	_, report, err = w.reader.Run(t.Context(), 1, at(all[9].Slot))
	require.NoError(t, err)
	require.Nil(t, report)
	_, _, err = w.reader.Run(t.Context(), 1, at(all[9].Slot+1))
	p, ok := errors.AsType[*problem.Error](err)
	require.True(t, ok)
	require.Equal(t, problem.NotFound, p.Code)
	slots, err := w.reader.Slots(t.Context(), []int32{1, 2}, all[0].Slot, all[3].Slot)
	require.NoError(t, err)
	require.Equal(t, map[int32][]int64{1: {all[0].Slot, all[1].Slot, all[2].Slot}}, slots)
}

func TestStatsCountWhatIsKnownOnly(t *testing.T) {
	t.Parallel()
	w := newWorld(t)
	target := w.target(uuid.New())
	all := steady(noon-2*history.Day, noon)
	fail(all, 100, 130)
	for i := range 10 {
		all[200+i].Verdict, all[200+i].Cause = check.Errored, check.SecretMissing
		all[300+i].Verdict = check.Skipped
		all[400+i].Verdict, all[400+i].Cause, all[400+i].TookUS = check.Failed, check.AssertionFailed, 9000
	}
	w.put(target, all)
	w.exec(`INSERT INTO check_gaps VALUES ($1, $2, $3, 5, 'x')`, target, noon-history.Hour+1, noon-history.Hour+5)
	change := func(after health.Status, at int64) {
		w.exec(
			`INSERT INTO check_transitions (system_id, target, at_ms, before, after, reason) VALUES ($1, $2, $3, 0, $4, '')`,
			uuid.New(),
			target,
			at,
			int16(after),
		)
	}
	begin := noon - 2*history.Day
	change(health.Healthy, begin-history.Day)
	change(health.Degraded, begin+100*history.Minute)
	change(health.Unhealthy, begin+110*history.Minute)
	change(health.Healthy, begin+130*history.Minute)
	change(health.Unhealthy, begin+400*history.Minute)
	change(health.Healthy, begin+410*history.Minute)
	stats := func(from, to int64) history.Stats {
		s, err := w.reader.Stats(t.Context(), history.StatsQuery{Targets: []int32{target}, States: []int32{target}, From: at(from), To: at(to)})
		require.NoError(t, err)
		return s
	}
	verify := func() {
		s := stats(begin, noon)
		require.EqualValues(t, 2870, s.Runs)
		require.EqualValues(t, 2820, s.Passed)
		require.EqualValues(t, 40, s.Failed)
		require.EqualValues(t, 10, s.Errored)
		require.EqualValues(t, 10, s.Skipped)
		require.EqualValues(t, 5, s.Missed)
		require.InDelta(t, 1-40.0/(48*60), *s.Availability(), 1e-9, "of the time that was measured")
		require.Equal(t, []history.CauseCount{{check.Refused, 30}, {check.AssertionFailed, 10}, {check.SecretMissing, 10}}, s.Causes)
		require.InDelta(t, 2, *s.P50MS, 0.02)
		require.InDelta(t, 9, *s.MaxMS, 1e-9)
		require.InDelta(t, (2820*2.0+10*9)/2830, *s.AvgMS, 1e-9)
		require.Len(t, s.Outages, 2)
		require.Equal(t, 30*time.Minute, s.LongestOutage)
		require.Equal(t, 20*time.Minute, s.MTTR)
		require.Equal(t, 40*time.Minute, s.Down)
		require.Equal(
			t,
			map[health.Status]time.Duration{
				health.Unknown:   5 * time.Millisecond,
				health.Healthy:   48*time.Hour - 40*time.Minute - 5*time.Millisecond,
				health.Degraded:  10 * time.Minute,
				health.Unhealthy: 30 * time.Minute,
			},
			s.Status,
		)

		// A window that begins and ends in the middle of hours, and in an outage.
		s = stats(begin+105*history.Minute, begin+405*history.Minute)
		require.EqualValues(t, 300-10, s.Runs)
		require.EqualValues(t, 25+5, s.Failed)
		require.Len(t, s.Outages, 2)
		require.Equal(t, 25*time.Minute, s.MTTR)
		require.Equal(t, 30*time.Minute, s.Down)
	}
	verify()
	w.now = noon + 10*history.Minute
	for range 8 {
		w.seal()
		w.now += history.Hour
	}
	require.Zero(t, w.count(`SELECT count(*) FROM check_results`))
	verify()
	require.NoError(t, w.keeper.AddUpDays(t.Context()))
	w.now = noon + 20*history.Day // only daily sums of the past are asked for
	require.NoError(t, w.keeper.AddUpDays(t.Context()))
	s := stats(begin-100*history.Day, noon)
	require.EqualValues(t, 2870, s.Runs)
	w.exec(`INSERT INTO check_gaps VALUES ($1, $2, $3, 28801, 'takeover')`, target, noon, noon+20*history.Day)
	empty := stats(noon+history.Day, noon+2*history.Day)
	require.Nil(t, empty.Availability())
	require.Nil(t, empty.P50MS)
}

func TestABoardShowsDaysAndHours(t *testing.T) {
	t.Parallel()
	w := newWorld(t)
	good, bad, never := uuid.New(), uuid.New(), uuid.New()
	a, b, c := w.target(good), w.target(bad), w.target(bad)
	w.target(never)
	all := steady(noon-2*history.Day, noon)
	failing := slices.Clone(all)
	fail(failing, 720+100, 720+244) // of yesterday
	state := func(id uuid.UUID, status health.Status, since int64) {
		w.exec(
			`INSERT INTO check_system_states (system_id, status, since_ms) VALUES ($1, $2, $3) ON CONFLICT (system_id) DO UPDATE SET status = $2, since_ms = $3`,
			id,
			int16(status),
			since,
		)
		w.exec(`INSERT INTO check_transitions (system_id, at_ms, before, after, reason) VALUES ($1, $3, 0, $2, '')`, id, int16(status), since)
	}
	state(good, health.Healthy, noon-2*history.Day)
	state(bad, health.Healthy, noon-2*history.Day)
	state(bad, health.Unhealthy, noon-history.Day)
	state(bad, health.Degraded, noon-11*history.Hour)
	changed := func(system uuid.UUID, target int32, status health.Status, since int64) {
		w.exec(`INSERT INTO check_transitions (system_id, target, at_ms, before, after, reason) VALUES ($1, $2, $4, 0, $3, '')`,
			system, target, int16(status), since)
	}
	changed(good, a, health.Healthy, noon-2*history.Day)
	changed(bad, b, health.Healthy, noon-2*history.Day)
	changed(bad, c, health.Healthy, noon-2*history.Day)
	changed(bad, c, health.Unhealthy, failing[720+100].Slot)
	changed(bad, c, health.Healthy, failing[720+244].Slot)
	board := func() history.Board {
		got, err := w.reader.Board(t.Context(), []uuid.UUID{good, bad, never}, 3)
		require.NoError(t, err)
		return got
	}
	verify := func() {
		got := board()
		require.True(t, got.Live)
		g, b := got.Systems[good], got.Systems[bad]
		require.Len(t, g.Days, 3)
		require.Equal(t, at(noon-12*history.Hour), g.Days[2].Day)
		require.Equal(t, time.Duration(w.now-noon+12*history.Hour)*time.Millisecond, g.Days[2].Measured)
		require.InDelta(t, 1, *g.Days[2].Availability, 0)
		require.Equal(t, health.Healthy, g.Days[2].Worst)
		require.Equal(t, 24*time.Hour, g.Days[1].Measured)
		require.Equal(t, 144*time.Minute, b.Days[1].Down)
		require.InDelta(t, 0.9, *b.Days[1].Availability, 1e-12)
		require.Equal(t, health.Unhealthy, b.Days[1].Worst)
		require.Equal(t, health.Unhealthy, b.Days[2].Worst, "it was when the day began")
		require.Len(t, g.LatencyMS, 24)
		require.NotNil(t, g.LatencyMS[22])
		require.InDelta(t, 2, *g.LatencyMS[22], 1e-9)
		n := got.Systems[never]
		require.Nil(t, n.Days[2].Availability)
		require.Equal(t, health.Unknown, n.Days[2].Worst)
		require.Nil(t, n.LatencyMS[22])
	}
	for hour := range 48 {
		w.put(a, all[hour*60:hour*60+60])
		w.put(b, all[hour*60:hour*60+60])
		w.put(c, failing[hour*60:hour*60+60])
		w.now = all[hour*60].Slot + history.Hour + 10*history.Minute
		w.seal()
	}
	require.Zero(t, w.count(`SELECT count(*) FROM check_results`))
	verify()
	require.Equal(
		t,
		noon/history.Day,
		w.count(`SELECT cells_to FROM check_boards WHERE system_id = $1`, bad),
		"complete days are stored",
	)
	// Durations of this hour are counted before they are sealed, and once; by a reader that keeps what it has counted, too.
	sparing := history.NewReader(w.db, history.ReaderOptions{Now: func(context.Context) (int64, error) { return w.now, nil }, Live: time.Hour})
	kept := func(systems ...uuid.UUID) float64 {
		got, err := sparing.Board(t.Context(), systems, 3)
		require.NoError(t, err)
		hours := got.Systems[good].LatencyMS
		return *hours[len(hours)-1-int(w.now/history.Hour-noon/history.Hour)]
	}
	slow := steady(noon, noon+10*history.Minute)
	for i := range slow[5:] {
		slow[5+i].TookUS = 4000
	}
	w.put(a, slow[:5])
	require.InDelta(t, 2, kept(good), 1e-9)
	w.put(a, slow[5:])
	require.InDelta(t, 2, kept(good, bad), 1e-9, "it was counted a moment ago")
	require.InDelta(t, 3, *board().Systems[good].LatencyMS[23], 1e-9)
	w.now = noon + 70*history.Minute
	w.seal()
	require.InDelta(t, 3, *board().Systems[good].LatencyMS[22], 1e-9)
	require.InDelta(t, 3, kept(good), 1e-9, "what was counted before is sealed now")
}

func TestTheLastRunIsFoundAmongRowsAndInBlocks(t *testing.T) {
	t.Parallel()
	w := newWorld(t)
	all := steady(noon-30*history.Hour, noon)
	w.put(1, all)
	w.put(2, all[:len(all)/2])
	for w.now = noon - 20*history.Hour; w.now <= noon; w.now += history.Hour {
		w.seal()
	}
	skipped := all[len(all)-1]
	skipped.Slot, skipped.Verdict = noon, check.Skipped
	w.put(1, []history.Result{skipped})
	last, err := w.reader.Last(t.Context(), []int32{1, 2, 3})
	require.NoError(t, err)
	require.Len(t, last, 2)
	for target, want := range map[int32]history.Result{1: all[len(all)-1], 2: all[len(all)/2-1]} {
		got := last[target]
		require.Equal(t, want.Slot, got.Slot)
		require.Equal(t, want.TookUS, got.TookUS)
		require.Equal(t, want.Verdict, got.Verdict)
	}
}
