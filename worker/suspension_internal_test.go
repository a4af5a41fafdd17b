package worker

import (
	"context"
	"errors"
	"log/slog"
	"testing"

	"github.com/stretchr/testify/require"
	"go.temporal.io/sdk/activity"
	"go.temporal.io/sdk/interceptor"
	"go.temporal.io/sdk/temporal"
	"go.temporal.io/sdk/testsuite"
	"go.temporal.io/sdk/worker"

	"countersign/internal/durable"
)

// suspendable runs an activity under a suspension.
func suspendable(s *Suspension, do func(ctx context.Context) error) error {
	var suite testsuite.WorkflowTestSuite
	env := suite.NewTestActivityEnvironment()
	env.SetWorkerOptions(worker.Options{
		Interceptors: []interceptor.WorkerInterceptor{&steps{log: slog.New(slog.DiscardHandler), suspension: s}},
	})
	env.RegisterActivityWithOptions(do, activity.RegisterOptions{Name: "act"})
	_, err := env.ExecuteActivity("act")
	return err
}

// A suspension ends what runs and what begins under it, whether its code heeds the context or not, and nothing after it.
func TestASuspensionEndsActivities(t *testing.T) {
	t.Parallel()
	s := NewSuspension()
	require.NoError(t, suspendable(s, func(context.Context) error { return nil }))

	release := make(chan struct{})
	defer close(release)
	err := suspendable(s, func(context.Context) error {
		s.Suspend()
		<-release
		return nil
	})
	abandoned, ok := errors.AsType[*temporal.ApplicationError](err)
	require.True(t, ok, "%v", err)
	require.Equal(t, durable.Abandoned, abandoned.Type())
	require.False(t, abandoned.NonRetryable(), "the server repeats it elsewhere")

	err = suspendable(s, func(ctx context.Context) error {
		<-ctx.Done()
		return ctx.Err()
	})
	abandoned, ok = errors.AsType[*temporal.ApplicationError](err)
	require.True(t, ok, "%v", err)
	require.Equal(t, durable.Abandoned, abandoned.Type())

	s.Resume()
	require.NoError(t, suspendable(s, func(context.Context) error { return nil }))
}
