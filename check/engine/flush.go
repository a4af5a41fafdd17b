package engine

import (
	"context"
	"errors"
	"fmt"
	"time"

	"countersign/check/engine/enginedb"
	"countersign/check/engine/schedule"
	"countersign/store"
)

// granted is what the database said about the claims of a flush.
type granted struct {
	// good are those whose rows were written, lost are held by somebody else by now.
	good map[*schedule.Shard]bool
	lost []*schedule.Shard
}

// flushes commits what there is, again and again, until ctx ends, and once more then.
func (e *Engine) flushes(ctx context.Context) {
	tick := time.NewTicker(e.o.Flush)
	defer tick.Stop()
	for {
		last := false
		select {
		case <-ctx.Done():
			last = true
		case <-tick.C:
		case <-e.kick:
		}
		b := e.collect()
		e.commit(ctx, b)
		if last {
			return
		}
	}
}

// collect takes what there is. The claims come first: what has finished by then is among the findings.
func (e *Engine) collect() batch {
	b := batch{number: e.number.Load() + 1, Batch: e.schedule.Collect()}
	e.mu.Lock()
	defer e.mu.Unlock()
	b.findings = e.found.all
	e.found.all = make([]finding, 0, len(b.findings)+len(b.findings)/4)
	for _, s := range b.Skips {
		b.findings = append(b.findings, skipped(s))
	}
	e.flying.Store(int64(len(b.findings)))
	return b
}

// parting is how long a process that ends tries to write what it has found.
const parting = 3 * time.Second

// commit tries until the batch is committed, or the process has ended for a while.
func (e *Engine) commit(ctx context.Context, b batch) {
	defer e.flying.Store(0)
	var parted, told time.Time
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
		if time.Since(told) > 30*time.Second {
			told = time.Now()
			e.o.Log.Warn("Results of checks are not written yet", "results", len(b.findings), "error", err)
		}
		e.share.set(0)
		if store.InvalidData(err) {
			e.refused(&b, err)
		}
		if ctx.Err() != nil {
			if parted.IsZero() {
				parted = began
			}
			if time.Since(parted) > parting {
				return
			}
		}
		time.Sleep(pause)
	}
}

// refused makes the next attempt one that the database can take.
func (e *Engine) refused(b *batch, err error) {
	if !b.careful {
		b.careful = true
		return
	}
	// Nothing of it can be written one by one either: its slots become gaps, and its states stay as they were.
	e.o.Log.Error("Results of checks were refused by the database and are given up", "results", len(b.findings), "error", err)
	b.lost = append(b.lost, b.findings...)
	b.findings = nil
}

// flush is one transaction: it says that the process lives, fences the shards whose results it writes, and writes.
func (e *Engine) flush(ctx context.Context, b *batch) (granted, error) {
	ctx, cancel := context.WithTimeout(ctx, patience)
	defer cancel()
	var g granted
	if b.empty() && e.clock.Now()-e.beaten.Load() < beat.Milliseconds() {
		return g, nil
	}
	err := e.db.InTx(ctx, func(ctx context.Context) error {
		g = granted{good: map[*schedule.Shard]bool{}}
		began := time.Now()
		now, err := e.queries(ctx).Beat(ctx, enginedb.BeatParams{ID: e.id, Holds: int32(e.holding()), Flush: b.number})
		if store.NoRows(err) {
			return errCommitted
		}
		if err != nil {
			return fmt.Errorf("beat: %w", err)
		}
		e.clock.Measured(now, began)
		if err := e.fence(ctx, b, &g); err != nil {
			return err
		}
		return e.write(ctx, b, &g)
	})
	if err == errCommitted { //nolint:errorlint // it is returned as it is
		// The answer to that commit was lost.
		for _, c := range b.Claims {
			g.good[c.Shard] = true
		}
		return g, nil
	}
	return g, err
}

// empty reports whether a flush has nothing to do.
func (b *batch) empty() bool { return len(b.findings)+len(b.Gaps)+len(b.lost) == 0 }

// fence keeps others away from the shards whose rows are written, until the transaction ends.
func (e *Engine) fence(ctx context.Context, b *batch, g *granted) error {
	used := b.used()
	if len(used) == 0 {
		return nil
	}
	by := make(map[claimKey]*schedule.Shard, len(used))
	var fence enginedb.FenceParams
	for sh := range used {
		by[claimKey{sh.ID, sh.Epoch}] = sh
		fence.Shards, fence.Epochs = append(fence.Shards, sh.ID), append(fence.Epochs, sh.Epoch)
	}
	rows, err := e.queries(ctx).Fence(ctx, fence)
	if err != nil {
		return fmt.Errorf("fence shards: %w", err)
	}
	for _, r := range rows {
		g.good[by[claimKey{r.Shard, r.Epoch}]] = true
	}
	for _, sh := range by {
		if !g.good[sh] {
			g.lost = append(g.lost, sh)
		}
	}
	return nil
}

// used are the shards whose rows a batch writes.
func (b *batch) used() map[*schedule.Shard]bool {
	used := map[*schedule.Shard]bool{}
	for i := range b.findings {
		used[b.findings[i].shard] = true
	}
	for _, f := range b.lost {
		used[f.shard] = true
	}
	for _, gap := range b.Gaps {
		used[gap.Shard()] = true
	}
	return used
}

// committed tells the schedule and the holders what the database said.
func (e *Engine) committed(b batch, g granted) {
	e.number.Store(b.number)
	e.wrote.Store(e.clock.Now())
	e.mu.Lock()
	for _, c := range b.Claims {
		if h := e.holds[c.Shard]; h != nil {
			h.settled = max(h.settled, c.Settled)
		}
	}
	for _, sh := range g.lost {
		e.holds[sh].tell(lost)
	}
	close(e.waiter)
	e.waiter = make(chan struct{})
	e.mu.Unlock()
	e.metrics.fenced.Add(float64(b.dropped(g)))
	if now := e.clock.Now(); now-e.beaten.Load() >= beat.Milliseconds() {
		e.beaten.Store(now)
		e.learnShare()
	}
}

// dropped is how many results were those of shards that somebody else holds.
func (b *batch) dropped(g granted) (n int) {
	if g.good == nil {
		return 0
	}
	for i := range b.findings {
		if !g.good[b.findings[i].shard] {
			n++
		}
	}
	return n
}

// errEnded is that nobody writes what was found any more.
var errEnded = errors.New("the process ends")

// flushed waits until everything that was found before has been committed, or ctx or the engine ends.
func (e *Engine) flushed(ctx context.Context) error {
	for range 2 { // one may be under way that does not have it
		e.mu.Lock()
		wait := e.waiter
		e.mu.Unlock()
		select {
		case e.kick <- struct{}{}:
		default:
		}
		select {
		case <-wait:
		case <-e.over:
			return errEnded
		case <-ctx.Done():
			return ctx.Err()
		}
	}
	return nil
}
