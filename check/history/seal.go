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

// sealRows is about the number of results that one transaction seals, which keeps it short.
const sealRows = 20_000

// Sealed says what a call of Seal did.
type Sealed struct {
	// Results were put into blocks, some of them maybe once more than before.
	Results int64
	// Cleared are partitions that were emptied.
	Cleared int
}

// Seal puts the results of all hours that are over into blocks and sums, and empties their partitions. A process that dies in it
// leaves off between two transactions, and the next call goes on from there; done twice, it makes the same.
func (k *Keeper) Seal(ctx context.Context) (Sealed, error) {
	var did Sealed
	now, err := k.now(ctx)
	if err != nil {
		return did, fmt.Errorf("read clock: %w", err)
	}
	before := (now - k.grace.Milliseconds()) / Hour * Hour
	// The oldest hour first. The ring has come round to the partitions of hours that are not over: what those hold of older
	// ones waits for their end.
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

// sealPart seals the partition of an hour and empties it. Results that come while it works make it go over the partition again.
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
			// A process that died has left all of it sealed, and maybe not the boards.
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

// clear empties a partition whose results are all sealed, and else has the next pass begin at its beginning.
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

// sealBatch seals the results of some targets. more says that there were any.
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
			// More of one target than fits into a batch.
			if rows, err = q.UnsealedOf(ctx, historydb.UnsealedOfParams{Part: part, Target: last, BeforeSlot: before}); err != nil {
				return fmt.Errorf("read results of a target: %w", err)
			}
		default:
			// The last target may not be there as a whole.
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

// save makes blocks and sums of rows in the order of target and slot. Late results of an hour join those that its block has.
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

// sumColumns are sums as columns of check_hours, or of check_days.
type sumColumns historydb.SaveHoursParams

func (c *sumColumns) add(target, at int32, s *Sum) {
	c.Targets, c.Hours = append(c.Targets, target), append(c.Hours, at)
	c.Passed, c.Failed = append(c.Passed, int32(s.Passed)), append(c.Failed, int32(s.Failed))
	c.Errored, c.Skipped = append(c.Errored, int32(s.Errored)), append(c.Skipped, int32(s.Skipped))
	c.Answered, c.TookSum = append(c.Answered, int32(s.Answered)), append(c.TookSum, s.TookSum)
	c.TookMin, c.TookMax = append(c.TookMin, s.TookMin), append(c.TookMax, s.TookMax)
	c.Details = append(c.Details, s.detail())
}

// addRow adds what a row amounts to.
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
	// A day is added up some time after its last hour was to be sealed. If that was late, sealing takes the day out again.
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
	// Noted before: what is sealed from now on takes the note away.
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
