package engine

import (
	"context"
	"fmt"
	"time"

	"countersign/check/engine/enginedb"
	"countersign/problem"
	"countersign/store"
)

// Requests lets any process ask for runs.
type Requests struct{ DB *store.DB }

// RunNow asks the process that holds the target's shard to run it at once. The run has a slot of its own, under which its result and
// report appear as those of any other; the schedule goes on as it was. A target that is paused or does not exist is a problem.
func (r Requests) RunNow(ctx context.Context, target int32) (slot time.Time, err error) {
	ms, err := enginedb.New(r.DB.Conn(ctx)).Request(ctx, target)
	if store.NoRows(err) {
		return time.Time{}, problem.Errorf(problem.Conflict, "This check does not run there at the moment: it is paused, or no longer assigned.")
	}
	if err != nil {
		return time.Time{}, fmt.Errorf("ask for a run: %w", err)
	}
	return time.UnixMilli(ms).UTC(), nil
}

// rest is after what time a shard whose claim has ended is held by nobody.
const rest = 2 * time.Second

// FreeShards are those that nobody holds. It makes those that are missing of a number.
func FreeShards(ctx context.Context, db *store.DB, count int) ([]int16, error) {
	q := enginedb.New(db.Conn(ctx))
	if err := q.EnsureShards(ctx, int32(count-1)); err != nil {
		return nil, fmt.Errorf("make shards: %w", err)
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
