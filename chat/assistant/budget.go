package assistant

import (
	"time"

	"countersign/model"
)

// MaxCallsPerStep bounds how many tool calls of one model answer are run.
const MaxCallsPerStep = 16

// MaxAttempts is how often one model call is made when the provider fails in a way that may pass.
const MaxAttempts = 4

// MaxWait is the longest wait that a turn takes upon itself when the provider names one: the window of limits a minute
// passes by then. Who has to wait longer is told so.
const MaxWait = 5 * time.Minute

// Backoff is how long to wait before attempt number next (2 is the first repeat). A provider that names a time is
// believed, up to MaxWait.
func Backoff(next int, retryAfter time.Duration) time.Duration {
	if retryAfter > 0 {
		return min(retryAfter, MaxWait)
	}
	return min(500*time.Millisecond<<(next-2), 8*time.Second)
}

// CutSilently reports that a server has counted far fewer tokens than a request is estimated to have: it may have left out
// the beginning of it without a word, as Ollama does. Estimates are rough, so only half of one is taken for a sign.
func CutSilently(estimated int, used model.Usage) bool {
	const least = 1_000 // a count below this is none, whatever the server says
	return used.Reported && used.InputTokens >= least && used.InputTokens < estimated/2
}
