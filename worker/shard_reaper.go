package worker

import (
	"context"
	"errors"
	"fmt"
	"log/slog"
	"time"

	"go.temporal.io/api/enums/v1"
	"go.temporal.io/api/serviceerror"
	"go.temporal.io/api/workflow/v1"

	"countersign/workflows"
)

// StaleShardReaper releases shards whose holder has stopped renewing its lease, so that other processes claim them.
// Temporal would detect a killed or hung process by missing heartbeats; the leases in the database show it sooner at no
// cost.
type StaleShardReaper struct {
	Engine *Engine
	Log    *slog.Logger

	seen map[int16]observation
}

// observation is an attempt to hold a shard that Temporal believes in, though no process claims the shard.
type observation struct {
	run, attempt string
	at           time.Time
}

// An attempt is terminated when it is observed again after confirmAfter, in which a holder whose lease expired during a
// database outage can claim its shard again, and before observationTTL.
const (
	confirmAfter   = 700 * time.Millisecond
	observationTTL = 4 * time.Second
)

// Reap releases stale shards. It is called more than once a second while there are unclaimed shards, with all of them,
// and never concurrently.
func (r *StaleShardReaper) Reap(ctx context.Context, shards []int16) {
	ctx, cancel := context.WithTimeout(ctx, 5*time.Second)
	defer cancel()
	seen := make(map[int16]observation, len(shards))
	for _, shard := range shards {
		now, err := r.check(ctx, shard, r.seen[shard])
		if err != nil {
			r.Log.Warn("Unclaimed shard not released", "shard", shard, "error", err)
		}
		if now != (observation{}) {
			seen[shard] = now
		}
	}
	r.seen = seen
}

// check reads the holder of a shard from Temporal, and restarts the shard's workflow if it observed the same holder
// before.
func (r *StaleShardReaper) check(ctx context.Context, shard int16, before observation) (observation, error) {
	run, attempt, err := r.Engine.shardHolder(ctx, shard)
	if err != nil {
		return observation{}, err
	}
	if run == "" {
		return observation{}, r.Engine.StartCheckShard(ctx, shard)
	}
	if attempt == "" {
		return observation{}, nil // it is queued until a process has a free slot
	}
	now := observation{run, attempt, time.Now()}
	age := now.at.Sub(before.at)
	if before.run != run || before.attempt != attempt || age > observationTTL {
		return now, nil
	}
	if age < confirmAfter {
		return before, nil
	}
	r.Log.Info("Shard released from a dead or hung process", "shard", shard)
	return observation{}, r.Engine.restartCheckShard(ctx, shard, run)
}

// shardHolder is the running workflow of a shard and the attempt that a process has; each is "" when there is none.
func (e *Engine) shardHolder(ctx context.Context, shard int16) (run, attempt string, err error) {
	found, err := e.client.DescribeWorkflowExecution(ctx, e.prefix()+workflows.CheckShardID(shard), "")
	if _, missing := errors.AsType[*serviceerror.NotFound](err); missing {
		return "", "", nil
	}
	if err != nil {
		return "", "", fmt.Errorf("look at a shard of the checks: %w", err)
	}
	if found.GetWorkflowExecutionInfo().GetStatus() != enums.WORKFLOW_EXECUTION_STATUS_RUNNING {
		return "", "", nil
	}
	return found.GetWorkflowExecutionInfo().GetExecution().GetRunId(), heldAttempt(found.GetPendingActivities()), nil
}

// heldAttempt is the attempt that was dispatched to a process.
func heldAttempt(activities []*workflow.PendingActivityInfo) string {
	for _, a := range activities {
		if a.GetActivityType().GetName() == workflows.HoldShard.Name && a.GetState() != enums.PENDING_ACTIVITY_STATE_SCHEDULED {
			return fmt.Sprintf("%s/%d", a.GetActivityId(), a.GetAttempt())
		}
	}
	return ""
}

// restartCheckShard terminates a run of the workflow of a shard and starts the next one. Of several concurrent callers,
// one succeeds.
func (e *Engine) restartCheckShard(ctx context.Context, shard int16, run string) error {
	err := e.client.TerminateWorkflow(ctx, e.prefix()+workflows.CheckShardID(shard), run, "nobody has claimed the shard")
	if _, ended := errors.AsType[*serviceerror.NotFound](err); err != nil && !ended {
		return fmt.Errorf("end the hold of a shard: %w", err)
	}
	return e.StartCheckShard(ctx, shard)
}
