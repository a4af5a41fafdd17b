package worker

import (
	"context"
	"errors"
	"fmt"
	"log/slog"
	"testing"
	"time"

	"github.com/jackc/pgx/v5/pgconn"
	"github.com/stretchr/testify/require"
	"go.temporal.io/sdk/activity"
	"go.temporal.io/sdk/interceptor"
	"go.temporal.io/sdk/temporal"
	"go.temporal.io/sdk/testsuite"
	"go.temporal.io/sdk/worker"

	"countersign/internal/problem"
)

// run runs an activity as a worker of the product does.
func run(t *testing.T, do func(ctx context.Context) (string, error)) (string, error) {
	t.Helper()
	var suite testsuite.WorkflowTestSuite
	env := suite.NewTestActivityEnvironment()
	env.SetWorkerOptions(worker.Options{
		Interceptors: []interceptor.WorkerInterceptor{&heartbeats{}, &steps{log: slog.New(slog.DiscardHandler)}},
	})
	env.RegisterActivityWithOptions(do, activity.RegisterOptions{Name: "act"})
	value, err := env.ExecuteActivity("act")
	if err != nil {
		return "", err
	}
	var out string
	require.NoError(t, value.Get(&out))
	return out, nil
}

// A local step is retried each second while its process may be suspended, and with the backoff of the step afterwards, so
// that its attempts last for an outage after which the process still works.
func TestALocalStepOutlastsAnOutage(t *testing.T) {
	t.Parallel()
	full := &pgconn.PgError{Code: "53100"}
	for attempt := int32(1); attempt <= 12; attempt++ {
		err := retrySoonInOutage(activity.Info{IsLocalActivity: true, Attempt: attempt}, full)
		application, soon := errors.AsType[*temporal.ApplicationError](err)
		require.Equal(t, attempt >= 3 && attempt <= 9, soon, attempt)
		if soon {
			require.Equal(t, time.Second, application.NextRetryDelay())
		}
	}
	require.Equal(t, full, retrySoonInOutage(activity.Info{Attempt: 5}, full), "the server retries a regular step")
}

// Temporal repeats what can succeed, not before its time, and nothing else.
func TestCodesSteerTemporal(t *testing.T) {
	t.Parallel()
	for _, code := range problem.Codes() {
		err := withRetryHints(fmt.Errorf("apply: %w", problem.Errorf(code, "No.")))
		application, isApplication := errors.AsType[*temporal.ApplicationError](err)
		require.Equal(t, !code.Retryable(), isApplication && application.NonRetryable(), code)
		if isApplication {
			require.Equal(t, string(code), application.Type())
			require.Contains(t, application.Error(), "apply: ")
		}
	}
	later, ok := errors.AsType[*temporal.ApplicationError](withRetryHints(problem.Errorf(problem.Throttled, "Later.").After(3 * time.Second)))
	require.True(t, ok)
	require.False(t, later.NonRetryable())
	require.Equal(t, 3*time.Second, later.NextRetryDelay())

	require.NoError(t, withRetryHints(nil))
	host := errors.New("connection refused")
	require.Equal(t, host, withRetryHints(host))
	fenced := temporal.NewNonRetryableApplicationError("fenced", "Fenced", problem.Errorf(problem.Unavailable, "x"))
	require.Equal(t, fenced, withRetryHints(fenced), "what has decided for itself is left alone")
}

func TestAPanicInAnActivityIsAnError(t *testing.T) {
	t.Parallel()
	_, err := run(t, func(context.Context) (string, error) { panic("a fault in the code") })
	require.ErrorContains(t, err, "panicked: a fault in the code")
	out, err := run(t, func(context.Context) (string, error) { return "done", nil })
	require.NoError(t, err)
	require.Equal(t, "done", out)
}

// deafActivity is the rest of the chain when the code of an activity heeds no context.
type deafActivity struct {
	interceptor.ActivityInboundInterceptorBase
	release chan struct{}
}

func (d *deafActivity) ExecuteActivity(context.Context, *interceptor.ExecuteActivityInput) (any, error) {
	<-d.release
	return "much too late", nil
}

// An activity that heeds no context gives its place back soon after its deadline, and what it answers later is dropped.
func TestAnActivityEndsAtItsDeadlineWhateverItsCodeDoes(t *testing.T) {
	t.Parallel()
	d := &deafActivity{release: make(chan struct{})}
	defer close(d.release)
	s := &step{log: slog.New(slog.DiscardHandler)}
	s.Next = d
	var suite testsuite.WorkflowTestSuite
	env := suite.NewTestActivityEnvironment()
	ended := make(chan error, 1)
	env.RegisterActivityWithOptions(func(ctx context.Context) error {
		ctx, cancel := context.WithTimeout(ctx, 10*time.Millisecond)
		defer cancel()
		result, err := s.ExecuteActivity(ctx, nil)
		if result != nil {
			err = errors.New("a late result")
		}
		ended <- err
		return nil
	}, activity.RegisterOptions{Name: "act"})
	_, err := env.ExecuteActivity("act")
	require.NoError(t, err)
	require.ErrorIs(t, <-ended, context.DeadlineExceeded)
}
