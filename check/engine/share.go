package engine

import (
	"context"
	"sync"
	"time"
)

// share is how many shards this process should hold.
type share struct {
	mu      sync.Mutex
	fair    int
	changed chan struct{}
}

func (s *share) set(fair int) {
	s.mu.Lock()
	defer s.mu.Unlock()
	if s.fair == fair {
		return
	}
	s.fair = fair
	close(s.changed)
	s.changed = make(chan struct{})
}

// Share is how many shards this process should hold at most: its part of all among the processes that live. It is none while the
// database does not answer, so that others take them. changed is closed when that is another number.
func (e *Engine) Share() (fair int, changed <-chan struct{}) {
	e.share.mu.Lock()
	defer e.share.mu.Unlock()
	return e.share.fair, e.share.changed
}

// learnShare asks how many processes there are, and gives back what is too much.
func (e *Engine) learnShare() {
	ctx, cancel := context.WithTimeout(context.Background(), window)
	defer cancel()
	row, err := e.queries(ctx).Fair(ctx)
	if err != nil {
		e.share.set(0)
		return
	}
	workers := max(1, int(row.Workers))
	fair := (int(row.Shards) + workers - 1) / workers
	e.share.set(fair)
	if row.Unclaimed > 0 {
		select {
		case e.left <- struct{}{}:
		default:
		}
	}
	e.mu.Lock()
	defer e.mu.Unlock()
	// Half of it at a time: others may be about to leave.
	for surplus := (len(e.holds) - fair + 1) / 2; surplus > 0; surplus-- {
		for sh, h := range e.holds {
			if !h.giving {
				h.giving = true
				e.holds[sh].tell(given)
				break
			}
		}
	}
}

// peek is how often it is looked at shards that nobody has claimed.
const peek = 400 * time.Millisecond

// tellUnclaimed passes on which shards nobody has claimed, until there are none.
func (e *Engine) tellUnclaimed(ctx context.Context) {
	for {
		select {
		case <-ctx.Done():
			return
		case <-e.left:
		}
		for e.o.Unclaimed != nil {
			shards, err := e.unclaimed(ctx)
			if err != nil || len(shards) == 0 {
				break
			}
			e.o.Unclaimed(ctx, shards)
			select {
			case <-ctx.Done():
				return
			case <-time.After(peek):
			}
		}
	}
}

func (e *Engine) unclaimed(ctx context.Context) ([]int16, error) {
	ctx, cancel := context.WithTimeout(ctx, window)
	defer cancel()
	return e.queries(ctx).Unclaimed(ctx)
}
