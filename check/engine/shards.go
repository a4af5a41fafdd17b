package engine

import (
	"context"
	"fmt"
	"time"

	"countersign/check/engine/enginedb"
	"countersign/internal/store"
	"countersign/internal/store/chore"
)

// Sharding keeps the targets distributed over a number of shards.
type Sharding struct {
	DB *store.DB
	// Count is how many shards there are.
	Count int
}

// Chores distributes the targets.
func (s *Sharding) Chores() []chore.Chore {
	return []chore.Chore{{Name: "distribute checks over shards", Every: 3 * time.Second, Do: s.Distribute}}
}

// Distribute makes sure that there are as many shards, with the targets distributed over them.
func (s *Sharding) Distribute(ctx context.Context) error {
	q := enginedb.New(s.DB.Conn(ctx))
	spread, err := q.ShardsMatch(ctx, int64(s.Count))
	if err != nil {
		return fmt.Errorf("count shards: %w", err)
	}
	if !spread {
		if err := s.DB.InTx(ctx, func(ctx context.Context) error { return redistribute(ctx, s.DB, int32(s.Count)) }); err != nil {
			return err
		}
	}
	if err := q.DeleteOldWorkers(ctx); err != nil {
		return fmt.Errorf("delete old workers: %w", err)
	}
	return nil
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
	if err := q.MoveLocatedTargets(ctx, count); err != nil {
		return fmt.Errorf("move targets of the main location: %w", err)
	}
	return nil
}
