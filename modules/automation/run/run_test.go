package run_test

import (
	"context"
	"fmt"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/google/uuid"
	"github.com/stretchr/testify/require"
	"go.temporal.io/sdk/activity"
	"go.temporal.io/sdk/testsuite"
	"go.temporal.io/sdk/workflow"

	"countersign/automation/definition"
	"countersign/modules/automation/run"
)

// world answers the activities of a run and notes them.
type world struct {
	mu  sync.Mutex
	def definition.Definition
	// answers are the outcomes of steps by path or by path@iteration; success when absent.
	answers map[string]func(in run.StepInput) (run.StepOutput, error)
	done    []string
	settled []string
	finish  []run.FinishInput
	over    bool
}

func (w *world) answer(in run.StepInput, kind string) (run.StepOutput, error) {
	w.mu.Lock()
	key := in.Path
	if in.Iteration != "" {
		key += "@" + in.Iteration
	}
	w.done = append(w.done, kind+" "+key)
	w.mu.Unlock()
	for _, at := range []string{key, in.Path} {
		if f := w.answers[at]; f != nil {
			return f(in)
		}
	}
	return run.StepOutput{Status: run.Success, Passes: true}, nil
}

// play runs a definition to its end, over all its histories, and returns how many these were.
func play(t *testing.T, w *world, during ...func(env *testsuite.TestWorkflowEnvironment)) (histories int) {
	t.Helper()
	in := run.Input{RunID: uuid.New()}
	for {
		histories++
		var suite testsuite.WorkflowTestSuite
		env := suite.NewTestWorkflowEnvironment()
		env.RegisterWorkflowWithOptions(run.Workflow.Code, workflow.RegisterOptions{Name: run.Workflow.Name})
		register := func(name string, code any) {
			env.RegisterActivityWithOptions(code, activity.RegisterOptions{Name: name})
		}
		register(run.Load.Name, func(context.Context, run.LoadInput) (run.LoadOutput, error) {
			return run.LoadOutput{Definition: w.def, Left: 24 * 365 * time.Hour, Over: w.over}, nil
		})
		register(run.Look.Name, func(_ context.Context, in run.StepInput) (run.StepOutput, error) { return w.answer(in, "look") })
		register(run.Act.Name, func(_ context.Context, in run.StepInput) (run.StepOutput, error) { return w.answer(in, "act") })
		register(run.Settle.Name, func(_ context.Context, in run.SettleInput) (run.StepOutput, error) {
			w.mu.Lock()
			defer w.mu.Unlock()
			w.settled = append(w.settled, in.Path)
			return run.StepOutput{Status: run.Unknown, Reason: "its effect may have happened"}, nil
		})
		register(run.Finish.Name, func(_ context.Context, in run.FinishInput) (run.FinishOutput, error) {
			w.finish = append(w.finish, in)
			return run.FinishOutput{}, nil
		})
		for _, f := range during {
			f(env)
		}
		env.SetTestTimeout(time.Minute)
		env.ExecuteWorkflow(run.Workflow.Name, in)
		require.True(t, env.IsWorkflowCompleted())
		err := env.GetWorkflowError()
		var again *workflow.ContinueAsNewError
		if err == nil {
			return histories
		}
		require.ErrorAs(t, err, &again, "%v", err)
		in = run.Input{}
		require.NoError(t, decode(again, &in))
	}
}

func act(id string) definition.Step {
	return definition.Step{ID: id, Enabled: true, Action: "test." + id}
}

func failing(reason string) func(run.StepInput) (run.StepOutput, error) {
	return func(run.StepInput) (run.StepOutput, error) {
		return run.StepOutput{Status: run.Failed, Reason: reason}, nil
	}
}

func TestStepsRunInTheirOrder(t *testing.T) {
	t.Parallel()
	off := act("off")
	off.Enabled = false
	w := &world{def: definition.Definition{Actions: []definition.Step{act("a"), off, act("b")}}}
	play(t, w)
	require.Equal(t, []string{"act actions[0]", "act actions[2]"}, w.done)
	require.Equal(t, run.Success, w.finish[0].Status)
}

