// Package chore runs housekeeping: what somebody in the installation has to do now and then, however many processes it has.
package chore

import (
	"context"
	"time"
)

// Chore is a piece of housekeeping.
type Chore struct {
	// Name tells it from all others, in the log and over restarts.
	Name string
	// Every is how much time lies between the beginnings of two runs.
	Every time.Duration
	// Do is one run. It returns soon after its context ends, and may be repeated at any point: a process can die in it.
	Do func(ctx context.Context) error
	// Wake makes the next run come at once; nil when only time does.
	Wake <-chan struct{}
}
