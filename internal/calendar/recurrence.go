package calendar

import (
	"fmt"
	"slices"
	"strings"
	"time"

	"github.com/teambition/rrule-go"
)

// Recurrence is a recurrence rule of RFC 5545 with a start and exceptions in a time zone. The library expands it in
// local time; this package maps that to instants. SECONDLY is refused, and so is a rule that never happens.
type Recurrence struct {
	zone  *time.Location
	start time.Time // a wall
	rule  rrule.ROption
	// until is the last possible instant, zero without one.
	until    time.Time
	excepted map[int64]bool // by Unix time
	// counted are all instants of a rule with COUNT.
	counted []time.Time
}

// Limits of recurrences.
const (
	maxRule       = 1024 // bytes
	maxCount      = 1000
	maxExceptions = 500
	maxInterval   = 1000
)

// gregorian is the period after which days, weekdays and leap years repeat.
const gregorian = 400 // years

// lastYear is the year with which the library ends its search.
const lastYear = rrule.MAXYEAR

// searchedRule is the least number of years in which a rule has to happen.
const searchedRule = 60

// ParseRecurrence parses a rule such as FREQ=WEEKLY;BYDAY=SU, its first local time such as 2026-03-15T02:00, and local
// times at which it does not happen. The start itself only happens where the rule says so.
func ParseRecurrence(rule, start string, zone *time.Location, exceptions ...string) (*Recurrence, error) {
	first, err := parseLocal(start)
	if err != nil {
		return nil, err
	}
	r := &Recurrence{zone: zone, start: first, excepted: map[int64]bool{}}
	if r.rule, r.until, err = parseRule(rule, zone); err != nil {
		return nil, err
	}
	if len(exceptions) > maxExceptions {
		return nil, invalid(fmt.Sprintf("must have at most %d exceptions", maxExceptions))
	}
	for _, text := range exceptions {
		wall, err := parseLocal(text)
		if err != nil {
			return nil, err
		}
		r.excepted[instant(wall, zone).Unix()] = true
	}
	r.fixDefaults()
	if !r.reachable() {
		return nil, invalid("never happens: its interval does not reach its hours or minutes")
	}
	before := instant(first, zone).Add(-1)
	_, ok := r.daily().next(first.Truncate(24 * time.Hour))
	if ok {
		_, ok = r.search(before)
	}
	if !ok {
		return nil, invalid("never happens: change its days or its end")
	}
	if r.rule.Count > 0 {
		r.counted = []time.Time{}
		t := before
		// An exception takes its occurrence away; it does not move the end.
		for range r.rule.Count {
			var ok bool
			if t, ok = r.search(t); !ok {
				break
			}
			if !r.excepted[t.Unix()] {
				r.counted = append(r.counted, t)
			}
		}
	}
	return r, nil
}

// parseLocal parses a local time as a wall.
func parseLocal(text string) (time.Time, error) {
	for _, layout := range []string{"2006-01-02T15:04", "2006-01-02T15:04:05", "20060102T150405"} {
		if t, err := time.Parse(layout, text); err == nil && t.Year() >= 1970 && t.Year() < 2500 {
			return t, nil
		}
	}
	return time.Time{}, invalid("must be a local time without a zone, such as 2026-03-15T02:00")
}

// fixDefaults makes explicit what the rule has from its start, so that the start can be moved.
func (r *Recurrence) fixDefaults() {
	o := &r.rule
	o.Interval = max(o.Interval, 1)
	if len(o.Byweekno)+len(o.Byyearday)+len(o.Bymonthday)+len(o.Byweekday) == 0 {
		switch o.Freq {
		case rrule.YEARLY:
			if len(o.Bymonth) == 0 {
				o.Bymonth = []int{int(r.start.Month())}
			}
			o.Bymonthday = []int{r.start.Day()}
		case rrule.MONTHLY:
			o.Bymonthday = []int{r.start.Day()}
		case rrule.WEEKLY:
			o.Byweekday = []rrule.Weekday{weekdayOf(r.start.Weekday())}
		default:
		}
	}
	if len(o.Byhour) == 0 && o.Freq < rrule.HOURLY {
		o.Byhour = []int{r.start.Hour()}
	}
	if len(o.Byminute) == 0 && o.Freq < rrule.MINUTELY {
		o.Byminute = []int{r.start.Minute()}
	}
	if len(o.Bysecond) == 0 {
		o.Bysecond = []int{r.start.Second()}
	}
}

