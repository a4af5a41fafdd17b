package model

import (
	"net/http"
	"regexp"
	"strconv"
	"strings"
	"time"
)

// retryAfter reads the requested wait from the standard headers. Zero or nonsense counts as absent.
func retryAfter(header http.Header) time.Duration {
	for _, name := range []string{"Retry-After-Ms", "X-Ms-Retry-After-Ms", "X-Retry-After-Ms"} {
		if ms, err := strconv.ParseFloat(header.Get(name), 64); err == nil && ms > 0 {
			return boundedWait(ms / 1000)
		}
	}
	return waitIn(header.Get("Retry-After"), clockOf(header))
}

// clockOf returns the provider's time, against clock skew.
func clockOf(header http.Header) time.Time {
	if now, err := http.ParseTime(header.Get("Date")); err == nil {
		return now
	}
	return time.Now()
}

var (
	// retryDelay is Google's RetryInfo, also with the members of a duration.
	retryDelay = regexp.MustCompile(`"retrydelay":\s*(?:\{\s*"seconds":\s*)?"?([0-9.]+s?)`)
	// statedWaits are members of a body that give a wait in seconds, with a unit, or in milliseconds.
	statedWaits = regexp.MustCompile(`"(?:retry[-_]?after([-_]?ms)?|retry[-_]?after[-_]?seconds|estimated_time)":\s*"?([0-9]+(?:\.[0-9]+)?s?)`)
	// limitReset is a header that gateways quote in the body.
	limitReset = regexp.MustCompile(`"x-ratelimit-reset":\s*"?([0-9]{10,13})\b`)
	// waitPhrase is a wait in a sentence: "try again in 1m2.5s", "retry after 30 seconds", "wait 6000 seconds",
	// "resets in 42 seconds".
	waitPhrase = regexp.MustCompile(`(?:(?:try again|retry|retrying|resets?|reset) (?:in|after)|wait(?: for)?) (?:approximately |about )?` +
		`((?:[0-9.]+ ?(?:hours?|hrs?|minutes?|mins?|seconds?|secs?|milliseconds?|h|ms|m|s)\b(?: and )? ?)+|[0-9.]+(?:h|m|s)[0-9.hms]+)`)
	spelled = strings.NewReplacer(" and ", "", " ", "", "milliseconds", "ms", "millisecond", "ms", "hours", "h", "hour", "h", "hrs", "h",
		"hr", "h", "minutes", "m", "minute", "m", "mins", "m", "min", "m", "seconds", "s", "second", "s", "secs", "s", "sec", "s")
	// bareWait is a header in a sentence, whose number has no unit.
	bareWait = regexp.MustCompile(`retry[- ]after:? ([0-9.]+)[\s.,;)]*$`)
	// resetPhrase is a time in a sentence: "resets at: 2026-02-27 12:03:41 UTC".
	resetPhrase = regexp.MustCompile(
		`(?:resets?|try again|retry) (?:at|after):? ([0-9]{4}-[0-9]{2}-[0-9]{2})[t ]([0-9]{2}:[0-9]{2}:[0-9]{2})(?:\.[0-9]+)?(?:z| ?utc)\b`,
	)
	// chineseWait is "please retry in 30 seconds".
	chineseWait = regexp.MustCompile(`([0-9.]+) ?(秒|分钟|分鐘|小时|小時)(?:钟|鐘)?(?:之)?(?:后|後|再)`)
	chineseUnit = strings.NewReplacer("秒", "s", "分钟", "m", "分鐘", "m", "小时", "h", "小時", "h")
)

// statedWait reads the wait from other places, for providers without a Retry-After header: what the body states, limits
// that are used up, sentences, and the reset of a limit.
func statedWait(header http.Header, rep report) time.Duration {
	now := clockOf(header)
	if found := retryDelay.FindStringSubmatch(rep.body); found != nil {
		return waitIn(found[1], now)
	}
	if found := statedWaits.FindStringSubmatch(rep.body); found != nil {
		value := found[2]
		if found[1] != "" {
			value += "ms"
		}
		if wait := waitIn(value, now); wait > 0 {
			return wait
		}
	}
	if wait := usedUp(header, now); wait > 0 {
		return wait
	}
	if wait := waitInWords(strings.ToLower(rep.message), now); wait > 0 {
		return wait
	}
	if found := limitReset.FindStringSubmatch(rep.body); found != nil {
		return waitIn(found[1], now)
	}
	for _, name := range []string{"X-Ratelimit-Reset", "X-Ratelimit-Reset-After", "Ratelimit-Reset"} {
		if wait := waitIn(header.Get(name), now); wait > 0 {
			return wait
		}
	}
	return 0
}

// waitInWords reads the wait from a sentence in lower case.
func waitInWords(message string, now time.Time) time.Duration {
	if found := waitPhrase.FindStringSubmatch(message); found != nil {
		if wait := waitIn(strings.TrimRight(spelled.Replace(found[1]), "."), now); wait > 0 {
			return wait
		}
	}
	if found := resetPhrase.FindStringSubmatch(message); found != nil {
		return waitIn(found[1]+"T"+found[2]+"Z", now)
	}
	if found := bareWait.FindStringSubmatch(message); found != nil {
		return waitIn(strings.TrimRight(found[1], "."), now)
	}
	if found := chineseWait.FindStringSubmatch(message); found != nil {
		return waitIn(found[1]+chineseUnit.Replace(found[2]), now)
	}
	return 0
}

// usedUp returns the wait until the last of the limits that are used up is reset. "X-Ratelimit-Remaining-Tokens: 0" has
// a duration in "X-Ratelimit-Reset-Tokens", "Anthropic-Ratelimit-Input-Tokens-Remaining: 0" a time in
// "Anthropic-Ratelimit-Input-Tokens-Reset". A limit of which only the reset is stated counts as used up.
func usedUp(header http.Header, now time.Time) (longest time.Duration) {
	for name := range header {
		if !strings.Contains(name, "Ratelimit") || !strings.Contains(name, "-Reset") {
			continue
		}
		left := header.Get(strings.Replace(name, "-Reset", "-Remaining", 1))
		if left == "0" || left == "" && strings.Contains(name, "-Reset-") {
			longest = max(longest, waitIn(header.Get(name), now))
		}
	}
	return longest
}

// waitIn reads seconds, a duration with units, a time as text, or one in seconds or milliseconds since 1970.
func waitIn(value string, now time.Time) time.Duration {
	const year2001 = 1_000_000_000
	value = strings.TrimSpace(value)
	if at, err := strconv.ParseInt(value, 10, 64); err == nil {
		switch {
		case at >= year2001*1000:
			return boundedWait(time.UnixMilli(at).Sub(now).Seconds())
		case at >= year2001:
			return boundedWait(time.Unix(at, 0).Sub(now).Seconds())
		}
	}
	if seconds, err := strconv.ParseFloat(value, 64); err == nil {
		return boundedWait(seconds)
	}
	if wait, err := time.ParseDuration(value); err == nil {
		return boundedWait(wait.Seconds())
	}
	if at, err := time.Parse(time.RFC3339, value); err == nil {
		return boundedWait(at.Sub(now).Seconds())
	}
	if at, err := http.ParseTime(value); err == nil {
		return boundedWait(at.Sub(now).Seconds())
	}
	return 0
}

func boundedWait(seconds float64) time.Duration {
	if !(seconds > 0) { // NaN too
		return 0
	}
	return time.Duration(min(seconds, maxRetryAfter.Seconds()) * float64(time.Second))
}
