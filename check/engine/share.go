package engine

import (
	"context"
	"errors"
	"math/rand/v2"
	"sync"
	"time"

	"countersign/check/engine/enginedb"
)

// claimInterval is the time between attempts to claim shards while there are unclaimed ones.
const claimInterval = 400 * time.Millisecond

const (
	// rejoinPause is the time after a failed flush before which a process claims no shards.
	rejoinPause = 2 * heartbeatInterval
	// maxAcquisitions bounds concurrent acquisitions, which use the connections of the flushes.
	maxAcquisitions = 2
	// maxAcquireFailures is the number of failed acquisitions after which a process leaves a shard to the others.
	maxAcquireFailures = 5
)

// ClaimShares claims unclaimed shards up to this process's fair share of them until ctx ends, and releases them then.
// The claim of a process that is dead, suspended or cut off from the database expires after three seconds. Call it
// once, beside Run.
func (e *Engine) ClaimShares(ctx context.Context) {
	var holding sync.WaitGroup
	defer holding.Wait()
	defer e.leave()
	for {
		wait := (<-chan time.Time)(nil)
		if e.claimShare(ctx, &holding) {
			wait = time.After(claimInterval)
		}
		select {
		case <-ctx.Done():
			return
		case <-e.unclaimedSeen:
		case <-wait:
		}
	}
}

// claimShare starts to hold unclaimed shards, and reports whether it should be repeated soon.
func (e *Engine) claimShare(ctx context.Context, holding *sync.WaitGroup) (again bool) {
	select {
	case <-e.ready:
	case <-ctx.Done():
		return false
	}
	if !e.claimsAllowed() {
		return true
	}
	limited, cancel := context.WithTimeout(ctx, claimDuration)
	defer cancel()
	row, err := e.queries(limited).FairShare(limited, e.locationID())
	if err != nil {
		return true
	}
	if row.Unclaimed == 0 {
		return false
	}
	shards, err := e.queries(limited).UnclaimedShards(limited, e.locationID())
	if err != nil {
		return true
	}
	// Another order than that of the other processes, which claim shards at the same moment.
	rand.Shuffle(len(shards), func(i, j int) { shards[i], shards[j] = shards[j], shards[i] }) //nolint:gosec // no secret
	for _, shard := range shards {
		if !e.startHold(shard, fairShare(row)) {
			continue
		}
		holding.Go(func() {
			defer e.endHold(shard)
			err := e.hold(ctx, shard, ctx.Done(), true)
			if err != nil && !errors.Is(err, ErrLost) && !errors.Is(err, ErrStopped) && ctx.Err() == nil {
				e.o.Log.Warn("Shard not held", "shard", shard, "error", err)
			}
		})
	}
	return true
}

// claimsAllowed reports whether this process counts among the live ones and writes results. After an outage it waits for
// the heartbeats of the others, whose shards it would take otherwise.
func (e *Engine) claimsAllowed() bool {
	now := e.clock.Now()
	return e.heartbeatAt.Load() > 0 && now-e.flushFailedAt.Load() > rejoinPause.Milliseconds()
}

// startHold counts a shard that this process begins to hold. It reports false for one that it holds already, and when it
// holds its share.
func (e *Engine) startHold(shard int16, fair int) bool {
	e.mu.Lock()
	defer e.mu.Unlock()
	if _, known := e.holding[shard]; known || len(e.holding) >= fair {
		return false
	}
	e.holding[shard] = struct{}{}
	return true
}

func (e *Engine) endHold(shard int16) {
	e.mu.Lock()
	defer e.mu.Unlock()
	delete(e.holding, shard)
}

// fairShare is the number of shards that each live process should hold at most.
func fairShare(row enginedb.FairShareRow) int {
	workers := max(1, int(row.Workers))
	return (int(row.Shards) + workers - 1) / workers
}

// leave takes this process out of those that share the shards; it goes on to number its flushes.
func (e *Engine) leave() {
	e.leaving.Store(true)
}

// rebalance starts to release the surplus of this process, and looks for unclaimed shards.
func (e *Engine) rebalance() {
	ctx, cancel := context.WithTimeout(context.Background(), claimDuration)
	defer cancel()
	row, err := e.queries(ctx).FairShare(ctx, e.locationID())
	if err != nil {
		return
	}
	if row.Unclaimed > 0 {
		e.seekShards()
	}
	e.mu.Lock()
	defer e.mu.Unlock()
	// It releases half of the surplus per heartbeat: other processes may be about to stop.
	for surplus := (len(e.holds) - fairShare(row) + 1) / 2; surplus > 0; surplus-- {
		for _, h := range e.holds {
			if !h.rebalancing {
				h.rebalancing = true
				h.notify(rebalanced)
				break
			}
		}
	}
}

// seekShards makes ClaimShares look for unclaimed shards.
func (e *Engine) seekShards() {
	select {
	case e.unclaimedSeen <- struct{}{}:
	default:
	}
}
