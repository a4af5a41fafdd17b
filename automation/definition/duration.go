package definition

import (
	"errors"
	"strconv"
	"strings"
	"time"
)

// ParseDuration reads a duration as definitions write it: a number of seconds, or numbers with the units d, h, m and s.
func ParseDuration(text string) (Duration, error) {
	const day = 24 * time.Hour
	wrong := errors.New("is no duration: write a number of seconds, or one such as 30s, 5m, 1h30m or 2d")
	if seconds, err := strconv.ParseFloat(text, 64); err == nil {
		return fromSeconds(seconds)
	}
	days, rest := time.Duration(0), text
	if before, after, ok := strings.Cut(text, "d"); ok {
		n, err := strconv.Atoi(before)
		if err != nil || n < 0 || n > 10_000 {
			return 0, wrong
		}
		days, rest = time.Duration(n)*day, after
	}
	if rest == "" && days > 0 {
		return Duration(days), nil
	}
	d, err := time.ParseDuration(rest)
	if err != nil || d < 0 {
		return 0, wrong
	}
	return Duration(days + d), nil
}

func fromSeconds(seconds float64) (Duration, error) {
	if !(seconds >= 0 && seconds < 1e9) {
		return 0, errors.New("is out of range: a duration has 0 to 366 days")
	}
	return Duration(seconds * float64(time.Second)), nil
}

// String is the text form, such as 1h30m or 2d.
func (d Duration) String() string {
	const day = 24 * time.Hour
	rest := time.Duration(d)
	text := ""
	if days := rest / day; days > 0 {
		text = strconv.Itoa(int(days)) + "d"
		rest %= day
	}
	for _, unit := range []struct {
		of   time.Duration
		name string
	}{{time.Hour, "h"}, {time.Minute, "m"}} {
		if n := rest / unit.of; n > 0 {
			text += strconv.Itoa(int(n)) + unit.name
			rest %= unit.of
		}
	}
	if rest > 0 || text == "" {
		text += strconv.FormatFloat(rest.Seconds(), 'f', -1, 64) + "s"
	}
	return text
}