// reachable reports whether the steps of a rule within the day reach an allowed time; the library would search forever.
func (r *Recurrence) reachable() bool {
	at, step := r.start.Hour(), r.rule.Interval
	whole := 24
	if r.rule.Freq == rrule.MINUTELY {
		at, whole = at*60+r.start.Minute(), 24*60
	} else if r.rule.Freq != rrule.HOURLY {
		return true
	}
	for range whole {
		hour, minute := at, -1
		if whole != 24 {
			hour, minute = at/60, at%60
		}
		if allows(r.rule.Byhour, hour) && (minute < 0 || allows(r.rule.Byminute, minute)) {
			return true
		}
		at = (at + step) % whole
	}
	return false
}

// daily is the rule of the days on which a rule that repeats within the day may happen, and any other rule itself. The
// library needs long to find out that a rule never happens which steps by minutes.
func (r *Recurrence) daily() *Recurrence {
	if !r.elapsed() {
		return r
	}
	days := *r
	days.start = r.start.Truncate(24 * time.Hour)
	days.rule.Freq, days.rule.Interval = rrule.DAILY, 1
	days.rule.Byhour, days.rule.Byminute, days.rule.Bysecond = []int{0}, []int{0}, []int{0}
	return &days
}

func allows(list []int, n int) bool { return len(list) == 0 || slices.Contains(list, n) }

// elapsed reports whether the rule repeats within the day.
func (r *Recurrence) elapsed() bool { return r.rule.Freq >= rrule.HOURLY }

// Next implements Schedule.
func (r *Recurrence) Next(after time.Time) (time.Time, bool) {
	if r.counted != nil {
		i, _ := slices.BinarySearchFunc(r.counted, after.Add(1), time.Time.Compare)
		if i == len(r.counted) {
			return time.Time{}, false
		}
		return r.counted[i], true
	}
	for {
		t, ok := r.search(after)
		if !ok || !r.excepted[t.Unix()] {
			return t, ok
		}
		after = t
	}
}

// search is Next without exceptions and without the limit of COUNT.
func (r *Recurrence) search(after time.Time) (time.Time, bool) {
	if !r.until.IsZero() && !after.Before(r.until) {
		return time.Time{}, false
	}
	find := nextFixed
	if r.elapsed() {
		find = nextElapsed
	}
	t, ok := find(r, r.zone, after)
	if ok && !r.until.IsZero() && t.After(r.until) {
		return time.Time{}, false
	}
	return t, ok
}

// next implements walls.
func (r *Recurrence) next(from time.Time) (time.Time, bool) {
	if from.Before(r.start) {
		from = r.start
	}
	o := r.rule
	o.Count, o.Until = 0, time.Time{}
	o.Dtstart = r.startNear(from)
	// The library searches until its last year. Moved close to that by whole periods of the calendar, it ends soon.
	years := (lastYear - searchedRule - o.Dtstart.Year()) / gregorian * gregorian
	o.Dtstart = o.Dtstart.AddDate(years, 0, 0)
	rule, err := rrule.NewRRule(o)
	if err != nil {
		return time.Time{}, false
	}
	for more := rule.Iterator(); ; {
		found, ok := more()
		if !ok {
			return time.Time{}, false
		}
		if wall := found.AddDate(-years, 0, 0); !wall.Before(from) {
			return wall, true
		}
	}
}

