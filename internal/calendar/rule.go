package calendar

import (
	"fmt"
	"strconv"
	"strings"
	"time"

	"github.com/teambition/rrule-go"
)

var frequencies = map[string]rrule.Frequency{
	"YEARLY": rrule.YEARLY, "MONTHLY": rrule.MONTHLY, "WEEKLY": rrule.WEEKLY, "DAILY": rrule.DAILY,
	"HOURLY": rrule.HOURLY, "MINUTELY": rrule.MINUTELY,
}

// ruleDays are the weekdays of a rule, from Monday.
var (
	ruleDays     = []rrule.Weekday{rrule.MO, rrule.TU, rrule.WE, rrule.TH, rrule.FR, rrule.SA, rrule.SU}
	ruleDayNames = []string{"MO", "TU", "WE", "TH", "FR", "SA", "SU"}
)

func weekdayOf(d time.Weekday) rrule.Weekday { return ruleDays[(int(d)+6)%7] }

// lists are the parts of a rule that list numbers. Negative ones count from the end.
var lists = map[string]struct {
	low, high int
	negative  bool
	of        func(*rrule.ROption) *[]int
}{
	"BYMONTH":    {1, 12, false, func(o *rrule.ROption) *[]int { return &o.Bymonth }},
	"BYMONTHDAY": {1, 31, true, func(o *rrule.ROption) *[]int { return &o.Bymonthday }},
	"BYYEARDAY":  {1, 366, true, func(o *rrule.ROption) *[]int { return &o.Byyearday }},
	"BYWEEKNO":   {1, 53, true, func(o *rrule.ROption) *[]int { return &o.Byweekno }},
	"BYHOUR":     {0, 23, false, func(o *rrule.ROption) *[]int { return &o.Byhour }},
	"BYMINUTE":   {0, 59, false, func(o *rrule.ROption) *[]int { return &o.Byminute }},
	"BYSECOND":   {0, 59, false, func(o *rrule.ROption) *[]int { return &o.Bysecond }},
	"BYSETPOS":   {1, 366, true, func(o *rrule.ROption) *[]int { return &o.Bysetpos }},
}

// parseRule parses the parts of a rule. until is its last instant, zero without UNTIL.
func parseRule(text string, zone *time.Location) (o rrule.ROption, until time.Time, err error) {
	if len(text) > maxRule {
		return o, until, invalid(fmt.Sprintf("must have at most %d characters", maxRule))
	}
	seen := map[string]bool{}
	text = strings.TrimPrefix(strings.ToUpper(strings.TrimSpace(text)), "RRULE:")
	for part := range strings.SplitSeq(strings.TrimSuffix(text, ";"), ";") {
		name, value, ok := strings.Cut(part, "=")
		if !ok || value == "" {
			return o, until, invalid("must be a recurrence rule such as FREQ=WEEKLY;BYDAY=MO,FR; " + quoted(part) + " is no part of one")
		}
		if seen[name] {
			return o, until, invalid("has " + quoted(name) + " twice")
		}
		seen[name] = true
		if until, err = parsePart(&o, name, value, until, zone); err != nil {
			return o, until, err
		}
	}
	return o, until, ruleConflict(&o, seen)
}

func parsePart(o *rrule.ROption, name, value string, until time.Time, zone *time.Location) (time.Time, error) {
	var problem string
	switch name {
	case "FREQ":
		freq, ok := frequencies[value]
		if !ok {
			return until, invalid("has a wrong FREQ: write YEARLY, MONTHLY, WEEKLY, DAILY, HOURLY or MINUTELY")
		}
		o.Freq = freq
	case "INTERVAL":
		o.Interval, problem = ruleNumber(value, 1, maxInterval, false)
	case "COUNT":
		o.Count, problem = ruleNumber(value, 1, maxCount, false)
	case "UNTIL":
		return parseUntil(value, zone)
	case "WKST":
		var day rrule.Weekday
		if day, problem = ruleDay(value); problem == "" && day.N() != 0 {
			problem = "a number has no meaning there"
		}
		o.Wkst = day
	case "BYDAY":
		for entry := range strings.SplitSeq(value, ",") {
			day, wrong := ruleDay(entry)
			if wrong != "" {
				problem = wrong
				break
			}
			o.Byweekday = append(o.Byweekday, day)
		}
	default:
		list, ok := lists[name]
		if !ok {
			return until, invalid("has " + quoted(name) + ", which is no part of a recurrence rule")
		}
		for entry := range strings.SplitSeq(value, ",") {
			n, wrong := ruleNumber(entry, list.low, list.high, list.negative)
			if wrong != "" {
				problem = wrong
				break
			}
			of := list.of(o)
			*of = append(*of, n)
		}
	}
	if problem != "" {
		return until, invalid("has a wrong " + name + ": " + problem)
	}
	return until, nil
}

