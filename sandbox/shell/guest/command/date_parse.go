package command

import (
	"errors"
	"strconv"
	"strings"
	"time"
)

var errDate = errors.New("not a date")

// moment reads a date: @seconds, RFC 3339 and forms like it, now, today, tomorrow, yesterday, and steps such as "2 days ago",
// "+3 hours" or "next week", alone or after a date.
func moment(text string, now time.Time) (time.Time, error) {
	text = strings.TrimSpace(text)
	if text == "" {
		return now.Truncate(24 * time.Hour), nil
	}
	if strings.HasPrefix(text, "@") {
		seconds, fraction, _ := strings.Cut(text[1:], ".")
		s, err := strconv.ParseInt(seconds, 10, 64)
		if err != nil || s > 1<<40 || s < -1<<40 {
			return now, errDate
		}
		ns, _ := strconv.Atoi((fraction + "000000000")[:9])
		return time.Unix(s, int64(ns)).UTC(), nil
	}
	words := strings.Fields(text)
	at := now
	// The longest start that is a date by itself.
	for n := min(len(words), 6); n > 0; n-- {
		if t, ok := calendar(strings.Join(words[:n], " ")); ok {
			at, words = t, words[n:]
			break
		}
	}
	return steps(at, now, words)
}

func calendar(text string) (time.Time, bool) {
	text = strings.TrimSuffix(text, " UTC")
	for _, layout := range []string{
		time.RFC3339Nano, "2006-01-02T15:04:05.999999999", "2006-01-02T15:04", "2006-01-02 15:04:05Z07:00", "2006-01-02 15:04:05 -0700",
		"2006-01-02 15:04:05.999999999", "2006-01-02 15:04", "2006-01-02T15:04Z07:00", "2006-01-02Z07:00", "2006-01-02", "20060102", "2006/01/02",
		"2006/01/02 15:04:05", "Mon, 02 Jan 2006 15:04:05 -0700", "Mon, 02 Jan 2006 15:04:05 MST", "2 Jan 2006 15:04:05", "2 Jan 2006",
		"Jan 2 2006 15:04:05", "Jan 2 15:04:05 2006", "Jan 2, 2006", "Jan 2 2006", "Mon Jan _2 15:04:05 2006",
		"Mon Jan _2 15:04:05 MST 2006", "01/02/2006",
	} {
		if t, err := time.Parse(layout, text); err == nil {
			return t.UTC(), true
		}
	}
	return time.Time{}, false
}

func steps(at, now time.Time, words []string) (time.Time, error) {
	for len(words) > 0 {
		word := strings.ToLower(words[0])
		words = words[1:]
		switch word {
		case "now", "utc", "and":
			continue
		case "today":
			continue
		case "tomorrow":
			at = at.AddDate(0, 0, 1)
			continue
		case "yesterday":
			at = at.AddDate(0, 0, -1)
			continue
		case "midnight":
			at = at.Truncate(24 * time.Hour)
			continue
		case "noon":
			at = at.Truncate(24 * time.Hour).Add(12 * time.Hour)
			continue
		}
		if t, err := time.Parse("15:04:05", word); err == nil {
			at = at.Truncate(24 * time.Hour).Add(t.Sub(t.Truncate(24 * time.Hour)))
			continue
		}
		if t, err := time.Parse("15:04", word); err == nil {
			at = at.Truncate(24 * time.Hour).Add(t.Sub(t.Truncate(24 * time.Hour)))
			continue
		}
		if (word == "+" || word == "-") && len(words) > 0 {
			word, words = word+words[0], words[1:]
		}
		n, unit, counted := 1, word, false
		switch {
		case word == "next" || word == "last":
			if word == "last" {
				n = -1
			}
			unit, counted = "", true
		case strings.IndexAny(word, "+-0123456789") == 0:
			split := len(word) - len(strings.TrimLeft(word, "+-0123456789"))
			var err error
			if n, err = strconv.Atoi(strings.TrimPrefix(word[:split], "+")); err != nil || n > 1e9 || n < -1e9 {
				return now, errDate
			}
			unit = word[split:]
		}
		if unit == "" {
			if len(words) == 0 {
				return now, errDate
			}
			unit, words = strings.ToLower(words[0]), words[1:]
		}
		if len(words) > 0 && strings.EqualFold(words[0], "ago") {
			n, words = -n, words[1:]
		}
		if day, ok := weekday(unit); ok {
			days := int(day-at.Weekday()+7) % 7
			switch {
			case !at.Equal(now), !counted && n != 1:
				return now, errDate
			case counted && n < 0, counted && days == 0:
				days += 7 * n
			}
			at = at.Truncate(24*time.Hour).AddDate(0, 0, days)
			continue
		}
		switch strings.TrimSuffix(unit, "s") {
		case "sec", "second":
			at = at.Add(time.Duration(n) * time.Second)
		case "min", "minute":
			at = at.Add(time.Duration(n) * time.Minute)
		case "hour":
			at = at.Add(time.Duration(n) * time.Hour)
		case "day":
			at = at.AddDate(0, 0, n)
		case "week":
			at = at.AddDate(0, 0, 7*n)
		case "fortnight":
			at = at.AddDate(0, 0, 14*n)
		case "month":
			at = at.AddDate(0, n, 0)
		case "year":
			at = at.AddDate(n, 0, 0)
		default:
			return now, errDate
		}
	}
	return at, nil
}

func weekday(word string) (time.Weekday, bool) {
	for day := time.Sunday; day <= time.Saturday; day++ {
		if name := strings.ToLower(day.String()); word == name || word == name[:3] {
			return day, true
		}
	}
	return 0, false
}
