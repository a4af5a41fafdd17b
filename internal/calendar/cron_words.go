package calendar

import (
	"fmt"
	"math/bits"
	"strconv"
	"strings"
	"time"
)

// weekdays and weekend are the sets of days that have a name of their own.
const (
	weekdays = 1<<time.Monday | 1<<time.Tuesday | 1<<time.Wednesday | 1<<time.Thursday | 1<<time.Friday
	weekend  = 1<<time.Saturday | 1<<time.Sunday
	allDays  = weekdays | weekend
)

// maxTimes is the number of times of day that are listed one by one.
const maxTimes = 6

// Words implements Schedule.
func (c *Cron) Words() string {
	clock, days := c.clockWords(), c.dayWords()
	if days == "" && !strings.HasPrefix(clock, "every") {
		days = "every day"
	}
	return strings.TrimSuffix(clock+" "+days, " ") + ", " + c.zone.String()
}

func (c *Cron) clockWords() string {
	minute, hour := c.fields[minuteField], c.fields[hourField]
	hours, minutes := bits.OnesCount64(hour.set), bits.OnesCount64(minute.set)
	every := minute.step > 1
	switch {
	case hour.star && hours == 24 && minutes == 60:
		return "every minute"
	case hour.star && hours == 24 && every:
		return fmt.Sprintf("every %d minutes", minute.step)
	case hour.star && hours == 24 && minute.set == 1:
		return "every hour"
	case hour.star && hours == 24:
		return "every hour at " + c.minuteWords()
	case hour.star && minute.set == 1 && simpleStep(hour, 24):
		return fmt.Sprintf("every %d hours", hour.step)
	case hour.star && !every && simpleStep(hour, 24):
		return fmt.Sprintf("every %d hours at %s", hour.step, c.minuteWords())
	case hours*minutes <= maxTimes:
		var times []string
		for _, h := range members(hour.set) {
			for _, m := range members(minute.set) {
				times = append(times, fmt.Sprintf("%02d:%02d", h, m))
			}
		}
		return "at " + enumerate(times)
	case minutes == 60:
		return "every minute of " + noun("hour", hours) + " " + ranges(hour.set, strconv.Itoa)
	case every:
		return fmt.Sprintf("every %d minutes of %s %s", minute.step, noun("hour", hours), ranges(hour.set, strconv.Itoa))
	default:
		return "at " + c.minuteWords() + " of " + noun("hour", hours) + " " + ranges(hour.set, strconv.Itoa)
	}
}

func (c *Cron) minuteWords() string {
	minute := c.fields[minuteField]
	return noun("minute", bits.OnesCount64(minute.set)) + " " + ranges(minute.set, strconv.Itoa)
}

// simpleStep reports whether a field is */n with an n that divides its whole.
func simpleStep(f field, whole int) bool {
	return f.step > 1 && whole%f.step == 0 && bits.OnesCount64(f.set) == whole/f.step
}

func (c *Cron) dayWords() string {
	day, weekday, month := c.fields[dayField], c.fields[weekdayField], c.fields[monthField]
	anyDay, anyWeekday := bits.OnesCount64(day.set) == 31, weekday.set == allDays
	var parts []string
	byDay := "on " + noun("day", bits.OnesCount64(day.set)) + " " + ranges(day.set, strconv.Itoa) + " of the month"
	byWeekday := weekdayWords(weekday.set)
	switch {
	case anyDay && anyWeekday:
	case anyWeekday && (day.star || weekday.star):
		parts = append(parts, byDay)
	case anyDay && (day.star || weekday.star):
		parts = append(parts, byWeekday)
	case day.star || weekday.star:
		parts = append(parts, byDay+" where that is "+strings.TrimPrefix(byWeekday, "on "))
	case anyDay || anyWeekday:
	default:
		parts = append(parts, byDay+" and "+byWeekday)
	}
	if bits.OnesCount64(month.set) < 12 {
		parts = append(parts, "in "+ranges(month.set, func(n int) string { return time.Month(n).String() }))
	}
	return strings.Join(parts, " ")
}

func weekdayWords(set uint64) string {
	switch set {
	case weekdays:
		return "on weekdays"
	case weekend:
		return "at weekends"
	}
	var names []string
	// A week begins on Monday.
	for n := 1; n <= 7; n++ {
		if set>>(n%7)&1 == 1 {
			names = append(names, time.Weekday(n%7).String())
		}
	}
	return "on " + enumerate(names)
}

// members lists the members of a set, ascending.
func members(set uint64) []int {
	var all []int
	for ; set != 0; set &= set - 1 {
		all = append(all, bits.TrailingZeros64(set))
	}
	return all
}

// ranges lists a set, three and more in a row as a range.
func ranges(set uint64, name func(int) string) string {
	var parts []string
	all := members(set)
	for i := 0; i < len(all); {
		j := i
		for j+1 < len(all) && all[j+1] == all[j]+1 {
			j++
		}
		if j-i < 2 {
			j = i
			parts = append(parts, name(all[i]))
		} else {
			parts = append(parts, name(all[i])+" to "+name(all[j]))
		}
		i = j + 1
	}
	return enumerate(parts)
}

func enumerate(parts []string) string {
	if len(parts) < 2 {
		return strings.Join(parts, "")
	}
	return strings.Join(parts[:len(parts)-1], ", ") + " and " + parts[len(parts)-1]
}

func noun(word string, n int) string {
	if n == 1 {
		return word
	}
	return word + "s"
}
