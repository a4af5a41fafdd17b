package event

import (
	"context"
	"time"
)

const (
	// announceEvery is the minimum time between two notifications of a process. NOTIFY takes a lock that all commits of
	// the server wait for, so a reader polls for a while after a notification.
	announceEvery = 500 * time.Millisecond
	// activeTime is how long a reader polls after a notification or an event, and activePoll how often.
	activeTime = 4 * announceEvery
	activePoll = 50 * time.Millisecond
	// pendingPoll is the polling interval for the end of a transaction that hides later events.
	pendingPoll = 20 * time.Millisecond
)

// pace is when a reader of events reads again.
type pace struct{ activeUntil time.Time }

// active notes that events come.
func (p *pace) active() { p.activeUntil = time.Now().Add(activeTime) }

// wait returns at the next notification, or after a time: idle when no events come.
func (p *pace) wait(ctx context.Context, changed <-chan struct{}, pending bool, idle time.Duration) {
	wait := idle
	switch {
	case pending:
		wait = min(idle, pendingPoll)
	case time.Now().Before(p.activeUntil):
		wait = min(idle, activePoll)
	}
	if waitFor(ctx, changed, wait) {
		p.active()
	}
}

// waitFor returns after d, when ctx ends, or with true when woken has something. A nil channel never wakes.
func waitFor(ctx context.Context, woken <-chan struct{}, d time.Duration) bool {
	next := time.NewTimer(d)
	defer next.Stop()
	select {
	case <-ctx.Done():
	case <-woken:
		return true
	case <-next.C:
	}
	return false
}
