package engine

import (
	"context"
	"errors"
	"fmt"
	"slices"
	"time"

	"countersign/check/engine/enginedb"
	"countersign/check/engine/schedule"
	"countersign/internal/store"
)

// holdEvent ends the hold of a shard.
type holdEvent int

const (
	claimExpired holdEvent = iota // this process did not renew the claim in time
	takenOver                     // another process holds the shard
	rebalanced                    // this process has more than its fair share
)

// hold is a shard that this process holds.
type hold struct {
	shard *schedule.Shard
	// settledTo is the time before which every slot has a result or a gap in the database.
	settledTo int64
	seenTx    string // the transaction below which all changes of targets are applied
	events    chan holdEvent
	// rebalancing says that the shard is about to be released for another process.
	rebalancing bool
}

// notify sends an event to the holder.
func (h *hold) notify(event holdEvent) {
	if h == nil {
		return
	}
	select {
	case h.events <- event:
	default: // a pending event ends the hold, too
	}
}

// Errors of Hold.
var (
	// ErrStopped means that the process stops.
	ErrStopped = errors.New("this process stops running checks")
	// ErrLost means that another process has claimed the shard.
	ErrLost = errors.New("another process has taken the shard over")
	// ErrGone means that the shard does not exist.
	ErrGone = errors.New("there is no such shard of the checks")
)

// gapLookback is how far before the settled time an acquisition searches for slots without a result: transactions that were
// open then may have changed targets.
const gapLookback = 15 * time.Second

// catchUpLimit bounds how much of an unclaimed period the next owner still runs.
const catchUpLimit = time.Second

// Hold claims a shard, even from a process that holds it, and runs its slots until ctx ends, stop is closed, rebalancing
// takes the shard away, or another process claims it. During a database outage it waits and resumes afterwards.
func (e *Engine) Hold(ctx context.Context, shard int16, stop <-chan struct{}) error {
	return e.hold(ctx, shard, stop, false)
}

// hold is Hold; unclaimed leaves a shard alone that another process has claimed.
func (e *Engine) hold(ctx context.Context, shard int16, stop <-chan struct{}, unclaimed bool) error {
	select {
	case <-e.ready:
	case <-stop:
		return ErrStopped
	case <-ctx.Done():
		return ctx.Err()
	}
	for failures := 0; ; {
		h, err := e.acquireShard(ctx, shard, unclaimed)
		if errors.Is(err, ErrGone) || errors.Is(err, ErrLost) {
			return err
		}
		if err != nil {
			e.o.Log.Warn("Shard not acquired", "shard", shard, "error", err)
			if failures++; unclaimed && failures == maxAcquireFailures {
				return err
			}
			select {
			case <-time.After(time.Second):
				continue
			case <-stop:
				return ErrStopped
			case <-ctx.Done():
				return ctx.Err()
			}
		}
		failures = 0
		select {
		case w := <-h.events:
			switch w {
			case claimExpired:
				e.o.Log.Warn("Shard claim expired", "shard", shard)
				e.waitFlushed() // results that were in time must not be fenced by the new epoch
				e.dropShard(h)
				continue
			case takenOver:
				e.dropShard(h)
				return ErrLost
			case rebalanced:
				e.releaseShard(h)
				return nil
			}
		case <-stop:
			e.releaseShard(h)
			return ErrStopped
		case <-ctx.Done():
			e.releaseShard(h)
			return ctx.Err()
		}
	}
}

