package activities

import (
	"context"

	"countersign/workflows"
)

// Checks holds the activity of shard workflows that an earlier version has started.
type Checks struct{}

// HoldShard ends the shard workflow: processes claim shards directly.
func (*Checks) HoldShard(context.Context, workflows.HoldShardInput) (workflows.HoldShardOutput, error) {
	return workflows.HoldShardOutput{Gone: true}, nil
}
