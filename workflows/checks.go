package workflows

import (
	"time"

	"go.temporal.io/sdk/temporal"
	"go.temporal.io/sdk/workflow"

	"countersign/internal/durable"
)

// HoldDuration bounded how long a process held a shard, in versions whose shards had workflows.
const HoldDuration = time.Hour

// holdHeartbeatTimeout was the heartbeat timeout after which Temporal gave a shard to another process. It was long
// because each heartbeat costs Temporal a transaction and leases expire after three seconds anyway; shorter outages of
// Temporal change nothing.
const holdHeartbeatTimeout = 15 * time.Minute

// holdsPerRun is the number of holds in one history.
const holdsPerRun = 24

var holdShardOptions = durable.StepOptions{ActivityOptions: workflow.ActivityOptions{
	StartToCloseTimeout: HoldDuration + 5*time.Minute,
	HeartbeatTimeout:    holdHeartbeatTimeout,
	WaitForCancellation: true,
	// Retries never end: after a process stops or dies, another one holds the shard at once.
	RetryPolicy: &temporal.RetryPolicy{InitialInterval: 100 * time.Millisecond, BackoffCoefficient: 1},
}}

// CheckShard keeps one activity running that holds the shard, until the shard is removed. Each hold adds six events.
func CheckShard(ctx workflow.Context, in CheckShardInput) (CheckShardOutput, error) {
	for range holdsPerRun {
		held, err := HoldShard.Do(ctx, "", HoldShardInput(in))
		if err != nil || held.Gone {
			return CheckShardOutput{}, err
		}
	}
	return CheckShardOutput{}, durable.ContinueAsNew(ctx, CheckShard, in)
}
