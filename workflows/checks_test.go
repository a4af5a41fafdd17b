package workflows_test

import (
	"context"
	"testing"

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
	held := 0
	hold := func(_ context.Context, in workflows.HoldShardInput) (workflows.HoldShardOutput, error) {
		held++
		require.Equal(t, int16(3), in.Shard)
		return workflows.HoldShardOutput{}, nil
	}
	env.RegisterActivityWithOptions(hold, activity.RegisterOptions{Name: workflows.HoldShard.Name})
	env.ExecuteWorkflow(workflows.CheckShardWorkflow.Name, workflows.CheckShardInput{Shard: 3})
	require.True(t, env.IsWorkflowCompleted())
	require.True(t, workflow.IsContinueAsNewError(env.GetWorkflowError()))
	require.Equal(t, 24, held)
}

func TestAShardThatIsGoneIsHeldNoMore(t *testing.T) {
	t.Parallel()
	env := (&testsuite.WorkflowTestSuite{}).NewTestWorkflowEnvironment()
	env.RegisterWorkflowWithOptions(workflows.CheckShard, workflow.RegisterOptions{Name: workflows.CheckShardWorkflow.Name})
	holds := 0
	hold := func(context.Context, workflows.HoldShardInput) (workflows.HoldShardOutput, error) {
		holds++
		return workflows.HoldShardOutput{Gone: holds == 2}, nil
	}
	env.RegisterActivityWithOptions(hold, activity.RegisterOptions{Name: workflows.HoldShard.Name})
	env.ExecuteWorkflow(workflows.CheckShardWorkflow.Name, workflows.CheckShardInput{Shard: 3})
	require.True(t, env.IsWorkflowCompleted())
	require.NoError(t, env.GetWorkflowError())
	require.Equal(t, 2, holds)
}
