package maintenance

import (
	"slices"
	"strings"
	"time"

	"countersign/internal/calendar"
	"countersign/internal/problem"
	"countersign/modules/maintenance/maintenancedb"
)

// plan is when a maintenance happens, without the occurrences that were moved or cancelled.
type plan struct {
	zone *time.Location
	// rule is empty and recurrence nil for a maintenance that happens once.
	rule       string
	recurrence *calendar.Recurrence
	start, end time.Time
	// length is that of an occurrence by the wall clock.
	length time.Duration
}

// span is one occurrence. original is when the rule has it.
type span struct{ original, start, end time.Time }

const (
	// compared is how many occurrences of a rule are looked at for a pause between them.
	compared = 60
	// minPeriod is the least time between the starts of two occurrences.
	minPeriod = time.Hour
	// clockChange is longer than any change of a clock.
	clockChange = 25 * time.Hour
)

// newPlan parses a recurrence rule. Its errors are those of package calendar.
func newPlan(rule string, start, end time.Time, zone *time.Location) (plan, error) {
	p := plan{zone: zone, start: start, end: end, length: calendar.Length(start, end, zone)}
	if rule = strings.ToUpper(strings.TrimSpace(rule)); rule == "" {
		return p, nil
	}
	p.rule = strings.TrimPrefix(rule, "RRULE:")
	if p.length <= 0 {
		// It begins in the first pass of a doubled hour and ends in the second.
		p.length = end.Sub(start)
	}
	var err error
	if p.recurrence, err = calendar.ParseRecurrence(p.rule, calendar.Wall(start, zone), zone); err != nil {
		return plan{}, err
	}
	return p, p.checkPauses()
}

// checkPauses refuses occurrences without a pause between them, and too many of them.
func (p plan) checkPauses() error {
	at, ok := p.recurrence.Next(p.start.Add(-clockChange))
	for range compared {
		next, more := p.recurrence.Next(at)
		switch {
		case !ok || !more:
			return nil
		case next.Sub(at) < minPeriod:
			return ruleError("recurs more often than once an hour")
		case !p.recurrence.End(at, p.length).Before(next):
			return ruleError(
				"leaves no pause: an occurrence lasts until the next one begins. Shorten them, or schedule one without an end of the recurrence",
			)
		}
		at = next
	}
	return nil
}

func ruleError(message string) error {
	return problem.InvalidInput("The recurrence "+message+".", problem.Issue{Path: "rule", Message: message})
}

// planOf is the plan of a stored maintenance. It fails when its time zone has left the database.
func planOf(row maintenancedb.Maintenance) (plan, error) {
	if row.Rule == "" {
		return plan{zone: time.UTC, start: row.FirstStart, end: row.FirstEnd}, nil
	}
	zone, err := calendar.Zone(row.Zone)
	if err != nil {
		return plan{}, err
	}
	return newPlan(row.Rule, row.FirstStart, row.FirstEnd, zone)
}

// first returns the first occurrence of the rule that begins at or after a moment.
func (p plan) first(from time.Time) (span, bool) {
	if p.recurrence == nil {
		return span{p.start, p.start, p.end}, !p.start.Before(from)
	}
	at, ok := p.recurrence.Next(from.Add(-1))
	if !ok {
		return span{}, false
	}
	at = at.UTC()
	return span{at, at, p.recurrence.End(at, p.length).UTC()}, true
}

// has reports whether the rule has an occurrence at a moment.
func (p plan) has(at time.Time) bool {
	s, ok := p.first(at)
	return ok && s.start.Equal(at)
}

// unfinished returns from when the plan has occurrences that are not over: that of one in progress now.
func (p plan) unfinished(now time.Time) time.Time {
	if p.recurrence == nil {
		return p.start
	}
	from := now.Add(-p.length - clockChange)
	for {
		s, ok := p.first(from)
		if !ok || s.end.After(now) || !s.start.Before(now) {
			return from
		}
		from = s.start.Add(1)
	}
}

// kept are stored occurrences of a maintenance.
type kept []maintenancedb.MaintenanceOccurrence

func (k kept) find(original time.Time) (maintenancedb.MaintenanceOccurrence, bool) {
	i := slices.IndexFunc(k, func(o maintenancedb.MaintenanceOccurrence) bool { return o.Original.Equal(original) })
	if i < 0 {
		return maintenancedb.MaintenanceOccurrence{}, false
	}
	return k[i], true
}

// next returns the first occurrence that begins at or after a moment, those that were moved at their place.
func (p plan) next(from time.Time, k kept) (span, bool) {
	at := from
	s, ok := p.first(at)
	for ok {
		if _, is := k.find(s.original); !is {
			break
		}
		s, ok = p.first(s.start.Add(1))
	}
	for _, o := range k {
		if o.State == stateMoved && !o.StartsAt.Before(from) && (!ok || o.StartsAt.Before(s.start)) {
			s, ok = span{o.Original.UTC(), o.StartsAt.UTC(), o.EndsAt.UTC()}, true
		}
	}
	return s, ok
}

// between lists the occurrences to come from a moment that overlap a span of time, at most limit.
func (p plan) between(from, lower, upper time.Time, k kept, limit int) []span {
	var list []span
	if early := lower.Add(-p.longest(k)); early.After(from) {
		from = early
	}
	s, ok := p.next(from, k)
	for ; ok && s.start.Before(upper) && len(list) < limit; s, ok = p.next(s.start.Add(1), k) {
		if s.end.After(lower) {
			list = append(list, s)
		}
	}
	return list
}

// longest is at least the length of every occurrence.
func (p plan) longest(k kept) time.Duration {
	most := p.end.Sub(p.start) + clockChange
	for _, o := range k {
		most = max(most, o.EndsAt.Sub(o.StartsAt))
	}
	return most
}

// words describe the recurrence for people.
func (p plan) words() string {
	if p.recurrence == nil {
		return ""
	}
	return p.recurrence.Words()
}

// States of stored occurrences.
const (
	stateMoved      = "moved"
	stateCancelled  = "cancelled"
	stateInProgress = "in_progress"
	stateCompleted  = "completed"
)
