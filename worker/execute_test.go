package worker_test

import (
	"context"
	"testing"
	"time"

	"github.com/google/uuid"
	"github.com/stretchr/testify/require"
	sdkworker "go.temporal.io/sdk/worker"
	"go.temporal.io/sdk/workflow"

	"countersign/internal/durable"
	"countersign/internal/problem"
	"countersign/worker"
)

type (
	tideInput  struct{ Level int }
	tideOutput struct{ Level int }
	riseInput  struct{ By int }
	riseOutput struct{ Level int }
)

// The workflow of a module: it rises with its one signal, and is asked how high it is.
var (
	level     = durable.Query[int]{Name: "level"}
	wind      = durable.Signal[riseInput]{Name: "wind"}
	rise      = durable.Step[tideInput, riseOutput]{Name: "Rise", Options: durable.OutcomeStepOptions}
	tideCycle = durable.Workflow[tideInput, tideOutput]{Name: "TideCycle", Code: cycle}
)

func cycle(ctx workflow.Context, in tideInput) (tideOutput, error) {
	out := tideOutput(in)
	if err := workflow.SetQueryHandler(ctx, level.Name, func() (int, error) { return out.Level, nil }); err != nil {
		return out, err
	}
	wind.Inbox(ctx).WaitFor(ctx, workflow.NewTimer(ctx, time.Hour))
	risen, err := rise.Do(ctx, "", in)
	out.Level = risen.Level
	return out, err
}

func TestTheWorkflowOfAModuleIsStartedQueriedSignalledAndCanceled(t *testing.T) {
	t.Parallel()
	_, c := newEngine(t)
	prefix := uuid.NewString() + "-"
	e := worker.NewEngine(worker.EngineOptions{Client: c, Queue: prefix + string(durable.TurnQueue)})
	registered := durable.Registration{
		Queue: durable.TurnQueue, Workflow: tideCycle.Named(),
		Steps: []durable.Named{rise.Bind(func(_ context.Context, in tideInput) (riseOutput, error) {
			return riseOutput{in.Level + 1}, nil
		})},
	}
	require.NoError(t, durable.Check(registered))
	require.ErrorContains(t, durable.Check(registered, registered), `"TideCycle"`)
	elsewhere := registered
	elsewhere.Queue = "pond"
	require.ErrorContains(t, durable.Check(elsewhere), `"pond", which no worker of modules polls`)
	w := sdkworker.New(c, prefix+string(durable.TurnQueue), sdkworker.Options{})
	worker.RegisterModules(w, []durable.Registration{registered})
	require.NoError(t, w.Start())
	t.Cleanup(w.Stop)

	x := durable.Execution{ID: durable.ID("tide", uuid.New()), Queue: durable.TurnQueue, Summary: "Tide", Timeout: time.Minute}
	require.NoError(t, e.Cancel(t.Context(), x.ID), "it never ran")
	require.True(t, problem.Is(e.Signal(t.Context(), x.ID, wind.With(riseInput{})), problem.NotFound))
	_, err := level.Of(t.Context(), e, x.ID)
	require.True(t, problem.Is(err, problem.NotFound))
	for range 2 {
		require.NoError(t, e.Start(t.Context(), tideCycle.Execute(x, tideInput{3})), "a repeat finds the running one")
	}
	height, err := level.Of(t.Context(), e, x.ID)
	require.NoError(t, err)
	require.Equal(t, 3, height)
	require.NoError(t, e.Signal(t.Context(), x.ID, wind.With(riseInput{1})))
	var out tideOutput
	require.NoError(t, c.GetWorkflow(t.Context(), x.ID, "").Get(t.Context(), &out))
	require.Equal(t, tideOutput{4}, out)
	require.NoError(t, e.Cancel(t.Context(), x.ID), "it has ended")
}
