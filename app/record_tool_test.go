package app_test

import (
	"context"
	"errors"
	"os"
	"testing"
	"time"

	"github.com/google/uuid"
	"github.com/stretchr/testify/require"
	"go.temporal.io/sdk/activity"
	"go.temporal.io/sdk/client"
	sdkworker "go.temporal.io/sdk/worker"

	"countersign/app/apptest"
	"countersign/worker"
	"countersign/workflows"
)

// calledTools are calls of tools that ended in each way. The workers stand in for those of the exec queue: they do what the
// call's part of the scenario says.
func calledTools(t *testing.T, _ *apptest.Product) map[string]string {
	c, err := client.Dial(apptest.TemporalOptions(os.Getenv(apptest.EnvTemporal)))
	require.NoError(t, err)
	t.Cleanup(c.Close)
	does := map[uuid.UUID]func(ctx context.Context) error{}
	start := func(options sdkworker.Options) (queue string) {
		queue = uuid.NewString() + "-" + workflows.ExecQueue
		w := sdkworker.New(c, queue, options)
		worker.RegisterWorkflows(w)
		worker.Bind(w, workflows.RunToolCall, func(ctx context.Context, in workflows.RunToolCallInput) (workflows.RunToolCallOutput, error) {
			return workflows.RunToolCallOutput{}, does[in.CallID](ctx)
		})
		worker.Bind(w, workflows.SettleToolCall, func(context.Context, workflows.SettleToolCallInput) (workflows.SettleToolCallOutput, error) {
			return workflows.SettleToolCallOutput{}, nil
		})
		require.NoError(t, w.Start())
		t.Cleanup(w.Stop)
		return queue
	}
	recorded, begun := map[string]string{}, make(chan struct{})
	fault := errors.New("the sandbox has a fault")
	ids := map[string]uuid.UUID{}
	for name, do := range map[string]func(ctx context.Context) error{
		"done": func(context.Context) error { return nil },
		"again": func(ctx context.Context) error {
			if activity.GetInfo(ctx).Attempt == 1 {
				return fault
			}
			return nil
		},
		"lost":     func(context.Context) error { return fault },
		"unserved": nil,
		"canceled": func(ctx context.Context) error {
			close(begun)
			tick := time.NewTicker(100 * time.Millisecond)
			defer tick.Stop()
			for {
				select {
				case <-ctx.Done():
					return ctx.Err()
				case <-tick.C:
					activity.RecordHeartbeat(ctx)
				}
			}
		},
	} {
		ids[name] = uuid.New()
		does[ids[name]] = do
		recorded["tool-call-"+name] = workflows.ToolCallID(ids[name])
	}
	// Nobody takes an activity of the second queue.
	served, unserved := start(sdkworker.Options{}), start(sdkworker.Options{LocalActivityWorkerOnly: true})
	for name, id := range ids {
		options := client.StartWorkflowOptions{ID: workflows.ToolCallID(id), TaskQueue: served, WorkflowExecutionTimeout: 2 * time.Minute}
		if name == "unserved" {
			options.TaskQueue = unserved
		}
		_, err := c.ExecuteWorkflow(
			t.Context(),
			options,
			workflows.ToolCallWorkflow.Name,
			workflows.ToolCallInput{CallID: id, Timeout: time.Second},
		)
		require.NoError(t, err)
	}
	<-begun
	require.NoError(t, c.CancelWorkflow(t.Context(), workflows.ToolCallID(ids["canceled"]), ""))
	for _, id := range ids {
		_ = c.GetWorkflow(t.Context(), workflows.ToolCallID(id), "").Get(t.Context(), nil) // the history says how
	}
	return recorded
}
