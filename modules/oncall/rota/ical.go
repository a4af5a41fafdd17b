package rota

import (
	"fmt"
	"regexp"
	"strconv"
	"strings"
	"time"

	ics "github.com/arran4/golang-ical"
	"github.com/google/uuid"

	"countersign/internal/calendar"
	"countersign/internal/problem"
)

// Limits of imported calendars.
const (
	MaxCalendar = 1 << 20 // bytes
	MaxEvents   = 1000
	// MaxRecurring bounds the events with a rule, maxCounted the occurrences of rules with COUNT, all together.
	MaxRecurring = 200
	maxCounted   = 2000
	// MaxNames bounds the different names in a calendar, maxEventNames those of an event.
	MaxNames      = 1000
	maxEventNames = 20
	maxNameLength = 254 // characters
	// maxShift is the length of the longest event.
	maxShift = 400 * 24 * time.Hour
	// Checked is the time from now on in which a calendar may have MaxShifts shifts.
	Checked = 100 * 24 * time.Hour
	// change is more than what any change of clocks moves a time by, also of a zone that skips a day.
	change = 26 * time.Hour
)

// Event is an event of an imported calendar.
type Event struct {
	UID string `json:"uid"`
	// Start and End are local times in Zone, such as 2026-03-15T09:00:00.
	Start string `json:"start"`
	End   string `json:"end"`
	Zone  string `json:"zone"`
	// Rule is a recurrence rule of RFC 5545, empty for a single event. Except are starts at which it does not happen. Over is
	// a local time after its last occurrence, empty when it has none.
	Rule   string   `json:"rule,omitempty"`
	Except []string `json:"except,omitempty"`
	Over   string   `json:"over,omitempty"`
	// Names are who the event is about: addresses of attendees and the summary.
	Names []string `json:"names"`
	// Person is the user that was found for the names, uuid.Nil when there is none.
	Person uuid.UUID `json:"person"`
}

const local = "2006-01-02T15:04:05"

// ParseCalendar reads an iCalendar file (RFC 5545). zone is that of floating times and whole days. Warnings name what was
// left out. A calendar with too many shifts from now on is refused.
func ParseCalendar(text string, zone *time.Location, now time.Time) (events []Event, warnings []string, err error) {
	if len(text) > MaxCalendar {
		return nil, nil, problem.Errorf(problem.Invalid, "The calendar has more than %d bytes.", MaxCalendar)
	}
	parsed, err := ics.ParseCalendar(strings.NewReader(text))
	if err != nil || !strings.Contains(text, "END:VCALENDAR") {
		return nil, nil, problem.Errorf(
			problem.Invalid, "This is no iCalendar file. Export the schedule as .ics, or give the address of its iCal feed.",
		)
	}
	found := parsed.Events()
	if len(found) > MaxEvents {
		return nil, nil, problem.Errorf(problem.Invalid, "The calendar has %d events, at most %d are read.", len(found), MaxEvents)
	}
	// An event with a RECURRENCE-ID takes the place of one occurrence.
	moved := map[string][]string{}
	events = []Event{}
	for _, one := range found {
		if status := one.GetProperty(ics.ComponentPropertyStatus); status != nil && status.Value == "CANCELLED" &&
			one.GetProperty(ics.ComponentPropertyRecurrenceId) == nil {
			continue
		}
		e, of, warning := parseEvent(one, zone)
		if warning != "" {
			warnings = append(warnings, "The event "+quote(e.label())+" was left out: "+warning)
			continue
		}
		if of != "" {
			moved[e.UID] = append(moved[e.UID], of)
			if status := one.GetProperty(ics.ComponentPropertyStatus); status != nil && status.Value == "CANCELLED" {
				continue
			}
		}
		events = append(events, e)
	}
	for i := range events {
		if events[i].Rule != "" {
			events[i].Except = append(events[i].Except, moved[events[i].UID]...)
		}
	}
	return checkEvents(events, warnings, now)
}

// cut shortens a name to one that a user can have.
func cut(name string) string {
	runes := []rune(name)
	return string(runes[:min(len(runes), maxNameLength)])
}

func quote(s string) string { return fmt.Sprintf("%.60q", s) }

func (e Event) label() string {
	if len(e.Names) > 0 {
		return e.Names[len(e.Names)-1]
	}
	return e.UID
}

