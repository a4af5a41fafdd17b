package worker_test

import (
	"context"
	"log/slog"
	"slices"
	"sync"
	"testing"

	"github.com/google/uuid"
	"github.com/stretchr/testify/require"

	"countersign/app/apptest"
	"countersign/store"
	"countersign/store/storetest"
	"countersign/worker"
	"countersign/workflows"
)

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

// Of two processes that see a third one die, one begins the turns of that one anew, also where it had not come to start the workflow.
func TestTurnsOfADeadProcessAreBegunAnewOnce(t *testing.T) {
	t.Parallel()
	d := newDesk(t)
	require.NoError(t, worker.EnsureSearchAttributes(t.Context(), d.client, "default"))
	held, unstarted := d.turn(t), d.turn(t)
	require.NoError(t, d.Engine.StartTurn(t.Context(), held.ID))
	d.exec(t, `UPDATE ai_turns SET status = 'running', claim = 1, held_claim = 1, held_by = $1`, store.NewProcessLease().LockKey())
	// It was claimed by the process that lives, whose lock is on a connection of its own.
	healthy := d.turn(t)
	d.exec(
		t,
		`UPDATE ai_turns SET status = 'running', claim = 1, held_claim = 1, held_by = $1 WHERE id = $2`,
		storetest.LiveProcess(t, d.db).LockKey(),
		healthy.ID,
	)

	for range 2 {
		one := worker.Takeovers{Log: slog.New(slog.DiscardHandler), Engine: d.Engine, Turns: d.Turns, Process: storetest.LiveProcess(t, d.db)}
		d.beside(t, one.Run)
	}
	runs := func(id uuid.UUID) []string { return apptest.RunsOf(t, d.client, workflows.TurnID(id)) }
	begun := []string{"Running", "Terminated"}
	apptest.Eventually(t, "it is begun anew", func() bool { return slices.Equal(begun, runs(held.ID)) })
	apptest.Eventually(t, "what was never started is started", func() bool { return slices.Equal(begun[:1], runs(unstarted.ID)) })

	found, err := d.Turns.Orphans(t.Context(), store.NewProcessLease().LockKey())
	require.NoError(t, err)
	require.Empty(t, found, "one of the two sees to them")
	state, err := d.Engine.TurnState(t.Context(), healthy.ID)
	require.NoError(t, err)
	require.Equal(t, worker.TurnMissing, state, "nobody has begun what is in good hands")
	require.Len(t, runs(held.ID), 2)
	require.Len(t, runs(unstarted.ID), 1)
}
