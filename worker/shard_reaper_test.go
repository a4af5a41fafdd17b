package worker_test

import (
	"log/slog"
	"testing"
	"time"

	"github.com/google/uuid"
	"github.com/stretchr/testify/require"
	"go.temporal.io/sdk/client"

	"countersign/worker"
	"countersign/workflows"
)

// A shard that waits for a process with room is left alone, however long that takes, and one without a workflow gets one.
func TestAShardThatWaitsForAProcessIsLeftAlone(t *testing.T) {
	t.Parallel()
	c := dial(t)
	t.Cleanup(c.Close)
	queue := uuid.NewString() + "-"
	id := queue + workflows.CheckShardID(3)
	r := &worker.StaleShardReaper{
		Engine: worker.NewEngine(worker.EngineOptions{Client: c, Queue: queue + workflows.TurnQueue}),
		Log:    slog.New(slog.DiscardHandler),
	}
	defer terminate(t, c, id)
	r.Reap(t.Context(), []int16{3})
	first := runOf(t, c, id)
	again := time.NewTicker(200 * time.Millisecond)
	defer again.Stop()
	for range 10 {
		<-again.C
		r.Reap(t.Context(), []int16{3})
	}
	require.Equal(t, first, runOf(t, c, id))
}

func runOf(t *testing.T, c client.Client, id string) string {
	t.Helper()
	found, err := c.DescribeWorkflowExecution(t.Context(), id, "")
	require.NoError(t, err)
	return found.GetWorkflowExecutionInfo().GetExecution().GetRunId()
}
