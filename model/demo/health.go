package demo

import (
	"fmt"
	"slices"
	"strconv"
	"strings"
	"unicode"
)

// The words of people for the states of health, the worst state first.
var stateWords = []struct {
	state string
	words []string
}{
	{
		"unhealthy",
		[]string{
			"unhealthy",
			"red",
			"failing",
			"broken",
			"down",
			"failed",
			"sick",
			"wrong",
			"in trouble",
			"not healthy",
			"not ok",
			"not okay",
			"not green",
		},
	},
	{"degraded", []string{"degraded", "yellow", "orange", "amber", "slow"}},
	{"unknown", []string{"unknown", "grey", "gray"}},
	{"partly-unknown", nil},
	{"healthy", []string{"healthy", "green", "up", "ok", "okay", "fine", "passing", "well", "alright", "all right"}},
	{"paused", nil},
	{"assigned to no system", nil},
}

// status returns the state that a word stands for; unhealthy without one.
func status(v any) string {
	for _, s := range stateWords {
		if slices.Contains(s.words, strings.ToLower(plainText(v))) {
			return s.state
		}
	}
	return stateWords[0].state
}

// checkState returns the state of a health check, which is that of its worst system; empty when the person may not
// see it.
func checkState(v any) string {
	check, _ := v.(object)
	counts, known := check["statuses"].(object)
	paused, _ := check["paused"].(bool)
	systems, _ := check["systems"].(float64)
	switch {
	case paused:
		return "paused"
	case !known:
		return ""
	case systems == 0:
		return "assigned to no system"
	}
	for _, s := range stateWords {
		if n, _ := counts[s.state].(float64); n > 0 {
			return s.state
		}
	}
	return "unknown"
}

// checkStates are health checks with their states.
func checkStates(v any) []any { return withStates(v, "name", checkState) }

// statuses are the systems of a board with their states.
func statuses(v any) []any {
	return withStates(v, "systemName", func(v any) string {
		system, _ := v.(object)
		return entry(system).text("status")
	})
}

func withStates(v any, name string, stateOf func(any) string) []any {
	all := []any{}
	for _, e := range entries(listed(v)) {
		all = append(all, object{"name": e.text(name), "state": stateOf(object(e)), "reason": e.text("reason")})
	}
	return all
}

// among returns the entries in a state.
func among(all []any, state string) []any {
	return slices.DeleteFunc(slices.Clone(all), func(v any) bool { return stateIn(v) != state })
}

// worst returns the entries whose state calls for attention.
func worst(all []any) []any {
	return slices.DeleteFunc(slices.Clone(all), func(v any) bool { return !slices.Contains([]string{"unhealthy", "degraded"}, stateIn(v)) })
}

func stateIn(v any) string {
	e, _ := v.(object)
	return entry(e).text("state")
}

// tally counts entries by state: "1 is unhealthy and 2 are healthy".
func tally(all []any) string {
	var parts []string
	for _, s := range stateWords {
		switch n := len(among(all, s.state)); n {
		case 0:
		case 1:
			parts = append(parts, "1 is "+s.state)
		default:
			parts = append(parts, fmt.Sprintf("%d are %s", n, s.state))
		}
	}
	if hidden := len(among(all, "")); hidden > 0 {
		parts = append(parts, fmt.Sprintf("you may not see how %d of them fare", hidden))
	}
	return join(parts, "and")
}

// unchecked are the names of the systems of a board that no health check is assigned to.
func unchecked(v any) []string {
	found := []string{}
	for _, e := range entries(listed(v)) {
		if n, known := e["checks"].(float64); known && n == 0 {
			found = append(found, e.text("systemName"))
		}
	}
	return found
}

const (
	defaultInterval = 60
	// checkTimeoutMs is the time that a check waits for an answer, where its interval has room for it.
	checkTimeoutMs = 10_000
)

// seconds returns the length of an interval in words; a minute when there is none.
func seconds(v any) int {
	text := strings.ToLower(strings.TrimSpace(plainText(v)))
	if text == "" {
		return defaultInterval
	}
	unit := strings.TrimLeftFunc(text, func(r rune) bool { return unicode.IsDigit(r) || r == ' ' })
	n, err := strconv.Atoi(strings.TrimSpace(strings.TrimSuffix(text, unit)))
	if err != nil {
		n = 1
	}
	switch unit[:1] {
	case "h":
		return n * 3600
	case "m":
		return n * 60
	}
	return n
}

// every is an interval as a sentence says it.
func every(v any) string {
	n := seconds(v)
	for _, unit := range []struct {
		seconds int
		name    string
	}{{3600, "hour"}, {60, "minute"}, {1, "second"}} {
		switch {
		case n == unit.seconds:
			return "every " + unit.name
		case n > 0 && n%unit.seconds == 0:
			return "every " + number(n/unit.seconds, unit.name)
		}
	}
	return "every " + number(n, "second")
}

// checkTimeout returns the timeout in milliseconds of a check with an interval.
func checkTimeout(v any) int {
	const half = 500
	return min(checkTimeoutMs, seconds(v)*half)
}