// parseEvent reads an event. of is the occurrence in whose place it stands, a local time of its zone.
func parseEvent(one *ics.VEvent, zone *time.Location) (e Event, of, warning string) {
	if p := one.GetProperty(ics.ComponentPropertyUniqueId); p != nil {
		e.UID = p.Value
	}
	for _, p := range one.Properties {
		if address, ok := strings.CutPrefix(strings.ToLower(p.Value), "mailto:"); ok && p.IANAToken == string(ics.PropertyAttendee) {
			e.Names = append(e.Names, cut(address))
		}
	}
	many := len(e.Names) > maxEventNames
	if p := one.GetProperty(ics.ComponentPropertySummary); p != nil {
		e.Names = append(e.Names, cut(strings.TrimSpace(p.Value)))
	}
	if many {
		return e, "", fmt.Sprintf("it has more than %d attendees.", maxEventNames)
	}
	start, in, whole, warning := parseTime(one.GetProperty(ics.ComponentPropertyDtStart), zone)
	if warning != "" {
		return e, "", warning
	}
	end, _, _, warning := parseTime(one.GetProperty(ics.ComponentPropertyDtEnd), in)
	if duration := one.GetProperty(ics.ComponentPropertyDuration); warning != "" && duration != nil {
		d, ok := parseDuration(duration.Value)
		if !ok {
			return e, "", "its duration cannot be read."
		}
		end, warning = start.Add(d), ""
	}
	if warning != "" && whole {
		end, warning = start.AddDate(0, 0, 1), ""
	}
	if warning != "" {
		return e, "", warning
	}
	if !start.Before(end) || end.Sub(start) > maxShift {
		return e, "", "it must end after its start, and within 400 days."
	}
	e.Start, e.End, e.Zone = start.Format(local), end.Format(local), in.String()
	if p := one.GetProperty(ics.ComponentPropertyRrule); p != nil {
		e.Rule = strings.ToUpper(strings.TrimSpace(p.Value))
	}
	if e.Except, warning = parseExceptions(one, in); warning != "" {
		return e, "", warning
	}
	if p := one.GetProperty(ics.ComponentPropertyRecurrenceId); p != nil {
		at, from, _, warning := parseTime(p, in)
		if warning != "" {
			return e, "", warning
		}
		of = calendar.Local(calendar.Instant(at, from), in).Format(local)
	}
	return e, of, ""
}

// parseExceptions reads the starts at which a recurring event does not happen, as local times of its zone.
func parseExceptions(one *ics.VEvent, in *time.Location) (except []string, warning string) {
	for _, p := range one.Properties {
		if p.IANAToken != string(ics.PropertyExdate) {
			continue
		}
		for value := range strings.SplitSeq(p.Value, ",") {
			p.Value = value
			at, from, _, warning := parseTime(&p, in)
			if warning != "" {
				return nil, warning
			}
			except = append(except, calendar.Local(calendar.Instant(at, from), in).Format(local))
		}
	}
	return except, ""
}

var durationForm = regexp.MustCompile(`^\+?P(?:(\d{1,3})W)?(?:(\d{1,3})D)?(?:T(?:(\d{1,4})H)?(?:(\d{1,5})M)?(?:(\d{1,6})S)?)?$`)

// parseDuration reads a duration such as PT12H or P1W.
func parseDuration(text string) (time.Duration, bool) {
	parts := durationForm.FindStringSubmatch(text)
	if parts == nil {
		return 0, false
	}
	var d time.Duration
	for i, unit := range []time.Duration{7 * 24 * time.Hour, 24 * time.Hour, time.Hour, time.Minute, time.Second} {
		n, _ := strconv.Atoi("0" + parts[i+1])
		d += time.Duration(n) * unit
	}
	return d, d > 0
}

// parseTime reads a time as a local time and its zone. whole marks a day.
func parseTime(p *ics.IANAProperty, zone *time.Location) (at time.Time, in *time.Location, whole bool, warning string) {
	if p == nil {
		return at, zone, false, "it lacks its start or its end."
	}
	if t, err := time.Parse("20060102", p.Value); err == nil {
		return t, zone, true, ""
	}
	if t, err := time.Parse("20060102T150405Z", p.Value); err == nil {
		return t, time.UTC, false, ""
	}
	t, err := time.Parse("20060102T150405", p.Value)
	if err != nil {
		return at, zone, false, "its times cannot be read."
	}
	if names := p.ICalParameters["TZID"]; len(names) > 0 {
		if zone, err = calendar.Zone(strings.Trim(names[0], `"`)); err != nil {
			return at, zone, false, "its time zone " + quote(names[0]) + " is no name of the IANA database."
		}
	}
	return t, zone, false, ""
}

// compiled is an event that can be expanded. Recurrence is nil for a single one.
type compiled struct {
	zone       *time.Location
	start      time.Time
	length     time.Duration // in local time
	recurrence *calendar.Recurrence
}

func (e Event) compile() (c compiled, err error) {
	if c.zone, err = calendar.Zone(e.Zone); err != nil {
		return c, err
	}
	if c.start, err = calendar.ParseLocal(e.Start); err != nil {
		return c, err
	}
	end, err := calendar.ParseLocal(e.End)
	if err != nil {
		return c, err
	}
	c.length = end.Sub(c.start)
	if e.Rule != "" {
		c.recurrence, err = calendar.ParseRecurrence(e.Rule, e.Start, c.zone, e.Except...)
	}
	return c, err
}

// nominal is the local time that an occurrence is meant to begin at, which a change of clocks may have moved.
func (c compiled) nominal(start time.Time) time.Time {
	const day = 24 * time.Hour
	at := calendar.Local(start, c.zone)
	if meant := at.Truncate(day).Add(c.start.Sub(c.start.Truncate(day))); calendar.Instant(meant, c.zone).Equal(start) {
		return meant
	}
	return at
}
