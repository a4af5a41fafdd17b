package calendar

import (
	"fmt"
	"math/bits"
	"strconv"
	"strings"
	"time"
)

// Cron is a cron schedule of five fields in a time zone, with the rules of Vixie cron: where day and weekday are both
// restricted, one of them has to match, and a field that begins with * is not restricted.
type Cron struct {
	zone   *time.Location
	fields [5]field
}

// field is the set of allowed values of one field.
type field struct {
	set uint64
	// star reports that the field begins with *; step is the n of a field */n, 1 for *, otherwise 0.
	star bool
	step int
}

func (f field) has(n int) bool { return f.set>>n&1 == 1 }

const (
	minuteField = iota
	hourField
	dayField
	monthField
	weekdayField
)

const maxCron = 256 // bytes

var fieldKinds = [5]struct {
	name      string
	low, high int
	names     []string // of the values from low
}{
	{name: "minute", low: 0, high: 59},
	{name: "hour", low: 0, high: 23},
	{name: "day", low: 1, high: 31},
	{name: "month", low: 1, high: 12, names: strings.Fields("jan feb mar apr may jun jul aug sep oct nov dec")},
	{name: "weekday", low: 0, high: 7, names: strings.Fields("sun mon tue wed thu fri sat")},
}

var macros = map[string]string{
	"@yearly": "0 0 1 1 *", "@annually": "0 0 1 1 *", "@monthly": "0 0 1 * *", "@weekly": "0 0 * * 0",
	"@daily": "0 0 * * *", "@midnight": "0 0 * * *", "@hourly": "0 * * * *",
}

const cronForm = "five fields: minute, hour, day, month and weekday, such as 30 2 * * 1-5"

// ParseCron parses a cron schedule for a time zone. It refuses one that never happens.
func ParseCron(text string, zone *time.Location) (*Cron, error) {
	if len(text) > maxCron {
		return nil, invalid(fmt.Sprintf("must have at most %d characters", maxCron))
	}
	parts := strings.Fields(text)
	if len(parts) > 0 && strings.HasPrefix(parts[0], "@") {
		whole, ok := macros[strings.ToLower(strings.Join(parts, " "))]
		if !ok {
			return nil, invalid("is no known shorthand: write @hourly, @daily, @weekly, @monthly, @yearly or " + cronForm)
		}
		parts = strings.Fields(whole)
	}
	if len(parts) > 0 && strings.Contains(parts[0], "TZ=") {
		return nil, invalid("names a time zone: give that apart, and here " + cronForm)
	}
	if len(parts) == 6 || len(parts) == 7 {
		return nil, invalid(fmt.Sprintf("has %d fields, so it has seconds or years: leave them out and write %s", len(parts), cronForm))
	}
	if len(parts) != len(fieldKinds) {
		return nil, invalid("must have " + cronForm)
	}
	c := &Cron{zone: zone}
	for i, part := range parts {
		if part == "?" && (i == dayField || i == weekdayField) {
			part = "*" // as Quartz writes it
		}
		f, problem := parseField(i, strings.ToLower(part))
		if problem != "" {
			return nil, invalid("has a wrong " + fieldKinds[i].name + ": " + problem)
		}
		c.fields[i] = f
	}
	if _, ok := c.next(time.Date(2000, 1, 1, 0, 0, 0, 0, time.UTC)); !ok {
		return nil, invalid("never happens: no such month has a day with that number")
	}
	return c, nil
}

// parseField parses one field; the text explains an error.
func parseField(kind int, text string) (field, string) {
	k := fieldKinds[kind]
	f := field{star: text[0] == '*'}
	for part := range strings.SplitSeq(text, ",") {
		span, steps, stepped := strings.Cut(part, "/")
		low, high, problem := parseSpan(kind, span, stepped)
		if problem != "" {
			return f, problem
		}
		step := 1
		if stepped {
			n, err := strconv.Atoi(steps)
			if err != nil || n < 1 || n > k.high {
				return f, fmt.Sprintf("the step of %s must be from 1 to %d", quoted(part), k.high)
			}
			step = n
		}
		if part == text && f.star {
			f.step = step
		}
		for n := low; n <= high; n += step {
			f.set |= 1 << n
		}
	}
	if kind == weekdayField && f.has(7) {
		f.set = f.set&^(1<<7) | 1
	}
	return f, ""
}

// parseSpan parses the part of a field before a step: *, a value or a range; the text explains an error.
func parseSpan(kind int, span string, stepped bool) (low, high int, problem string) {
	k := fieldKinds[kind]
	if span == "*" && kind == weekdayField {
		return k.low, 6, ""
	}
	if span == "*" {
		return k.low, k.high, ""
	}
	first, last, ranged := strings.Cut(span, "-")
	if low, problem = parseValue(kind, first); problem != "" {
		return low, high, problem
	}
	high = k.high
	switch {
	case ranged:
		if high, problem = parseValue(kind, last); problem != "" {
			return low, high, problem
		}
		if kind == weekdayField && high == 0 && low > 0 {
			high = 7
		}
	case !stepped:
		high = low
	}
	if high < low {
		problem = quoted(span) + " runs backwards; write two ranges with a comma"
	}
	return low, high, problem
}

