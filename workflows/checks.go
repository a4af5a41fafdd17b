package workflows

import (
	"time"

	"go.temporal.io/sdk/temporal"
	"go.temporal.io/sdk/workflow"
)

// HoldLength is how long a process holds a shard before it may go to another one.
const HoldLength = time.Hour

// holdHeartbeat is after what time Temporal itself gives a shard to another process. It is long, since each heartbeat is a transaction of
// Temporal's: a process that was killed or stands still is noticed by its claims, which end after three seconds.
// A Temporal that is away for less disturbs nobody.
const holdHeartbeat = 15 * time.Minute

// holdsPerRun is after how many holds a shard goes on in a new history.
const holdsPerRun = 24

var holdShardStep = manner{ActivityOptions: workflow.ActivityOptions{
	StartToCloseTimeout: HoldLength + 5*time.Minute,
	HeartbeatTimeout:    holdHeartbeat,
	WaitForCancellation: true,
	// Whatever happens, somebody holds the shard: a process that stops or dies ends its attempt, and another one goes on at once.
	RetryPolicy: &temporal.RetryPolicy{InitialInterval: 100 * time.Millisecond, BackoffCoefficient: 1},
}}

// CheckShard keeps one activity running that holds the shard, until there are fewer shards. It leaves six events a hold.
func CheckShard(ctx workflow.Context, in CheckShardInput) (CheckShardOutput, error) {
	for range holdsPerRun {
		held, err := HoldShard.Do(ctx, "", HoldShardInput(in))
		if err != nil || held.Gone {
			return CheckShardOutput{}, err
		}
	}
	return CheckShardOutput{}, again(ctx, CheckShard, in)
}
