package engine

import (
	"context"
	"errors"
	"fmt"
	"time"

	"countersign/check/engine/enginedb"
	"countersign/check/engine/schedule"
	"countersign/internal/store"
)

// fenceResult says which shards of a flush this process still owns.
type fenceResult struct {
	// owned shards had their rows written; another process holds the lost ones.
	owned map[*schedule.Shard]bool
	lost  []*schedule.Shard
	// leaves is what the heartbeat said of this process.
	leaves bool
}

// runFlushes commits batches until ctx ends, and a last one then.
func (e *Engine) runFlushes(ctx context.Context) {
	tick := time.NewTicker(e.o.Flush)
	defer tick.Stop()
	for {
		last := false
		select {
		case <-ctx.Done():
			last = true
		case <-tick.C:
		case <-e.flushNow:
		}
		b := e.collect()
		e.commit(ctx, b)
		if last {
			return
		}
	}
}

// collect takes the pending results. It takes the progress first: results of runs that have ended by then are among the
// findings.
func (e *Engine) collect() batch {
	b := batch{number: e.flushNumber.Load() + 1, Batch: e.schedule.Collect()}
	e.mu.Lock()
	defer e.mu.Unlock()
	b.findings = e.findings.all
	e.findings.all = make([]finding, 0, len(b.findings)+len(b.findings)/4)
	e.inFlight.Store(int64(len(b.findings)))
	return b
}

// shutdownFlushTimeout bounds the attempts to write results at shutdown.
const shutdownFlushTimeout = 3 * time.Second

// commit retries with backoff until the batch is committed or the shutdown has timed out.
func (e *Engine) commit(ctx context.Context, b batch) {
	defer e.inFlight.Store(0)
	var shutdownAt, loggedAt time.Time
	for pause := 100 * time.Millisecond; ; pause = min(2*pause, 500*time.Millisecond) {
		began := time.Now()
		g, err := e.flush(context.WithoutCancel(ctx), &b)
		e.traces.flush(began, len(b.findings), err)
		if err == nil {
			e.metrics.flush.Observe(time.Since(began).Seconds())
			e.committed(b, g)
			return
		}
		e.metrics.flushErrors.Inc()
		e.flushFailedAt.Store(e.clock.Now())
		if time.Since(loggedAt) > 30*time.Second {
			loggedAt = time.Now()
			e.o.Log.Warn("Check results not written", "results", len(b.findings), "error", err)
		}
		if store.InvalidData(err) {
			e.handleRejection(&b, err)
		}
		if ctx.Err() != nil {
			if shutdownAt.IsZero() {
				shutdownAt = began
			}
			if time.Since(shutdownAt) > shutdownFlushTimeout {
				return
			}
		}
		time.Sleep(pause)
	}
}

// handleRejection changes a batch so that the database can accept it: first row by row, then as gaps.
func (e *Engine) handleRejection(b *batch, err error) {
	if !b.rowByRow {
		b.rowByRow = true
		return
	}
	// Row by row failed, too: the slots become gaps, and the states stay unchanged.
	e.o.Log.Error("Check results discarded: rejected by the database", "results", len(b.findings), "error", err)
	b.rejected = append(b.rejected, b.findings...)
	b.findings = nil
}

// flush is one transaction: heartbeat, fencing of the shards, and the results.
func (e *Engine) flush(ctx context.Context, b *batch) (fenceResult, error) {
	ctx, cancel := context.WithTimeout(ctx, dbTimeout)
	defer cancel()
	var g fenceResult
	announced := !e.leaving.Load() || e.left.Load()
	if announced && b.empty() && e.clock.Now()-e.heartbeatAt.Load() < heartbeatInterval.Milliseconds() {
		return g, nil
	}
	err := e.db.InTx(ctx, func(ctx context.Context) error {
		g = fenceResult{owned: map[*schedule.Shard]bool{}, leaves: e.leaving.Load()}
		began := time.Now()
		now, err := e.queries(ctx).Heartbeat(ctx, enginedb.HeartbeatParams{
			ID: e.id, Holds: int32(e.activeShards()), Flush: b.number, Leaves: g.leaves,
			Location: e.locationID(), Version: e.o.Version,
		})
		if store.NoRows(err) {
			return errAlreadyCommitted
		}
		if err != nil {
			return fmt.Errorf("heartbeat: %w", err)
		}
		e.clock.Synchronize(now, began)
		if err := e.fence(ctx, b, &g); err != nil {
			return err
		}
		return e.write(ctx, b, &g)
	})
	if err == errAlreadyCommitted { //nolint:errorlint // it is never wrapped
		// An earlier attempt was committed, and its answer was lost.
		for _, c := range b.Progress {
			g.owned[c.Shard] = true
		}
		return g, nil
	}
	return g, err
}