func ruleNumber(text string, low, high int, negative bool) (int, string) {
	n, err := strconv.Atoi(text)
	size := n
	if negative && n < 0 {
		size = -n
	}
	if err != nil || size < low || size > high {
		return 0, fmt.Sprintf("write %d to %d, not %s", low, high, quoted(text))
	}
	return n, ""
}

func ruleDay(text string) (rrule.Weekday, string) {
	for i, name := range ruleDayNames {
		number, ok := strings.CutSuffix(text, name)
		switch {
		case !ok:
		case number == "":
			return ruleDays[i], ""
		default:
			n, problem := ruleNumber(number, 1, 53, true)
			return ruleDays[i].Nth(n), problem
		}
	}
	return rrule.Weekday{}, "write days such as MO or -1FR, not " + quoted(text)
}

// parseUntil parses the last time of a rule: an instant in UTC, a local time, or a whole local day.
func parseUntil(text string, zone *time.Location) (time.Time, error) {
	if t, err := time.Parse("20060102T150405Z", text); err == nil {
		return t, nil
	}
	if t, err := time.Parse("20060102T150405", text); err == nil {
		return instant(t, zone), nil
	}
	if t, err := time.Parse("20060102", text); err == nil {
		return instant(t.AddDate(0, 0, 1), zone).Add(-1), nil
	}
	return time.Time{}, invalid("has a wrong UNTIL: write 20261231 or 20261231T120000Z, not " + quoted(text))
}

// ruleConflict finds parts that do not go together, by the table of RFC 5545, section 3.3.10.
func ruleConflict(o *rrule.ROption, seen map[string]bool) error {
	numbered, widest := false, 0
	for _, d := range o.Byweekday {
		numbered = numbered || d.N() != 0
		widest = max(widest, d.N(), -d.N())
	}
	switch {
	case !seen["FREQ"]:
		return invalid("must have a FREQ, such as FREQ=WEEKLY;BYDAY=MO,FR")
	case seen["COUNT"] && seen["UNTIL"]:
		return invalid("has both COUNT and UNTIL: leave one out")
	case numbered && o.Freq > rrule.MONTHLY || numbered && len(o.Byweekno) > 0:
		return invalid("has a BYDAY with a number, which needs FREQ=MONTHLY or YEARLY without BYWEEKNO")
	case widest > 5 && (o.Freq == rrule.MONTHLY || len(o.Bymonth) > 0):
		return invalid("has a wrong BYDAY: a month has at most 5 of each weekday")
	case len(o.Byweekno) > 0 && o.Freq != rrule.YEARLY:
		return invalid("has BYWEEKNO, which needs FREQ=YEARLY")
	case len(o.Byyearday) > 0 && (o.Freq == rrule.MONTHLY || o.Freq == rrule.WEEKLY || o.Freq == rrule.DAILY):
		return invalid("has BYYEARDAY, which does not go with FREQ=DAILY, WEEKLY or MONTHLY")
	case len(o.Bymonthday) > 0 && o.Freq == rrule.WEEKLY:
		return invalid("has BYMONTHDAY, which does not go with FREQ=WEEKLY")
	case len(o.Bysetpos) > 0 && o.Freq >= rrule.HOURLY:
		return invalid("has BYSETPOS, which needs FREQ=DAILY, WEEKLY, MONTHLY or YEARLY")
	case len(o.Bysetpos) > 0 && len(seen) < 3:
		return invalid("has BYSETPOS, which needs another part that begins with BY")
	}
	return nil
}
