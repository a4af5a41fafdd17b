package history

import (
	"context"
	"fmt"
	"slices"
	"sync"
	"time"

	"countersign/check/history/historydb"
	"countersign/internal/store"
)

// Reader queries the stored results. It takes ids and does not check access.
type Reader struct {
	db  *store.DB
	now func(ctx context.Context) (int64, error)

	live    live
	liveFor time.Duration

	mu     sync.Mutex
	keep   Retention
	keepAt time.Time
	// ahead is the offset of the database clock from that of this process.
	ahead time.Duration
}

// ReaderOptions tune a Reader; zero values mean the defaults.
type ReaderOptions struct {
	// Now returns the time in milliseconds since 1970; that of the database by default.
	Now func(ctx context.Context) (int64, error)
	// Live is the cache duration of unsealed results on boards; zero disables the cache.
	Live time.Duration
}

// NewReader makes a reader.
func NewReader(db *store.DB, o ReaderOptions) *Reader {
	return &Reader{db: db, now: o.Now, liveFor: o.Live}
}

// settings returns the retention, at most a minute old, and the database time by this process's clock.
func (r *Reader) settings(ctx context.Context) (Retention, int64, error) {
	r.mu.Lock()
	defer r.mu.Unlock()
	if time.Since(r.keepAt) >= time.Minute || r.keepAt.IsZero() {
		keep, err := retention(ctx, r.db)
		if err != nil {
			return keep, 0, err
		}
		now, err := historydb.New(r.db.Conn(ctx)).Now(ctx)
		if err != nil {
			return keep, 0, fmt.Errorf("read clock: %w", err)
		}
		r.keep, r.keepAt, r.ahead = keep, time.Now(), time.Until(time.UnixMilli(now))
	}
	if r.now == nil {
		return r.keep, time.Now().Add(r.ahead).UnixMilli(), nil
	}
	now, err := r.now(ctx)
	return r.keep, now, err
}

// results calls each with the results of each target in a time range in milliseconds, without its end. The slice is
// valid only during the call.
func (r *Reader) results(ctx context.Context, targets []int32, from, to int64, each func(target int32, results []Result)) error {
	q := historydb.New(r.db.Conn(ctx))
	rows, err := q.ResultsOf(ctx, historydb.ResultsOfParams{Targets: targets, First: from, Before: to})
	if err != nil {
		return fmt.Errorf("read results: %w", err)
	}
	blocks, err := q.BlocksOf(
		ctx,
		historydb.BlocksOfParams{Targets: targets, First: int32(from / Hour), Before: int32((to + Hour - 1) / Hour)},
	)
	if err != nil {
		return fmt.Errorf("read blocks: %w", err)
	}
	var sealed, fresh []Result
	for len(rows) > 0 || len(blocks) > 0 {
		var target int32
		switch {
		case len(blocks) == 0 || len(rows) > 0 && rows[0].Target < blocks[0].Target:
			target = rows[0].Target
		default:
			target = blocks[0].Target
		}
		sealed, fresh = sealed[:0], fresh[:0]
		for len(blocks) > 0 && blocks[0].Target == target {
			if sealed, err = DecodeBlock(sealed, int64(blocks[0].Hour), blocks[0].Data, false); err != nil {
				return fmt.Errorf("block of target %d, hour %d: %w", target, blocks[0].Hour, err)
			}
			blocks = blocks[1:]
		}
		for len(rows) > 0 && rows[0].Target == target {
			fresh = append(fresh, fromRow(&rows[0]))
			rows = rows[1:]
		}
		each(target, between(join(sealed, fresh), from, to))
	}
	return nil
}

// join is merge with a fast path for lists that do not overlap.
func join(sealed, fresh []Result) []Result {
	if len(sealed) > 0 && len(fresh) > 0 && sealed[len(sealed)-1].Slot < fresh[0].Slot {
		return append(sealed, fresh...)
	}
	return merge(sealed, fresh)
}

