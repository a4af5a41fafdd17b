package workflows_test

import (
	"regexp"
	"strings"
	"testing"
	"time"

	"github.com/stretchr/testify/require"
	sdkapi "go.temporal.io/api/sdk/v1"
	"go.temporal.io/sdk/temporal"

	"countersign/internal/durable"
	"countersign/internal/problem"
	"countersign/workflows"
)

func TestATurnEndsWithAnAnswer(t *testing.T) {
	t.Parallel()
	h := &host{model: answers(answer)}
	require.Equal(t, workflows.TurnOutput{Status: "done", Steps: 1}, h.run(t, 16))
	require.Equal(t, []string{"model 1", "finish done"}, h.log)
	require.Nil(t, h.finished[0].Failure)
}

func TestATurnCallsToolsUntilTheModelAnswers(t *testing.T) {
	t.Parallel()
	h := &host{model: answers(calls("w"), calls("w"), answer)}
	require.Equal(t, workflows.TurnOutput{Status: "done", Steps: 3}, h.run(t, 16))
	require.Equal(t, []string{"model 1", "tool 1.1", "model 2", "tool 2.1", "model 3", "finish done"}, h.log)
}

func TestTheLastStepIsFinal(t *testing.T) {
	t.Parallel()
	h := &host{model: func(in workflows.CallModelInput) (workflows.CallModelOutput, error) {
		if in.Final {
			return answer, nil
		}
		return calls("w"), nil
	}}
	require.Equal(t, workflows.TurnOutput{Status: "done", Steps: 3}, h.run(t, 3))
	require.Equal(t, []string{"model 1", "tool 1.1", "model 2", "tool 2.1", "model 3 final", "finish done"}, h.log)
}

// Neighbouring reads run side by side; a write waits for what came before it, and what comes after waits for it.
func TestReadsRunSideBySideAndWritesInOrder(t *testing.T) {
	t.Parallel()
	var running, most [6]int
	h := &host{model: answers(calls("rrwwr"), answer)}
	started := make(chan int)
	released := make(chan struct{})
	h.tool = func(in workflows.CallToolInput) (workflows.CallToolOutput, error) {
		// The first two tell that they run before either of them ends.
		if in.Call <= 2 {
			started <- in.Call
			<-released
		}
		running[in.Call]++
		most[in.Call] = max(most[in.Call], running[in.Call])
		return workflows.CallToolOutput{}, nil
	}
	go func() {
		<-started
		<-started
		close(released)
	}()
	h.run(t, 16)
	require.ElementsMatch(t, []string{"tool 1.1", "tool 1.2"}, h.log[1:3])
	require.Equal(t, []string{"tool 1.3", "tool 1.4", "tool 1.5", "model 2", "finish done"}, h.log[3:])
	require.Equal(t, [6]int{0, 1, 1, 1, 1, 1}, most)
}

// All proposals of a step get their cards; then the turn waits for the person.
func TestATurnEndsAtItsCards(t *testing.T) {
	t.Parallel()
	h := &host{model: answers(calls("wwr")), tool: func(in workflows.CallToolInput) (workflows.CallToolOutput, error) {
		return workflows.CallToolOutput{Ends: in.Call == 1}, nil
	}}
	require.Equal(t, workflows.TurnOutput{Status: "done", Steps: 1}, h.run(t, 16))
	require.Equal(t, []string{"model 1", "tool 1.1", "tool 1.2", "tool 1.3", "finish done"}, h.log)
}

func TestAStoppedModelCallEndsTheTurn(t *testing.T) {
	t.Parallel()
	h := &host{model: answers(workflows.CallModelOutput{Stopped: true, Calls: calls("r").Calls})}
	require.Equal(t, workflows.TurnStopped, h.run(t, 16).Status)
	require.Equal(t, []string{"model 1", "finish stopped"}, h.log)
}

func TestAStoppedToolCallEndsTheTurn(t *testing.T) {
	t.Parallel()
	h := &host{model: answers(calls("rwr")), tool: func(workflows.CallToolInput) (workflows.CallToolOutput, error) {
		return workflows.CallToolOutput{Stopped: true}, nil
	}}
	require.Equal(t, workflows.TurnStopped, h.run(t, 16).Status)
	require.Equal(t, []string{"model 1", "tool 1.1", "finish stopped"}, h.log)
}

