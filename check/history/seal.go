package history

import (
	"context"
	"errors"
	"fmt"
	"maps"
	"slices"

	"countersign/check"
	"countersign/check/history/historydb"
)

// sealRows is the approximate number of results that one transaction seals, which keeps it short.
const sealRows = 20_000

// Sealed is the outcome of a call of Seal.
type Sealed struct {
	// Results counts the results written to blocks, including repeated ones.
	Results int64
	// Cleared counts the emptied partitions.
	Cleared int
}

// Seal moves the results of all past hours into blocks and sums, and empties their partitions. It is idempotent and
// works in transactions, so after a crash the next call continues.
func (k *Keeper) Seal(ctx context.Context) (Sealed, error) {
	var did Sealed
	now, err := k.now(ctx)
	if err != nil {
		return did, fmt.Errorf("read clock: %w", err)
	}
	before := (now - k.grace.Milliseconds()) / Hour * Hour
	// The oldest hour comes first. Two partitions of the ring belong to the current and the next hour: older results in
	// them wait for the end of those.
	for hour := now/Hour + 2 - parts; hour < before/Hour; hour++ {
		part := hour % parts
		has, err := historydb.New(k.db.Conn(ctx)).HasResults(ctx, part)
		if err != nil {
			return did, fmt.Errorf("look for results: %w", err)
		}
		if !has {
			continue
		}
		if err := k.sealPart(ctx, hour, before, &did); err != nil {
			return did, fmt.Errorf("seal partition %d: %w", part, err)
		}
	}
	return did, nil
}

// sealPart seals the partition of an hour and empties it. Results that arrive meanwhile cause another pass.
func (k *Keeper) sealPart(ctx context.Context, hour, before int64, did *Sealed) error {
	part := hour % parts
	for range 3 {
		if err := historydb.New(k.db.Conn(ctx)).BeginSeal(ctx, historydb.BeginSealParams{Part: int16(part), BeforeSlot: before}); err != nil {
			return fmt.Errorf("begin: %w", err)
		}
		days := map[int32]bool{}
		for {
			more, err := k.sealBatch(ctx, part, before, days, did)
			if err != nil {
				return err
			}
			if !more {
				break
			}
		}
		if len(days) == 0 {
			// After a crash the results may all be sealed, but not the boards.
			days[int32(hour/24)] = true
		}
		for day := range days {
			if err := k.refreshBoards(ctx, int64(day), hour); err != nil {
				return err
			}
		}
		cleared, err := k.clear(ctx, part, before)
		if err != nil || cleared {
			did.Cleared++
			return err
		}
	}
	return nil
}

// clear empties a partition whose results are all sealed, or restarts the next pass at its beginning.
func (k *Keeper) clear(ctx context.Context, part, before int64) (cleared bool, err error) {
	err = k.db.InTx(ctx, func(ctx context.Context) error {
		q := historydb.New(k.db.Conn(ctx))
		at, err := q.LockSeal(ctx, int16(part))
		if err != nil {
			return fmt.Errorf("lock: %w", err)
		}
		if cleared, err = q.ClearResults(
			ctx,
			historydb.ClearResultsParams{Part: int32(part), BeforeSlot: before, Sealed: at.Sealed},
		); err != nil {
			return fmt.Errorf("clear: %w", err)
		}
		return q.EndSeal(ctx, int16(part))
	})
	return cleared, err
}

