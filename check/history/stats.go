package history

import (
	"context"
	"fmt"
	"maps"
	"slices"
	"time"

	"countersign/check"
	"countersign/check/health"
	"countersign/check/history/historydb"
	"countersign/internal/problem"
)

// Stats are the statistics of the runs in a window. Times are those of answered runs in milliseconds, nil without any.
type Stats struct {
	Runs, Passed, Failed, Errored, Skipped, Missed int64
	// Availability is passed / (passed + failed), nil when there was neither.
	Availability                      *float64
	AvgMS, P50MS, P95MS, P99MS, MaxMS *float64
	// Causes counts the runs that failed or could not be made, most frequent first.
	Causes []CauseCount
	// Outages counts the times in which a target was degraded or unhealthy. One that crosses the window's edge counts
	// with its part inside; outages of several targets count individually.
	Outages       int64
	Down          time.Duration
	LongestOutage time.Duration
	// MTTR is the mean duration of outages that ended in the window (mean time to recovery); zero without any.
	MTTR time.Duration
	// Status is the total time of the targets in each status in the window; the time before the first known status
	// counts as unknown.
	Status map[health.Status]time.Duration
}

// CauseCount is the number of runs with a cause.
type CauseCount struct {
	Cause check.Cause
	N     int64
}

// Stats computes the statistics of targets in a time range, to the hour where single runs are no longer stored.
func (r *Reader) Stats(ctx context.Context, targets []int32, since, until time.Time) (Stats, error) {
	from, to := since.UnixMilli(), until.UnixMilli()
	if from < 0 || to <= from || to-from > 1100*Day {
		return Stats{}, problem.InvalidInput("A window ends after its beginning, three years at most. Correct it.")
	}
	targets = slices.Sorted(slices.Values(targets))
	keep, now, err := r.settings(ctx)
	if err != nil {
		return Stats{}, err
	}
	to = min(to, max(now, from+1))
	sum, err := r.total(ctx, keep, targets, from, to, now)
	if err != nil {
		return Stats{}, err
	}
	s := Stats{
		Runs: sum.Runs(), Passed: sum.Passed, Failed: sum.Failed, Errored: sum.Errored, Skipped: sum.Skipped,
		Availability: sum.Availability(), Causes: []CauseCount{}, Status: map[health.Status]time.Duration{},
	}
	if sum.Answered > 0 {
		s.AvgMS, s.MaxMS = ms(sum.Average()), ms(float64(sum.TookMax))
		s.P50MS, s.P95MS, s.P99MS = ms(sum.Took.Quantile(0.5)), ms(sum.Took.Quantile(0.95)), ms(sum.Took.Quantile(0.99))
	}
	for _, cause := range slices.Sorted(maps.Keys(sum.Causes)) {
		s.Causes = append(s.Causes, CauseCount{cause, sum.Causes[cause]})
	}
	slices.SortStableFunc(s.Causes, func(a, b CauseCount) int { return int(b.N - a.N) })
	gaps, err := historydb.New(r.db.Conn(ctx)).GapsOf(ctx, historydb.GapsOfParams{Targets: targets, First: from, Before: to})
	if err != nil {
		return Stats{}, fmt.Errorf("read gaps: %w", err)
	}
	for _, g := range gaps {
		s.Missed += missed(g, from, to)
	}
	transitions, err := r.transitions(ctx, targets, from, to)
	if err != nil {
		return Stats{}, err
	}
	s.statuses(targets, transitions, from, to)
	return s, nil
}

// total sums the results at the edges of a window and the hours and days inside.
func (r *Reader) total(ctx context.Context, keep Retention, targets []int32, from, to, now int64) (*Sum, error) {
	total := &Sum{}
	into := func(int64) *Sum { return total }
	single := func(_ int32, results []Result) {
		for i := range results {
			total.Add(&results[i])
		}
	}
	first, last := (from+Hour-1)/Hour, to/Hour
	if first >= last {
		return total, r.results(ctx, targets, from, to, single)
	}
	if from < first*Hour {
		if err := r.results(ctx, targets, from, first*Hour, single); err != nil {
			return nil, err
		}
	}
	if last*Hour < to {
		if err := r.results(ctx, targets, last*Hour, to, single); err != nil {
			return nil, err
		}
	}
	// Whole days are used where hours are no longer stored, and for long windows.
	dayFrom, dayTo := (first+23)/24, min(last/24, now/Day-1)
	if dayFrom < dayTo && (first*Hour < now-int64(keep.HourlyDays)*Day || (dayTo-dayFrom)*int64(len(targets)) > 100) {
		if err := r.days(ctx, targets, dayFrom, dayTo, into); err != nil {
			return nil, err
		}
		if first < dayFrom*24 {
			if err := r.sums(ctx, targets, first, dayFrom*24, into); err != nil {
				return nil, err
			}
		}
		first = dayTo * 24
	}
	if first < last {
		return total, r.sums(ctx, targets, first, last, into)
	}
	return total, nil
}

// statuses goes through the changes of status of each target.
func (s *Stats) statuses(targets []int32, transitions []Transition, from, to int64) {
	var repaired time.Duration
	var repairs int64
	for _, target := range targets {
		status, since := health.Unknown, from
		var downSince int64 = -1
		until := func(at int64, next health.Status) {
			at = min(max(at, from), to)
			s.Status[status] += time.Duration(at-since) * time.Millisecond
			since, status = at, next
			switch isDown := next == health.Degraded || next == health.Unhealthy; {
			case isDown && downSince < 0:
				downSince = at
			case !isDown && downSince >= 0:
				s.outage(at - downSince)
				repaired += time.Duration(at-downSince) * time.Millisecond
				repairs++
				downSince = -1
			}
		}
		for _, t := range transitions {
			if t.Target == target {
				until(t.At.UnixMilli(), t.After)
			}
		}
		s.Status[status] += time.Duration(to-since) * time.Millisecond
		if downSince >= 0 {
			s.outage(to - downSince)
		}
	}
	for status, d := range s.Status {
		if d == 0 {
			delete(s.Status, status)
		}
	}
	if repairs > 0 {
		s.MTTR = repaired / time.Duration(repairs)
	}
}

func (s *Stats) outage(ms int64) {
	d := time.Duration(ms) * time.Millisecond
	if d == 0 {
		return
	}
	s.Outages++
	s.Down += d
	s.LongestOutage = max(s.LongestOutage, d)
}