// parseValue parses one value; the text explains an error.
func parseValue(kind int, text string) (int, string) {
	k := fieldKinds[kind]
	for i, name := range k.names {
		if text == name {
			return k.low + i, ""
		}
	}
	n, err := strconv.Atoi(text)
	if err == nil && n >= k.low && n <= k.high && text[0] != '+' && text[0] != '-' {
		return n, ""
	}
	if strings.ContainsAny(text, "lw#") && err != nil {
		return 0, quoted(text) + " is of another kind of cron (L, W and # have no meaning here); write numbers, ranges, lists and steps"
	}
	expected := fmt.Sprintf("write %d to %d", k.low, k.high)
	if len(k.names) > 0 {
		expected += " or " + k.names[0] + " to " + k.names[len(k.names)-1]
	}
	return 0, quoted(text) + " is none; " + expected
}

// quoted returns a short part of an input for a message.
func quoted(text string) string {
	if len(text) > 20 {
		text = text[:20] + "..."
	}
	return strconv.Quote(text)
}

// elapsed reports whether the schedule follows elapsed time.
func (c *Cron) elapsed() bool { return c.fields[hourField].star }

// Zone returns the time zone of the schedule.
func (c *Cron) Zone() *time.Location { return c.zone }

// Next implements Schedule.
func (c *Cron) Next(after time.Time) (time.Time, bool) {
	if c.elapsed() {
		return nextElapsed(c, c.zone, after)
	}
	return nextFixed(c, c.zone, after)
}

// Last returns the last instant before another one; false when there is none.
func (c *Cron) Last(before time.Time) (time.Time, bool) {
	wall := wallOf(before, c.zone)
	for {
		var ok bool
		if wall, ok = c.previous(wall); !ok {
			return time.Time{}, false
		}
		if t := instant(wall, c.zone); t.Before(before) {
			// In a doubled hour later ones follow it.
			for next, ok := c.Next(t); ok && next.Before(before); next, ok = c.Next(next) {
				t = next
			}
			return t, true
		}
	}
}

// searched bounds the search for the next day: 29 February is the same weekday every 40 years at the latest.
const searched = 41 // years

// next implements walls.
func (c *Cron) next(from time.Time) (time.Time, bool) {
	start := from.Truncate(time.Minute)
	if start.Before(from) {
		start = start.Add(time.Minute)
	}
	y, m, d := start.Date()
	hour, minute := start.Hour(), start.Minute()
	for day := time.Date(y, m, d, 0, 0, 0, 0, time.UTC); day.Year() <= y+searched; hour, minute = 0, 0 {
		if !c.fields[monthField].has(int(day.Month())) {
			day = time.Date(day.Year(), day.Month()+1, 1, 0, 0, 0, 0, time.UTC)
			continue
		}
		if c.onDay(day) {
			if h, m, ok := c.clockFrom(hour, minute); ok {
				return day.Add(time.Duration(h)*time.Hour + time.Duration(m)*time.Minute), true
			}
		}
		day = day.AddDate(0, 0, 1)
	}
	return time.Time{}, false
}

// previous returns the last wall before another one.
func (c *Cron) previous(before time.Time) (time.Time, bool) {
	end := before.Add(-1).Truncate(time.Minute)
	y, m, d := end.Date()
	hour, minute := end.Hour(), end.Minute()
	for day := time.Date(y, m, d, 0, 0, 0, 0, time.UTC); day.Year() >= y-searched; hour, minute = 23, 59 {
		if !c.fields[monthField].has(int(day.Month())) {
			day = time.Date(day.Year(), day.Month(), 0, 0, 0, 0, 0, time.UTC)
			continue
		}
		if c.onDay(day) {
			if h, m, ok := c.clockUntil(hour, minute); ok {
				return day.Add(time.Duration(h)*time.Hour + time.Duration(m)*time.Minute), true
			}
		}
		day = day.AddDate(0, 0, -1)
	}
	return time.Time{}, false
}

// onDay reports whether a day, in an allowed month, is allowed.
func (c *Cron) onDay(day time.Time) bool {
	byDay, byWeekday := c.fields[dayField].has(day.Day()), c.fields[weekdayField].has(int(day.Weekday()))
	if c.fields[dayField].star || c.fields[weekdayField].star {
		return byDay && byWeekday
	}
	return byDay || byWeekday
}

// clockFrom returns the first time of day that is not before another one.
func (c *Cron) clockFrom(hour, minute int) (int, int, bool) {
	hours, minutes := c.fields[hourField].set, c.fields[minuteField].set
	if c.fields[hourField].has(hour) {
		if later := minutes >> minute << minute; later != 0 {
			return hour, bits.TrailingZeros64(later), true
		}
	}
	later := hours >> (hour + 1) << (hour + 1)
	return bits.TrailingZeros64(later), bits.TrailingZeros64(minutes), later != 0
}

// clockUntil returns the last time of day that is not after another one.
func (c *Cron) clockUntil(hour, minute int) (int, int, bool) {
	hours, minutes := c.fields[hourField].set, c.fields[minuteField].set
	if c.fields[hourField].has(hour) {
		if earlier := minutes & (1<<(minute+1) - 1); earlier != 0 {
			return hour, bits.Len64(earlier) - 1, true
		}
	}
	earlier := hours & (1<<hour - 1)
	return bits.Len64(earlier) - 1, bits.Len64(minutes) - 1, earlier != 0
}
