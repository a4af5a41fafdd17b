package worker

import (
	"context"
	"sync"
	"testing"
	"time"

	"github.com/stretchr/testify/require"
	"go.temporal.io/sdk/activity"
	"go.temporal.io/sdk/converter"
	"go.temporal.io/sdk/interceptor"
	"go.temporal.io/sdk/testsuite"
	"go.temporal.io/sdk/worker"
	"go.temporal.io/sdk/workflow"
)

// An activity that knows nothing of heartbeats is kept alive by them: this one ends once Temporal has heard of it.
func TestAnActivityWithAHeartbeatTimeoutSaysThatItLives(t *testing.T) {
	t.Parallel()
	var suite testsuite.WorkflowTestSuite
	env := suite.NewTestWorkflowEnvironment()
	env.SetWorkerOptions(worker.Options{Interceptors: []interceptor.WorkerInterceptor{&heartbeats{}}})
	heard := make(chan struct{})
	var once sync.Once
	env.SetOnActivityHeartbeatListener(func(*activity.Info, converter.EncodedValues) { once.Do(func() { close(heard) }) })
	env.RegisterActivityWithOptions(func(ctx context.Context) error {
		select {
		case <-heard:
			return nil
		case <-ctx.Done():
			return ctx.Err()
		}
	}, activity.RegisterOptions{Name: "wait"})
	env.ExecuteWorkflow(func(ctx workflow.Context) error {
		ctx = workflow.WithActivityOptions(
			ctx,
			workflow.ActivityOptions{StartToCloseTimeout: time.Minute, HeartbeatTimeout: 40 * time.Millisecond},
		)
		return workflow.ExecuteActivity(ctx, "wait").Get(ctx, nil)
	})
	require.NoError(t, env.GetWorkflowError())
}

func TestAnActivityWithoutAHeartbeatTimeoutIsLeftAlone(t *testing.T) {
	t.Parallel()
	var suite testsuite.WorkflowTestSuite
	env := suite.NewTestWorkflowEnvironment()
	env.SetWorkerOptions(worker.Options{Interceptors: []interceptor.WorkerInterceptor{&heartbeats{}}})
	env.RegisterActivityWithOptions(func(ctx context.Context) (time.Duration, error) {
		return activity.GetInfo(ctx).HeartbeatTimeout, nil
	}, activity.RegisterOptions{Name: "look"})
	var timeout time.Duration
	env.ExecuteWorkflow(func(ctx workflow.Context) error {
		ctx = workflow.WithActivityOptions(ctx, workflow.ActivityOptions{StartToCloseTimeout: time.Minute})
		return workflow.ExecuteActivity(ctx, "look").Get(ctx, &timeout)
	})
	require.NoError(t, env.GetWorkflowError())
	require.Zero(t, timeout)
}
