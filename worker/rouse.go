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

// Rouser gives shards to other processes whose holder does not claim them any more. Temporal would learn of a process that was killed or
// stands still by its missing heartbeats; the claims in the database say so sooner, and cost nothing.
type Rouser struct {
	Engine *Engine
	Log    *slog.Logger

	seen map[int16]sighting
}

// sighting is an attempt to hold a shard which Temporal believes in, though nobody claims the shard.
type sighting struct {
	run, attempt string
	at           time.Time
}

// An attempt is given up when it is seen again, not sooner than settling after the first time, in which a holder whose
// claim has run out while the database was away takes its shard anew, and not later than forgetting.
const (
	settling   = 700 * time.Millisecond
	forgetting = 4 * time.Second
)

// Rouse is called more than once a second as long as there are shards that nobody has claimed, with all of them; never
// twice at the same time.
func (r *Rouser) Rouse(ctx context.Context, shards []int16) {
	ctx, cancel := context.WithTimeout(ctx, 5*time.Second)
	defer cancel()
	seen := make(map[int16]sighting, len(shards))
	for _, shard := range shards {
		now, err := r.look(ctx, shard, r.seen[shard])
		if err != nil {
			r.Log.Warn("A shard of the checks that nobody holds cannot be given to another process yet", "shard", shard, "error", err)
		}
		if now != (sighting{}) {
			seen[shard] = now
		}
	}
	r.seen = seen
}

// look sees who holds a shard, as far as Temporal knows, and starts its workflow anew if that one was seen before.
func (r *Rouser) look(ctx context.Context, shard int16, before sighting) (sighting, error) {
	run, attempt, err := r.Engine.holderOfCheckShard(ctx, shard)
	if err != nil {
		return sighting{}, err
	}
	if run == "" {
		return sighting{}, r.Engine.StartCheckShard(ctx, shard)
	}
	if attempt == "" {
		return sighting{}, nil // it waits for a process that has room
	}
	now := sighting{run, attempt, time.Now()}
	age := now.at.Sub(before.at)
	if before.run != run || before.attempt != attempt || age > forgetting {
		return now, nil
	}
	if age < settling {
		return before, nil
	}
	r.Log.Info("The process that held a shard of the checks is dead or stands still; another one gets it", "shard", shard)
	return sighting{}, r.Engine.restartCheckShard(ctx, shard, run)
}

// holderOfCheckShard is the running workflow of a shard and the attempt to hold it which a process has; each is "" when there is none.
func (e *Engine) holderOfCheckShard(ctx context.Context, shard int16) (run, attempt string, err error) {
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
	return found.GetWorkflowExecutionInfo().GetExecution().GetRunId(), holding(found.GetPendingActivities()), nil
}

// holding is the attempt that was handed to a process.
func holding(activities []*workflow.PendingActivityInfo) string {
	for _, a := range activities {
		if a.GetActivityType().GetName() == workflows.HoldShard.Name && a.GetState() != enums.PENDING_ACTIVITY_STATE_SCHEDULED {
			return fmt.Sprintf("%s/%d", a.GetActivityId(), a.GetAttempt())
		}
	}
	return ""
}

// restartCheckShard ends a run of the workflow of a shard and starts the next one. Of several processes that do it at
// the same time, one does.
func (e *Engine) restartCheckShard(ctx context.Context, shard int16, run string) error {
	err := e.client.TerminateWorkflow(ctx, e.prefix()+workflows.CheckShardID(shard), run, "nobody has claimed the shard")
	if _, ended := errors.AsType[*serviceerror.NotFound](err); err != nil && !ended {
		return fmt.Errorf("end the hold of a shard: %w", err)
	}
	return e.StartCheckShard(ctx, shard)
}
