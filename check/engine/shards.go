package engine

import (
	"context"
	"fmt"
	"time"

	"countersign/check/engine/enginedb"
	"countersign/store"
)

// freeAfter is the time after the end of its claim at which a shard counts as free.
const freeAfter = 2 * time.Second

// FreeShards lists the shards without an owner. It first makes sure that there are count shards, with the targets distributed
// over them.
func FreeShards(ctx context.Context, db *store.DB, count int) ([]int16, error) {
	q := enginedb.New(db.Conn(ctx))
	spread, err := q.ShardsMatch(ctx, int64(count))
	if err != nil {
		return nil, fmt.Errorf("count shards: %w", err)
	}
	if !spread {
		if err := db.InTx(ctx, func(ctx context.Context) error { return redistribute(ctx, db, int32(count)) }); err != nil {
			return nil, err
		}
	}
	if err := q.DeleteOldWorkers(ctx); err != nil {
		return nil, fmt.Errorf("delete old workers: %w", err)
	}
	free, err := q.FreeShards(ctx, freeAfter.Milliseconds())
	if err != nil {
		return nil, fmt.Errorf("read shards: %w", err)
	}
	return free, nil
}

// redistribute moves targets between shards for a new number of shards. All claims end, and slots that were claimed
// before are neither run nor written: no slot runs twice, and slots without a result become a gap of some seconds.
func redistribute(ctx context.Context, db *store.DB, count int32) error {
	q := enginedb.New(db.Conn(ctx))
	if err := q.LockTargetPlan(ctx); err != nil {
		return fmt.Errorf("lock the plan of the targets: %w", err)
	}
	shards, err := q.LockShards(ctx)
	if err != nil {
		return fmt.Errorf("lock shards: %w", err)
	}
	reset := enginedb.ResetShardsParams{Last: count - 1}
	for _, s := range shards {
		reset.Epoch, reset.ClaimedTo = max(reset.Epoch, s.Epoch+1), max(reset.ClaimedTo, s.ClaimedTo)
		if s.ClaimedTo > 0 && (reset.SettledTo == 0 || s.SettledTo < reset.SettledTo) {
			reset.SettledTo = s.SettledTo
		}
	}
	if err := q.ResetShards(ctx, reset); err != nil {
		return fmt.Errorf("reset shards: %w", err)
	}
	if err := q.DeleteShards(ctx, count-1); err != nil {
		return fmt.Errorf("delete shards: %w", err)
	}
	if _, err := q.MoveTargets(ctx, count); err != nil {
		return fmt.Errorf("move targets: %w", err)
	}
	return nil
}
