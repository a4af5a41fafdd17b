package history

import (
	"context"
	"fmt"
	"math"
	"slices"

	"github.com/google/uuid"

	"countersign/check/health"
	"countersign/check/history/historydb"
)

const (
	// unwatchedAfter is how long a claim of a shard has to be over before its targets count as not run: a takeover takes seconds.
	unwatchedAfter = 5_000
	// maxInterval is the longest distance of two slots, by which a gap before a window can reach into it.
	maxInterval = Day
)

// timelines loads the facts of targets for a window, in milliseconds: of single targets, or of all targets of systems.
type timelines struct {
	q    *historydb.Queries
	keep Retention
	now  int64
	// reasons loads the reasons of transitions.
	reasons bool
}

// of returns the intervals of each target, by system and target. Targets without a row come last.
func (l timelines) of(ctx context.Context, targets []int32, systems []uuid.UUID, from, to int64) ([]targetIntervals, error) {
	facts, err := l.q.FactsOf(ctx, historydb.FactsOfParams{Targets: targets, Systems: systems})
	if err != nil {
		return nil, fmt.Errorf("read targets: %w", err)
	}
	to = min(to, l.now)
	lines := make([]timeline, 0, len(facts))
	list := make([]targetIntervals, 0, len(facts))
	at := make(map[int32]int, len(facts))
	ids, jobs := make([]int32, 0, len(facts)), []int32(nil)
	for _, f := range facts {
		t := timeline{
			target: f.ID, made: f.MadeMs, interval: int64(f.IntervalMs), phase: int64(f.PhaseMs), unwatched: math.MaxInt64,
		}
		if f.Job {
			jobs = append(jobs, f.ID)
			t.firstTimeout = int64(f.EverySeconds+f.Grace) * 1000
		}
		if f.Active && f.ClaimedTo > 0 && f.ClaimedTo < l.now-unwatchedAfter {
			t.unwatched = t.slotFrom(f.SettledTo)
		}
		at[f.ID] = len(lines)
		lines, ids = append(lines, t), append(ids, f.ID)
		list = append(list, targetIntervals{target: f.ID, system: f.SystemID, active: f.Active})
	}
	for _, id := range targets {
		if _, found := at[id]; !found {
			at[id] = len(lines)
			lines, ids = append(lines, timeline{target: id, interval: Minute, unwatched: math.MaxInt64}), append(ids, id)
			list = append(list, targetIntervals{target: id})
		}
	}
	if err := l.loadJobs(ctx, jobs, lines, at); err != nil {
		return nil, err
	}
	slices.Sort(ids)
	if err := l.load(ctx, ids, lines, at, from, to); err != nil {
		return nil, err
	}
	// History beyond its retention is not known.
	known := max(from, (l.now/Day-int64(l.keep.DailyDays))*Day)
	for i := range lines {
		if from < known && from < to {
			list[i].intervals = append(list[i].intervals, Interval{From: from, To: min(known, to), Idle: true, Target: lines[i].target})
		}
		list[i].intervals = append(list[i].intervals, lines[i].intervals(known, to)...)
		if lines[i].isJob() {
			list[i].job, list[i].due = true, lines[i].dueTimes(list[i].intervals, known, to)
		}
	}
	return list, nil
}

// loadJobs loads the schedules of jobs.
func (l timelines) loadJobs(ctx context.Context, jobs []int32, lines []timeline, at map[int32]int) error {
	if len(jobs) == 0 {
		return nil
	}
	rows, err := l.q.SchedulesOf(ctx, jobs)
	if err != nil {
		return fmt.Errorf("read schedules of jobs: %w", err)
	}
	for _, s := range rows {
		line := &lines[at[s.Target]]
		line.jobs = append(line.jobs, newJob(s.FromMs, s.Cron, s.TimeZone, s.GraceSeconds))
	}
	return nil
}

// targetIntervals are the intervals of one target.
type targetIntervals struct {
	target    int32
	system    uuid.UUID
	intervals []Interval
	// active reports that the target runs; job that it has due times, which due holds.
	active, job bool
	due         []dueTime
}

