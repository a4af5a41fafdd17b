package history

import (
	"context"
	"encoding/json"
	"fmt"
	"math"
	"slices"
	"time"

	"countersign/check"
	"countersign/check/history/historydb"
	"countersign/internal/problem"
	"countersign/internal/store"
)

// RunsQuery selects the runs of a target.
type RunsQuery struct {
	Target int32
	// Verdicts and Causes restrict the runs; empty for all.
	Verdicts []check.Verdict
	Causes   []check.Cause
	// Before is the Next of the page before; zero for the newest.
	Before int64
	// Limit is 50 when zero, and 500 at most.
	Limit int
}

// Runs is a page of runs, newest first. Next is the cursor of the next page, zero when there is none. New runs do not
// shift pages.
type Runs struct {
	Results []Result
	Next    int64
}

// blocksAtOnce is the number of hours that a search for runs decodes at once.
const blocksAtOnce = 24

// add adds matching results to the page, last first, up to the limit. full reports that more match.
func (page *Runs) add(q RunsQuery, results []Result) (full bool) {
	for i := range slices.Backward(results) {
		v := &results[i]
		if v.Slot >= q.Before || len(q.Verdicts) > 0 && !slices.Contains(q.Verdicts, v.Verdict) ||
			len(q.Causes) > 0 && !slices.Contains(q.Causes, v.Cause) {
			continue
		}
		if len(page.Results) == q.Limit {
			page.Next = page.Results[q.Limit-1].Slot
			return true
		}
		page.Results = append(page.Results, *v)
	}
	return false
}

// Runs lists runs of a target.
func (r *Reader) Runs(ctx context.Context, q RunsQuery) (Runs, error) {
	if q.Limit = min(q.Limit, 500); q.Limit <= 0 {
		q.Limit = 50
	}
	if q.Before <= 0 {
		q.Before = math.MaxInt64
	}
	keep, now, err := r.settings(ctx)
	if err != nil {
		return Runs{}, err
	}
	first := (now/Day - int64(keep.RawDays)) * Day
	db := historydb.New(r.db.Conn(ctx))
	rows, err := db.NewestResults(ctx, historydb.NewestResultsParams{Target: q.Target, Before: q.Before, First: first})
	if err != nil {
		return Runs{}, fmt.Errorf("read results: %w", err)
	}
	fresh := make([]Result, 0, len(rows))
	for i := range slices.Backward(rows) {
		fresh = append(fresh, fromRow(&rows[i]))
	}
	page := Runs{Results: []Result{}}
	end := int32(min(q.Before/Hour+1, math.MaxInt32))
	for {
		blocks, err := db.NewestBlocks(
			ctx,
			historydb.NewestBlocksParams{Target: q.Target, Before: end, First: int32(first / Hour), MaxRows: blocksAtOnce},
		)
		if err != nil {
			return Runs{}, fmt.Errorf("read blocks: %w", err)
		}
		var sealed []Result
		for i := range slices.Backward(blocks) {
			if sealed, err = DecodeBlock(sealed, int64(blocks[i].Hour), blocks[i].Data, true); err != nil {
				return Runs{}, fmt.Errorf("block of target %d, hour %d: %w", q.Target, blocks[i].Hour, err)
			}
		}
		// Unsealed results are merged with the blocks of their time: late results can be older than sealed ones.
		own := fresh
		if len(blocks) == blocksAtOnce {
			end = blocks[len(blocks)-1].Hour
			at, _ := slices.BinarySearchFunc(fresh, int64(end)*Hour, func(r Result, slot int64) int { return int(r.Slot - slot) })
			own, fresh = fresh[at:], fresh[:at]
		}
		if page.add(q, join(sealed, own)) || len(blocks) < blocksAtOnce {
			return page, nil
		}
	}
}

// Run returns one run of a target, with its report if one was stored: for a run that did not pass, for the first that
// passed after a change, for one that passed on a retry, and for one run an hour. An unknown run is a problem.
func (r *Reader) Run(ctx context.Context, target int32, slot time.Time) (Result, json.RawMessage, error) {
	at := slot.UnixMilli()
	page, err := r.Runs(ctx, RunsQuery{Target: target, Before: at + 1, Limit: 1})
	if err != nil {
		return Result{}, nil, err
	}
	if len(page.Results) == 0 || page.Results[0].Slot != at {
		return Result{}, nil, problem.Errorf(
			problem.NotFound,
			"There is no run of that time, or it is not kept any more. Look at the list of runs.",
		)
	}
	report, err := historydb.New(r.db.Conn(ctx)).Report(ctx, historydb.ReportParams{Part: at / Day % reportParts, Target: target, Slot: at})
	if err != nil && !store.NoRows(err) {
		return Result{}, nil, fmt.Errorf("read report: %w", err)
	}
	return page.Results[0], report, nil
}

// Slots returns the slots of targets with results, sealed or not, in a time range without its end. Callers use them to
// find missing slots.
func (r *Reader) Slots(ctx context.Context, targets []int32, from, to int64) (map[int32][]int64, error) {
	slots := map[int32][]int64{}
	err := r.results(ctx, slices.Sorted(slices.Values(targets)), from, to, func(target int32, results []Result) {
		for i := range results {
			slots[target] = append(slots[target], results[i].Slot)
		}
	})
	return slots, err
}

// Last returns the last runs of targets, without kept values. Targets without a run within the retention of single runs are
// missing. A slot that was skipped is no run.
func (r *Reader) Last(ctx context.Context, targets []int32) (map[int32]Result, error) {
	q := historydb.New(r.db.Conn(ctx))
	rows, err := q.LastResults(ctx, targets)
	if err != nil {
		return nil, fmt.Errorf("read last results: %w", err)
	}
	last := make(map[int32]Result, len(targets))
	for i := range rows {
		last[rows[i].Target] = fromRow(&rows[i])
	}
	var sealed []int32
	for _, id := range targets {
		if _, ok := last[id]; !ok {
			sealed = append(sealed, id)
		}
	}
	if len(sealed) == 0 {
		return last, nil
	}
	blocks, err := q.LastBlocks(ctx, sealed)
	if err != nil {
		return nil, fmt.Errorf("read last blocks: %w", err)
	}
	for _, b := range blocks {
		results, err := DecodeBlock(nil, int64(b.Hour), b.Data, false)
		if err != nil {
			return nil, fmt.Errorf("block of target %d, hour %d: %w", b.Target, b.Hour, err)
		}
		for _, result := range slices.Backward(results) {
			if result.Verdict != check.Skipped {
				last[b.Target] = result
				break
			}
		}
	}
	return last, nil
}