// The provider says how long to wait. The workflow waits, and makes the call again.
func TestAModelCallIsRepeatedWhenTheProviderAsks(t *testing.T) {
	t.Parallel()
	h := &host{model: func(in workflows.CallModelInput) (workflows.CallModelOutput, error) {
		if in.Attempt < 4 {
			return workflows.CallModelOutput{Retry: &workflows.Retry{After: time.Duration(in.Attempt) * time.Minute}}, nil
		}
		return answer, nil
	}}
	require.Equal(t, workflows.TurnDone, h.run(t, 16).Status)
	require.Equal(t, []string{"model 1", "model 1 attempt 2", "model 1 attempt 3", "model 1 attempt 4", "finish done"}, h.log)
	require.Equal(t, []time.Duration{time.Minute, 2 * time.Minute, 3 * time.Minute}, h.waits)
}

// A stop while the turn waits reaches it as a signal. What the last attempt has said is recorded then.
func TestAStopEndsTheWait(t *testing.T) {
	t.Parallel()
	h := &host{model: func(in workflows.CallModelInput) (workflows.CallModelOutput, error) {
		if in.Stopped {
			return workflows.CallModelOutput{Stopped: true}, nil
		}
		return workflows.CallModelOutput{Retry: &workflows.Retry{After: time.Hour}}, nil
	}}
	h.register()
	began := h.env.Now()
	h.env.RegisterDelayedCallback(func() { h.env.SignalWorkflow(workflows.StopSignal.Name, workflows.StopInput{}) }, time.Minute)
	require.Equal(t, workflows.TurnStopped, h.run(t, 16).Status)
	require.Equal(t, []string{"model 1", "model 1 attempt 2 stopped", "finish stopped"}, h.log)
	require.Less(t, h.env.Now().Sub(began), 2*time.Minute)
}

func TestAModelFailureEndsTheTurnWithIt(t *testing.T) {
	t.Parallel()
	failure := workflows.Failure{Code: "model_refused", Message: "The provider refused."}
	h := &host{model: answers(calls("r"), workflows.CallModelOutput{Failure: &failure})}
	require.Equal(t, workflows.TurnOutput{Status: "failed", Steps: 2}, h.run(t, 16))
	require.Equal(t, failure, *h.finished[0].Failure)
}

// A turn that has ended in another way is left alone.
func TestATurnThatIsOverIsNotFinishedAgain(t *testing.T) {
	t.Parallel()
	over := &host{model: answers(workflows.CallModelOutput{Over: true})}
	over.run(t, 16)
	require.Equal(t, []string{"model 1"}, over.log)

	late := &host{model: answers(calls("rr")), tool: func(workflows.CallToolInput) (workflows.CallToolOutput, error) {
		return workflows.CallToolOutput{Over: true}, nil
	}}
	late.run(t, 16)
	require.ElementsMatch(t, []string{"model 1", "tool 1.1", "tool 1.2"}, late.log)
}

// A fault of the host passes mostly; one that lasts ends the turn with an error that the person sees.
func TestAHostFailureIsTriedAgainAndThenTold(t *testing.T) {
	t.Parallel()
	tries := 0
	passing := &host{model: func(workflows.CallModelInput) (workflows.CallModelOutput, error) {
		if tries++; tries < 5 {
			return answer, errAway
		}
		return answer, nil
	}}
	require.Equal(t, workflows.TurnDone, passing.run(t, 16).Status)
	require.Equal(t, 5, tries)

	for name, h := range map[string]*host{
		"model": {model: func(workflows.CallModelInput) (workflows.CallModelOutput, error) { return answer, errAway }},
		"tool": {model: answers(calls("rr")), tool: func(workflows.CallToolInput) (workflows.CallToolOutput, error) {
			return workflows.CallToolOutput{}, errAway
		}},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			require.Equal(t, workflows.TurnFailed, h.run(t, 16).Status)
			failure := h.finished[0].Failure
			require.Equal(t, problem.Internal, failure.Code)
			require.Contains(t, failure.Message, "Send your message again")
			require.NotContains(t, failure.Message, "connection refused")
		})
	}
}

// A turn that a stale process has taken for a moment goes on: the step is tried again, in every place where it can be lost.
func TestATurnThatWasLostForAMomentGoesOn(t *testing.T) {
	t.Parallel()
	lost := map[string]int{}
	once := func(what string) error {
		if lost[what]++; lost[what] < 4 {
			return errLost
		}
		return nil
	}
	h := &host{model: func(in workflows.CallModelInput) (workflows.CallModelOutput, error) {
		if in.Step == 1 {
			return calls("w"), once("model")
		}
		return answer, nil
	}, tool: func(workflows.CallToolInput) (workflows.CallToolOutput, error) {
		return workflows.CallToolOutput{}, once("tool")
	}, finish: func() error { return once("finish") }}
	require.Equal(t, workflows.TurnOutput{Status: "done", Steps: 2}, h.run(t, 16))
	require.Equal(t, map[string]int{"model": 4, "tool": 4, "finish": 4}, lost)
}