func (l timelines) load(ctx context.Context, ids []int32, lines []timeline, at map[int32]int, from, to int64) error {
	transitions, err := l.q.TransitionsOf(
		ctx,
		historydb.TransitionsOfParams{Targets: ids, First: from, Before: to, WithReasons: l.reasons},
	)
	if err != nil {
		return fmt.Errorf("read transitions: %w", err)
	}
	for _, t := range transitions {
		line := &lines[at[t.Target]]
		line.transitions = append(line.transitions, change{t.AtMs, t.BeganMs, health.Status(t.After), t.Idle, t.Reason})
	}
	gaps, err := l.q.GapsOf(ctx, historydb.GapsOfParams{Targets: ids, First: from - maxInterval, Before: to})
	if err != nil {
		return fmt.Errorf("read gaps: %w", err)
	}
	for _, g := range gaps {
		line := &lines[at[g.Target]]
		step := line.interval
		if g.Missed > 1 {
			step = (g.ToSlot - g.FromSlot) / int64(g.Missed-1)
		}
		if g.Reason != requestedGap {
			line.gaps = append(line.gaps, span{g.FromSlot, g.ToSlot + step, g.Reason})
		}
	}
	return nil
}

// combined returns the record of several targets taken together, as of a system. Due times count when all targets that run have them.
func combined(list []targetIntervals, from, to int64) record {
	lists := make([][]Interval, len(list))
	var r record
	others, active := false, slices.ContainsFunc(list, func(t targetIntervals) bool { return t.active })
	for i, t := range list {
		lists[i] = t.intervals
		if t.active || !active {
			r.jobs, others = r.jobs || t.job, others || !t.job
			r.due = append(r.due, t.due...)
		}
	}
	if r.jobs = r.jobs && !others; !r.jobs {
		r.due = nil
	}
	r.intervals = combine(lists, from, to)
	return r
}

// cut returns the part of ordered intervals from one time up to another.
func cut(list []Interval, from, to int64) []Interval {
	var part []Interval
	for _, i := range list {
		i.From, i.To = max(i.From, from), min(i.To, to)
		if i.From < i.To {
			part = append(part, i)
		}
	}
	return part
}

// days accounts for the days of systems from the first one up to another, which may be today.
func (l timelines) days(ctx context.Context, systems []uuid.UUID, first, end int64) (map[uuid.UUID]map[int32]boardCell, error) {
	cells := make(map[uuid.UUID]map[int32]boardCell, len(systems))
	if len(systems) == 0 || first >= end {
		return cells, nil
	}
	to := min(end*Day, l.now)
	list, err := l.of(ctx, nil, systems, first*Day, to)
	if err != nil {
		return nil, err
	}
	for len(list) > 0 {
		n := 1
		for n < len(list) && list[n].system == list[0].system {
			n++
		}
		whole := combined(list[:n], first*Day, to)
		of := make(map[int32]boardCell, end-first)
		for day := first; day < end; day++ {
			// The intervals of earlier days are not looked at again.
			for len(whole.intervals) > 0 && whole.intervals[0].To <= day*Day {
				whole.intervals = whole.intervals[1:]
			}
			today := whole
			if beyond := slices.IndexFunc(whole.intervals, func(i Interval) bool { return i.From >= (day+1)*Day }); beyond >= 0 {
				today.intervals = whole.intervals[:beyond]
			}
			a := account(today.cut(day*Day, (day+1)*Day))
			if a.Measured > 0 {
				of[int32(day)] = boardCell{
					measured: uint32(a.Measured.Milliseconds()), down: uint32(a.Down.Milliseconds()), worst: worstOf(&a),
					jobs: a.Jobs, due: uint32(a.Due), missed: uint32(a.MissedDue),
				}
			}
		}
		cells[list[0].system] = of
		list = list[n:]
	}
	return cells, nil
}

func worstOf(a *Account) health.Status {
	worst := health.Unknown
	for status, length := range a.Status {
		if length > 0 {
			worst = health.Worse(worst, status)
		}
	}
	return worst
}
