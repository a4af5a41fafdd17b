package engine

import (
	"context"
	"sync"
	"time"
)

// share is the number of shards that this process should hold.
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

// Share is the maximum number of shards for this process: its fair share among the live processes. It is zero while the
// database does not answer, so that others acquire them. changed is closed when the number changes.
func (e *Engine) Share() (fair int, changed <-chan struct{}) {
	e.share.mu.Lock()
	defer e.share.mu.Unlock()
	return e.share.fair, e.share.changed
}

// updateShare reads how many processes are alive, and starts to release the surplus.
func (e *Engine) updateShare() {
	ctx, cancel := context.WithTimeout(context.Background(), claimDuration)
	defer cancel()
	row, err := e.queries(ctx).FairShare(ctx)
	if err != nil {
		e.share.set(0)
		return
	}
	workers := max(1, int(row.Workers))
	fair := (int(row.Shards) + workers - 1) / workers
	e.share.set(fair)
	if row.Unclaimed > 0 {
		select {
		case e.unclaimedSeen <- struct{}{}:
		default:
		}
	}
	e.mu.Lock()
	defer e.mu.Unlock()
	// It releases half of the surplus per heartbeat: other processes may be about to stop.
	for surplus := (len(e.holds) - fair + 1) / 2; surplus > 0; surplus-- {
		for sh, h := range e.holds {
			if !h.rebalancing {
				h.rebalancing = true
				e.holds[sh].notify(rebalanced)
				break
			}
		}
	}
}

// unclaimedPollInterval is the time between polls while there are unclaimed shards.
const unclaimedPollInterval = 400 * time.Millisecond

// pollUnclaimed reports unclaimed shards to Options.Unclaimed until there are none.
func (e *Engine) pollUnclaimed(ctx context.Context) {
	for {
		select {
		case <-ctx.Done():
			return
		case <-e.unclaimedSeen:
		}
		for e.o.Unclaimed != nil {
			shards, err := e.unclaimedShards(ctx)
			if err != nil || len(shards) == 0 {
				break
			}
			e.o.Unclaimed(ctx, shards)
			select {
			case <-ctx.Done():
				return
			case <-time.After(unclaimedPollInterval):
			}
		}
	}
}

func (e *Engine) unclaimedShards(ctx context.Context) ([]int16, error) {
	ctx, cancel := context.WithTimeout(ctx, claimDuration)
	defer cancel()
	return e.queries(ctx).UnclaimedShards(ctx)
}