// empty reports whether a flush has nothing to write.
func (b *batch) empty() bool { return len(b.findings)+len(b.Gaps)+len(b.rejected) == 0 }

// fence locks the shards whose rows are written against takeover until the transaction ends, and drops those with an outdated
// fencing token.
func (e *Engine) fence(ctx context.Context, b *batch, g *fenceResult) error {
	used := b.shardsWritten()
	if len(used) == 0 {
		return nil
	}
	by := make(map[claimKey]*schedule.Shard, len(used))
	var fence enginedb.FenceShardsParams
	for sh := range used {
		by[claimKey{sh.ID, sh.Epoch}] = sh
		fence.Shards, fence.Epochs = append(fence.Shards, sh.ID), append(fence.Epochs, sh.Epoch)
	}
	rows, err := e.queries(ctx).FenceShards(ctx, fence)
	if err != nil {
		return fmt.Errorf("fence shards: %w", err)
	}
	for _, r := range rows {
		g.owned[by[claimKey{r.Shard, r.Epoch}]] = true
	}
	for _, sh := range by {
		if !g.owned[sh] {
			g.lost = append(g.lost, sh)
		}
	}
	return nil
}

// shardsWritten are the shards whose rows a batch writes.
func (b *batch) shardsWritten() map[*schedule.Shard]bool {
	used := map[*schedule.Shard]bool{}
	for i := range b.findings {
		used[b.findings[i].shard] = true
	}
	for _, f := range b.rejected {
		used[f.shard] = true
	}
	for _, gap := range b.Gaps {
		used[gap.Shard()] = true
	}
	return used
}

// committed updates the progress of the shards after a commit, and notifies the holders of lost ones.
func (e *Engine) committed(b batch, g fenceResult) {
	e.flushNumber.Store(b.number)
	e.flushedAt.Store(e.clock.Now())
	e.mu.Lock()
	for _, c := range b.Progress {
		if h := e.holds[c.Shard]; h != nil {
			h.settledTo = max(h.settledTo, c.Settled)
		}
	}
	for _, sh := range g.lost {
		e.holds[sh].notify(takenOver)
	}
	close(e.commitDone)
	e.commitDone = make(chan struct{})
	e.mu.Unlock()
	e.metrics.fenced.Add(float64(b.countFenced(g)))
	if g.leaves {
		e.left.Store(true)
	}
	if now := e.clock.Now(); now-e.heartbeatAt.Load() >= heartbeatInterval.Milliseconds() {
		e.heartbeatAt.Store(now)
		e.rebalance()
	}
}

// countFenced is the number of results that were dropped because another process holds their shard.
func (b *batch) countFenced(g fenceResult) (n int) {
	if g.owned == nil {
		return 0
	}
	for i := range b.findings {
		if !g.owned[b.findings[i].shard] {
			n++
		}
	}
	return n
}

// errEngineEnded means that no flush follows.
var errEngineEnded = errors.New("the process ends")

// awaitCommit waits until all results so far are committed, or ctx or the engine ends.
func (e *Engine) awaitCommit(ctx context.Context) error {
	for range 2 { // a flush under way may not include them
		e.mu.Lock()
		wait := e.commitDone
		e.mu.Unlock()
		select {
		case e.flushNow <- struct{}{}:
		default:
		}
		select {
		case <-wait:
		case <-e.flushesEnded:
			return errEngineEnded
		case <-ctx.Done():
			return ctx.Err()
		}
	}
	return nil
}
