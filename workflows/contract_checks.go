package workflows

import "strconv"

// ChecksQueue is the task queue of processes that run checks.
const ChecksQueue = "countersign-checks"

// CheckShardWorkflow kept a shard of the checks held by one process in an earlier version. Nothing starts it any more; those
// that run end at their next step, and its histories replay.
var CheckShardWorkflow = Workflow[CheckShardInput, CheckShardOutput]{Name: "CheckShard", Code: CheckShard}

// HoldShard is the step in which a process held a shard; it says now that the shard is gone.
var HoldShard = Step[HoldShardInput, HoldShardOutput]{Name: "HoldShard", Options: holdShardOptions}

// CheckShardID is the workflow id of a shard, without the prefix of the installation.
func CheckShardID(shard int16) string { return "checks/shard/" + strconv.Itoa(int(shard)) }

// CheckShardInput names the shard.
type CheckShardInput struct {
	Shard int16
}

// CheckShardOutput is empty.
type CheckShardOutput struct{}

// HoldShardInput names the shard to hold.
type HoldShardInput struct {
	Shard int16
}

// HoldShardOutput says how a hold ended. The results of its checks are in the database.
type HoldShardOutput struct {
	// Gone says that the shard no longer exists.
	Gone bool `json:"gone,omitempty"`
}
