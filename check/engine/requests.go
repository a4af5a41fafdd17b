package engine

import (
	"context"
	"fmt"
	"time"

	"countersign/check/engine/enginedb"
	"countersign/internal/problem"
	"countersign/internal/store"
)

// Requests lets any process request runs.
type Requests struct{ DB *store.DB }

// RunNow requests a run of a target at once, from the process that holds its shard. The run has a slot of its own, under which
// its result and report appear; the schedule is unchanged. A target that is paused or does not exist is a problem.
func (r Requests) RunNow(ctx context.Context, target int32) (slot time.Time, err error) {
	ms, err := enginedb.New(r.DB.Conn(ctx)).Request(ctx, target)
	if store.NoRows(err) {
		return time.Time{}, problem.Errorf(problem.Conflict, "This check does not run there at the moment: it is paused, or no longer assigned.")
	}
	if err != nil {
		return time.Time{}, fmt.Errorf("request a run: %w", err)
	}
	return time.UnixMilli(ms).UTC(), nil
}