// acquireShard begins a new epoch of a shard: it raises the fencing token, records the gaps of the previous owner, and loads
// the targets. ErrLost means that the shard was to be unclaimed and is not.
func (e *Engine) acquireShard(ctx context.Context, id int16, unclaimed bool) (*hold, error) {
	select {
	case e.acquiring <- struct{}{}:
	case <-ctx.Done():
		return nil, ctx.Err()
	}
	defer func() { <-e.acquiring }()
	ctx, cancel := context.WithTimeout(context.WithoutCancel(ctx), 3*dbTimeout)
	defer cancel()
	h := &hold{events: make(chan holdEvent, 1)}
	start := time.Now()
	var acquired enginedb.AcquireShardRow
	var targets []*schedule.Target
	var from, missed int64
	err := e.db.InTx(ctx, func(ctx context.Context) error {
		q := e.queries(ctx)
		old, err := q.LockShard(ctx, id)
		if store.NoRows(err) {
			return ErrGone
		}
		if err != nil {
			return fmt.Errorf("lock shard: %w", err)
		}
		began := time.Now()
		clock, err := q.Clock(ctx)
		if err != nil {
			return fmt.Errorf("read the clock: %w", err)
		}
		e.clock.Synchronize(clock.NowMs, began)
		if unclaimed && old.Owner != "" && old.Owner != e.o.Owner && old.ClaimedTo >= clock.NowMs {
			return ErrLost
		}
		h.seenTx = clock.Seen
		from = max(old.ClaimedTo, clock.NowMs-catchUpLimit.Milliseconds())
		if missed, err = e.recordGaps(ctx, q, id, old, from); err != nil {
			return err
		}
		if targets, err = e.loadTargets(ctx, q, id); err != nil {
			return err
		}
		acquired, err = q.AcquireShard(ctx, enginedb.AcquireShardParams{
			Owner: e.o.Owner, SettledTo: from, WindowMs: claimDuration.Milliseconds(), Shard: id,
		})
		if err != nil {
			return fmt.Errorf("acquire shard: %w", err)
		}
		if missed > 0 {
			day := max(0, old.SettledTo-gapLookback.Milliseconds()) / dayMS
			if err := q.ReopenBoardsOfShard(ctx, enginedb.ReopenBoardsOfShardParams{Day: int32(day), Shard: id}); err != nil {
				return fmt.Errorf("reopen boards: %w", err)
			}
		}
		if err := q.FailRequests(ctx, enginedb.FailRequestsParams{Reason: schedule.Requested, Shard: id, Epoch: &acquired.Epoch}); err != nil {
			return fmt.Errorf("fail requests: %w", err)
		}
		return nil
	})
	if !errors.Is(err, ErrLost) {
		e.traces.acquireShard(start, id, len(targets), err)
	}
	if err != nil {
		e.releaseDefinitions(targets)
		return nil, err
	}
	e.metrics.acquire.Observe(time.Since(start).Seconds())
	e.mu.Lock()
	h.shard = e.schedule.AddShard(id, acquired.Epoch, from, acquired.ClaimedTo, targets)
	e.holds[h.shard] = h
	e.mu.Unlock()
	e.metrics.acquired.Inc()
	e.metrics.gaps.WithLabelValues(schedule.Takeover).Add(float64(missed))
	e.o.Log.Info("Shard claimed", "shard", id, "epoch", acquired.Epoch, "targets", len(targets), "missed", missed)
	e.wakeWatch()
	return h, nil
}

// recordGaps records slots before from that have no result as gaps: claimed slots by a search for results, unclaimed ones by a
// count.
func (e *Engine) recordGaps(
	ctx context.Context,
	q *enginedb.Queries,
	id int16,
	old enginedb.LockShardRow,
	from int64,
) (missed int64, err error) {
	claimed := min(old.ClaimedTo, from)
	if claimed > 0 {
		if missed, err = e.recordClaimedGaps(ctx, q, id, max(0, old.SettledTo-gapLookback.Milliseconds()), claimed); err != nil {
			return 0, err
		}
	}
	more, err := q.RecordUnclaimedGaps(
		ctx,
		enginedb.RecordUnclaimedGapsParams{FromMs: claimed, LastMs: from - 1, Shard: id, Reason: schedule.Takeover},
	)
	if err != nil {
		return 0, fmt.Errorf("record gaps of unclaimed slots: %w", err)
	}
	return missed + more, nil
}

