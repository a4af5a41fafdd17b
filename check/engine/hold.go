package engine

import (
	"context"
	"errors"
	"fmt"
	"slices"
	"time"

	"countersign/check/engine/enginedb"
	"countersign/check/engine/schedule"
	"countersign/store"
)

// word is what a holder is told.
type word int

const (
	lapsed word = iota // the claim ran out
	lost               // somebody else holds the shard
	given              // this process has more than its share
)

// hold is a shard that this process holds.
type hold struct {
	shard *schedule.Shard
	// settled is the moment before which every slot has a result or a gap in the database.
	settled int64
	seen    string // the transaction below which all changes of targets are known
	words   chan word
	// giving says that it is about to be given back.
	giving bool
}

// tell leaves a word for the holder.
func (h *hold) tell(w word) {
	if h == nil {
		return
	}
	select {
	case h.words <- w:
	default: // one is there, and ends it too
	}
}

// How a hold ends.
var (
	// ErrStopped says that the process stops.
	ErrStopped = errors.New("this process stops running checks")
	// ErrLost says that another process holds the shard.
	ErrLost = errors.New("another process has taken the shard over")
	// ErrGone says that there is no such shard, or no longer.
	ErrGone = errors.New("there is no such shard of the checks")
)

// lookback is how much of the time before the settled slots is looked at again for slots without a result, at a takeover:
// targets may have been changed by transactions that were open at the time.
const lookback = 15 * time.Second

// early is how much of the time that nobody had claimed the next holder makes up for.
const early = time.Second

// Hold runs the slots of a shard until ctx ends, stop is closed, the time is over, the process has more than its share, or another
// process takes over. While the database is away it waits and goes on afterwards.
func (e *Engine) Hold(ctx context.Context, shard int16, stop <-chan struct{}, length time.Duration) error {
	end := time.NewTimer(length)
	defer end.Stop()
	select {
	case <-e.ready:
	case <-stop:
		return ErrStopped
	case <-ctx.Done():
		return ctx.Err()
	}
	for {
		h, err := e.take(ctx, shard)
		if errors.Is(err, ErrGone) {
			return err
		}
		if err != nil {
			e.o.Log.Warn("A shard of the checks is not held yet", "shard", shard, "error", err)
			select {
			case <-time.After(time.Second):
				continue
			case <-stop:
				return ErrStopped
			case <-ctx.Done():
				return ctx.Err()
			}
		}
		select {
		case w := <-h.words:
			switch w {
			case lapsed:
				e.o.Log.Warn("The claim of a shard ran out; it is taken anew", "shard", shard)
				e.written() // what was found in time is not lost by taking the shard
				e.drop(h)
				continue
			case lost:
				e.drop(h)
				return ErrLost
			case given:
				e.release(h)
				return nil
			}
		case <-end.C:
			e.release(h)
			return nil
		case <-stop:
			e.release(h)
			return ErrStopped
		case <-ctx.Done():
			e.release(h)
			return ctx.Err()
		}
	}
}

// take begins a new epoch of a shard: it records what the holder before has left open, and loads the targets.
func (e *Engine) take(ctx context.Context, id int16) (*hold, error) {
	ctx, cancel := context.WithTimeout(context.WithoutCancel(ctx), 3*patience)
	defer cancel()
	h := &hold{words: make(chan word, 1)}
	start := time.Now()
	var took enginedb.TakeRow
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
		e.clock.Measured(clock.NowMs, began)
		h.seen = clock.Seen
		from = max(old.ClaimedTo, clock.NowMs-early.Milliseconds())
		if missed, err = e.settle(ctx, q, id, old, from); err != nil {
			return err
		}
		if targets, err = e.load(ctx, q, id); err != nil {
			return err
		}
		took, err = q.Take(ctx, enginedb.TakeParams{Owner: e.o.Owner, SettledTo: from, WindowMs: window.Milliseconds(), Shard: id})
		if err != nil {
			return fmt.Errorf("take shard: %w", err)
		}
		if err := q.LoseRequests(ctx, enginedb.LoseRequestsParams{Reason: schedule.Takeover, Shard: id, Epoch: &took.Epoch}); err != nil {
			return fmt.Errorf("settle requests: %w", err)
		}
		return nil
	})
	e.traces.take(start, id, len(targets), err)
	if err != nil {
		e.forget(targets)
		return nil, err
	}
	e.metrics.take.Observe(time.Since(start).Seconds())
	e.mu.Lock()
	h.shard = e.schedule.Hold(id, took.Epoch, from, took.ClaimedTo, targets)
	e.holds[h.shard] = h
	e.mu.Unlock()
	e.metrics.takeovers.Inc()
	e.metrics.gaps.WithLabelValues(schedule.Takeover).Add(float64(missed))
	e.o.Log.Info("Holding a shard of the checks", "shard", id, "epoch", took.Epoch, "targets", len(targets), "missed", missed)
	e.look()
	return h, nil
}

