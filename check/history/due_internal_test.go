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
	nightly := newJob(0, "30 2 * * *", "UTC", 600)
	require.True(t, nightly.counts)
	// The grace ends at 02:40, and the run of 02:41 finds the job missing.
	line := func(j job, changes ...change) *timeline {
		return &timeline{target: 1, made: day(-9), interval: 5 * Minute, phase: Minute, unwatched: 1 << 62, jobs: []job{j}, transitions: changes}
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
		"weekdays":                            {line(newJob(0, "30 2 * * 1-5", "UTC", 600), append([]change{well}, down(5, 161, 2*1440+1200)...)...), 7, 1},
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
		other := targetIntervals{target: 2, active: true, intervals: line(job{}, well).intervals(day(0), day(10))}
		require.False(t, account(combined([]targetIntervals{both, other}, day(0), day(10))).Jobs)
		other.active = false
		require.True(t, account(combined([]targetIntervals{both, other}, day(0), day(10))).Jobs)
	}
	for _, cron := range []string{"*/5 * * * *", "* 9-17 * * *", "no cron", ""} {
		require.False(t, newJob(0, cron, "UTC", 60).counts, cron)
	}
	require.True(t, newJob(0, "*/30 * * * *", "Europe/Berlin", 60).counts)
	require.False(t, newJob(0, "30 2 * * *", "Europe/Nowhere", 60).counts)
}

// Each due time is judged by the schedule that was in force, also after it was changed.
func TestDueTimesAreThoseOfTheScheduleInForce(t *testing.T) {
	t.Parallel()
	day := func(n int) int64 { return time.Date(2026, 3, 1+n, 0, 0, 0, 0, time.UTC).UnixMilli() }
	at := func(n, hour int) int64 { return day(n) + int64(hour)*Hour }
	line := func(jobs ...job) *timeline {
		return &timeline{target: 1, made: day(-9), interval: 5 * Minute, unwatched: 1 << 62, jobs: jobs, transitions: []change{
			{at: day(-8), after: health.Healthy}, {at: at(2, 3), began: at(2, 3), after: health.Unhealthy}, {at: at(2, 9), after: health.Healthy},
		}}
	}
	night, noon := newJob(0, "0 2 * * *", "UTC", 3600), newJob(at(6, 10), "0 12 * * *", "UTC", 3600)
	for name, c := range map[string]struct {
		jobs        []job
		due, missed int64
	}{
		"one schedule":             {[]job{night}, 10, 1},
		"nights, then noons":       {[]job{night, noon}, 11, 1},
		"changed within the grace": {[]job{night, newJob(at(6, 2)+Minute, "0 12 * * *", "UTC", 3600)}, 10, 1},
		"none, then noons":         {[]job{newJob(0, "", "", 0), noon}, 4, 0},
		"nights, then none":        {[]job{night, newJob(at(6, 10), "", "", 0)}, 7, 1},
		"too often, then noons":    {[]job{newJob(0, "* * * * *", "UTC", 0), noon}, 4, 0},
	} {
		l := line(c.jobs...)
		list := l.intervals(day(0), day(10))
		var missed int64
		due := l.dueTimes(list, day(0), day(10))
		for _, d := range due {
			if d.missed {
				missed++
			}
		}
		require.Equal(t, []int64{c.due, c.missed}, []int64{int64(len(due)), missed}, name)
		require.Equal(t, name != "nights, then none", l.isJob(), name)
	}
}

// A job that is not due yet counts for nothing in its system, and hides nothing of the other checks. Once it is due, it does.
func TestATimeOfWaitingCountsForNothing(t *testing.T) {
	t.Parallel()
	monthly := newJob(0, "0 2 15 * *", "UTC", 3600)
	day := func(n int) int64 { return time.Date(2026, 3, n, 0, 0, 0, 0, time.UTC).UnixMilli() }
	job := func(changes ...change) *timeline {
		return &timeline{target: 1, made: day(5), interval: 5 * Minute, unwatched: 1 << 62, jobs: []job{monthly}, transitions: changes}
	}
	other := &timeline{
		target:      2,
		made:        day(1),
		interval:    Minute,
		unwatched:   1 << 62,
		transitions: []change{{at: day(1), after: health.Healthy}},
	}
	slow := &timeline{target: 1, made: day(5), interval: Day, phase: 12 * Hour, unwatched: 1 << 62}
	patient := &timeline{target: 1, made: day(5), interval: 5 * Minute, firstTimeout: 2 * Day, unwatched: 1 << 62}
	again := job(
		change{at: day(15) + 3*Hour, began: day(15) + 3*Hour, after: health.Unhealthy},
		change{at: day(16), idle: true}, change{at: day(17)},
	)
	changed := job(change{at: day(6), after: health.Healthy}, change{at: day(10) + Hour, began: day(10)})
	changed.jobs = append(changed.jobs, newJob(day(10), "0 2 20 * *", "UTC", 3600))
	for name, c := range map[string]struct {
		line           *timeline
		measured, down time.Duration
	}{
		"a job that never calls in":             {job(), 14*24*time.Hour + 3*time.Hour + 5*time.Minute, 0},
		"one that is missed and stays so":       {job(change{at: day(15) + 3*Hour, after: health.Unhealthy}), 30 * 24 * time.Hour, 15*24*time.Hour + 21*time.Hour},
		"one that calls in before":              {job(change{at: day(7), after: health.Healthy}), 30 * 24 * time.Hour, 0},
		"one that is missed, paused, resumed":   {again, 30 * 24 * time.Hour, 21 * time.Hour},
		"one whose schedule changes":            {changed, 19*24*time.Hour + 3*time.Hour + 5*time.Minute, 0},
		"a job each two days":                   {patient, 6 * 24 * time.Hour, 0},
		"a check once a day that is never made": {slow, 4*24*time.Hour + 12*time.Hour, 0},
	} {
		lists := [][]Interval{c.line.intervals(day(1), day(31)), other.intervals(day(1), day(31))}
		a := account(record{intervals: combine(lists, day(1), day(31))})
		require.Equal(t, []time.Duration{c.measured, c.down}, []time.Duration{a.Measured, a.Down}, name)
		for i := 1; i < len(lists[0]); i++ {
			require.Equal(t, lists[0][i-1].To, lists[0][i].From, name)
		}
		for _, i := range lists[0] {
			require.False(t, i.Idle && i.Status != health.Unknown, name)
		}
	}
}