// sealBatch seals the results of some targets. more reports that there were any.
func (k *Keeper) sealBatch(ctx context.Context, part, before int64, days map[int32]bool, did *Sealed) (more bool, err error) {
	err = k.db.InTx(ctx, func(ctx context.Context) error {
		q := historydb.New(k.db.Conn(ctx))
		at, err := q.LockSeal(ctx, int16(part))
		if err != nil {
			return fmt.Errorf("lock: %w", err)
		}
		rows, err := q.Unsealed(ctx, historydb.UnsealedParams{Part: part, After: at.Target, BeforeSlot: before, MaxRows: sealRows})
		if err != nil {
			return fmt.Errorf("read results: %w", err)
		}
		if len(rows) == 0 {
			return nil
		}
		more = true
		last := rows[len(rows)-1].Target
		switch {
		case len(rows) < sealRows:
		case rows[0].Target == last:
			// One target has more results than fit into a batch.
			if rows, err = q.UnsealedOf(ctx, historydb.UnsealedOfParams{Part: part, Target: last, BeforeSlot: before}); err != nil {
				return fmt.Errorf("read results of a target: %w", err)
			}
		default:
			// The results of the last target may be incomplete.
			end := slices.IndexFunc(rows, func(r historydb.CheckResult) bool { return r.Target == last })
			rows, last = rows[:end], rows[end-1].Target
		}
		if err := k.save(ctx, q, rows, days); err != nil {
			return err
		}
		did.Results += int64(len(rows))
		return q.MoveSeal(ctx, historydb.MoveSealParams{Part: int16(part), Target: last, Sealed: at.Sealed + int64(len(rows))})
	})
	return more, err
}

// save writes rows, ordered by target and slot, to blocks and sums. Late results of an hour are merged into its block.
func (k *Keeper) save(ctx context.Context, q *historydb.Queries, rows []historydb.CheckResult, days map[int32]bool) error {
	type group struct {
		target, hour int32
		results      []Result
	}
	all := make([]Result, len(rows))
	var groups []group
	var targets, hours []int32
	for i := range rows {
		r := &rows[i]
		all[i] = fromRow(r)
		hour := int32(r.Slot / Hour)
		if n := len(groups) - 1; n >= 0 && groups[n].target == r.Target && groups[n].hour == hour {
			groups[n].results = groups[n].results[:len(groups[n].results)+1]
			continue
		}
		groups = append(groups, group{r.Target, hour, all[i : i+1 : len(all)]})
		targets, hours = append(targets, r.Target), append(hours, hour)
	}
	existing, err := q.BlocksAt(ctx, historydb.BlocksAtParams{Targets: targets, Hours: hours})
	if err != nil {
		return fmt.Errorf("read blocks: %w", err)
	}
	type pair struct{ target, hour int32 }
	blocks := map[pair][]byte{}
	for _, b := range existing {
		blocks[pair{b.Target, b.Hour}] = b.Data
	}
	datas := make([][]byte, len(groups))
	sums := sumColumns{}
	var sum Sum
	for i, g := range groups {
		if data, ok := blocks[pair{g.target, g.hour}]; ok {
			old, err := DecodeBlock(nil, int64(g.hour), data, true)
			if err != nil {
				return fmt.Errorf("block of target %d, hour %d: %w", g.target, g.hour, err)
			}
			g.results = merge(old, g.results)
		}
		if datas[i], err = EncodeBlock(int64(g.hour), g.results); err != nil {
			return fmt.Errorf("block of target %d: %w", g.target, err)
		}
		sum.reset()
		for j := range g.results {
			sum.Add(&g.results[j])
		}
		sums.add(g.target, g.hour, &sum)
		days[g.hour/24] = true
	}
	if err := q.SaveBlocks(ctx, historydb.SaveBlocksParams{Targets: targets, Hours: hours, Datas: datas}); err != nil {
		return fmt.Errorf("save blocks: %w", err)
	}
	if err := q.SaveHours(ctx, historydb.SaveHoursParams(sums)); err != nil {
		return fmt.Errorf("save sums: %w", err)
	}
	if err := q.ReopenDays(ctx, slices.Collect(maps.Keys(days))); err != nil {
		return fmt.Errorf("reopen days: %w", err)
	}
	return nil
}

// sumColumns are the columns of a sum in check_hours or check_days.
type sumColumns historydb.SaveHoursParams

func (c *sumColumns) add(target, at int32, s *Sum) {
	c.Targets, c.Hours = append(c.Targets, target), append(c.Hours, at)
	c.Passed, c.Failed = append(c.Passed, int32(s.Passed)), append(c.Failed, int32(s.Failed))
	c.Errored, c.Skipped = append(c.Errored, int32(s.Errored)), append(c.Skipped, int32(s.Skipped))
	c.Answered, c.TookSum = append(c.Answered, int32(s.Answered)), append(c.TookSum, s.TookSum)
	c.TookMin, c.TookMax = append(c.TookMin, s.TookMin), append(c.TookMax, s.TookMax)
	c.Details = append(c.Details, s.detail())
}

