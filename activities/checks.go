package activities

import (
	"context"
	"errors"
	"math/rand/v2"
	"time"

	"go.temporal.io/sdk/activity"
	"go.temporal.io/sdk/temporal"

	"countersign/check/engine"
	"countersign/workflows"
)

// Shards runs shards in this process. *engine.Engine implements it.
type Shards interface {
	Hold(ctx context.Context, shard int16, stop <-chan struct{}, length time.Duration) error
}

// Checks holds the activities of checks.
type Checks struct {
	Shards Shards
}

// HoldShard runs the slots of a shard for about an hour, or until another process is to have it.
func (a *Checks) HoldShard(ctx context.Context, in workflows.HoldShardInput) (workflows.HoldShardOutput, error) {
	// Jitter, so that the holds of a process do not end at the same moment.
	length := workflows.HoldDuration - rand.N(workflows.HoldDuration/4) //nolint:gosec // no secret
	err := a.Shards.Hold(ctx, in.Shard, activity.GetWorkerStopChannel(ctx), length)
	if errors.Is(err, engine.ErrStopped) {
		err = nil // the next hold begins at once, where another attempt at this one would have to wait
	}
	if errors.Is(err, engine.ErrGone) {
		return workflows.HoldShardOutput{Gone: true}, nil
	}
	if errors.Is(err, context.Canceled) && !temporal.IsCanceledError(context.Cause(ctx)) {
		// Temporal has dropped this attempt: it was unavailable for longer than the heartbeat timeout, or another process got
		// the shard.
		err = temporal.NewApplicationErrorWithOptions(
			"the hold is another one's",
			"silent",
			temporal.ApplicationErrorOptions{Category: temporal.ApplicationErrorCategoryBenign, Cause: err},
		)
	}
	if errors.Is(err, engine.ErrLost) {
		err = temporal.NewApplicationError(err.Error(), "lost")
	}
	return workflows.HoldShardOutput{}, err
}
