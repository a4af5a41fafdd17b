// Package rfc3339 reads date-times by the grammar of RFC 3339 and by nothing else.
//
// The parser of the standard library takes more, such as offsets of 24 hours, commas before fractions and hours of one
// digit, so what one program sends another refuses.
package rfc3339

import (
	"errors"
	"fmt"
	"regexp"
	"strings"
	"time"
)

// Errors whose text completes "the value ...".
var (
	// ErrForm: the text is no date-time.
	ErrForm = errors.New("is not a date-time")
	// ErrNoOffset: a date and a time without an offset from UTC.
	ErrNoOffset = errors.New("has no offset from UTC")
	// ErrNoTime: a date alone.
	ErrNoTime = errors.New("is a date without a time and an offset from UTC")
	// ErrRange: a part is larger than it can be.
	ErrRange = errors.New("is not a possible date-time")
	// ErrFraction: the fraction has more than nine digits.
	ErrFraction = errors.New("has more than 9 digits in its fraction of a second")
	// ErrLeapSecond: second 60 at a moment at which no leap second can be.
	ErrLeapSecond = errors.New("has second 60, which exists only in a leap second, at the end of June or December in UTC")
)

const maxFraction = 9

// Parse reads a date-time: a calendar day of the years 0000 to 9999, "T", a time with seconds and up to nine digits of
// fraction, and "Z" or an offset up to 23:59. Letters may be small. A leap second, which may only be where one can be,
// is the first moment of the next day. The offset is kept.
func Parse(text string) (time.Time, error) {
	const day, clock = len("2006-01-02"), len("2006-01-02T15:04:05")
	if len(text) < day || !fits(text[:day], "dddd-dd-dd") {
		return time.Time{}, ErrForm
	}
	if len(text) == day {
		return time.Time{}, ErrNoTime
	}
	if len(text) < clock || (text[day] != 'T' && text[day] != 't') || !fits(text[day+1:clock], "dd:dd:dd") {
		return time.Time{}, ErrForm
	}
	rest := text[clock:]
	nanos, rest, err := fraction(rest)
	if err != nil {
		return time.Time{}, err
	}
	if rest == "" {
		return time.Time{}, ErrNoOffset
	}
	zone, err := offset(rest)
	if err != nil {
		return time.Time{}, err
	}
	year, month, date := number(text[:4]), time.Month(number(text[5:7])), number(text[8:10])
	hour, minute, second := number(text[11:13]), number(text[14:16]), number(text[17:19])
	if month < 1 || month > 12 || date < 1 || date > daysIn(year, month) || hour > 23 || minute > 59 || second > 60 {
		return time.Time{}, ErrRange
	}
	t := time.Date(year, month, date, hour, minute, min(second, 59), nanos, zone)
	if second == 60 {
		if t, err = afterLeapSecond(t); err != nil {
			return time.Time{}, err
		}
	}
	// Elsewhere such a moment is written in UTC, where it has no year of four digits.
	if utc := t.UTC().Year(); utc < 0 || utc > 9999 || t.Year() > 9999 {
		return time.Time{}, ErrRange
	}
	return t, nil
}

// fits compares text with a pattern in which d is a digit.
func fits(text, pattern string) bool {
	if len(text) != len(pattern) {
		return false
	}
	for i := range len(pattern) {
		c := text[i]
		if pattern[i] == 'd' && (c < '0' || c > '9') || pattern[i] != 'd' && c != pattern[i] {
			return false
		}
	}
	return true
}

func number(digits string) int {
	n := 0
	for i := range len(digits) {
		n = n*10 + int(digits[i]-'0')
	}
	return n
}

func fraction(text string) (nanos int, rest string, err error) {
	if text == "" || text[0] != '.' {
		return 0, text, nil
	}
	n := 1
	for n < len(text) && '0' <= text[n] && text[n] <= '9' {
		n++
	}
	digits := text[1:n]
	switch {
	case digits == "":
		return 0, "", ErrForm
	case len(digits) > maxFraction:
		return 0, "", ErrFraction
	}
	return number(digits + strings.Repeat("0", maxFraction-len(digits))), text[n:], nil
}

func offset(text string) (*time.Location, error) {
	if text == "Z" || text == "z" {
		return time.UTC, nil
	}
	if !fits(text, "+dd:dd") && !fits(text, "-dd:dd") {
		return nil, ErrForm
	}
	hours, minutes := number(text[1:3]), number(text[4:6])
	if hours > 23 || minutes > 59 {
		return nil, ErrRange
	}
	seconds := hours*3600 + minutes*60
	if seconds == 0 {
		return time.UTC, nil
	}
	if text[0] == '-' {
		seconds = -seconds
	}
	return time.FixedZone("", seconds), nil
}

func daysIn(year int, month time.Month) int {
	return time.Date(year, month+1, 0, 0, 0, 0, 0, time.UTC).Day()
}

// afterLeapSecond moves second 59, given for second 60, to the next second, as clocks without leap seconds do.
func afterLeapSecond(t time.Time) (time.Time, error) {
	utc := t.UTC()
	month, day := utc.Month(), utc.Day()
	last := month == time.June && day == 30 || month == time.December && day == 31
	if !last || utc.Hour() != 23 || utc.Minute() != 59 {
		return time.Time{}, ErrLeapSecond
	}
	return t.Truncate(time.Second).Add(time.Second), nil
}

// Format writes a date-time in the form that every reader takes, without losing precision.
func Format(t time.Time) string { return t.Format(time.RFC3339Nano) }

// Example is a date-time that Parse takes.
const Example = "2026-07-14T09:30:00Z"

var loose = regexp.MustCompile(
	`^\s*(\d{4}-\d{2}-\d{2})(?:[Tt _]+(\d{1,2}):(\d{2})(?::(\d{2}))?(?:[.,](\d{1,9})\d*)?)?\s*([Zz]|UTC|GMT|[+-]\d{2}(?::?\d{2})?)?\s*$`,
)

// Suggest is the nearest date-time to a text that Parse refuses, read in UTC where it names no offset, and Example when
// the text is nothing of the kind.
func Suggest(text string) string {
	m := loose.FindStringSubmatch(text)
	if m == nil {
		return Example
	}
	hour, minute, second, zone := m[2], m[3], m[4], m[6]
	if hour == "" {
		hour, minute = "00", "00"
	}
	if second == "" || second == "60" {
		second = "00"
	}
	if m[5] != "" {
		second += "." + m[5]
	}
	switch {
	case len(zone) == 3 && (zone[0] == '+' || zone[0] == '-'):
		zone += ":00"
	case len(zone) == 5:
		zone = zone[:3] + ":" + zone[3:]
	case len(zone) != 6:
		zone = "Z"
	}
	suggestion := fmt.Sprintf("%sT%02s:%s:%s%s", m[1], hour, minute, second, zone)
	if _, err := Parse(suggestion); err != nil {
		return Example
	}
	return suggestion
}
