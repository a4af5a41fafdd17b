package assistant

import "time"

// MaxCallsPerStep bounds how many tool calls of one model answer are run.
const MaxCallsPerStep = 16

// MaxAttempts is how often one model call is made when the provider fails in a way that may pass.
const MaxAttempts = 4

// Backoff is how long to wait before attempt number next (2 is the first repeat). A provider that names a time is
// believed, up to a minute.
func Backoff(next int, retryAfter time.Duration) time.Duration {
	if retryAfter > 0 {
		return min(retryAfter, time.Minute)
	}
	return min(500*time.Millisecond<<(next-2), 8*time.Second)
}
