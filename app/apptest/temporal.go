package apptest

import (
	"context"
	"log/slog"
	"os"
	"slices"
	"testing"

	"github.com/google/uuid"
	"github.com/stretchr/testify/require"
	"go.temporal.io/api/enums/v1"
	"go.temporal.io/api/history/v1"
	"go.temporal.io/api/taskqueue/v1"
	"go.temporal.io/api/workflowservice/v1"
	"go.temporal.io/sdk/client"
	tlog "go.temporal.io/sdk/log"
)

// TemporalOptions are client options for the server at an address, with a longer time for the first response.
func TemporalOptions(address string) client.Options {
	return client.Options{
		HostPort: address, Namespace: os.Getenv("TEMPORAL_NAMESPACE"), Logger: tlog.NewStructuredLogger(slog.New(slog.DiscardHandler)),
		ConnectionOptions: client.ConnectionOptions{GetSystemInfoTimeout: eventTimeout},
	}
}

// temporal connects to the Temporal server of the site while f runs.
func (p *Product) temporal(t testing.TB, f func(ctx context.Context, c client.Client)) {
	t.Helper()
	ctx, cancel := context.WithTimeout(t.Context(), eventTimeout)
	defer cancel()
	c, err := client.DialContext(ctx, TemporalOptions(p.site.temporal))
	require.NoError(t, err)
	defer c.Close()
	f(ctx, c)
}

// AwaitWorkflow waits until a workflow has completed.
func (p *Product) AwaitWorkflow(t testing.TB, id string) {
	t.Helper()
	p.temporal(t, func(ctx context.Context, c client.Client) {
		require.NoError(t, c.GetWorkflow(ctx, id, "").Get(ctx, nil))
	})
}

// History returns a workflow's history from Temporal.
func (p *Product) History(t testing.TB, id string) *history.History {
	t.Helper()
	h := &history.History{}
	p.temporal(t, func(ctx context.Context, c client.Client) {
		events := c.GetWorkflowHistory(ctx, id, "", false, enums.HISTORY_EVENT_FILTER_TYPE_ALL_EVENT)
		for events.HasNext() {
			e, err := events.Next()
			require.NoError(t, err)
			h.Events = append(h.Events, e)
		}
	})
	return h
}

// Runs are RunsOf a workflow of the product.
func (p *Product) Runs(t testing.TB, id string) (states []string) {
	t.Helper()
	p.temporal(t, func(_ context.Context, c client.Client) { states = RunsOf(t, c, id) })
	return states
}

// BrokenRuns lists the runs of the product's workflows that were terminated, failed or timed out, from Temporal's
// visibility store.
func (p *Product) BrokenRuns(t testing.TB) (broken []string) {
	t.Helper()
	p.temporal(t, func(ctx context.Context, c client.Client) {
		found, err := c.ListWorkflow(ctx, &workflowservice.ListWorkflowExecutionsRequest{Query: "TaskQueue STARTS_WITH '" +
			p.site.queue + "' AND ExecutionStatus IN ('Terminated', 'Failed', 'TimedOut')"})
		require.NoError(t, err)
		for _, e := range found.GetExecutions() {
			broken = append(broken, e.GetStatus().String()+" "+e.GetExecution().GetWorkflowId())
		}
	})
	return broken
}

// RunsOf returns the sorted states of a workflow's runs from Temporal's visibility store, which may lag.
func RunsOf(t testing.TB, c client.Client, id string) (states []string) {
	t.Helper()
	found, err := c.ListWorkflow(t.Context(), &workflowservice.ListWorkflowExecutionsRequest{Query: "WorkflowId = '" + id + "'"})
	require.NoError(t, err)
	for _, e := range found.GetExecutions() {
		states = append(states, e.GetStatus().String())
	}
	slices.Sort(states)
	return states
}

// Terminate ends a workflow from outside, like an operator.
func (p *Product) Terminate(t testing.TB, id string) {
	t.Helper()
	p.temporal(t, func(ctx context.Context, c client.Client) {
		require.NoError(t, c.TerminateWorkflow(ctx, id, "", "by a test"))
	})
}

// StartAgain terminates a workflow without workers, as soon as it exists, and starts it with another input.
func (p *Product) StartAgain(t testing.TB, id string, in any) {
	t.Helper()
	p.temporal(t, func(ctx context.Context, c client.Client) {
		Eventually(t, id+" is started", func() bool { return c.TerminateWorkflow(ctx, id, "", "by a test") == nil })
		found, err := c.DescribeWorkflowExecution(ctx, id, "")
		require.NoError(t, err)
		o := client.StartWorkflowOptions{
			ID:                    id,
			TaskQueue:             found.GetWorkflowExecutionInfo().GetTaskQueue(),
			WorkflowIDReusePolicy: enums.WORKFLOW_ID_REUSE_POLICY_ALLOW_DUPLICATE,
		}
		_, err = c.ExecuteWorkflow(ctx, o, found.GetWorkflowExecutionInfo().GetType().GetName(), in)
		require.NoError(t, err)
	})
}

// Queue returns a workflow's task queue.
func (p *Product) Queue(t testing.TB, id string) (name string) {
	t.Helper()
	p.temporal(t, func(ctx context.Context, c client.Client) {
		d, err := c.DescribeWorkflowExecution(ctx, id, "")
		require.NoError(t, err)
		name = d.GetExecutionConfig().GetTaskQueue().GetName()
	})
	return name
}

// Move terminates a workflow and starts it again on another task queue.
func (p *Product) Move(t testing.TB, id, queue string) {
	t.Helper()
	begun := p.History(t, id).GetEvents()[0].GetWorkflowExecutionStartedEventAttributes()
	p.Terminate(t, id)
	p.temporal(t, func(ctx context.Context, c client.Client) {
		namespace := os.Getenv("TEMPORAL_NAMESPACE")
		if namespace == "" {
			namespace = client.DefaultNamespace
		}
		_, err := c.WorkflowService().StartWorkflowExecution(ctx, &workflowservice.StartWorkflowExecutionRequest{
			Namespace: namespace, RequestId: uuid.NewString(), WorkflowId: id, WorkflowType: begun.GetWorkflowType(), Input: begun.GetInput(),
			TaskQueue:             &taskqueue.TaskQueue{Name: queue},
			WorkflowIdReusePolicy: enums.WORKFLOW_ID_REUSE_POLICY_ALLOW_DUPLICATE,
		})
		require.NoError(t, err)
	})
}

// Prefix is the installation's prefix for task queues and workflow ids.
func (p *Product) Prefix() string { return p.site.queue }
