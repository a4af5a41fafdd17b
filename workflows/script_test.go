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
			worker.Bind(
				env,
				workflows.RunScriptTest,
				func(_ context.Context, in workflows.RunScriptTestInput) (workflows.RunScriptTestOutput, error) {
					require.Equal(t, id, in.TestID)
					runs++
					return workflows.RunScriptTestOutput{}, c.run()
				},
			)
			worker.Bind(
				env,
				workflows.SettleScriptTest,
				func(_ context.Context, in workflows.SettleScriptTestInput) (workflows.SettleScriptTestOutput, error) {
					require.Equal(t, id, in.TestID)
					answered = append(answered, workflows.SettleScriptTestInput{Unserved: in.Unserved})
					return workflows.SettleScriptTestOutput{}, nil
				},
			)
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
	worker.Bind(
		env,
		workflows.RunScriptTest,
		func(ctx context.Context, _ workflows.RunScriptTestInput) (workflows.RunScriptTestOutput, error) {
			<-ctx.Done()
			return workflows.RunScriptTestOutput{}, ctx.Err()
		},
	)
	worker.Bind(
		env,
		workflows.SettleScriptTest,
		func(context.Context, workflows.SettleScriptTestInput) (workflows.SettleScriptTestOutput, error) {
			return workflows.SettleScriptTestOutput{}, errors.New("nobody waits for it")
		},
	)
	env.RegisterDelayedCallback(env.CancelWorkflow, 0)
	env.ExecuteWorkflow(workflows.ScriptTest, workflows.ScriptTestInput{TestID: uuid.New(), Timeout: time.Second})
	require.True(t, env.IsWorkflowCompleted())
	_, canceled := errors.AsType[*temporal.CanceledError](env.GetWorkflowError())
	require.True(t, canceled, "%v", env.GetWorkflowError())
}

// A call of a tool only computes, so the second attempt makes it again; what no attempt answers is answered here.
func TestACallOfAToolIsAlwaysAnswered(t *testing.T) {
	t.Parallel()
	lost := errors.New("the sandbox has a fault")
	for name, c := range map[string]struct {
		run      func(attempt int) error
		runs     int
		answered []workflows.SettleToolCallInput
	}{
		"it ran":                  {func(int) error { return nil }, 1, nil},
		"its process died":        {func(attempt int) error { return []error{lost, nil}[attempt-1] }, 2, nil},
		"both its processes died": {func(int) error { return lost }, 2, []workflows.SettleToolCallInput{{}}},
		"nobody took it": {func(int) error {
			return temporal.NewTimeoutError(enums.TIMEOUT_TYPE_SCHEDULE_TO_START, nil)
		}, 1, []workflows.SettleToolCallInput{{Unserved: true}}},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			env := newEnvironment()
			id, runs := uuid.New(), 0
			var answered []workflows.SettleToolCallInput
			worker.Bind(env, workflows.RunToolCall, func(_ context.Context, in workflows.RunToolCallInput) (workflows.RunToolCallOutput, error) {
				require.Equal(t, id, in.CallID)
				runs++
				return workflows.RunToolCallOutput{}, c.run(runs)
			})
			worker.Bind(
				env,
				workflows.SettleToolCall,
				func(_ context.Context, in workflows.SettleToolCallInput) (workflows.SettleToolCallOutput, error) {
					require.Equal(t, id, in.CallID)
					answered = append(answered, workflows.SettleToolCallInput{Unserved: in.Unserved})
					return workflows.SettleToolCallOutput{}, nil
				},
			)
			env.ExecuteWorkflow(workflows.ToolCall, workflows.ToolCallInput{CallID: id, Timeout: time.Second})
			require.True(t, env.IsWorkflowCompleted())
			require.Equal(t, c.answered == nil, env.GetWorkflowError() == nil)
			require.Equal(t, c.answered, answered)
			if name != "nobody took it" { // the test environment repeats that one, too
				require.Equal(t, c.runs, runs)
			}
		})
	}
}
