package workflows_test

import (
	"testing"

	"github.com/stretchr/testify/mock"
	"github.com/stretchr/testify/require"
	"go.temporal.io/sdk/activity"
	"go.temporal.io/sdk/testsuite"
	"go.temporal.io/sdk/workflow"

	"countersign/workflows"
)

// A shard is held for days: its history begins anew before it is long.
func TestAShardGoesOnInANewHistory(t *testing.T) {
	t.Parallel()
	env := (&testsuite.WorkflowTestSuite{}).NewTestWorkflowEnvironment()
	env.RegisterWorkflowWithOptions(workflows.CheckShard, workflow.RegisterOptions{Name: workflows.CheckShardWorkflow.Name})
	hold := func(workflows.HoldShardInput) (workflows.HoldShardOutput, error) { return workflows.HoldShardOutput{}, nil }
	env.RegisterActivityWithOptions(hold, activity.RegisterOptions{Name: workflows.HoldShard.Name})
	held := 0
	env.OnActivity(workflows.HoldShard.Name, mock.Anything).Return(func(in workflows.HoldShardInput) (workflows.HoldShardOutput, error) {
		held++
		require.Equal(t, int16(3), in.Shard)
		return workflows.HoldShardOutput{}, nil
	})
	env.ExecuteWorkflow(workflows.CheckShardWorkflow.Name, workflows.CheckShardInput{Shard: 3})
	require.True(t, env.IsWorkflowCompleted())
	require.True(t, workflow.IsContinueAsNewError(env.GetWorkflowError()))
	require.Equal(t, 24, held)
}
