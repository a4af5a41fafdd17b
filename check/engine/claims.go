package engine

import (
	"context"
	"fmt"
	"time"

	"countersign/check/engine/enginedb"
	"countersign/check/engine/schedule"
)

const (
	// reclaim is how often it is looked which claims have to be extended.
	reclaim = 250 * time.Millisecond
	// behind is how long ago the last flush may be, in milliseconds, for claims to be extended: what a process has found and not written is
	// bounded by that and the length of a claim.
	behind = 5000
)

// claimKey is a claim as the database knows it.
type claimKey struct {
	shard int16
	epoch int64
}

// claims extends claims until ctx ends, beside the writing of results: where a machine has too much to do that can take longer than a claim
// lasts, and shards that are lost and taken again make it worse.
func (e *Engine) claims(ctx context.Context) {
	tick := time.NewTicker(reclaim)
	defer tick.Stop()
	for {
		select {
		case <-ctx.Done():
			return
		case <-tick.C:
		}
		if err := e.extendDue(ctx); err != nil && ctx.Err() == nil {
			e.share.set(0)
		}
	}
}

// extendDue extends what has to be, unless results wait for too long.
func (e *Engine) extendDue(ctx context.Context) error {
	e.extending.Lock()
	defer e.extending.Unlock()
	now := e.clock.Now()
	due := e.schedule.Expiring(now + renew.Milliseconds())
	if len(due) == 0 || now-e.wrote.Load() > behind {
		return nil
	}
	return e.extend(ctx, due)
}

// extend claims more time for shards and tells the holders of those that it did not get.
func (e *Engine) extend(ctx context.Context, due []*schedule.Shard) error {
	ctx, cancel := context.WithTimeout(ctx, window)
	defer cancel()
	q := enginedb.New(e.claiming.Conn(ctx))
	params := enginedb.ExtendParams{WindowMs: window.Milliseconds()}
	left := make(map[claimKey]*schedule.Shard, len(due))
	e.mu.Lock()
	for _, sh := range due {
		h := e.holds[sh]
		if h == nil {
			continue
		}
		params.Shards, params.Epochs, params.Settled = append(
			params.Shards,
			sh.ID,
		), append(
			params.Epochs,
			sh.Epoch,
		), append(
			params.Settled,
			h.settled,
		)
		left[claimKey{sh.ID, sh.Epoch}] = sh
	}
	e.mu.Unlock()
	rows, err := q.Extend(ctx, params)
	if err != nil {
		return fmt.Errorf("extend claims: %w", err)
	}
	for _, r := range rows {
		key := claimKey{r.Shard, r.Epoch}
		e.schedule.Claimed(left[key], r.ClaimedTo)
		delete(left, key)
	}
	if len(left) == 0 {
		return nil
	}
	held, err := q.Held(ctx, enginedb.HeldParams{Shards: params.Shards, Epochs: params.Epochs})
	if err != nil {
		return fmt.Errorf("look at shards: %w", err)
	}
	e.mu.Lock()
	defer e.mu.Unlock()
	for _, r := range held {
		key := claimKey{r.Shard, r.Epoch}
		if sh := left[key]; sh != nil {
			e.holds[sh].tell(lapsed)
			delete(left, key)
		}
	}
	for _, sh := range left {
		e.holds[sh].tell(lost)
	}
	return nil
}
