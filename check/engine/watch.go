package engine

import (
	"context"
	"fmt"
	"time"

	"countersign/check/engine/enginedb"
	"countersign/check/engine/schedule"
)

// pollInterval is the time between polls for changed targets without a notification, minPollGap the minimum between two (debounce).
const (
	pollInterval = time.Second
	minPollGap   = 50 * time.Millisecond
)

// wakeWatch starts a poll at once.
func (e *Engine) wakeWatch() {
	select {
	case e.wake <- struct{}{}:
	default:
	}
}

// watchChanges polls for changes of targets of held shards, and for requested runs.
func (e *Engine) watchChanges(ctx context.Context) {
	tick := time.NewTicker(pollInterval)
	defer tick.Stop()
	failing := false
	for {
		select {
		case <-ctx.Done():
			return
		case <-e.wake:
		case <-tick.C:
		}
		err := e.applyChanges(ctx)
		if err != nil && !failing && ctx.Err() == nil {
			e.o.Log.Warn("Changed targets not read", "error", err)
		}
		failing = err != nil
		select {
		case <-ctx.Done():
			return
		case <-time.After(minPollGap):
		}
	}
}

// applyChanges applies what has changed since the last poll. Transactions commit in another order than they begin, so each poll
// goes back to the oldest one that was running at the last poll.
func (e *Engine) applyChanges(ctx context.Context) error {
	ctx, cancel := context.WithTimeout(ctx, dbTimeout)
	defer cancel()
	var requests enginedb.StartRequestsParams
	var seen string
	e.mu.Lock()
	holds := make([]*hold, 0, len(e.holds))
	held := make([]*schedule.Shard, 0, len(e.holds))
	for sh, h := range e.holds {
		holds, held = append(holds, h), append(held, sh)
		if seen == "" || olderTx(h.seenTx, seen) {
			seen = h.seenTx
		}
		requests.Shards, requests.Epochs = append(requests.Shards, sh.ID), append(requests.Epochs, sh.Epoch)
	}
	e.mu.Unlock()
	if len(holds) == 0 {
		return nil
	}
	clock, err := e.queries(ctx).Clock(ctx) // its snapshot precedes that of the poll
	if err != nil {
		return fmt.Errorf("read the clock: %w", err)
	}
	rows, err := e.queries(ctx).Changed(ctx, seen)
	if err != nil {
		return fmt.Errorf("read changed targets: %w", err)
	}
	for _, r := range rows {
		for _, sh := range held {
			if err := e.applyChange(ctx, sh, r); err != nil {
				return err
			}
		}
	}
	e.mu.Lock()
	for _, h := range holds {
		h.seenTx = clock.Seen
	}
	e.mu.Unlock()
	asked, err := e.queries(ctx).StartRequests(ctx, requests)
	if err != nil {
		return fmt.Errorf("start requests: %w", err)
	}
	for _, a := range asked {
		if sh := shardOf(held, a.Shard, a.Epoch); sh == nil || !e.schedule.RunNow(sh, a.Target, a.Slot, e.clock.Now()) {
			e.o.Log.Warn("Requested run not started", "target", a.Target)
		}
	}
	return nil
}

// applyChange updates one target in the schedule.
func (e *Engine) applyChange(ctx context.Context, sh *schedule.Shard, r enginedb.ChangedRow) error {
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
		return nil // the shard was lost, which the next renewal detects
	}
	if known != nil && known.changed == r.Changed && known.definition.Version == r.CheckVersion {
		return nil
	}
	targets, err := e.targets(ctx, []stored{
		{
			ID:           r.ID,
			Target:       r.Target,
			CheckID:      r.CheckID,
			SystemID:     r.SystemID,
			IntervalMs:   r.IntervalMs,
			PhaseMs:      r.PhaseMs,
			SinceMs:      r.SinceMs,
			Thresholds:   r.Thresholds,
			Scope:        r.Scope,
			CheckVersion: r.CheckVersion,
			ResumedMs:    r.ResumedMs,
			Status:       r.Status,
			StatusSince:  r.StatusSince,
			Cause:        r.Cause,
			Reason:       r.Reason,
			Counts:       r.Counts,
			FailingMs:    r.FailingMs,
			ErringMs:     r.ErringMs,
		},
	})
	if err != nil || len(targets) == 0 {
		return err
	}
	j := jobOf(targets[0])
	j.changed = r.Changed
	if known != nil && known.resumed == j.resumed {
		j.targetState = known.targetState
	}
	if !e.schedule.Put(sh, targets[0]) {
		e.releaseDefinitions(targets)
		return nil
	}
	if known != nil {
		e.defs.release(known.definition)
	}
	return nil
}

// olderTx compares transaction ids in decimal.
func olderTx(a, b string) bool { return len(a) < len(b) || len(a) == len(b) && a < b }
