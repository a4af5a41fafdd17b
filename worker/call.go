package worker

import (
	"context"
	"time"

	"go.temporal.io/sdk/client"

	"countersign/workflows"
)

const (
	// patience is how long a call to Temporal may take: long enough for a server that is busy, and no longer than people wait for an
	// answer. What is not started or told by then is so by the reconciler, once Temporal is back.
	patience = 15 * time.Second
	// impatience is the same while Temporal did not answer lately, as long as remembered.
	impatience = 4 * time.Second
	remembered = 30 * time.Second
)

type unhurriedKey struct{}

// unhurried lets calls take their time that nobody makes up for, or that make up for others.
func unhurried(ctx context.Context) context.Context {
	return context.WithValue(ctx, unhurriedKey{}, true)
}

// call makes a call to Temporal within its bounds, and remembers whether Temporal answered.
func (e *Engine) call(ctx context.Context, do func(ctx context.Context) error) error {
	most := patience
	if at := e.failed.Load(); at != 0 && time.Since(time.Unix(0, at)) < remembered && ctx.Value(unhurriedKey{}) == nil {
		most = impatience
	}
	limited, cancel := context.WithTimeout(ctx, most)
	defer cancel()
	err := do(limited)
	switch {
	case !Away(err):
		e.failed.Store(0)
	case ctx.Err() == nil: // it is not the caller who did not wait
		e.failed.Store(time.Now().UnixNano())
	}
	return err
}

// start starts a workflow with what it takes.
func start[In, Out any](ctx context.Context, e *Engine, o client.StartWorkflowOptions, w workflows.Workflow[In, Out], in In) error {
	return e.call(ctx, func(ctx context.Context) error {
		_, err := e.client.ExecuteWorkflow(ctx, o, w.Name, in)
		return err
	})
}

// signal sends a running workflow a signal.
func signal[In any](ctx context.Context, e *Engine, id string, s workflows.Signal[In], in In) error {
	return e.call(ctx, func(ctx context.Context) error { return e.client.SignalWorkflow(ctx, id, "", s.Name, in) })
}

// signalOrStart sends a workflow a signal, and starts it first unless it runs.
func signalOrStart[Sent, In, Out any](
	ctx context.Context, e *Engine, o client.StartWorkflowOptions, s workflows.Signal[Sent], sent Sent, w workflows.Workflow[In, Out], in In,
) error {
	return e.call(ctx, func(ctx context.Context) error {
		_, err := e.client.SignalWithStartWorkflow(ctx, o.ID, s.Name, sent, o, w.Name, in)
		return err
	})
}

// action is what a schedule starts.
func action[In, Out any](o client.ScheduleWorkflowAction, w workflows.Workflow[In, Out], in In) *client.ScheduleWorkflowAction {
	o.Workflow, o.Args = w.Name, []any{in}
	return &o
}
