package history

import (
	"context"
	"fmt"

	"countersign/check/history/historydb"
)

// Import stores results for a target, from another monitoring system or missing ones, in slot order. Results of past
// hours go into blocks and sums; existing ones stay. Boards show them after RefreshBoards.
func (k *Keeper) Import(ctx context.Context, target int32, results []Result) error {
	now, err := k.now(ctx)
	if err != nil {
		return fmt.Errorf("read clock: %w", err)
	}
	over := (now - k.grace.Milliseconds()) / Hour * Hour
	rows := make([]historydb.CheckResult, len(results))
	for i := range results {
		rows[i] = toRow(target, &results[i])
	}
	return k.db.InTx(ctx, func(ctx context.Context) error {
		q := historydb.New(k.db.Conn(ctx))
		for begin := 0; begin < len(rows); {
			end := begin
			for end < len(rows) && (end-begin < sealRows || rows[end].Slot/Hour == rows[end-1].Slot/Hour) && rows[end].Slot < over {
				end++
			}
			if end == begin {
				return insertResults(ctx, q, rows[begin:])
			}
			if err := k.save(ctx, q, rows[begin:end], map[int32]bool{}); err != nil {
				return err
			}
			begin = end
		}
		return nil
	})
}

func insertResults(ctx context.Context, q *historydb.Queries, rows []historydb.CheckResult) error {
	for _, r := range rows {
		if err := q.InsertResult(ctx, historydb.InsertResultParams(r)); err != nil {
			return fmt.Errorf("insert result: %w", err)
		}
	}
	return nil
}

func toRow(target int32, r *Result) historydb.CheckResult {
	return historydb.CheckResult{
		Target: target, Slot: r.Slot, LateMs: r.LateMS, TookUs: r.TookUS, Held: int64(r.Held),
		Verdict: int16(r.Verdict), Cause: int16(r.Cause), Code: r.Code, Kept: r.Kept,
	}
}

// RefreshBoards recomputes the boards of the days since a time in milliseconds, up to the last complete hour.
func (k *Keeper) RefreshBoards(ctx context.Context, since int64) error {
	now, err := k.now(ctx)
	if err != nil {
		return fmt.Errorf("read clock: %w", err)
	}
	last := (now-k.grace.Milliseconds())/Hour - 1
	for day := since / Day; day <= last/24; day++ {
		if err := k.refreshBoards(ctx, day, min(last, day*24+23)); err != nil {
			return err
		}
	}
	return nil
}
