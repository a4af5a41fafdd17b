package engine

import (
	"context"
	"fmt"
	"time"

	"countersign/check/engine/enginedb"
	"countersign/store"
)

// rest is after what time a shard whose claim has ended is held by nobody.
const rest = 2 * time.Second

// FreeShards are those that nobody holds. It sees to it that there are count of them, with the targets spread over them.
func FreeShards(ctx context.Context, db *store.DB, count int) ([]int16, error) {
	q := enginedb.New(db.Conn(ctx))
	spread, err := q.Spread(ctx, int64(count))
	if err != nil {
		return nil, fmt.Errorf("look at the shards: %w", err)
	}
	if !spread {
		if err := db.InTx(ctx, func(ctx context.Context) error { return respread(ctx, db, int32(count)) }); err != nil {
			return nil, err
		}
	}
	if err := q.ForgetWorkers(ctx); err != nil {
		return nil, fmt.Errorf("forget processes: %w", err)
	}
	free, err := q.FreeShards(ctx, rest.Milliseconds())
	if err != nil {
		return nil, fmt.Errorf("read shards: %w", err)
	}
	return free, nil
}

// respread moves the targets to the shards that they belong to when there are count. Everybody loses what is held, and nothing is run or
// written for slots that were claimed before: no slot is run twice, and what lacks a result becomes a gap of some seconds.
func respread(ctx context.Context, db *store.DB, count int32) error {
	q := enginedb.New(db.Conn(ctx))
	if err := q.LockPlan(ctx); err != nil {
		return fmt.Errorf("lock the plan of the targets: %w", err)
	}
	shards, err := q.LockShards(ctx)
	if err != nil {
		return fmt.Errorf("lock shards: %w", err)
	}
	begin := enginedb.MakeShardsParams{Last: count - 1}
	for _, s := range shards {
		begin.Epoch, begin.ClaimedTo = max(begin.Epoch, s.Epoch+1), max(begin.ClaimedTo, s.ClaimedTo)
		if s.ClaimedTo > 0 && (begin.SettledTo == 0 || s.SettledTo < begin.SettledTo) {
			begin.SettledTo = s.SettledTo
		}
	}
	if err := q.MakeShards(ctx, begin); err != nil {
		return fmt.Errorf("make shards: %w", err)
	}
	if err := q.DropShards(ctx, count-1); err != nil {
		return fmt.Errorf("drop shards: %w", err)
	}
	if _, err := q.MoveTargets(ctx, count); err != nil {
		return fmt.Errorf("move targets: %w", err)
	}
	return nil
}