// settle records slots before from that have no result as gaps: those that the holder before may have run, by looking, and those
// that nobody had claimed, by counting.
func (e *Engine) settle(
	ctx context.Context,
	q *enginedb.Queries,
	id int16,
	old enginedb.LockShardRow,
	from int64,
) (missed int64, err error) {
	claimed := min(old.ClaimedTo, from)
	if claimed > 0 {
		if missed, err = e.settleClaimed(ctx, q, id, max(0, old.SettledTo-lookback.Milliseconds()), claimed); err != nil {
			return 0, err
		}
	}
	more, err := q.SettleUnclaimed(
		ctx,
		enginedb.SettleUnclaimedParams{FromMs: claimed, LastMs: from - 1, Shard: id, Reason: schedule.Takeover},
	)
	if err != nil {
		return 0, fmt.Errorf("settle slots that nobody claimed: %w", err)
	}
	return missed + more, nil
}

// settleClaimed records slots that have no result. Results of an hour that is over may be sealed, and are looked for
// there after the others: what is sealed meanwhile is seen in one place at least.
func (e *Engine) settleClaimed(ctx context.Context, q *enginedb.Queries, id int16, from, to int64) (int64, error) {
	unsettled, err := q.Unsettled(ctx, enginedb.UnsettledParams{FromMs: from, LastMs: to - 1, Shard: id})
	if err != nil {
		return 0, fmt.Errorf("look for slots without a result: %w", err)
	}
	var targets []int32
	for _, u := range unsettled {
		if len(targets) == 0 || targets[len(targets)-1] != u.ID {
			targets = append(targets, u.ID)
		}
	}
	settle := enginedb.SettleParams{Reason: schedule.Takeover}
	for some := range slices.Chunk(targets, 500) { // not everything in memory at once
		sealed, err := e.history.Slots(ctx, some, from, to)
		if err != nil {
			return 0, err
		}
		for ; len(unsettled) > 0 && unsettled[0].ID <= some[len(some)-1]; unsettled = unsettled[1:] {
			u := unsettled[0]
			if _, found := slices.BinarySearch(sealed[u.ID], u.Slot); !found {
				settle.Targets, settle.Slots, settle.Intervals = append(
					settle.Targets,
					u.ID,
				), append(
					settle.Slots,
					u.Slot,
				), append(
					settle.Intervals,
					u.IntervalMs,
				)
			}
		}
	}
	if len(settle.Targets) == 0 {
		return 0, nil
	}
	missed, err := q.Settle(ctx, settle)
	if err != nil {
		return 0, fmt.Errorf("settle slots: %w", err)
	}
	return missed, nil
}

func (e *Engine) load(ctx context.Context, q *enginedb.Queries, id int16) ([]*schedule.Target, error) {
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

// drop forgets a shard that is not held any more.
func (e *Engine) drop(h *hold) {
	targets := e.schedule.Drop(h.shard)
	e.mu.Lock()
	delete(e.holds, h.shard)
	e.mu.Unlock()
	e.forget(targets)
}

// written waits for a while until everything that was found has been committed.
func (e *Engine) written() {
	ctx, cancel := context.WithTimeout(context.Background(), patience)
	defer cancel()
	_ = e.flushed(ctx)
}

// forget lets go of what targets share.
func (e *Engine) forget(targets []*schedule.Target) {
	for _, t := range targets {
		e.defs.release(jobOf(t).definition)
	}
}

// release stops a shard's runs, waits a moment for those under way, and hands the rest of the claim back.
func (e *Engine) release(h *hold) {
	ctx, cancel := context.WithTimeout(context.Background(), patience)
	defer cancel()
	end := e.schedule.Stop(h.shard)
	e.extending.Lock()
	e.extending.Unlock() //nolint:staticcheck // what was under way has ended
	for until := time.Now().Add(drain); e.schedule.Open(h.shard) > 0 && time.Now().Before(until); {
		time.Sleep(10 * time.Millisecond)
	}
	settled := e.schedule.Settled(h.shard)
	if err := e.flushed(ctx); err == nil {
		_, err = e.queries(ctx).Release(ctx, enginedb.ReleaseParams{ClaimedTo: end, SettledTo: settled, Shard: h.shard.ID, Epoch: h.shard.Epoch})
		if err != nil {
			e.o.Log.Warn("A shard of the checks was not handed back; its claim runs out by itself", "shard", h.shard.ID, "error", err)
		}
	}
	e.drop(h)
}

// drain is how long a shard that is handed over waits for runs under way. What takes longer becomes a gap.
const drain = 1500 * time.Millisecond
