// Package slot limits how many scripts compute at once in a process.
package slot

import (
	"context"
	"sync/atomic"

	"golang.org/x/sync/semaphore"
)

// Slots is a FIFO semaphore for computing guests.
type Slots struct {
	free    *semaphore.Weighted
	waiting atomic.Int32
}

// New returns n free slots.
func New(n int) *Slots { return &Slots{free: semaphore.NewWeighted(int64(n))} }

// Acquire takes a slot. It fails with the error of ctx when that ends first.
func (s *Slots) Acquire(ctx context.Context) error {
	if s.free.TryAcquire(1) {
		return nil
	}
	s.waiting.Add(1)
	defer s.waiting.Add(-1)
	return s.free.Acquire(ctx, 1)
}

// Release gives a slot back. It panics when none is taken.
func (s *Slots) Release() { s.free.Release(1) }

// Contended reports whether a guest waits for a slot.
func (s *Slots) Contended() bool { return s.waiting.Load() > 0 }
