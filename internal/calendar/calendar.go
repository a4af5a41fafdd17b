// Package calendar computes when recurring local times happen: cron schedules, recurrence rules of RFC 5545 and quiet
// hours, in IANA time zones. It is pure, and the only such code of the product.
//
// One rule holds over daylight-saving changes. A local time that does not exist is the first instant after the gap. One
// that exists twice is the first of both. Schedules that repeat within the day (cron hours * and */n, FREQ=HOURLY and
// MINUTELY) follow elapsed time instead: they happen in both passes of a doubled hour, and the wall clock of before the
// change counts on until the new one has caught up, so that no two occurrences are further apart than on other days.
package calendar

import (
	"regexp"
	"strings"
	"time"

	// Embedded time zones work on systems without zone files, such as small containers.
	_ "time/tzdata"

	"countersign/internal/problem"
)

// Schedule is a set of instants. It is immutable and safe for concurrent use.
type Schedule interface {
	// Next returns the first instant after another one; false when there is none.
	Next(after time.Time) (time.Time, bool)
	// Words describes the schedule for people, such as "at 02:30 on weekdays, Europe/Berlin".
	Words() string
}

// Between lists the instants of a schedule from one time (inclusive) to another (exclusive), at most limit.
func Between(s Schedule, from, to time.Time, limit int) []time.Time {
	found := []time.Time{}
	t, ok := s.Next(from.Add(-1))
	for ; ok && t.Before(to) && len(found) < limit; t, ok = s.Next(t) {
		found = append(found, t)
	}
	return found
}

// Upcoming lists the next instants of a schedule, at most limit.
func Upcoming(s Schedule, after time.Time, limit int) []time.Time {
	found := []time.Time{}
	t, ok := s.Next(after)
	for ; ok && len(found) < limit; t, ok = s.Next(t) {
		found = append(found, t)
	}
	return found
}

const maxZoneName = 64

var zoneName = regexp.MustCompile(`^[A-Za-z][A-Za-z0-9_+-]*(/[A-Za-z0-9_+-]+){0,2}$`)

// notZones are files of zone folders that are no time zones of their own; right/ counts leap seconds.
var notZones = map[string]bool{"Local": true, "localtime": true, "posixrules": true, "Factory": true, "leapseconds": true}

// Zone returns the time zone with an IANA name. The name of an instant's zone is never guessed: an empty one is refused.
func Zone(name string) (*time.Location, error) {
	if name == "" {
		return nil, invalid("must name a time zone, such as Europe/Berlin or UTC")
	}
	refused := len(name) > maxZoneName || notZones[name] || !zoneName.MatchString(name) ||
		strings.HasPrefix(name, "right/") || strings.HasPrefix(name, "posix/")
	if !refused {
		if zone, err := time.LoadLocation(name); err == nil {
			return zone, nil
		}
	}
	return nil, invalid(
		"is no name of the IANA time zone database: write one such as Europe/Berlin, America/New_York or UTC, with its capital letters." +
			" Names that have left the database need to be replaced by their successor",
	)
}

// invalid is an error about an input. The message of its only issue has no subject, so that callers can name the member.
func invalid(message string) *problem.Error {
	return problem.InvalidInput("The value "+message+".", problem.Issue{Message: message})
}

// Issue is an error of this package as the issue of a member.
func Issue(path string, err error) problem.Issue {
	p := problem.As(err)
	if len(p.Issues) == 0 {
		return problem.Issue{Path: path, Message: "cannot be read"}
	}
	return problem.Issue{Path: path, Message: p.Issues[0].Message}
}

// A wall is a local time without a zone, as a time.Time in UTC.

// wallOf returns the local time of an instant.
func wallOf(t time.Time, zone *time.Location) time.Time {
	_, offset := t.In(zone).Zone()
	return t.UTC().Add(time.Duration(offset) * time.Second)
}

// Instant maps a local time, given as a time in UTC, to its instant in a zone, by the rule of the package.
func Instant(local time.Time, zone *time.Location) time.Time { return instant(local, zone) }

// Local returns the local time of an instant, as a time in UTC.
func Local(t time.Time, zone *time.Location) time.Time { return wallOf(t, zone) }

// ParseLocal parses a local time such as 2026-03-15T02:00, as a time in UTC.
func ParseLocal(text string) (time.Time, error) { return parseLocal(text) }

