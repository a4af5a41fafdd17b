package worker_test

import (
	"encoding/json"
	"testing"

	"github.com/google/uuid"
	"github.com/stretchr/testify/require"
	"go.temporal.io/api/enums/v1"
	"go.temporal.io/sdk/workflow"

	"countersign/event"
	"countersign/internal/durable"
	"countersign/worker"
)

type (
	markInput  struct{ Mark string }
	markOutput struct{}
)

var reaction = durable.Workflow[markInput, markOutput]{
	Name: "Reaction", Code: func(workflow.Context, markInput) (markOutput, error) { return markOutput{}, nil },
}

func TestAWorkflowOfAnEventIsStartedOnceOnTheQueueOfItsDeclaration(t *testing.T) {
	t.Parallel()
	_, c := newEngine(t)
	for _, queue := range []durable.Queue{durable.TurnQueue, durable.ExecQueue} {
		prefix := uuid.NewString() + "-"
		d := worker.NewEngine(worker.EngineOptions{Client: c, Queue: prefix + string(durable.TurnQueue)}).
			Dispatcher(durable.Registration{Queue: queue, Workflow: reaction.Named()})
		of := event.Start{ID: "event/test/" + uuid.NewString(), Workflow: reaction.Name, Input: json.RawMessage(`{"Mark": "x"}`)}
		var run string
		for range 2 {
			require.NoError(t, d.StartDispatched(t.Context(), of))
			found, err := c.DescribeWorkflowExecution(t.Context(), of.ID, "")
			require.NoError(t, err)
			if run == "" {
				run = found.GetWorkflowExecutionInfo().GetExecution().GetRunId()
			}
			require.Equal(t, run, found.GetWorkflowExecutionInfo().GetExecution().GetRunId())
		}
		first, err := c.GetWorkflowHistory(t.Context(), of.ID, run, false, enums.HISTORY_EVENT_FILTER_TYPE_ALL_EVENT).Next()
		require.NoError(t, err)
		started := first.GetWorkflowExecutionStartedEventAttributes()
		require.Equal(t, reaction.Name, started.GetWorkflowType().GetName())
		require.Equal(t, prefix+string(queue), started.GetTaskQueue().GetName())
		require.JSONEq(t, string(of.Input), string(started.GetInput().GetPayloads()[0].GetData()))
		terminate(t, c, of.ID)
		require.NoError(t, d.StartDispatched(t.Context(), of), "a closed one is not started again")
		found, err := c.DescribeWorkflowExecution(t.Context(), of.ID, "")
		require.NoError(t, err)
		require.Equal(t, run, found.GetWorkflowExecutionInfo().GetExecution().GetRunId())

		of.Workflow = "Unknown"
		require.ErrorContains(t, d.StartDispatched(t.Context(), of), `no module of this version declares the workflow "Unknown"`)
	}
}

func TestTheStepsOfADispatchedWorkflowKnowTheirCause(t *testing.T) {
	t.Parallel()
	id := event.RunID("test", event.Event{ID: 17}, "a/b")
	require.Equal(t, event.Cause{Run: id, Event: 17}, event.CauseOf(event.ForWorkflow(t.Context(), id)))
	for _, other := range []string{"turn/" + uuid.NewString(), "event/test/none", "event", ""} {
		require.Zero(t, event.CauseOf(event.ForWorkflow(t.Context(), other)))
	}
}