// startNear returns a start from which the rule goes on as from its own, shortly before a wall.
func (r *Recurrence) startNear(from time.Time) time.Time {
	interval := r.rule.Interval
	months := (from.Year()-r.start.Year())*12 + int(from.Month()) - int(r.start.Month())
	y, m, _ := r.start.Date()
	midnight := r.start.Sub(r.start.Truncate(24 * time.Hour))
	step := map[rrule.Frequency]int64{rrule.WEEKLY: 7 * 86400, rrule.DAILY: 86400, rrule.HOURLY: 3600, rrule.MINUTELY: 60}
	switch r.rule.Freq {
	case rrule.YEARLY:
		if n := (from.Year()-y)/interval - 1; n > 0 {
			return time.Date(y+n*interval, 1, 1, 0, 0, 0, 0, time.UTC).Add(midnight)
		}
	case rrule.MONTHLY:
		if n := months/interval - 1; n > 0 {
			return time.Date(y, m+time.Month(n*interval), 1, 0, 0, 0, 0, time.UTC).Add(midnight)
		}
	default:
		each := step[r.rule.Freq] * int64(interval)
		if n := (from.Unix()-r.start.Unix())/each - 1; n > 0 {
			return time.Unix(r.start.Unix()+n*each, 0).UTC()
		}
	}
	return r.start
}

// Words implements Schedule.
func (r *Recurrence) Words() string {
	o := r.rule
	unit := [...]string{"year", "month", "week", "day", "hour", "minute"}[o.Freq]
	parts := []string{"every " + unit}
	if o.Interval > 1 {
		parts = []string{fmt.Sprintf("every %d %ss", o.Interval, unit)}
	}
	if len(o.Byweekday) > 0 {
		names := make([]string, len(o.Byweekday))
		for i, d := range o.Byweekday {
			names[i] = nth(d.N()) + time.Weekday((d.Day()+1)%7).String()
		}
		parts = append(parts, "on "+enumerate(names))
	}
	list := func(intro string, values []int, name func(int) string) {
		if len(values) == 0 {
			return
		}
		names := make([]string, len(values))
		for i, n := range values {
			names[i] = name(n)
		}
		parts = append(parts, intro+enumerate(names))
	}
	number := func(n int) string {
		if n < 0 {
			return fmt.Sprintf("%d from the end", -n)
		}
		return fmt.Sprint(n)
	}
	list("on day ", o.Bymonthday, number)
	list("on day of the year ", o.Byyearday, number)
	list("in week ", o.Byweekno, number)
	list("in ", o.Bymonth, func(n int) string { return time.Month(n).String() })
	list("only number ", o.Bysetpos, number)
	if len(o.Byhour)*len(o.Byminute) > 0 {
		var times []string
		for _, h := range o.Byhour {
			for _, m := range o.Byminute {
				times = append(times, fmt.Sprintf("%02d:%02d", h, m))
			}
		}
		if len(times) > maxTimes {
			times = append(times[:maxTimes-1], fmt.Sprintf("%d other times", len(times)-maxTimes+1))
		}
		parts = append(parts, "at "+enumerate(times))
	} else {
		list("in hour ", o.Byhour, number)
		if o.Freq == rrule.HOURLY && !slices.Equal(o.Byminute, []int{0}) || o.Freq == rrule.MINUTELY {
			list("at minute ", o.Byminute, number)
		}
	}
	switch {
	case o.Count > 0:
		parts = append(parts, fmt.Sprintf("%d times", o.Count))
	case !r.until.IsZero():
		parts = append(parts, "until "+r.until.In(r.zone).Format("2006-01-02 15:04"))
	}
	return strings.Join(parts, " ") + ", " + r.zone.String()
}

func nth(n int) string {
	switch {
	case n == 0:
		return ""
	case n == -1:
		return "the last "
	case n < 0:
		return fmt.Sprintf("the %d. last ", -n)
	case n <= 3:
		return [...]string{"the first ", "the second ", "the third "}[n-1]
	default:
		return fmt.Sprintf("the %d. ", n)
	}
}
