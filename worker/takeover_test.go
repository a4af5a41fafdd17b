package worker_test

import (
	"context"
	"log/slog"
	"slices"
	"sync"
	"testing"

	"github.com/google/uuid"
	"github.com/stretchr/testify/require"
	"go.temporal.io/api/enums/v1"
	"go.temporal.io/api/workflowservice/v1"

	"countersign/app/apptest"
	"countersign/store"
	"countersign/worker"
	"countersign/workflows"
)

// runs are how the runs of a turn's workflow stand, the newest first, as Temporal lists them after a moment.
func (d *desk) runs(t *testing.T, id uuid.UUID) (found []enums.WorkflowExecutionStatus) {
	t.Helper()
	listed, err := d.client.ListWorkflow(t.Context(), &workflowservice.ListWorkflowExecutionsRequest{Query: "WorkflowId = '" + workflows.TurnID(id) + "'"})
	require.NoError(t, err)
	for _, e := range listed.GetExecutions() {
		found = append(found, e.GetStatus())
	}
	return found
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

// present is a process that lives.
func (d *desk) present(t *testing.T) *store.Presence {
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
	d.exec(t, `UPDATE ai_turns SET status = 'running', claim = 1, held_claim = 1, held_by = $1`, store.NewPresence().Own())
	// It was claimed by the process that lives, whose lock is on a connection of its own.
	healthy := d.turn(t)
	d.exec(t, `UPDATE ai_turns SET status = 'running', claim = 1, held_claim = 1, held_by = $1 WHERE id = $2`, d.present(t).Own(), healthy.ID)

	for range 2 {
		one := worker.Takeovers{Log: slog.New(slog.DiscardHandler), Engine: d.Engine, Turns: d.Turns, Process: d.present(t)}
		d.beside(t, one.Run)
	}
	begun := []enums.WorkflowExecutionStatus{enums.WORKFLOW_EXECUTION_STATUS_RUNNING, enums.WORKFLOW_EXECUTION_STATUS_TERMINATED}
	apptest.Eventually(t, "it is begun anew", func() bool { return slices.Equal(begun, d.runs(t, held.ID)) })
	apptest.Eventually(t, "what was never started is started", func() bool { return slices.Equal(begun[:1], d.runs(t, unstarted.ID)) })

	found, err := d.Turns.Orphans(t.Context(), store.NewPresence().Own())
	require.NoError(t, err)
	require.Empty(t, found, "one of the two sees to them")
	state, err := d.Engine.Look(t.Context(), healthy.ID)
	require.NoError(t, err)
	require.Equal(t, worker.TurnMissing, state, "nobody has begun what is in good hands")
	require.Len(t, d.runs(t, held.ID), 2)
	require.Len(t, d.runs(t, unstarted.ID), 1)
}
