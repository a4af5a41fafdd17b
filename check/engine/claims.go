package engine

import (
	"context"
	"fmt"
	"time"

	"countersign/check/engine/enginedb"
	"countersign/check/engine/schedule"
)

const (
	// renewCheckInterval is the time between checks for claims to renew.
	renewCheckInterval = 250 * time.Millisecond
	// maxFlushLag is the age of the last flush, in milliseconds, beyond which claims are not renewed. It bounds the results
	// that a process holds in memory.
	maxFlushLag = 5000
)

// claimKey identifies a claim in the database: the shard and its fencing token.
type claimKey struct {
	shard int16
	epoch int64
}

// renewClaims renews claims until ctx ends, concurrently with the flushes: on an overloaded machine a flush can take longer
// than a claim lasts, and shards that are lost and acquired again would add to the load.
func (e *Engine) renewClaims(ctx context.Context) {
	tick := time.NewTicker(renewCheckInterval)
	defer tick.Stop()
	for {
		select {
		case <-ctx.Done():
			return
		case <-tick.C:
		}
		_ = e.extendDue(ctx) // a claim that is not renewed expires, which the next success tells its holder
	}
}

// extendDue renews the claims that are due, unless the last flush is too old.
func (e *Engine) extendDue(ctx context.Context) error {
	e.extending.Lock()
	defer e.extending.Unlock()
	now := e.clock.Now()
	due := e.schedule.Expiring(now + renewBefore.Milliseconds())
	if len(due) == 0 || now-e.flushedAt.Load() > maxFlushLag {
		return nil
	}
	return e.extend(ctx, due)
}

// extend renews claims, and notifies the holders of those that were lost.
func (e *Engine) extend(ctx context.Context, due []*schedule.Shard) error {
	ctx, cancel := context.WithTimeout(ctx, claimDuration)
	defer cancel()
	q := enginedb.New(e.claimDB.Conn(ctx))
	params := enginedb.ExtendClaimsParams{WindowMs: claimDuration.Milliseconds()}
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
			h.settledTo,
		)
		left[claimKey{sh.ID, sh.Epoch}] = sh
	}
	e.mu.Unlock()
	rows, err := q.ExtendClaims(ctx, params)
	if err != nil {
		return fmt.Errorf("extend claims: %w", err)
	}
	for _, r := range rows {
		key := claimKey{r.Shard, r.Epoch}
		e.schedule.ExtendClaim(left[key], r.ClaimedTo)
		delete(left, key)
	}
	if len(left) == 0 {
		return nil
	}
	held, err := q.HeldShards(ctx, enginedb.HeldShardsParams{Shards: params.Shards, Epochs: params.Epochs})
	if err != nil {
		return fmt.Errorf("read held shards: %w", err)
	}
	e.mu.Lock()
	defer e.mu.Unlock()
	for _, r := range held {
		key := claimKey{r.Shard, r.Epoch}
		if sh := left[key]; sh != nil {
			e.holds[sh].notify(claimExpired)
			delete(left, key)
		}
	}
	for _, sh := range left {
		e.holds[sh].notify(takenOver)
	}
	return nil
}
