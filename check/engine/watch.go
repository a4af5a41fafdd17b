package engine

import (
	"context"
	"fmt"
	"time"

	"countersign/check/engine/enginedb"
	"countersign/check/engine/schedule"
)

// glance is how often changes of targets are looked for when nothing says that there are some, breath how much time lies between
// two looks at least.
const (
	glance = time.Second
	breath = 50 * time.Millisecond
)

// look makes the watch look at once.
func (e *Engine) look() {
	select {
	case e.wake <- struct{}{}:
	default:
	}
}

// watch notices changes of the targets of held shards, and runs that somebody asked for.
func (e *Engine) watch(ctx context.Context) {
	tick := time.NewTicker(glance)
	defer tick.Stop()
	away := false
	for {
		select {
		case <-ctx.Done():
			return
		case <-e.wake:
		case <-tick.C:
		}
		err := e.notice(ctx)
		if err != nil && !away && ctx.Err() == nil {
			e.o.Log.Warn("Changes of checks are not noticed at the moment", "error", err)
		}
		away = err != nil
		select {
		case <-ctx.Done():
			return
		case <-time.After(breath):
		}
	}
}

// notice takes over what has changed since the last look. Transactions commit in another order than they begin, so each look
// goes back to the oldest that ran at the last one.
func (e *Engine) notice(ctx context.Context) error {
	ctx, cancel := context.WithTimeout(ctx, patience)
	defer cancel()
	var requests enginedb.TakeRequestsParams
	var seen string
	e.mu.Lock()
	holds := make([]*hold, 0, len(e.holds))
	held := make([]*schedule.Shard, 0, len(e.holds))
	for sh, h := range e.holds {
		holds, held = append(holds, h), append(held, sh)
		if seen == "" || older(h.seen, seen) {
			seen = h.seen
		}
		requests.Shards, requests.Epochs = append(requests.Shards, sh.ID), append(requests.Epochs, sh.Epoch)
	}
	e.mu.Unlock()
	if len(holds) == 0 {
		return nil
	}
	clock, err := e.queries(ctx).Clock(ctx) // its snapshot is older than that of the look
	if err != nil {
		return fmt.Errorf("look at the clock: %w", err)
	}
	rows, err := e.queries(ctx).Changed(ctx, seen)
	if err != nil {
		return fmt.Errorf("read changed targets: %w", err)
	}
	for _, r := range rows {
		for _, sh := range held {
			if err := e.change(ctx, sh, r); err != nil {
				return err
			}
		}
	}
	e.mu.Lock()
	for _, h := range holds {
		h.seen = clock.Seen
	}
	e.mu.Unlock()
	asked, err := e.queries(ctx).TakeRequests(ctx, requests)
	if err != nil {
		return fmt.Errorf("take requests: %w", err)
	}
	for _, a := range asked {
		if sh := shardOf(held, a.Shard, a.Epoch); sh == nil || !e.schedule.Ask(sh, a.Target, a.Slot, e.clock.Now()) {
			e.o.Log.Warn("A run that was asked for could not begin", "target", a.Target)
		}
	}
	return nil
}

// change takes one target over as it is now.
func (e *Engine) change(ctx context.Context, sh *schedule.Shard, r enginedb.ChangedRow) error {
	var known *job
	if t := e.schedule.Target(sh, r.ID); t != nil {
		known = jobOf(t)
	}
	if !r.Runs || r.Shard != sh.ID {
		if known != nil && e.schedule.Remove(sh, r.ID) {
			e.defs.release(known.definition)
		}
		return nil
	}
	if r.Epoch == nil || *r.Epoch != sh.Epoch {
		return nil // all targets were moved, or somebody has taken the shard over: it is lost, which is about to be learned
	}
	if known != nil && known.changed == r.Changed && known.definition.Version == r.CheckVersion {
		return nil
	}
	targets, err := e.targets(ctx, []stored{
		{
			ID:           r.ID,
			CheckID:      r.CheckID,
			SystemID:     r.SystemID,
			IntervalMs:   r.IntervalMs,
			PhaseMs:      r.PhaseMs,
			SinceMs:      r.SinceMs,
			Thresholds:   r.Thresholds,
			Scope:        r.Scope,
			CheckVersion: r.CheckVersion,
			Status:       r.Status,
			StatusSince:  r.StatusSince,
			Cause:        r.Cause,
			Reason:       r.Reason,
			Counts:       r.Counts,
		},
	})
	if err != nil || len(targets) == 0 {
		return err
	}
	j := jobOf(targets[0])
	j.changed = r.Changed
	if known != nil {
		j.standing = known.standing
	}
	if !e.schedule.Put(sh, targets[0]) {
		e.forget(targets)
		return nil
	}
	if known != nil {
		e.defs.release(known.definition)
	}
	return nil
}

// older compares the numbers of transactions as the database writes them.
func older(a, b string) bool { return len(a) < len(b) || len(a) == len(b) && a < b }
