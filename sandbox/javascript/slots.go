package javascript

import (
	"context"
	"sync"
	"sync/atomic"

	"golang.org/x/sync/semaphore"
)

// slots bound how many guests compute at once. Whoever waits is served in order.
type slots struct {
	free    *semaphore.Weighted
	waiting atomic.Int32
}

func (s *slots) acquire(ctx context.Context) error {
	if s.free.TryAcquire(1) {
		return nil
	}
	s.waiting.Add(1)
	defer s.waiting.Add(-1)
	return s.free.Acquire(ctx, 1)
}

func (s *slots) release() { s.free.Release(1) }

// contended says whether anybody waits.
func (s *slots) contended() bool { return s.waiting.Load() > 0 }

// pool keeps some instances that are as the snapshot says, the one used last first.
type pool struct {
	mu   sync.Mutex
	idle []*instance
	most int
}

func (p *pool) get() *instance {
	p.mu.Lock()
	defer p.mu.Unlock()
	if len(p.idle) == 0 {
		return nil
	}
	last := p.idle[len(p.idle)-1]
	p.idle = p.idle[:len(p.idle)-1]
	return last
}

// put answers whether there was room.
func (p *pool) put(in *instance) bool {
	p.mu.Lock()
	defer p.mu.Unlock()
	if len(p.idle) >= p.most {
		return false
	}
	p.idle = append(p.idle, in)
	return true
}
