package worker_test

import (
	"context"
	"log/slog"
	"slices"
	"sync"
	"testing"
	"time"

	"github.com/google/uuid"
	"github.com/stretchr/testify/require"
	"go.temporal.io/api/enums/v1"
	"go.temporal.io/sdk/client"

	"countersign/store"
	"countersign/worker"
	"countersign/workflows"
)

// statuses are those of the runs of a turn's workflow, the newest first; the first run is known.
func (d *desk) statuses(t *testing.T, id uuid.UUID, first string) []enums.WorkflowExecutionStatus {
	t.Helper()
	var found []enums.WorkflowExecutionStatus
	for _, run := range []string{"", first} {
		w, err := d.client.DescribeWorkflowExecution(t.Context(), workflows.TurnID(id), run)
		require.NoError(t, err)
		found = append(found, w.GetWorkflowExecutionInfo().GetStatus())
	}
	return found
}

// run is the newest run of a turn's workflow.
func (d *desk) run(t *testing.T, id uuid.UUID) client.WorkflowRun {
	t.Helper()
	return d.client.GetWorkflow(t.Context(), workflows.TurnID(id), "")
}

// beside runs something as long as the test runs.
func (d *desk) beside(t *testing.T, run func(context.Context)) {
	t.Helper()
	ctx, cancel := context.WithCancel(t.Context())
	var running sync.WaitGroup
	running.Go(func() { run(ctx) })
	t.Cleanup(func() {
		cancel()
		running.Wait()
	})
}

// present is the key of a process that lives.
func (d *desk) present(t *testing.T) int64 {
	t.Helper()
	l := store.NewListener(d.db, slog.New(slog.DiscardHandler))
	l.Presence = store.NewPresence()
	d.beside(t, l.Run)
	<-l.Ready()
	return l.Presence
}

// Of two processes that see a third one die, one begins the turns of that one anew, also where it had not come to start the workflow.
func TestTurnsOfADeadProcessAreBegunAnewOnce(t *testing.T) {
	t.Parallel()
	d := newDesk(t)
	require.NoError(t, worker.EnsureSearchAttributes(t.Context(), d.client, "default"))
	held, unstarted := d.turn(t), d.turn(t)
	require.NoError(t, d.Engine.StartTurn(t.Context(), held.ID))
	first := d.run(t, held.ID).GetRunID()
	d.exec(t, `UPDATE ai_turns SET status = 'running', claim = 1, held_claim = 1, held_by = $1`, store.NewPresence())
	// It was claimed by the process that lives, whose lock is on a connection of its own.
	healthy := d.turn(t)
	d.exec(t, `UPDATE ai_turns SET status = 'running', claim = 1, held_claim = 1, held_by = $1 WHERE id = $2`, d.present(t), healthy.ID)

	for range 2 {
		one := worker.Takeovers{Log: slog.New(slog.DiscardHandler), Engine: d.Engine, Turns: d.Turns, Process: d.present(t)}
		d.beside(t, one.Run)
	}
	begun := []enums.WorkflowExecutionStatus{enums.WORKFLOW_EXECUTION_STATUS_RUNNING, enums.WORKFLOW_EXECUTION_STATUS_TERMINATED}
	require.Eventually(t, func() bool { return slices.Equal(begun, d.statuses(t, held.ID, first)) }, time.Minute, 20*time.Millisecond)
	second := d.run(t, held.ID).GetRunID()
	require.Eventually(t, func() bool {
		state, err := d.Engine.Look(t.Context(), unstarted.ID)
		require.NoError(t, err)
		return state == worker.TurnRunning
	}, time.Minute, 20*time.Millisecond)

	found, err := d.Turns.Orphans(t.Context(), store.NewPresence())
	require.NoError(t, err)
	require.Empty(t, found, "one of the two sees to them")
	state, err := d.Engine.Look(t.Context(), healthy.ID)
	require.NoError(t, err)
	require.Equal(t, worker.TurnMissing, state, "nobody has begun what is in good hands")
	require.Equal(t, second, d.run(t, held.ID).GetRunID())
}
