package workflows

import "strconv"

// ChecksQueue is the task queue of whatever runs checks.
const ChecksQueue = "countersign-checks"

// CheckShardWorkflow keeps a shard of the checks held by some process.
var CheckShardWorkflow = Workflow[CheckShardInput, CheckShardOutput]{"CheckShard", CheckShard}

// HoldShard is the step in which a process holds a shard.
var HoldShard = Step[HoldShardInput, HoldShardOutput]{"HoldShard", holdShardStep}

// CheckShardID is the workflow id of a shard, without the prefix of the installation.
func CheckShardID(shard int16) string { return "checks/shard/" + strconv.Itoa(int(shard)) }

// CheckShardInput names the shard.
type CheckShardInput struct {
	Shard int16
}

// CheckShardOutput is empty: it never ends by itself.
type CheckShardOutput struct{}

// HoldShardInput names the shard to hold.
type HoldShardInput struct {
	Shard int16
}

// HoldShardOutput says how a hold ended. What was found is in the database.
type HoldShardOutput struct {
	// Gone says that there is no such shard any more.
	Gone bool `json:"gone,omitempty"`
}
