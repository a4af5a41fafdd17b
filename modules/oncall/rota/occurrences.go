package rota

import (
	"fmt"
	"regexp"
	"slices"
	"strconv"
	"strings"
	"time"

	"github.com/google/uuid"

	"countersign/internal/calendar"
	"countersign/internal/problem"
)

// Limits of recurrence rules: one that happens seldom is slow to expand, one that happens often is no shift.
const (
	mostInADay    = 24
	longestPause  = 400 * 24 * time.Hour
	firstOfAnyOne = 2*mostInADay + 2
)

// checkEvents leaves out events that never happen or whose rule is no shift, and refuses calendars that are too large.
func checkEvents(events []Event, warnings []string, now time.Time) (kept []Event, _ []string, _ error) {
	kept = []Event{}
	recurring, counted, names := 0, 0, map[string]bool{}
	for _, e := range events {
		for _, name := range e.Names {
			names[strings.ToLower(name)] = true
		}
		if e.Rule != "" {
			recurring++
			counted += e.count()
		}
	}
	switch {
	case recurring > MaxRecurring:
		return nil, nil, problem.Errorf(
			problem.Invalid, "The calendar has %d recurring events, at most %d are read. Export a shorter time.", recurring, MaxRecurring,
		)
	case counted > maxCounted:
		return nil, nil, problem.Errorf(
			problem.Invalid, "The recurring events with a COUNT happen %d times, at most %d are read. Use UNTIL.", counted, maxCounted,
		)
	case len(names) > MaxNames:
		return nil, nil, problem.Errorf(problem.Invalid, "The calendar has %d different names, at most %d are read.", len(names), MaxNames)
	}
	for _, e := range events {
		e, reason, err := e.settle()
		if err != nil {
			p := problem.As(err)
			if reason = p.Detail; len(p.Issues) > 0 {
				reason = "it " + p.Issues[0].Message + "."
			}
		}
		if reason != "" {
			warnings = append(warnings, "The event "+quote(e.label())+" was left out: "+reason)
			continue
		}
		kept = append(kept, e)
	}
	if _, err := (Rota{Events: kept}).occurrences(now, now.Add(Checked), func(Event) bool { return true }); err != nil {
		return nil, nil, problem.Errorf(
			problem.Invalid, "The calendar has more than %d shifts in the next 100 days. Export only those of one schedule.", MaxShifts,
		)
	}
	return kept, warnings, nil
}

var (
	countPart = regexp.MustCompile(`(^|;)COUNT=(\d+)`)
	untilPart = regexp.MustCompile(`(?:^|;)UNTIL=(\d{8})`)
)

// count is the COUNT of the rule, 0 without one.
func (e Event) count() int {
	part := countPart.FindStringSubmatch(e.Rule)
	if part == nil {
		return 0
	}
	n, err := strconv.Atoi(part[2])
	if err != nil {
		return maxCounted + 1
	}
	return min(n, maxCounted+1)
}

// settle checks an event, and says when its rule is over. COUNT becomes UNTIL, so that nobody counts again. reason says why it
// is no shift.
func (e Event) settle() (_ Event, reason string, err error) {
	if strings.Contains(e.Rule, "FREQ=MINUTELY") {
		return e, "it repeats by minutes.", nil
	}
	c, err := e.compile()
	if err != nil || c.recurrence == nil {
		return e, "", err
	}
	first := calendar.Upcoming(c.recurrence, calendar.Instant(c.start, c.zone).Add(-1), max(firstOfAnyOne, e.count()))
	for i, t := range first {
		if i > 0 && t.Sub(first[i-1]) > longestPause {
			return e, "it happens less than once in 400 days.", nil
		}
		if i >= mostInADay && t.Sub(first[i-mostInADay]) < 24*time.Hour {
			return e, fmt.Sprintf("it happens more than %d times a day.", mostInADay), nil
		}
	}
	if len(first) == 0 {
		return e, "it never happens.", nil
	}
	if e.count() > 0 {
		until := first[len(first)-1].UTC().Format("20060102T150405Z")
		e.Rule = countPart.ReplaceAllString(e.Rule, "${1}UNTIL="+until)
	}
	if part := untilPart.FindStringSubmatch(e.Rule); part != nil {
		if day, err := time.Parse("20060102", part[1]); err == nil {
			e.Over = day.Add(c.length + 2*change).Format(local)
		}
	}
	return e, "", nil
}

