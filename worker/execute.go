package worker

import (
	"context"
	"errors"
	"fmt"

	"go.temporal.io/api/enums/v1"
	"go.temporal.io/api/serviceerror"
	"go.temporal.io/sdk/client"
	"go.temporal.io/sdk/temporal"

	"countersign/internal/durable"
	"countersign/internal/problem"
	"countersign/internal/store"
)

// Start starts a workflow; one that runs stays as it is, and one that has ended, too, unless the execution runs again.
func (e *Engine) Start(ctx context.Context, x durable.Execution) error {
	err := e.call(startTimeout(ctx, x), func(ctx context.Context) error {
		_, err := e.client.ExecuteWorkflow(ctx, e.options(ctx, x), x.Workflow, x.Input)
		return err
	})
	if temporal.IsWorkflowExecutionAlreadyStartedError(err) {
		return nil
	}
	return store.Wrap("start "+x.ID, err)
}

// SignalOrStart sends a workflow a signal, and starts it first unless it runs.
func (e *Engine) SignalOrStart(ctx context.Context, x durable.Execution, m durable.Message) error {
	return store.Wrap("signal or start "+x.ID, e.call(startTimeout(ctx, x), func(ctx context.Context) error {
		_, err := e.client.SignalWithStartWorkflow(ctx, x.ID, m.Signal, m.Input, e.options(ctx, x), x.Workflow, x.Input)
		return err
	}))
}

// startTimeout exempts starts from the timeout of degraded mode that nothing repeats.
func startTimeout(ctx context.Context, x durable.Execution) context.Context {
	if x.Retried {
		return ctx
	}
	return withoutDegradedTimeout(ctx)
}

func (e *Engine) options(ctx context.Context, x durable.Execution) client.StartWorkflowOptions {
	o := client.StartWorkflowOptions{
		ID: x.ID, TaskQueue: e.queueOf(ctx, x.Queue), StaticSummary: x.Summary, StaticDetails: x.Details,
		WorkflowTaskTimeout: e.taskTimeout, WorkflowExecutionTimeout: x.Timeout, WorkflowRunTimeout: x.RunTimeout,
		EnableEagerStart:         x.Eager || x.Queue == durable.ExecQueue,
		WorkflowIDReusePolicy:    enums.WORKFLOW_ID_REUSE_POLICY_REJECT_DUPLICATE,
		WorkflowIDConflictPolicy: enums.WORKFLOW_ID_CONFLICT_POLICY_USE_EXISTING,
	}
	switch x.Again {
	case durable.Never:
	case durable.AfterFailure:
		o.WorkflowIDReusePolicy = enums.WORKFLOW_ID_REUSE_POLICY_ALLOW_DUPLICATE_FAILED_ONLY
	case durable.AfterEnd:
		o.WorkflowIDReusePolicy = enums.WORKFLOW_ID_REUSE_POLICY_ALLOW_DUPLICATE
	}
	if len(x.Attributes) > 0 {
		o.TypedSearchAttributes = temporal.NewSearchAttributes(x.Attributes...)
	}
	return o
}

// queueOf is the task queue of this installation for a kind of work.
func (e *Engine) queueOf(ctx context.Context, q durable.Queue) string {
	switch q {
	case durable.TurnQueue:
		return e.queue
	case durable.ProposalQueue:
		return e.proposalQueue(ctx)
	default:
		return e.prefix() + string(q)
	}
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

// State is the state of a workflow in Temporal.
type State = durable.State

// The states.
const (
	Missing = durable.Missing
	Running = durable.Running
	Closed  = durable.Closed
)

// Condition is the state of a workflow in Temporal.
type Condition struct {
	State State
	// Attempt is the pending or running attempt at its workflow task, from 1; 0 when it waits for a timer, a signal or an
	// activity. It rises while the task fails, as when the code panics or does not fit the history.
	Attempt int
	// Queued is set when no process has taken its workflow task.
	Queued bool
}

// Describe describes a workflow.
func (e *Engine) Describe(ctx context.Context, id string) (Condition, error) {
	ctx, cancel := context.WithTimeout(ctx, rpcTimeout)
	defer cancel()
	d, err := e.client.DescribeWorkflowExecution(ctx, id, "")
	if _, missing := errors.AsType[*serviceerror.NotFound](err); missing {
		return Condition{State: Missing}, nil
	}
	if err != nil {
		return Condition{}, fmt.Errorf("describe %s: %w", id, err)
	}
	if d.GetWorkflowExecutionInfo().GetStatus() != enums.WORKFLOW_EXECUTION_STATUS_RUNNING {
		return Condition{State: Closed}, nil
	}
	task := d.GetPendingWorkflowTask()
	return Condition{
		State: Running, Attempt: int(task.GetAttempt()), Queued: task.GetState() == enums.PENDING_WORKFLOW_TASK_STATE_SCHEDULED,
	}, nil
}

// State reports whether a workflow runs.
func (e *Engine) State(ctx context.Context, id string) (State, error) {
	c, err := e.Describe(ctx, id)
	return c.State, err
}

// Terminate terminates a workflow; one that has ended or never ran is no error.
func (e *Engine) Terminate(ctx context.Context, id, why string) error {
	ctx, cancel := context.WithTimeout(ctx, rpcTimeout)
	defer cancel()
	err := e.client.TerminateWorkflow(ctx, id, "", why)
	if _, gone := errors.AsType[*serviceerror.NotFound](err); gone {
		return nil
	}
	return store.Wrap("terminate "+id, err)
}
