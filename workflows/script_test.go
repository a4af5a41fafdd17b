package workflows_test

import (
	"context"
	"errors"
	"testing"
	"time"

	"github.com/google/uuid"
	"github.com/stretchr/testify/require"
	"go.temporal.io/api/enums/v1"
	"go.temporal.io/sdk/temporal"

	"countersign/worker"
	"countersign/workflows"
)

func TestATestOfAScriptIsAlwaysAnswered(t *testing.T) {
	t.Parallel()
	lost := func() error { return errors.New("the database is away") }
	for name, c := range map[string]struct {
		run      func() error
		runs     int
		answered []workflows.SettleScriptTestInput
	}{
		"it ran":           {func() error { return nil }, 1, nil},
		"its process died": {lost, 2, []workflows.SettleScriptTestInput{{}}},
		"nobody took it": {func() error {
			return temporal.NewTimeoutError(enums.TIMEOUT_TYPE_SCHEDULE_TO_START, nil)
		}, 1, []workflows.SettleScriptTestInput{{Unserved: true}}},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			env := newEnvironment()
			id, runs := uuid.New(), 0
			var answered []workflows.SettleScriptTestInput
			worker.Bind(env, workflows.RunScriptTest, func(_ context.Context, in workflows.RunScriptTestInput) (workflows.RunScriptTestOutput, error) {
				require.Equal(t, id, in.TestID)
				runs++
				return workflows.RunScriptTestOutput{}, c.run()
			})
			worker.Bind(env, workflows.SettleScriptTest, func(_ context.Context, in workflows.SettleScriptTestInput) (workflows.SettleScriptTestOutput, error) {
				require.Equal(t, id, in.TestID)
				answered = append(answered, workflows.SettleScriptTestInput{Unserved: in.Unserved})
				return workflows.SettleScriptTestOutput{}, nil
			})
			env.ExecuteWorkflow(workflows.ScriptTest, workflows.ScriptTestInput{TestID: id, Timeout: time.Second})
			require.True(t, env.IsWorkflowCompleted())
			require.Equal(t, c.answered == nil, env.GetWorkflowError() == nil)
			require.Equal(t, c.answered, answered)
			require.LessOrEqual(t, runs, c.runs)
		})
	}
}

func TestACanceledTestIsNotAnswered(t *testing.T) {
	t.Parallel()
	env := newEnvironment()
	worker.Bind(env, workflows.RunScriptTest, func(ctx context.Context, _ workflows.RunScriptTestInput) (workflows.RunScriptTestOutput, error) {
		<-ctx.Done()
		return workflows.RunScriptTestOutput{}, ctx.Err()
	})
	worker.Bind(env, workflows.SettleScriptTest, func(context.Context, workflows.SettleScriptTestInput) (workflows.SettleScriptTestOutput, error) {
		return workflows.SettleScriptTestOutput{}, errors.New("nobody waits for it")
	})
	env.RegisterDelayedCallback(env.CancelWorkflow, 0)
	env.ExecuteWorkflow(workflows.ScriptTest, workflows.ScriptTestInput{TestID: uuid.New(), Timeout: time.Second})
	require.True(t, env.IsWorkflowCompleted())
	_, canceled := errors.AsType[*temporal.CanceledError](env.GetWorkflowError())
	require.True(t, canceled, "%v", env.GetWorkflowError())
}