func TestAFailureUndoesWhatIsDoneInReverse(t *testing.T) {
	t.Parallel()
	a, b, c := act("a"), act("b"), act("c")
	a.Undo, b.Undo = []definition.Step{act("ua")}, []definition.Step{act("ub")}
	w := &world{
		def:     definition.Definition{Actions: []definition.Step{a, b, c, act("d")}, OnFailure: []definition.Step{act("f")}},
		answers: map[string]func(run.StepInput) (run.StepOutput, error){"actions[2]": failing("no")},
	}
	play(t, w)
	require.Equal(t, []string{
		"act actions[0]", "act actions[1]", "act actions[2]", "act onFailure[0]", "act actions[1].undo[0]", "act actions[0].undo[0]",
	}, w.done)
	require.Equal(t, run.FinishInput{RunID: w.finish[0].RunID, Status: run.Failed, Reason: "no"}, w.finish[0])
}

func TestAFailedStepLetsTheRunGoOnWhereItSaysSo(t *testing.T) {
	t.Parallel()
	a := act("a")
	a.ContinueOnError = true
	w := &world{
		def:     definition.Definition{Actions: []definition.Step{a, act("b")}},
		answers: map[string]func(run.StepInput) (run.StepOutput, error){"actions[0]": failing("no")},
	}
	play(t, w)
	require.Equal(t, []string{"act actions[0]", "act actions[1]"}, w.done)
	require.Equal(t, run.Success, w.finish[0].Status)
	require.Equal(t, 1, w.finish[0].Failures)
}

func TestTheJoinOfParallelBranchesWaitsForFailedOnesToo(t *testing.T) {
	t.Parallel()
	w := &world{
		def: definition.Definition{Actions: []definition.Step{
			{Enabled: true, ContinueOnError: true, Parallel: &definition.ParallelStep{Branches: []definition.Step{act("a"), act("b"), act("c")}}},
			act("d"),
		}},
		answers: map[string]func(run.StepInput) (run.StepOutput, error){"actions[0].parallel.branches[1]": failing("no")},
	}
	play(t, w)
	require.Len(t, w.done, 4)
	require.Equal(t, "act actions[1]", w.done[3])
}

func TestAConditionThatDoesNotHoldEndsTheRunAsASuccess(t *testing.T) {
	t.Parallel()
	w := &world{
		def: definition.Definition{Actions: []definition.Step{{Enabled: true, Condition: &definition.Condition{Expression: "false"}}, act("a")}},
		answers: map[string]func(run.StepInput) (run.StepOutput, error){"actions[0]": func(run.StepInput) (run.StepOutput, error) {
			return run.StepOutput{Status: run.Success, Reason: "it was night"}, nil
		}},
	}
	play(t, w)
	require.Equal(t, []string{"look actions[0]"}, w.done)
	require.Equal(t, run.FinishInput{RunID: w.finish[0].RunID, Status: run.Success, Reason: "it was night"}, w.finish[0])
}

func TestALongLoopGoesOnInFurtherHistories(t *testing.T) {
	t.Parallel()
	const count = 1000
	paused := map[string]bool{}
	w := &world{
		def: definition.Definition{Actions: []definition.Step{
			act("before"),
			{Enabled: true, Repeat: &definition.RepeatStep{Count: count, MaxIterations: 1, Sequence: []definition.Step{
				act("a"), {Enabled: true, Delay: &definition.DelayStep{For: 1}},
			}}},
			act("after"),
		}},
		answers: map[string]func(run.StepInput) (run.StepOutput, error){
			"actions[1]": func(run.StepInput) (run.StepOutput, error) {
				return run.StepOutput{Status: run.Success, Items: count}, nil
			},
			"actions[1].repeat.sequence[1]": func(in run.StepInput) (run.StepOutput, error) {
				if !paused[in.Iteration] {
					paused[in.Iteration] = true
					return run.StepOutput{Status: run.Waiting, Wait: time.Minute}, nil
				}
				return run.StepOutput{Status: run.Success}, nil
			},
		},
	}
	histories := play(t, w, func(env *testsuite.TestWorkflowEnvironment) {
		// The environment writes no history: its length is what the test says.
		env.RegisterDelayedCallback(func() { env.SetCurrentHistoryLength(3000) }, 4*time.Hour)
	})
	acts := map[string]int{}
	for _, d := range w.done {
		if strings.HasPrefix(d, "act") {
			acts[d]++
		}
	}
	require.Len(t, acts, count+2)
	for d, n := range acts {
		require.Equal(t, 1, n, d)
	}
	require.GreaterOrEqual(t, histories, 4)
}