// maxOffset is more than any zone has ever been from UTC.
const maxOffset = 26 * time.Hour

// instant maps a wall to its instant: the first of two, and the end of the gap for a time that does not exist.
func instant(wall time.Time, zone *time.Location) time.Time {
	for at := wall.Add(-maxOffset); ; {
		s := segmentAt(at, zone)
		t := wall.Add(-s.offset)
		switch {
		case !s.end.IsZero() && !t.Before(s.end):
			at = s.end
		case !s.start.IsZero() && t.Before(s.start):
			return s.start.In(zone)
		default:
			return t.In(zone)
		}
	}
}

// segment is a stretch of time with one offset. start and end are zero where there are none; before is the offset of the
// segment before.
type segment struct {
	start, end     time.Time
	offset, before time.Duration
}

func segmentAt(t time.Time, zone *time.Location) segment {
	local := t.In(zone)
	_, offset := local.Zone()
	s := segment{offset: time.Duration(offset) * time.Second, before: time.Duration(offset) * time.Second}
	s.start, s.end = local.ZoneBounds()
	if !s.start.IsZero() {
		s.start = s.start.UTC()
		_, before := s.start.Add(-1).In(zone).Zone()
		s.before = time.Duration(before) * time.Second
	}
	if !s.end.IsZero() {
		s.end = s.end.UTC()
	}
	if !s.end.IsZero() && !s.end.After(t) {
		// Beyond the changes that are listed in a zone, ZoneBounds ends each year after 365 days, in leap years too.
		s.end = t.UTC().Truncate(24*time.Hour).AddDate(0, 0, 1)
	}
	return s
}

// walls is a set of local times, ascending.
type walls interface {
	// next returns the first wall that is not before another one; false when there is none.
	next(from time.Time) (time.Time, bool)
}

// nextFixed returns the first instant after another one of walls that happen once each.
func nextFixed(w walls, zone *time.Location, after time.Time) (time.Time, bool) {
	// The mapping is monotone: a later wall has no earlier instant.
	for from := wallOf(after, zone).Add(1); ; {
		wall, ok := w.next(from)
		if !ok {
			return time.Time{}, false
		}
		if t := instant(wall, zone); t.After(after) {
			return t, true
		}
		from = wall.Add(1)
	}
}

// nextElapsed returns the first instant after another one of walls that follow elapsed time.
func nextElapsed(w walls, zone *time.Location, after time.Time) (time.Time, bool) {
	from := after.UTC().Add(1)
	for s := segmentAt(from, zone); ; s = segmentAt(s.end, zone) {
		if t, ok := s.first(w, from); ok {
			return t.In(zone), true
		}
		last, ok := w.next(from.Add(s.offset))
		// The last walls may happen again after a change that is near.
		if s.end.IsZero() || !ok && s.end.Sub(from) > maxOffset {
			return time.Time{}, false
		}
		from = s.end
		// Segments without an occurrence are skipped. A day earlier is before every change that could move it.
		if jump := last.Add(-2 * maxOffset); ok && jump.After(s.end) {
			from = jump
			s.end = jump
		}
	}
}

// first returns the first instant of a segment that is not before another one.
func (s segment) first(w walls, from time.Time) (time.Time, bool) {
	var best time.Time
	consider := func(t, end time.Time) {
		if (end.IsZero() || t.Before(end)) && (best.IsZero() || t.Before(best)) {
			best = t
		}
	}
	if wall, ok := w.next(from.Add(s.offset)); ok {
		consider(wall.Add(-s.offset), s.end)
	}
	if !s.start.IsZero() && s.before > s.offset {
		// The hour happens again: the clock of before the change counts on meanwhile.
		again := s.start.Add(s.before - s.offset)
		if wall, ok := w.next(from.Add(s.before)); ok {
			consider(wall.Add(-s.before), again)
		}
	}
	if s.start.Equal(from) && s.offset > s.before {
		if wall, ok := w.next(from.Add(s.before)); ok && wall.Before(from.Add(s.offset)) {
			consider(from, time.Time{})
		}
	}
	return best, !best.IsZero()
}

// Earlier is the earlier of two moments.
func Earlier(a, b time.Time) time.Time {
	if a.Before(b) {
		return a
	}
	return b
}