// near reports whether an event can have an occurrence between two local times, without reading its rule.
func (e Event) near(from, to string) bool {
	switch {
	case e.Start > to:
		return false
	case e.Rule == "":
		return e.End >= from
	default:
		return e.Over == "" || e.Over >= from
	}
}

// each calls do for the wanted events that can have an occurrence in a time, until it returns false.
func (r Rota) each(from, to time.Time, wanted func(Event) bool, do func(Event, compiled) bool) {
	first, last := from.UTC().Add(-change).Format(local), to.UTC().Add(change).Format(local)
	for _, e := range r.Events {
		if !e.near(first, last) || !wanted(e) {
			continue
		}
		c, err := e.compile()
		if err != nil {
			continue // the import has checked it; a zone can leave the database later
		}
		if !do(e, c) {
			return
		}
	}
}

// known reports whether a user was found for an event.
func known(e Event) bool { return e.Person != uuid.Nil }

// shifts are the occurrences of the events of known people that overlap a time.
func (r Rota) shifts(from, to time.Time) ([]Shift, error) { return r.occurrences(from, to, known) }

// occurrences are those of wanted events that overlap a time. More than MaxShifts are refused.
func (r Rota) occurrences(from, to time.Time, wanted func(Event) bool) ([]Shift, error) {
	shifts, looked := []Shift{}, 0
	r.each(from, to, wanted, func(e Event, c compiled) bool {
		for start := range c.from(from.Add(-c.length - change)) {
			if looked++; !start.Before(to) || looked > 2*MaxShifts {
				break
			}
			if end := c.end(start); from.Before(end) {
				shifts = append(shifts, Shift{e.Person, start, end})
			}
		}
		return len(shifts) <= MaxShifts && looked <= 2*MaxShifts
	})
	if len(shifts) > MaxShifts || looked > 2*MaxShifts {
		return nil, problem.Errorf(problem.Invalid, "The calendar has more than %d shifts in that time. Ask for a shorter one.", MaxShifts)
	}
	return shifts, nil
}

// covering are the people of the calendar at an instant.
func (r Rota) covering(t time.Time) []uuid.UUID {
	people, order := []uuid.UUID{}, r.order()
	r.each(t, t, known, func(e Event, c compiled) bool {
		if !slices.Contains(people, e.Person) && c.covers(t) {
			people = append(people, e.Person)
		}
		return true
	})
	slices.SortFunc(people, func(a, b uuid.UUID) int { return order[a] - order[b] })
	return people
}

// covers reports whether an occurrence covers an instant. It looks first where nearly all do, then at those that a change of
// clocks has moved; none happens so often that it needs more looks.
func (c compiled) covers(t time.Time) bool {
	for _, from := range []time.Time{t.Add(-c.length), t.Add(-c.length - change)} {
		looks := 0
		for start := range c.from(from) {
			if looks++; start.After(t) || looks > 2*mostInADay {
				break
			}
			if t.Before(c.end(start)) {
				return true
			}
		}
	}
	return false
}

// from are the starts at an instant and after it.
func (c compiled) from(from time.Time) func(yield func(time.Time) bool) {
	return func(yield func(time.Time) bool) {
		if c.recurrence == nil {
			yield(calendar.Instant(c.start, c.zone))
			return
		}
		for t, ok := c.recurrence.Next(from.Add(-1)); ok && yield(t); t, ok = c.recurrence.Next(t) {
		}
	}
}

// end is the end of an occurrence.
func (c compiled) end(start time.Time) time.Time {
	return calendar.Instant(c.nominal(start).Add(c.length), c.zone)
}