func TestAWaitEndsWithASignalOrItsTime(t *testing.T) {
	t.Parallel()
	looks := 0
	w := &world{
		def: definition.Definition{Actions: []definition.Step{{Enabled: true, WaitFor: &definition.WaitForStep{Event: "x.y"}}, act("a")}},
		answers: map[string]func(run.StepInput) (run.StepOutput, error){"actions[0]": func(run.StepInput) (run.StepOutput, error) {
			if looks++; looks < 3 {
				return run.StepOutput{Status: run.Waiting, Wait: 20 * 24 * time.Hour}, nil
			}
			return run.StepOutput{Status: run.Success}, nil
		}},
	}
	play(t, w, func(env *testsuite.TestWorkflowEnvironment) {
		env.RegisterDelayedCallback(func() { env.SignalWorkflow(run.Woken.Name, run.WokenInput{}) }, time.Hour)
		env.RegisterDelayedCallback(func() { env.SignalWorkflow(run.Woken.Name, run.WokenInput{}) }, 2*time.Hour)
	})
	require.Equal(t, []string{"look actions[0]", "look actions[0]", "look actions[0]", "act actions[1]"}, w.done)
}

func TestACancelledRunUndoesWhatIsDone(t *testing.T) {
	t.Parallel()
	a := act("a")
	a.Undo = []definition.Step{act("ua")}
	w := &world{
		def: definition.Definition{Actions: []definition.Step{a, {Enabled: true, Delay: &definition.DelayStep{For: 1}}}},
		answers: map[string]func(run.StepInput) (run.StepOutput, error){"actions[1]": func(run.StepInput) (run.StepOutput, error) {
			return run.StepOutput{Status: run.Waiting, Wait: time.Hour}, nil
		}},
	}
	play(t, w, func(env *testsuite.TestWorkflowEnvironment) {
		env.RegisterDelayedCallback(env.CancelWorkflow, time.Minute)
	})
	require.Equal(t, []string{"act actions[0]", "look actions[1]", "act actions[0].undo[0]"}, w.done)
	require.Equal(t, []string{"actions[1]"}, w.settled)
	require.Equal(t, run.Cancelled, w.finish[0].Status)
}

func TestAnAttemptIsRepeatedWhileItsFailurePasses(t *testing.T) {
	t.Parallel()
	a := act("a")
	a.Retry = &definition.Retry{Attempts: 3, Seconds: 10}
	w := &world{
		def: definition.Definition{Actions: []definition.Step{a}},
		answers: map[string]func(run.StepInput) (run.StepOutput, error){"actions[0]": func(in run.StepInput) (run.StepOutput, error) {
			if in.Attempt < 3 {
				return run.StepOutput{Status: run.Failed, Retry: true, Reason: fmt.Sprint(in.Attempt)}, nil
			}
			return run.StepOutput{Status: run.Success}, nil
		}},
	}
	play(t, w)
	require.Len(t, w.done, 3)
	require.Equal(t, run.Success, w.finish[0].Status)
}

func TestAnUnknownOutcomeFailsTheRunUnlessTheStepSaysOtherwise(t *testing.T) {
	t.Parallel()
	for _, goesOn := range []bool{false, true} {
		a := act("a")
		if goesOn {
			a.OnUnknown = definition.UnknownContinues
		}
		w := &world{
			def: definition.Definition{Actions: []definition.Step{a, act("b")}},
			answers: map[string]func(run.StepInput) (run.StepOutput, error){"actions[0]": func(run.StepInput) (run.StepOutput, error) {
				return run.StepOutput{Status: run.Unknown}, nil
			}},
		}
		play(t, w)
		require.Len(t, w.done, map[bool]int{false: 1, true: 2}[goesOn])
		require.Equal(t, map[bool]run.Status{false: run.Unknown, true: run.Success}[goesOn], w.finish[0].Status)
	}
}

func TestARunThatMustNotBeginDoesNothing(t *testing.T) {
	t.Parallel()
	w := &world{over: true, def: definition.Definition{Actions: []definition.Step{act("a")}}}
	play(t, w)
	require.Empty(t, w.done)
	require.Empty(t, w.finish)
}
