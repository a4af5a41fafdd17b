package worker

import (
	"context"
	"sync"

	"go.temporal.io/sdk/worker"
)

// shares is the number of shards that this process should hold. *engine.Engine implements it.
type shares interface {
	Share() (fair int, changed <-chan struct{})
}

// fairShare is a slot supplier that lets the worker poll only while its process holds fewer shards than its share. A
// new process thus always finds shards, and no open poll swallows a shard while its process hangs.
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

// TryReserveSlot implements worker.SlotSupplier. Eager tasks would use it; this queue has none.
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

// MaxSlots implements worker.SlotSupplier: the limit changes.
func (*fairShare) MaxSlots() int { return 0 }
