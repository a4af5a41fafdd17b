package assistant

import (
	"time"

	"countersign/model"
)

// MaxCallsPerStep bounds the tool calls of one model answer.
const MaxCallsPerStep = 16

// MaxSameResults bounds how often a turn makes the same call with the same result. The next such call is refused,
// and a step of such calls alone ends the turn.
const MaxSameResults = 5

// MaxAttempts bounds the attempts at one model call after transient failures of the provider.
const MaxAttempts = 4

// MaxWait is the longest Retry-After of a provider that a turn waits for, so that rate limits per minute pass. A longer
// wait is reported to the person.
const MaxWait = 5 * time.Minute

// Backoff is the delay before attempt number next (2 is the first retry), or the provider's Retry-After, up to MaxWait.
func Backoff(next int, retryAfter time.Duration) time.Duration {
	if retryAfter > 0 {
		return min(retryAfter, MaxWait)
	}
	return min(500*time.Millisecond<<(next-2), 8*time.Second)
}

// TimedOut is the reason of a retry after a timeout, of which there is one at most.
const TimedOut model.Reason = "timed_out"

// IsWorthRetrying reports whether another attempt may succeed after a failed one, which was made for the reason told, if any.
func IsWorthRetrying(e *model.Error, told model.Reason) bool {
	switch {
	case e.Reason == model.ReplyUsedUp:
		return told != model.ReplyUsedUp
	case !e.Retryable() || e.RetryAfter > MaxWait || IsCorrected(e.Reason, told) || e.Reason == model.FirstTokenFinal:
		return false
	default:
		return !e.IsTimeout() || told != TimedOut
	}
}

// CutSilently reports that a server has counted far fewer tokens than the estimate of a request: it may have silently
// truncated the start, as Ollama does. Estimates are rough, so only less than half counts.
func CutSilently(estimated int, used model.Usage) bool {
	const least = 1_000 // a count below this is none, whatever the server says
	return used.Reported && used.InputTokens >= least && used.InputTokens < estimated/2
}
