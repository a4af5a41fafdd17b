package worker

import (
	"context"
	"time"

	"go.temporal.io/sdk/client"

	"countersign/workflows"
)

const (
	// rpcTimeout bounds a call to Temporal: long enough for a busy server, and no longer than people wait for an answer.
	// The reconciler repeats starts and signals that failed once Temporal is back.
	rpcTimeout = 15 * time.Second
	// degradedTimeout replaces it for degradedFor after a call that Temporal did not answer, so that a dependency outage
	// does not tie up callers.
	degradedTimeout = 4 * time.Second
	degradedFor     = 30 * time.Second
)

type withoutDegradedTimeoutKey struct{}

// withoutDegradedTimeout exempts calls from degradedTimeout that nothing else repeats, or that repeat others.
func withoutDegradedTimeout(ctx context.Context) context.Context {
	return context.WithValue(ctx, withoutDegradedTimeoutKey{}, true)
}

// call makes a call to Temporal with a timeout, and records whether Temporal answered.
func (e *Engine) call(ctx context.Context, do func(ctx context.Context) error) error {
	timeout := rpcTimeout
	if at := e.lastUnavailable.Load(); at != 0 && time.Since(time.Unix(0, at)) < degradedFor && ctx.Value(withoutDegradedTimeoutKey{}) == nil {
		timeout = degradedTimeout
	}
	limited, cancel := context.WithTimeout(ctx, timeout)
	defer cancel()
	err := do(limited)
	switch {
	case !Unavailable(err):
		e.lastUnavailable.Store(0)
	case ctx.Err() == nil: // Temporal did not answer; the caller did not cancel
		e.lastUnavailable.Store(time.Now().UnixNano())
	}
	return err
}

// action is the workflow that a schedule starts.
func action[In, Out any](o client.ScheduleWorkflowAction, w workflows.Workflow[In, Out], in In) *client.ScheduleWorkflowAction {
	o.Workflow, o.Args = w.Name, []any{in}
	return &o
}
