package workflows

import (
	"time"

	"go.temporal.io/sdk/temporal"
	"go.temporal.io/sdk/workflow"
)

// HoldDuration bounds how long a process holds a shard before the shard may move to another process.
const HoldDuration = time.Hour

// holdHeartbeatTimeout is the heartbeat timeout after which Temporal gives a shard to another process. It is long
// because each heartbeat costs Temporal a transaction and leases expire after three seconds anyway; shorter outages of
// Temporal change nothing.
const holdHeartbeatTimeout = 15 * time.Minute

// holdsPerRun is the number of holds in one history.
const holdsPerRun = 24

var holdShardOptions = stepOptions{ActivityOptions: workflow.ActivityOptions{
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
	return CheckShardOutput{}, continueAsNew(ctx, CheckShard, in)
}
