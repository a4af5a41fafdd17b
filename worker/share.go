package worker

import (
	"context"
	"sync"

	"go.temporal.io/sdk/worker"
)

// shares says how many shards this process should hold. *engine.Engine does.
type shares interface {
	Share() (fair int, changed <-chan struct{})
}

// fairShare lets the worker poll only while its process holds fewer shards than its share. So there is always room for a process
// that is new, and one that has its share has no open poll that could swallow a shard while the process stands still.
type fairShare struct {
	shares shares

	mu     sync.Mutex
	issued int
	freed  chan struct{}
}

// ReserveSlot implements worker.SlotSupplier.
func (s *fairShare) ReserveSlot(ctx context.Context, _ worker.SlotReservationInfo) (*worker.SlotPermit, error) {
	for {
		fair, changed := s.shares.Share()
		freed, ok := s.reserve(fair)
		if ok {
			return &worker.SlotPermit{}, nil
		}
		select {
		case <-changed:
		case <-freed:
		case <-ctx.Done():
			return nil, ctx.Err()
		}
	}
}

func (s *fairShare) reserve(fair int) (freed <-chan struct{}, ok bool) {
	s.mu.Lock()
	defer s.mu.Unlock()
	if s.issued < fair {
		s.issued++
		return nil, true
	}
	if s.freed == nil {
		s.freed = make(chan struct{})
	}
	return s.freed, false
}

// TryReserveSlot implements worker.SlotSupplier. It is for tasks that come without a poll, of which there are none.
func (s *fairShare) TryReserveSlot(worker.SlotReservationInfo) *worker.SlotPermit { return nil }

// MarkSlotUsed implements worker.SlotSupplier.
func (*fairShare) MarkSlotUsed(worker.SlotMarkUsedInfo) {}

// ReleaseSlot implements worker.SlotSupplier.
func (s *fairShare) ReleaseSlot(worker.SlotReleaseInfo) {
	s.mu.Lock()
	defer s.mu.Unlock()
	s.issued--
	if s.freed != nil {
		close(s.freed)
		s.freed = nil
	}
}

// MaxSlots implements worker.SlotSupplier: there is no limit that lasts.
func (*fairShare) MaxSlots() int { return 0 }
