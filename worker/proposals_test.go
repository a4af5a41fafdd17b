package worker_test

import (
	"context"
	"log/slog"
	"testing"
	"time"

	"github.com/google/uuid"
	"github.com/stretchr/testify/require"

	"countersign/activities"
	"countersign/internal/principal"
	"countersign/tool/proposal"
	"countersign/worker"
	"countersign/workflows"
)

// In an upgrade either side may be new first. A process that serves no proposals itself starts them where every version works, until
// somebody works on their own queue.
func TestProposalsAreStartedWhereSomebodyWorks(t *testing.T) {
	t.Parallel()
	_, c := newEngine(t)
	prefix := uuid.NewString() + "-"
	var later time.Duration
	start := func(serves bool) string {
		now := func(context.Context) (time.Time, error) { return time.Now().Add(later), nil }
		e := worker.NewEngine(worker.EngineOptions{Client: c, Queue: prefix + workflows.TurnQueue, ServesProposals: serves, Now: now})
		card := proposal.Card{
			ProposalID: uuid.New(),
			ToolName:   "catalog.createSystem",
			Status:     proposal.Proposed,
			Proposer:   proposal.Who{Kind: principal.User, ID: uuid.New()},
		}
		require.NoError(t, worker.ProposalDriver{Engine: e}.StartProposal(t.Context(), card, time.Hour))
		d, err := c.DescribeWorkflowExecution(t.Context(), workflows.ProposalID(card.ProposalID), "")
		require.NoError(t, err)
		terminate(t, c, workflows.ProposalID(card.ProposalID))
		return d.GetExecutionConfig().GetTaskQueue().GetName()
	}
	require.Equal(t, prefix+workflows.TurnQueue, start(false))
	require.Equal(t, prefix+workflows.ProposalQueue, start(true), "this process will")

	w := worker.NewProposals(worker.ProposalOptions{
		Client:       c,
		Queue:        prefix + workflows.ProposalQueue,
		Proposal:     &activities.Proposal{},
		Log:          slog.New(slog.DiscardHandler),
		DrainTimeout: time.Second,
	})
	require.NoError(t, w.Start())
	defer w.Stop()
	require.Eventually(t, func() bool { return start(false) == prefix+workflows.ProposalQueue }, time.Minute, 50*time.Millisecond)
	// Temporal says when somebody asked for work, by its clock. Which moment it is now the database says, not this process.
	later = 2 * time.Minute
	require.Equal(t, prefix+workflows.TurnQueue, start(false), "as if nobody had asked for two minutes")
}