func TestTheEndOfATurnIsRepeatedUntilItIsStored(t *testing.T) {
	t.Parallel()
	tries := 0
	h := &host{model: answers(answer), finish: func() error {
		if tries++; tries < 6 {
			return errAway
		}
		return nil
	}}
	require.Equal(t, workflows.TurnDone, h.run(t, 16).Status)
	require.Equal(t, 6, tries)
}

// Also when an API has started it that does not say so.
func TestATurnIsPreparedFirst(t *testing.T) {
	t.Parallel()
	for _, unsaid := range []bool{false, true} {
		h := &host{
			model:   answers(answer),
			unsaid:  unsaid,
			prepare: func() (workflows.PrepareTurnOutput, error) { return workflows.PrepareTurnOutput{}, nil },
		}
		require.Equal(t, workflows.TurnOutput{Status: "done", Steps: 1}, h.run(t, 16))
		require.Equal(t, []string{"prepare", "model 1", "finish done"}, h.log)
	}
}

func TestATurnThatCannotBePreparedGoesOn(t *testing.T) {
	t.Parallel()
	h := &host{model: answers(answer), prepare: func() (workflows.PrepareTurnOutput, error) { return workflows.PrepareTurnOutput{}, errNone }}
	require.Equal(t, workflows.TurnDone, h.run(t, 16).Status)
	require.Equal(t, []string{"prepare", "model 1", "finish done"}, h.log)
}

func TestATurnThatIsOverIsNotPreparedAgain(t *testing.T) {
	t.Parallel()
	h := &host{
		model:   answers(answer),
		prepare: func() (workflows.PrepareTurnOutput, error) { return workflows.PrepareTurnOutput{Over: true}, nil },
	}
	h.run(t, 16)
	require.Equal(t, []string{"prepare"}, h.log)
}

// The person is asked one thing at a time: what the model wanted beside the question does not happen.
func TestNothingRunsAfterAQuestion(t *testing.T) {
	t.Parallel()
	h := &host{model: answers(calls("rwrw")), tool: func(in workflows.CallToolInput) (workflows.CallToolOutput, error) {
		return workflows.CallToolOutput{Ends: in.Call == 2, Asks: in.Call == 2}, nil
	}}
	require.Equal(t, workflows.TurnOutput{Status: "done", Steps: 1}, h.run(t, 16))
	require.Equal(t, []string{"model 1", "tool 1.1", "tool 1.2", "finish done"}, h.log)
}

func TestOperatorsSeeWhatATurnWasAtAndForHowLong(t *testing.T) {
	t.Parallel()
	h := &host{model: answers(calls("rrw"), answer)}
	h.run(t, 16)
	value, err := h.env.QueryWorkflow("__temporal_workflow_metadata")
	require.NoError(t, err)
	var metadata sdkapi.WorkflowMetadata
	require.NoError(t, value.Get(&metadata))
	at := regexp.MustCompile(`\d+\.\d\d s`)
	require.Equal(t, strings.Join([]string{
		"- T: model call 1, took T",
		"- T: tool calls 1 to 2 of step 1, side by side: shelf.box, shelf.box, took T",
		"- T: tool call 3 of step 1: shelf.box, took T",
		"- T: model call 2, took T",
		"- T: finish, took T",
		"- T: done after 2 steps",
	}, "\n"), at.ReplaceAllString(metadata.GetCurrentDetails(), "T"))
}

// A process that cannot do a step gives it up: its workflow task ends, and the step begins again in another process.
func TestAStepThatAProcessGivesUpIsDoneByAnother(t *testing.T) {
	t.Parallel()
	given := 0
	h := &host{
		model: answers(calls("rr"), answer),
		tool: func(workflows.CallToolInput) (workflows.CallToolOutput, error) {
			if given++; given <= 3 {
				return workflows.CallToolOutput{}, temporal.NewNonRetryableApplicationError("given up", durable.Abandoned, nil)
			}
			return workflows.CallToolOutput{}, nil
		},
	}
	require.Equal(t, workflows.TurnOutput{Status: "done", Steps: 2}, h.run(t, 16))
	require.Nil(t, h.finished[0].Failure)
	require.Len(t, h.waits, 3, "each time its task ends first")
}
