package model

import (
	"net/http"
	"regexp"
	"strconv"
	"strings"
	"time"
)

// retryAfter reads the requested wait from the standard headers. A date is compared with the provider's own clock if it
// sends one, against clock skew. Zero or nonsense counts as absent.
func retryAfter(header http.Header) time.Duration {
	for _, name := range []string{"Retry-After-Ms", "X-Ms-Retry-After-Ms"} {
		if ms, err := strconv.ParseFloat(header.Get(name), 64); err == nil && ms > 0 {
			return boundedWait(ms / 1000)
		}
	}
	value := strings.TrimSpace(header.Get("Retry-After"))
	if at, err := http.ParseTime(value); err == nil {
		return boundedWait(at.Sub(clockOf(header)).Seconds())
	}
	return waitIn(value)
}

// clockOf returns the provider's time.
func clockOf(header http.Header) time.Time {
	if now, err := http.ParseTime(header.Get("Date")); err == nil {
		return now
	}
	return time.Now()
}

var (
	// retryDelay is Google's RetryInfo.
	retryDelay = regexp.MustCompile(`"retrydelay":\s*"([0-9.]+s)"`)
	// statedSeconds are members of a body that give a wait in seconds, or in milliseconds.
	statedSeconds = regexp.MustCompile(`"(?:retry[-_]?after(_ms|-ms)?|retry_after_seconds|estimated_time)":\s*"?([0-9]+(?:\.[0-9]+)?)`)
	// limitReset is a header that gateways quote in the body.
	limitReset = regexp.MustCompile(`"x-ratelimit-reset":\s*"?([0-9]{10,13})\b`)
	// waitPhrase is a wait in a sentence: "try again in 1m2.5s", "retry after 30 seconds", "wait 6000 seconds",
	// "resets in 42 seconds".
	waitPhrase = regexp.MustCompile(`(?:(?:try again|retry|retrying|resets?|reset) (?:in|after)|wait(?: for)?) (?:approximately |about )?` +
		`((?:[0-9.]+ ?(?:hours?|minutes?|seconds?|milliseconds?|h|ms|m|s)\b ?)+|[0-9.]+(?:h|m|s)[0-9.hms]+)`)
	spelled = strings.NewReplacer(" ", "", "milliseconds", "ms", "millisecond", "ms", "hours", "h", "hour", "h",
		"minutes", "m", "minute", "m", "seconds", "s", "second", "s")
)

// statedWait reads the wait from other places, for providers without a Retry-After header.
func statedWait(header http.Header, rep report) time.Duration {
	if found := retryDelay.FindStringSubmatch(rep.body); found != nil {
		return waitIn(found[1])
	}
	if found := statedSeconds.FindStringSubmatch(rep.body); found != nil {
		unit := "s"
		if found[1] != "" {
			unit = "ms"
		}
		if wait := waitIn(found[2] + unit); wait > 0 {
			return wait
		}
	}
	if wait := usedUp(header); wait > 0 {
		return wait
	}
	if found := waitPhrase.FindStringSubmatch(strings.ToLower(rep.message)); found != nil {
		if wait := waitIn(strings.TrimRight(spelled.Replace(found[1]), ".")); wait > 0 {
			return wait
		}
	}
	reset := header.Get("X-Ratelimit-Reset")
	if found := limitReset.FindStringSubmatch(rep.body); found != nil {
		reset = found[1]
	}
	if at, err := strconv.ParseInt(reset, 10, 64); err == nil {
		return untilReset(at, clockOf(header))
	}
	return 0
}

// usedUp returns the wait until the last of the limits that are used up is reset. "X-Ratelimit-Remaining-Tokens: 0" has
// a duration in "X-Ratelimit-Reset-Tokens", "Anthropic-Ratelimit-Input-Tokens-Remaining: 0" a time in
// "Anthropic-Ratelimit-Input-Tokens-Reset".
func usedUp(header http.Header) (longest time.Duration) {
	for name := range header {
		if !strings.Contains(name, "Ratelimit") || !strings.Contains(name, "-Remaining") || header.Get(name) != "0" {
			continue
		}
		reset := header.Get(strings.Replace(name, "-Remaining", "-Reset", 1))
		wait := waitIn(reset)
		if at, err := time.Parse(time.RFC3339, reset); err == nil {
			wait = boundedWait(at.Sub(clockOf(header)).Seconds())
		}
		if n, err := strconv.ParseInt(reset, 10, 64); err == nil {
			wait = untilReset(n, clockOf(header))
		}
		longest = max(longest, wait)
	}
	return longest
}

// untilReset reads the number of a reset: a time in milliseconds or seconds since 1970, or seconds from now.
func untilReset(at int64, now time.Time) time.Duration {
	const year2001 = 1_000_000_000
	switch {
	case at >= year2001*1000:
		return boundedWait(time.UnixMilli(at).Sub(now).Seconds())
	case at >= year2001:
		return boundedWait(time.Unix(at, 0).Sub(now).Seconds())
	default:
		return boundedWait(float64(at))
	}
}

// waitIn reads seconds, or a duration with units.
func waitIn(value string) time.Duration {
	if seconds, err := strconv.ParseFloat(value, 64); err == nil {
		return boundedWait(seconds)
	}
	if wait, err := time.ParseDuration(value); err == nil {
		return boundedWait(wait.Seconds())
	}
	return 0
}

func boundedWait(seconds float64) time.Duration {
	if !(seconds > 0) { // NaN too
		return 0
	}
	return time.Duration(min(seconds, maxRetryAfter.Seconds()) * float64(time.Second))
}
