package history

import (
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"countersign/check/health"
)

// A nightly job counts by nights: one that was missed is one of those that were due, however long it stayed silent afterwards.
func TestJobsCountDueTimes(t *testing.T) {
	t.Parallel()
	day := func(n int) int64 { return time.Date(2026, 3, 1+n, 0, 0, 0, 0, time.UTC).UnixMilli() }
	at := func(n, minutes int) int64 { return day(n) + int64(minutes)*Minute }
	nightly := newJob("30 2 * * *", "UTC", 600)
	require.NotNil(t, nightly)
	// The grace ends at 02:40, and the run of 02:41 finds the job missing.
	line := func(j *job, changes ...change) *timeline {
		return &timeline{target: 1, made: day(-9), interval: 5 * Minute, phase: Minute, unwatched: 1 << 62, job: j, transitions: changes}
	}
	down := func(n, from, to int) []change {
		return []change{
			{at: at(n, from+15), began: at(n, from), after: health.Unhealthy}, {at: at(n, to), began: at(n, to), after: health.Healthy},
		}
	}
	well := change{at: day(-8), after: health.Healthy}
	paused := []change{{at: at(4, 60), after: health.Unknown, idle: true}, {at: at(5, 60), after: health.Healthy}}
	for name, c := range map[string]struct {
		line        *timeline
		due, missed int64
	}{
		"all in time":                         {line(nightly, well), 10, 0},
		"a night, mended in the morning":      {line(nightly, append([]change{well}, down(3, 161, 540)...)...), 10, 1},
		"a night, mended within the next one": {line(nightly, append([]change{well}, down(3, 161, 1440+151)...)...), 10, 1},
		"two nights":                          {line(nightly, append([]change{well}, down(3, 161, 2*1440)...)...), 10, 2},
		"down in between, in time each night": {line(nightly, append([]change{well}, down(3, 600, 900)...)...), 10, 0},
		"a pause over a night":                {line(nightly, append([]change{well}, paused...)...), 9, 0},
		"nothing known before a call":         {line(nightly, change{at: at(4, 0), after: health.Healthy}), 6, 0},
		"weekdays":                            {line(newJob("30 2 * * 1-5", "UTC", 600), append([]change{well}, down(5, 161, 2*1440+1200)...)...), 7, 1},
	} {
		list := c.line.intervals(day(0), day(10))
		both := targetIntervals{target: 1, active: true, job: true, intervals: list, due: c.line.dueTimes(list, day(0), day(10))}
		whole := combined([]targetIntervals{both}, day(0), day(10))
		a := account(whole)
		require.Equal(t, c.due, a.Due, name)
		require.Equal(t, c.missed, a.MissedDue, name)
		require.InDelta(t, 1-float64(c.missed)/float64(c.due), *a.Availability(), 1e-12, name)
		// Days of a board add up to the same.
		var due, missed int64
		for n := range 10 {
			one := account(whole.cut(day(n), day(n+1)))
			due, missed = due+one.Due, missed+one.MissedDue
		}
		require.Equal(t, []int64{c.due, c.missed}, []int64{due, missed}, name)

		// Beside a check that is measured by time, time counts; a paused one counts for nothing.
		other := targetIntervals{target: 2, active: true, intervals: line(nil, well).intervals(day(0), day(10))}
		require.False(t, account(combined([]targetIntervals{both, other}, day(0), day(10))).Jobs)
		other.active = false
		require.True(t, account(combined([]targetIntervals{both, other}, day(0), day(10))).Jobs)
	}
	for _, cron := range []string{"*/5 * * * *", "* 9-17 * * *", "no cron", ""} {
		require.Nil(t, newJob(cron, "UTC", 60), cron)
	}
	require.NotNil(t, newJob("*/30 * * * *", "Europe/Berlin", 60))
	require.Nil(t, newJob("30 2 * * *", "Europe/Nowhere", 60))
}
