package worker

import (
	"context"
	"errors"
	"fmt"

	"go.temporal.io/api/serviceerror"

	"countersign/internal/durable"
	"countersign/internal/problem"
)

// Start starts the workflow of a module; one that runs or has ended stays as it is. Nothing repeats the start, so it does
// not use the timeout of degraded mode.
func (e *Engine) Start(ctx context.Context, x durable.Execution) error {
	options := e.options(x.ID, x.Summary)
	options.TaskQueue = e.prefix() + string(x.Queue)
	options.EnableEagerStart = x.Queue == durable.ExecQueue
	options.WorkflowExecutionTimeout = x.Timeout
	err := e.execute(withoutDegradedTimeout(ctx), options, x.Workflow, x.Input)
	return ignoreStarted(err, "start "+x.ID)
}

// Signal sends a running workflow a signal; problem.NotFound when none runs.
func (e *Engine) Signal(ctx context.Context, id string, m durable.Message) error {
	err := e.call(ctx, func(ctx context.Context) error { return e.client.SignalWorkflow(ctx, id, "", m.Signal, m.Input) })
	return reached(err, "signal", id)
}

// Query asks a workflow, and stores its answer in out; problem.NotFound when there is none.
func (e *Engine) Query(ctx context.Context, id, query string, out any) error {
	err := e.call(ctx, func(ctx context.Context) error {
		answer, err := e.client.QueryWorkflow(ctx, id, "", query)
		if err != nil {
			return err
		}
		return answer.Get(out)
	})
	return reached(err, "query", id)
}

// Cancel cancels a workflow; one that has ended or never ran is no error.
func (e *Engine) Cancel(ctx context.Context, id string) error {
	err := reached(e.call(ctx, func(ctx context.Context) error { return e.client.CancelWorkflow(ctx, id, "") }), "cancel", id)
	if problem.Is(err, problem.NotFound) {
		return nil
	}
	return err
}

func reached(err error, what, id string) error {
	if _, gone := errors.AsType[*serviceerror.NotFound](err); gone {
		return problem.Errorf(problem.NotFound, "There is no workflow %s.", id).WithCause(err)
	}
	if err != nil {
		return fmt.Errorf("%s %s: %w", what, id, err)
	}
	return nil
}