// recordClaimedGaps records slots without a result. It searches sealed hours after the others, so that results which are sealed
// meanwhile are seen in at least one place.
func (e *Engine) recordClaimedGaps(ctx context.Context, q *enginedb.Queries, id int16, from, to int64) (int64, error) {
	unsettled, err := q.SlotsWithoutResult(ctx, enginedb.SlotsWithoutResultParams{FromMs: from, LastMs: to - 1, Shard: id})
	if err != nil {
		return 0, fmt.Errorf("find slots without a result: %w", err)
	}
	var targets []int32
	for _, u := range unsettled {
		if len(targets) == 0 || targets[len(targets)-1] != u.ID {
			targets = append(targets, u.ID)
		}
	}
	gaps := enginedb.RecordGapsParams{Reason: schedule.Takeover}
	for chunk := range slices.Chunk(targets, 500) { // bounds the memory
		sealed, err := e.history.Slots(ctx, chunk, from, to)
		if err != nil {
			return 0, err
		}
		for ; len(unsettled) > 0 && unsettled[0].ID <= chunk[len(chunk)-1]; unsettled = unsettled[1:] {
			u := unsettled[0]
			if _, found := slices.BinarySearch(sealed[u.ID], u.Slot); !found {
				gaps.Targets, gaps.Slots, gaps.Intervals = append(
					gaps.Targets,
					u.ID,
				), append(
					gaps.Slots,
					u.Slot,
				), append(
					gaps.Intervals,
					u.IntervalMs,
				)
			}
		}
	}
	if len(gaps.Targets) == 0 {
		return 0, nil
	}
	missed, err := q.RecordGaps(ctx, gaps)
	if err != nil {
		return 0, fmt.Errorf("record gaps: %w", err)
	}
	return missed, nil
}

func (e *Engine) loadTargets(ctx context.Context, q *enginedb.Queries, id int16) ([]*schedule.Target, error) {
	rows, err := q.Targets(ctx, id)
	if err != nil {
		return nil, fmt.Errorf("read targets: %w", err)
	}
	all := make([]stored, len(rows))
	for i, r := range rows {
		all[i] = stored(r)
	}
	return e.targets(ctx, all)
}

// dropShard removes a shard that this process no longer holds.
func (e *Engine) dropShard(h *hold) {
	targets := e.schedule.RemoveShard(h.shard)
	e.mu.Lock()
	delete(e.holds, h.shard)
	e.mu.Unlock()
	e.releaseDefinitions(targets)
}

// waitFlushed waits until all results so far are committed, with a timeout.
func (e *Engine) waitFlushed() {
	ctx, cancel := context.WithTimeout(context.Background(), dbTimeout)
	defer cancel()
	_ = e.awaitCommit(ctx)
}

// releaseDefinitions drops the references of targets to their definitions.
func (e *Engine) releaseDefinitions(targets []*schedule.Target) {
	for _, t := range targets {
		e.defs.release(jobOf(t).definition)
	}
}

// releaseShard stops the runs of a shard, waits for open ones up to drainTimeout, and gives the rest of the claim back
// (graceful shutdown).
func (e *Engine) releaseShard(h *hold) {
	ctx, cancel := context.WithTimeout(context.Background(), dbTimeout)
	defer cancel()
	end := e.schedule.StopShard(h.shard)
	e.extending.Lock()
	e.extending.Unlock() //nolint:staticcheck // waits for a renewal under way
	for until := time.Now().Add(drainTimeout); e.schedule.Open(h.shard) > 0 && time.Now().Before(until); {
		time.Sleep(10 * time.Millisecond)
	}
	settled := e.schedule.Settled(h.shard)
	if err := e.awaitCommit(ctx); err == nil {
		err = e.queries(ctx).ReleaseShard(ctx, enginedb.ReleaseShardParams{
			ClaimedTo: end, SettledTo: settled, Shard: h.shard.ID, Epoch: h.shard.Epoch,
		})
		if err != nil {
			e.o.Log.Warn("Shard not released, its claim will expire", "shard", h.shard.ID, "error", err)
		}
	}
	e.dropShard(h)
}

// drainTimeout bounds the wait for open runs at a release. Runs that take longer become gaps.
const drainTimeout = 1500 * time.Millisecond
