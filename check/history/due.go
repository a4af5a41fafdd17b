package history

import (
	"slices"
	"time"

	"countersign/check/health"
	"countersign/internal/calendar"
)

// job is a cron schedule of a heartbeat target.
type job struct {
	// from is when the schedule came into force; that of the next one ends it.
	from int64
	// cron is nil while there was none.
	cron  *calendar.Cron
	grace time.Duration
	// counts reports that due times count instead of time.
	counts bool
}

// maxDueInWeek bounds the due times that are counted: a job that is due more often than each half hour counts time.
const maxDueInWeek = 7 * 48

// anyWeek is the week in which the due times of a schedule are counted.
var anyWeek = time.Date(2024, 1, 1, 0, 0, 0, 0, time.UTC)

// newJob parses a schedule. One that cannot be read is as none.
func newJob(from int64, cron, zone string, graceSeconds int32) job {
	j := job{from: from, grace: time.Duration(graceSeconds) * time.Second}
	if cron == "" {
		return j
	}
	location, err := calendar.Zone(zone)
	if err != nil {
		return j
	}
	schedule, err := calendar.ParseCron(cron, location)
	if err != nil {
		return j
	}
	often := calendar.Upcoming(schedule, anyWeek, maxDueInWeek+1)
	j.cron, j.counts = schedule, len(often) <= maxDueInWeek || !often[maxDueInWeek].Before(anyWeek.AddDate(0, 0, 7))
	return j
}

// isJob reports whether due times of a target count, by its current schedule.
func (t *timeline) isJob() bool { return len(t.jobs) > 0 && t.jobs[len(t.jobs)-1].counts }

// slotFrom returns the first slot of a target at a time or after it.
func (t *timeline) slotFrom(at int64) int64 {
	return t.phase + (at-t.phase+t.interval-1)/t.interval*t.interval
}

// judged returns the slot of the first run after the grace of a due time. A job may call in until the grace has passed.
func (t *timeline) judged(due time.Time, grace time.Duration) int64 {
	return t.slotFrom(due.Add(grace).UnixMilli() + 1)
}

// firstDue returns the slot at which a target that begins to run at a time, or gets a schedule then, is due first: its next one, and
// for a job the one after the grace of its first due time.
func (t *timeline) firstDue(at int64) int64 {
	for n, j := range slices.Backward(t.jobs) {
		if j.from > at && n > 0 {
			continue
		}
		if j.cron == nil {
			break
		}
		due, ok := j.cron.Next(moment(at - 1))
		if !ok {
			break
		}
		return t.judged(due, j.grace)
	}
	return t.slotFrom(at + t.firstTimeout)
}

// waits are the times in which nothing was due yet: after a target was made or resumed, and after a job got another schedule.
func (t *timeline) waits() []span {
	list := []span{{t.made, t.firstDue(t.made), ""}}
	for n := range t.transitions {
		if n > 0 && t.transitions[n-1].idle && !t.transitions[n].idle {
			list = append(list, span{t.transitions[n].at, t.firstDue(t.transitions[n].at), ""})
		}
	}
	for _, j := range t.jobs {
		if j.cron != nil && j.from > t.made {
			list = append(list, span{j.from, t.firstDue(j.from), ""})
		}
	}
	return list
}

// dueTime is a due time of a job for which it is known whether the job had called in when its grace was over.
type dueTime struct {
	// at is the slot of the first run after the grace, in milliseconds.
	at     int64
	missed bool
}

// dueTimes returns the due times of a target whose grace ended in a window. A job that was degraded or unhealthy then has missed its
// due time. Where nothing is known, nothing is counted. Each due time is one of the schedule that was in force then and still was
// when its grace was over.
func (t *timeline) dueTimes(list []Interval, from, to int64) []dueTime {
	var counted []dueTime
	for n, j := range t.jobs {
		until := to
		if n+1 < len(t.jobs) {
			until = min(to, t.jobs[n+1].from)
		}
		if !j.counts {
			continue
		}
		begin := max(moment(from-t.interval).Add(-j.grace).UnixMilli(), j.from-1)
		for due, ok := j.cron.Next(moment(begin)); ok; due, ok = j.cron.Next(due) {
			at := t.judged(due, j.grace)
			if at >= until {
				break
			}
			for len(list) > 0 && list[0].To <= at {
				list = list[1:]
			}
			if at < from || len(list) == 0 || list[0].From > at || list[0].Status == health.Unknown {
				continue
			}
			counted = append(counted, dueTime{at, list[0].Status.Bad()})
		}
	}
	return counted
}

// record is what is known of a check or a system in a window: its intervals, and the due times of its jobs.
type record struct {
	intervals []Interval
	due       []dueTime
	// jobs reports that all checks that run are jobs with due times, which then count instead of time.
	jobs bool
}

// cut returns the part of a record from one time up to another.
func (r record) cut(from, to int64) record {
	part := record{intervals: cut(r.intervals, from, to), jobs: r.jobs}
	for _, d := range r.due {
		if d.at >= from && d.at < to {
			part.due = append(part.due, d)
		}
	}
	return part
}
