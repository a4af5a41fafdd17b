package maintenance

import (
	"context"
	"errors"
	"testing"
	"time"

	"github.com/google/uuid"
	"github.com/stretchr/testify/require"
	"go.temporal.io/sdk/activity"
	"go.temporal.io/sdk/testsuite"
	"go.temporal.io/sdk/workflow"
)

// watching is the workflow of a maintenance over a row that a test changes, with skipped time.
type watching struct {
	env   *testsuite.TestWorkflowEnvironment
	edges []time.Time
	// happened are the moments at which the row followed.
	happened []time.Time
	away     func(now time.Time) bool
}

func watchFrom(start time.Time, edges ...time.Time) *watching {
	w := &watching{env: (&testsuite.WorkflowTestSuite{}).NewTestWorkflowEnvironment(), edges: edges}
	w.env.SetStartTime(start)
	w.env.SetTestTimeout(time.Minute)
	w.env.RegisterWorkflowWithOptions(watchWorkflow.Code, workflow.RegisterOptions{Name: watchWorkflow.Name})
	w.env.RegisterActivityWithOptions(func(context.Context, followInput) (followOutput, error) {
		now := w.env.Now()
		if w.away != nil && w.away(now) {
			return followOutput{}, errors.New("the database is away")
		}
		for len(w.edges) > 0 && !now.Before(w.edges[0]) {
			w.happened, w.edges = append(w.happened, now), w.edges[1:]
		}
		if len(w.edges) == 0 {
			return followOutput{Over: true}, nil
		}
		return followOutput{Wait: w.edges[0].Sub(now)}, nil
	}, activity.RegisterOptions{Name: followPlan.Name})
	return w
}

func (w *watching) run() {
	w.env.ExecuteWorkflow(watchWorkflow.Name, watchInput{MaintenanceID: uuid.New()})
}

func TestTheWorkflowWakesAtEachEdge(t *testing.T) {
	t.Parallel()
	start := time.Date(2026, 3, 1, 0, 0, 0, 0, time.UTC)
	edges := []time.Time{start.Add(time.Hour), start.Add(2 * time.Hour), start.Add(100 * 24 * time.Hour), start.Add(101 * 24 * time.Hour)}
	w := watchFrom(start, edges...)
	w.run()
	require.NoError(t, w.env.GetWorkflowError())
	require.Len(t, w.happened, len(edges))
	for i, at := range w.happened {
		require.WithinDuration(t, edges[i], at, 2*time.Second)
	}
}

func TestTheWorkflowFollowsAChangedPlan(t *testing.T) {
	t.Parallel()
	start := time.Date(2026, 3, 1, 0, 0, 0, 0, time.UTC)
	w := watchFrom(start, start.Add(48*time.Hour))
	w.env.RegisterDelayedCallback(func() {
		w.edges = []time.Time{start.Add(3 * time.Hour)}
		w.env.SignalWorkflow(planChanged.Name, struct{}{})
	}, time.Hour)
	w.run()
	require.NoError(t, w.env.GetWorkflowError())
	require.WithinDuration(t, start.Add(3*time.Hour), w.happened[0], 2*time.Second)
}

// While the database is away the step is retried; what was due happens when it is back.
func TestTheWorkflowOutlastsAnOutage(t *testing.T) {
	t.Parallel()
	start := time.Date(2026, 3, 1, 0, 0, 0, 0, time.UTC)
	w := watchFrom(start, start.Add(time.Hour))
	back := start.Add(62 * time.Minute)
	w.away = func(now time.Time) bool { return now.After(start.Add(30*time.Minute)) && now.Before(back) }
	w.run()
	require.NoError(t, w.env.GetWorkflowError())
	require.WithinDuration(t, back, w.happened[0], 2*time.Minute)
}

// A long history is continued in a new one, without a loss.
func TestTheWorkflowContinuesAsNew(t *testing.T) {
	t.Parallel()
	start := time.Date(2026, 3, 1, 0, 0, 0, 0, time.UTC)
	edges := make([]time.Time, maxWakes+10)
	for i := range edges {
		edges[i] = start.Add(time.Duration(i+1) * time.Hour)
	}
	w := watchFrom(start, edges...)
	w.run()
	require.True(t, workflow.IsContinueAsNewError(w.env.GetWorkflowError()))
	rest := watchFrom(w.env.Now(), w.edges...)
	rest.run()
	require.NoError(t, rest.env.GetWorkflowError())
	require.Len(t, append(w.happened, rest.happened...), len(edges))
}
