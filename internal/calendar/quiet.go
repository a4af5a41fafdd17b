package calendar

import (
	"fmt"
	"strings"
	"time"
)

// QuietHours are hours of the day, each day or on some weekdays. Hours that end before they begin end on the next day;
// the weekday is that of their begin.
type QuietHours struct {
	zone     *time.Location
	days     uint64
	from, to time.Duration // since midnight
}

const quietForm = "hours such as 22:00-07:00 or mon-fri 22:00-07:00"

// ParseQuietHours parses hours with optional weekdays, such as "22:00-07:00" and "sat,sun 00:00-24:00", for a time zone.
func ParseQuietHours(text string, zone *time.Location) (*QuietHours, error) {
	if len(text) > maxCron {
		return nil, invalid(fmt.Sprintf("must have at most %d characters", maxCron))
	}
	q := &QuietHours{zone: zone, days: allDays}
	parts := strings.Fields(strings.ToLower(text))
	if len(parts) == 2 {
		f, problem := parseField(weekdayField, parts[0])
		if problem != "" {
			return nil, invalid("has a wrong weekday: " + problem)
		}
		q.days, parts = f.set, parts[1:]
	}
	if len(parts) != 1 {
		return nil, invalid("must be " + quietForm)
	}
	from, to, ok := strings.Cut(parts[0], "-")
	if q.from, ok = parseClock(from, ok); ok {
		q.to, ok = parseClock(to, ok)
	}
	if !ok || q.from == 24*time.Hour {
		return nil, invalid("must be " + quietForm)
	}
	if q.from == q.to {
		return nil, invalid("must not begin and end at the same time: write 00:00-24:00 for the whole day")
	}
	return q, nil
}

// parseClock parses a time of day from 00:00 to 24:00.
func parseClock(text string, ok bool) (time.Duration, bool) {
	if text == "24:00" {
		return 24 * time.Hour, ok
	}
	t, err := time.Parse("15:04", text)
	if err != nil || len(text) != len("15:04") {
		return 0, false
	}
	return time.Duration(t.Hour())*time.Hour + time.Duration(t.Minute())*time.Minute, ok
}

// window returns the quiet hours that begin on a day; false when none do.
func (q *QuietHours) window(day time.Time) (start, end time.Time, ok bool) {
	if q.days>>day.Weekday()&1 == 0 {
		return start, end, false
	}
	to := q.to
	if to < q.from {
		to += 24 * time.Hour
	}
	start, end = instant(day.Add(q.from), q.zone), instant(day.Add(to), q.zone)
	// Hours that a change skips altogether do not happen.
	return start, end, start.Before(end)
}

// Until returns the end of the quiet hours that an instant lies in; false when it lies in none. Hours that adjoin, such
// as whole days, are one.
func (q *QuietHours) Until(t time.Time) (time.Time, bool) {
	until, quiet := t, false
	day := wallOf(t, q.zone).Truncate(24*time.Hour).AddDate(0, 0, -2)
	for last := day.AddDate(0, 0, 12); day.Before(last); day = day.AddDate(0, 0, 1) {
		start, end, ok := q.window(day)
		if ok && !until.Before(start) && until.Before(end) {
			until, quiet = end, true
		}
	}
	return until, quiet
}

// Next implements Schedule: it returns the next begin of quiet hours.
func (q *QuietHours) Next(after time.Time) (time.Time, bool) {
	day := wallOf(after, q.zone).Truncate(24*time.Hour).AddDate(0, 0, -1)
	for range 17 {
		if start, _, ok := q.window(day); ok && start.After(after) {
			return start, true
		}
		day = day.AddDate(0, 0, 1)
	}
	return time.Time{}, false
}

// Words implements Schedule.
func (q *QuietHours) Words() string {
	clock := func(d time.Duration) string { return fmt.Sprintf("%02d:%02d", int(d.Hours()), int(d.Minutes())%60) }
	days := "every day"
	if q.days != allDays {
		days = weekdayWords(q.days)
	}
	return "from " + clock(q.from) + " to " + clock(q.to) + " " + days + ", " + q.zone.String()
}