// addRow adds a row of sums.
func (s *Sum) addRow(r *historydb.CheckHour) error {
	s.Passed += int64(r.Passed)
	s.Failed += int64(r.Failed)
	s.Errored += int64(r.Errored)
	s.Skipped += int64(r.Skipped)
	s.took(int64(r.Answered), r.TookSum, r.TookMin, r.TookMax)
	if err := s.addDetail(r.Detail); err != nil {
		return fmt.Errorf("sum of target %d at %d: %w", r.Target, r.Hour, err)
	}
	return nil
}

func fromRow(r *historydb.CheckResult) Result {
	return Result{
		Slot: r.Slot, LateMS: r.LateMs, TookUS: r.TookUs, Held: uint64(r.Held),
		Verdict: check.Verdict(r.Verdict), Cause: check.Cause(r.Cause), Code: r.Code, Kept: r.Kept,
	}
}

// AddUpDays rolls up the hours of each complete and sealed day.
func (k *Keeper) AddUpDays(ctx context.Context) error {
	now, err := k.now(ctx)
	if err != nil {
		return fmt.Errorf("read clock: %w", err)
	}
	keep, err := k.Retention(ctx)
	if err != nil {
		return err
	}
	q := historydb.New(k.db.Conn(ctx))
	// A day is rolled up some time after its last hour should be sealed. If that was late, sealing marks the day again.
	today := (now - 2*k.grace.Milliseconds()) / Day
	first := today - int64(keep.HourlyDays)
	done, err := q.DaysDone(ctx, int32(first))
	if err != nil {
		return fmt.Errorf("read days that are added up: %w", err)
	}
	for day := first; day < today; day++ {
		if slices.Contains(done, int32(day)) {
			continue
		}
		if err := k.addUpDay(ctx, q, int32(day)); err != nil {
			return fmt.Errorf("add up day %d: %w", day, err)
		}
	}
	return nil
}

func (k *Keeper) addUpDay(ctx context.Context, q *historydb.Queries, day int32) error {
	// The day is marked first, so that sealing from now on unmarks it.
	if err := q.DayDone(ctx, day); err != nil {
		return err
	}
	targets, err := q.TargetsOfDay(ctx, historydb.TargetsOfDayParams{First: day * 24, Before: day*24 + 24})
	for some := range slices.Chunk(targets, 500) {
		if err == nil {
			err = k.addUpTargets(ctx, some, day)
		}
	}
	if err != nil {
		return errors.Join(err, q.ReopenDays(context.WithoutCancel(ctx), []int32{day}))
	}
	return nil
}

func (k *Keeper) addUpTargets(ctx context.Context, targets []int32, day int32) error {
	q := historydb.New(k.db.Conn(ctx))
	rows, err := q.HoursOf(ctx, historydb.HoursOfParams{Targets: targets, First: day * 24, Before: day*24 + 24})
	if err != nil {
		return err
	}
	sums := sumColumns{}
	var sum Sum
	for i := range rows {
		if i > 0 && rows[i].Target != rows[i-1].Target {
			sums.add(rows[i-1].Target, day, &sum)
			sum.reset()
		}
		if err := sum.addRow(&rows[i]); err != nil {
			return err
		}
	}
	if len(rows) > 0 {
		sums.add(rows[len(rows)-1].Target, day, &sum)
	}
	return q.SaveDays(ctx, historydb.SaveDaysParams{
		Targets: sums.Targets, Days: sums.Hours, Passed: sums.Passed, Failed: sums.Failed, Errored: sums.Errored, Skipped: sums.Skipped,
		Answered: sums.Answered, TookSum: sums.TookSum, TookMin: sums.TookMin, TookMax: sums.TookMax, Details: sums.Details,
	})
}
