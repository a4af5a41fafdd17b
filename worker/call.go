package worker

import (
	"context"

	"go.temporal.io/sdk/client"

	"countersign/workflows"
)

// start starts a workflow with what it takes.
func start[In, Out any](ctx context.Context, e *Engine, o client.StartWorkflowOptions, w workflows.Workflow[In, Out], in In) error {
	_, err := e.client.ExecuteWorkflow(ctx, o, w.Name, in)
	return err
}

// signal sends a running workflow a signal.
func signal[In any](ctx context.Context, e *Engine, id string, s workflows.Signal[In], in In) error {
	return e.client.SignalWorkflow(ctx, id, "", s.Name, in)
}

// signalOrStart sends a workflow a signal, and starts it first unless it runs.
func signalOrStart[Sent, In, Out any](
	ctx context.Context, e *Engine, o client.StartWorkflowOptions, s workflows.Signal[Sent], sent Sent, w workflows.Workflow[In, Out], in In,
) error {
	_, err := e.client.SignalWithStartWorkflow(ctx, o.ID, s.Name, sent, o, w.Name, in)
	return err
}

// action is what a schedule starts.
func action[In, Out any](o client.ScheduleWorkflowAction, w workflows.Workflow[In, Out], in In) *client.ScheduleWorkflowAction {
	o.Workflow, o.Args = w.Name, []any{in}
	return &o
}
