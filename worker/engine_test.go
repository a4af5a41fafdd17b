package worker_test

import (
	"context"
	"log/slog"
	"os"
	"testing"
	"time"

	"github.com/google/uuid"
	"github.com/stretchr/testify/require"
	"go.temporal.io/sdk/client"
	"go.uber.org/goleak"

	"countersign/app/apptest"
	"countersign/chat/turn"
	"countersign/internal/principal"
	"countersign/tool/proposal"
	"countersign/worker"
	"countersign/workflows"
)

func TestMain(m *testing.M) { goleak.VerifyTestMain(m) }

// newEngine starts workflows on a queue that nobody works on.
func newEngine(t *testing.T) (*worker.Engine, client.Client) {
	t.Helper()
	address := os.Getenv(apptest.EnvTemporal)
	if address == "" {
		t.Skipf("%s is not set: run `make test`, or `bin/devstack exec -- go test ./...`", apptest.EnvTemporal)
	}
	namespace := os.Getenv("TEMPORAL_NAMESPACE")
	if namespace == "" {
		namespace = "default"
	}
	c, err := worker.Dial(t.Context(), worker.ClientOptions{Address: address, Namespace: namespace, Log: slog.New(slog.DiscardHandler)})
	require.NoError(t, err)
	t.Cleanup(c.Close)
	for range 2 {
		require.NoError(t, worker.EnsureSearchAttributes(t.Context(), c, namespace), "processes that start later find them")
	}
	return worker.NewEngine(worker.EngineOptions{Client: c, Queue: uuid.NewString()}), c
}

// terminate ends a workflow from outside, as an operator can.
func terminate(t *testing.T, c client.Client, id string) {
	t.Helper()
	require.NoError(t, c.TerminateWorkflow(t.Context(), id, "", "by a test"))
}

func TestATurnIsStartedOnce(t *testing.T) {
	t.Parallel()
	engine, c := newEngine(t)
	e := worker.NewTurnDriver(engine, 16, "https://ops.example.org")
	id := uuid.New()
	look := func() worker.State {
		d, err := engine.Describe(t.Context(), workflows.TurnID(id))
		require.NoError(t, err)
		return d.State
	}
	require.Equal(t, worker.Missing, look())
	require.NoError(t, e.StopTurn(t.Context(), id), "there is nobody to tell")

	set := turn.Settings{
		ConversationID: uuid.New(),
		ConnectionID:   uuid.New(),
		Model:          "model",
		Principal:      principal.Principal{Kind: principal.User, ID: uuid.New()},
	}
	require.NoError(t, e.StartTurnOf(t.Context(), id, set))
	first, err := c.DescribeWorkflowExecution(t.Context(), workflows.TurnID(id), "")
	require.NoError(t, err)
	require.NoError(t, e.StartTurn(t.Context(), id))
	require.NoError(t, e.StartTurnOf(t.Context(), id, set))
	again, err := c.DescribeWorkflowExecution(t.Context(), workflows.TurnID(id), "")
	require.NoError(t, err)
	require.Equal(t, first.GetWorkflowExecutionInfo().GetExecution().GetRunId(), again.GetWorkflowExecutionInfo().GetExecution().GetRunId())
	require.Equal(t, worker.Running, look())
	require.Positive(t, first.GetExecutionConfig().GetWorkflowRunTimeout().AsDuration(), "no turn runs for ever")
	require.NoError(t, e.StopTurn(t.Context(), id))

	// What is closed stays closed: a turn is answered once.
	terminate(t, c, workflows.TurnID(id))
	require.Equal(t, worker.Closed, look())
	require.NoError(t, e.StartTurn(t.Context(), id))
	require.Equal(t, worker.Closed, look())
	require.NoError(t, e.StopTurn(t.Context(), id))
}

// A decision reaches its workflow, which is started for it if it never was or has ended too soon.
func TestADecisionFindsOrStartsItsWorkflow(t *testing.T) {
	t.Parallel()
	engine, c := newEngine(t)
	e := worker.ProposalDriver{Engine: engine}
	card := proposal.Card{
		ProposalID: uuid.New(),
		ToolName:   "catalog.createSystem",
		Status:     proposal.Proposed,
		Proposer:   proposal.Who{Kind: principal.User, ID: uuid.New()},
	}
	run := func() string {
		d, err := c.DescribeWorkflowExecution(t.Context(), workflows.ProposalID(card.ProposalID), "")
		require.NoError(t, err)
		return d.GetWorkflowExecutionInfo().GetExecution().GetRunId()
	}
	require.NoError(t, e.StartProposal(t.Context(), card, time.Hour))
	first := run()
	require.NoError(t, e.StartProposal(t.Context(), card, time.Hour))
	require.NoError(t, e.Decided(t.Context(), card.ProposalID, time.Hour))
	require.Equal(t, first, run())

	terminate(t, c, workflows.ProposalID(card.ProposalID))
	require.NoError(t, e.Decided(t.Context(), card.ProposalID, time.Hour))
	require.NotEqual(t, first, run())

	other := uuid.New()
	require.NoError(t, e.Decided(t.Context(), other, time.Hour), "also when it never was")
	_, err := c.DescribeWorkflowExecution(t.Context(), workflows.ProposalID(other), "")
	require.NoError(t, err)
}

func TestAServerThatIsAwayIsNamed(t *testing.T) {
	t.Parallel()
	ctx, cancel := context.WithTimeout(t.Context(), time.Second)
	defer cancel()
	_, err := worker.Dial(ctx, worker.ClientOptions{Address: "127.0.0.1:1", Log: slog.New(slog.DiscardHandler)})
	require.ErrorContains(t, err, "127.0.0.1:1")
}
