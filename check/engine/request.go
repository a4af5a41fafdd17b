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