// between returns the results with slots from one time up to another.
func between(results []Result, from, to int64) []Result {
	at := func(slot int64) int {
		i, _ := slices.BinarySearchFunc(results, slot, func(r Result, slot int64) int { return int(r.Slot - slot) })
		return i
	}
	return results[at(from):at(to)]
}

// sums adds the results of targets in a range of hours to the sum that into returns for an hour, if any. It uses sums
// of sealed hours, and results of others.
func (r *Reader) sums(ctx context.Context, targets []int32, from, to int64, into func(hour int64) *Sum) error {
	q := historydb.New(r.db.Conn(ctx))
	rows, err := q.ResultsOf(ctx, historydb.ResultsOfParams{Targets: targets, First: from * Hour, Before: to * Hour})
	if err != nil {
		return fmt.Errorf("read results: %w", err)
	}
	hours, err := q.HoursOf(ctx, historydb.HoursOfParams{Targets: targets, First: int32(from), Before: int32(to)})
	if err != nil {
		return fmt.Errorf("read sums: %w", err)
	}
	open := map[[2]int32][]Result{}
	for i := range rows {
		key := [2]int32{rows[i].Target, int32(rows[i].Slot / Hour)}
		open[key] = append(open[key], fromRow(&rows[i]))
	}
	var half historydb.BlocksAtParams
	for i := range hours {
		h := &hours[i]
		if len(open) > 0 && open[[2]int32{h.Target, h.Hour}] != nil {
			// The hour is being sealed or got late results, so a result may be in both.
			half.Targets, half.Hours = append(half.Targets, h.Target), append(half.Hours, h.Hour)
			continue
		}
		if sum := into(int64(h.Hour)); sum != nil {
			if err := sum.addRow(h); err != nil {
				return err
			}
		}
	}
	if len(half.Targets) > 0 {
		if err := withSealed(ctx, q, half, open); err != nil {
			return err
		}
	}
	for key, results := range open {
		if sum := into(int64(key[1])); sum != nil {
			for i := range results {
				sum.Add(&results[i])
			}
		}
	}
	return nil
}

// withSealed adds the sealed results of some hours to unsealed ones.
func withSealed(ctx context.Context, q *historydb.Queries, half historydb.BlocksAtParams, open map[[2]int32][]Result) error {
	blocks, err := q.BlocksAt(ctx, half)
	if err != nil {
		return fmt.Errorf("read blocks: %w", err)
	}
	for _, b := range blocks {
		sealed, err := DecodeBlock(nil, int64(b.Hour), b.Data, false)
		if err != nil {
			return fmt.Errorf("block of target %d, hour %d: %w", b.Target, b.Hour, err)
		}
		key := [2]int32{b.Target, b.Hour}
		open[key] = merge(sealed, open[key])
	}
	return nil
}

// days is sums for rolled-up days.
func (r *Reader) days(ctx context.Context, targets []int32, from, to int64, into func(day int64) *Sum) error {
	rows, err := historydb.New(r.db.Conn(ctx)).DaysOf(ctx, historydb.DaysOfParams{Targets: targets, First: int32(from), Before: int32(to)})
	if err != nil {
		return fmt.Errorf("read sums of days: %w", err)
	}
	for i := range rows {
		h := historydb.CheckHour{
			Target:   rows[i].Target,
			Hour:     rows[i].Day,
			Passed:   rows[i].Passed,
			Failed:   rows[i].Failed,
			Errored:  rows[i].Errored,
			Skipped:  rows[i].Skipped,
			Answered: rows[i].Answered,
			TookSum:  rows[i].TookSum,
			TookMin:  rows[i].TookMin,
			TookMax:  rows[i].TookMax,
			Detail:   rows[i].Detail,
		}
		if sum := into(int64(h.Hour)); sum != nil {
			if err := sum.addRow(&h); err != nil {
				return err
			}
		}
	}
	return nil
}
