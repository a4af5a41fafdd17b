package history

import (
	"time"

	"countersign/check/health"
	"countersign/internal/calendar"
)

// job is when the job of a heartbeat target is due.
type job struct {
	cron  *calendar.Cron
	grace time.Duration
}

// maxDueInWeek bounds the due times that are counted: a job that is due more often than each half hour counts time.
const maxDueInWeek = 7 * 48

// anyWeek is the week in which the due times of a schedule are counted.
var anyWeek = time.Date(2024, 1, 1, 0, 0, 0, 0, time.UTC)

// newJob parses a schedule; nil without one, for one that cannot be read, and for one with too many due times to count.
func newJob(cron, zone string, graceSeconds int32) *job {
	if cron == "" {
		return nil
	}
	location, err := calendar.Zone(zone)
	if err != nil {
		return nil
	}
	schedule, err := calendar.ParseCron(cron, location)
	if err != nil {
		return nil
	}
	often := calendar.Upcoming(schedule, anyWeek, maxDueInWeek+1)
	if len(often) > maxDueInWeek && often[maxDueInWeek].Before(anyWeek.AddDate(0, 0, 7)) {
		return nil
	}
	return &job{schedule, time.Duration(graceSeconds) * time.Second}
}

// dueTime is a due time of a job for which it is known whether the job had called in when its grace was over.
type dueTime struct {
	// at is the slot of the first run after the grace, in milliseconds.
	at     int64
	missed bool
}

// dueTimes returns the due times of a target whose grace ended in a window. A job that was degraded or unhealthy then has missed its
// due time. Where nothing is known, nothing is counted.
func (t *timeline) dueTimes(list []Interval, from, to int64) []dueTime {
	var counted []dueTime
	due, ok := t.job.cron.Next(moment(from - t.interval).Add(-t.job.grace))
	for ; ok; due, ok = t.job.cron.Next(due) {
		ended := due.Add(t.job.grace).UnixMilli()
		at := t.phase + (ended-t.phase+t.interval-1)/t.interval*t.interval
		if at >= to {
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
