package main

import (
	"context"
	"fmt"
	"log/slog"
	"os"
	"strings"
	"time"

	"go.temporal.io/api/common/v1"
	"go.temporal.io/api/enums/v1"
	"go.temporal.io/api/workflowservice/v1"
	"go.temporal.io/sdk/client"
	"go.temporal.io/sdk/log"
)

const testSteps = 40

// dialTemporal connects to the Temporal server of the stack.
func dialTemporal(ctx context.Context) (client.Client, error) {
	c, err := client.DialContext(ctx, client.Options{
		HostPort: os.Getenv("COUNTERSIGN_TEST_TEMPORAL_ADDRESS"), Logger: log.NewStructuredLogger(slog.New(slog.DiscardHandler)),
	})
	if err != nil {
		return nil, fmt.Errorf("dial Temporal: %w", err)
	}
	return c, nil
}

// steps prints the time of a test by step, from the Temporal histories of its calls. The time outside of the history is
// the rest of the call.
func (s *stack) steps(ctx context.Context, post func(ctx context.Context) error) error {
	c, err := dialTemporal(ctx)
	if err != nil {
		return err
	}
	defer c.Close()
	began := time.Now()
	var called []span
	for range testSteps {
		begun := time.Now()
		if err := post(ctx); err != nil {
			return err
		}
		called = append(called, span{begun, time.Now()})
	}
	// Visibility follows within moments.
	time.Sleep(2 * time.Second)
	query := fmt.Sprintf("WorkflowType = 'ScriptTest' AND StartTime > '%s'", began.UTC().Format(time.RFC3339Nano))
	found, err := c.ListWorkflow(ctx, &workflowservice.ListWorkflowExecutionsRequest{PageSize: 200, Query: query})
	if err != nil {
		return err
	}
	parts := map[string][]time.Duration{}
	order := []string{
		"from the request to the start of the workflow",
		"the workflow task waits",
		"the workflow task",
		"the activity waits",
		"the activity: compile, check, run, answer",
		"from the end of the activity to the answer (less than 0: before the end was recorded)",
	}
	for _, e := range found.GetExecutions() {
		if !strings.HasPrefix(e.GetTaskQueue(), s.queues) {
			continue
		}
		at, err := firsts(ctx, c, e.GetExecution())
		if err != nil {
			return err
		}
		started, done := at[enums.EVENT_TYPE_WORKFLOW_EXECUTION_STARTED], at[enums.EVENT_TYPE_ACTIVITY_TASK_COMPLETED]
		for _, call := range called {
			if done.IsZero() || started.Before(call.begun) || started.After(call.ended) {
				continue
			}
			for i, d := range []time.Duration{
				started.Sub(call.begun),
				at[enums.EVENT_TYPE_WORKFLOW_TASK_STARTED].Sub(started),
				at[enums.EVENT_TYPE_WORKFLOW_TASK_COMPLETED].Sub(at[enums.EVENT_TYPE_WORKFLOW_TASK_STARTED]),
				at[enums.EVENT_TYPE_ACTIVITY_TASK_STARTED].Sub(at[enums.EVENT_TYPE_WORKFLOW_TASK_COMPLETED]),
				done.Sub(at[enums.EVENT_TYPE_ACTIVITY_TASK_STARTED]),
				call.ended.Sub(done),
			} {
				parts[order[i]] = append(parts[order[i]], d)
			}
		}
	}
	fmt.Printf(
		"\nWhere the time of a new source goes, of %d calls one after the other:\n\n| part | min / p50 / p95 ms |\n|---|--:|\n",
		len(parts[order[0]]),
	)
	for _, part := range order {
		fmt.Printf("| %s | %.1f / %.1f / %.1f |\n", part, quantile(parts[part], 0), quantile(parts[part], .5), quantile(parts[part], .95))
	}
	return nil
}

// firsts is when each kind of event was first in a history.
func firsts(ctx context.Context, c client.Client, e *common.WorkflowExecution) (map[enums.EventType]time.Time, error) {
	at := map[enums.EventType]time.Time{}
	history := c.GetWorkflowHistory(ctx, e.GetWorkflowId(), e.GetRunId(), false, enums.HISTORY_EVENT_FILTER_TYPE_ALL_EVENT)
	for history.HasNext() {
		event, err := history.Next()
		if err != nil {
			return nil, err
		}
		if _, known := at[event.GetEventType()]; !known {
			at[event.GetEventType()] = event.GetEventTime().AsTime()
		}
	}
	return at, nil
}

type span struct{ begun, ended time.Time }
