package history

import (
	"context"
	"fmt"
	"maps"
	"slices"
	"time"

	"countersign/check"
	"countersign/check/history/historydb"
	"countersign/internal/problem"
)

// Stats are the statistics of the runs in a window. Times are those of answered runs in milliseconds, nil without any.
type Stats struct {
	Runs, Passed, Failed, Errored, Skipped, Missed int64
	// Account has the availability and the outages, of the states of all targets taken together.
	Account
	AvgMS, P50MS, P95MS, P99MS, MaxMS *float64
	// Causes counts the runs that failed or could not be made, most frequent first.
	Causes        []CauseCount
	LongestOutage time.Duration
	// MTTR is the mean downtime of outages that ended healthy in the window (mean time to recovery); zero without any.
	MTTR time.Duration
}

// CauseCount is the number of runs with a cause.
type CauseCount struct {
	Cause check.Cause
	N     int64
}

// StatsQuery selects the targets and the time of statistics.
type StatsQuery struct {
	// Targets are those whose runs are counted, States those whose states determine the availability.
	Targets, States []int32
	From, To        time.Time
}

// Stats computes the statistics of targets in a time range, to the hour where single runs are no longer stored.
func (r *Reader) Stats(ctx context.Context, query StatsQuery) (Stats, error) {
	from, to := query.From.UnixMilli(), query.To.UnixMilli()
	if from < 0 || to <= from || to-from > 1100*Day {
		return Stats{}, problem.InvalidInput("A window ends after its beginning, three years at most. Correct it.")
	}
	targets := query.Targets
	targets = slices.Sorted(slices.Values(targets))
	keep, now, err := r.settings(ctx)
	if err != nil {
		return Stats{}, err
	}
	to = min(to, max(now, from+1))
	runs, err := r.runsOf(ctx, targets)
	if err != nil {
		return Stats{}, err
	}
	sum, err := r.total(ctx, keep, runs, from, to, now)
	if err != nil {
		return Stats{}, err
	}
	s := Stats{
		Runs: sum.Runs(), Passed: sum.Passed, Failed: sum.Failed, Errored: sum.Errored, Skipped: sum.Skipped,
		Causes: []CauseCount{},
	}
	if sum.Answered > 0 {
		s.AvgMS, s.MaxMS = ms(sum.Average()), ms(float64(sum.TookMax))
		s.P50MS, s.P95MS, s.P99MS = ms(sum.Took.Quantile(0.5)), ms(sum.Took.Quantile(0.95)), ms(sum.Took.Quantile(0.99))
	}
	for _, cause := range slices.Sorted(maps.Keys(sum.Causes)) {
		s.Causes = append(s.Causes, CauseCount{cause, sum.Causes[cause]})
	}
	slices.SortStableFunc(s.Causes, func(a, b CauseCount) int { return int(b.N - a.N) })
	q := historydb.New(r.db.Conn(ctx))
	gaps, err := q.GapsOf(ctx, historydb.GapsOfParams{Targets: runs, First: from, Before: to})
	if err != nil {
		return Stats{}, fmt.Errorf("read gaps: %w", err)
	}
	for _, g := range gaps {
		s.Missed += missed(g, from, to)
	}
	list, err := timelines{q: q, keep: keep, now: now, reasons: true}.of(ctx, query.States, nil, from, to)
	if err != nil {
		return Stats{}, err
	}
	s.Account = account(combined(list, from, to))
	s.recovery()
	return s, nil
}

// recovery computes the figures about the lengths of outages.
func (s *Stats) recovery() {
	var repaired time.Duration
	var repairs int
	for i := range s.Outages {
		o := &s.Outages[i]
		s.LongestOutage = max(s.LongestOutage, o.Down)
		if o.Repaired {
			repaired += o.Down
			repairs++
		}
	}
	if repairs > 0 {
		s.MTTR = repaired / time.Duration(repairs)
	}
}

// runsOf returns the ids under which the runs of targets are stored: those of located targets under the ones of their locations.
func (r *Reader) runsOf(ctx context.Context, targets []int32) ([]int32, error) {
	ids, err := historydb.New(r.db.Conn(ctx)).RunsOf(ctx, targets)
	if err != nil {
		return nil, fmt.Errorf("find the locations of targets: %w", err)
	}
	return ids, nil
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
