package calendar

import "time"

// Wall returns the local time of an instant in a zone, in the form of the starts of recurrences.
func Wall(t time.Time, zone *time.Location) string {
	return wallOf(t, zone).Format("2006-01-02T15:04:05")
}

// Length returns the time between two instants by the wall clock of a zone.
func Length(from, to time.Time, zone *time.Location) time.Duration {
	return wallOf(to, zone).Sub(wallOf(from, zone))
}

// End returns when an occurrence that begins at start is over, length later by the wall clock: a window from 02:00 to
// 04:00 ends at 04:00 on each day, however many hours it then has. Occurrences that repeat within the day last length.
func (r *Recurrence) End(start time.Time, length time.Duration) time.Time {
	if r.elapsed() {
		return start.Add(length)
	}
	// At the end of a gap, the time that does not exist is the one of the rule.
	wall := wallOf(start, r.zone)
	if s := segmentAt(start, r.zone); s.start.Equal(start) && s.offset > s.before {
		if nominal, ok := r.next(start.UTC().Add(s.before)); ok && !nominal.After(wall) {
			wall = nominal
		}
	}
	end := instant(wall.Add(length), r.zone)
	if !end.After(start) {
		return start.Add(length)
	}
	return end
}
