package worker

import (
	"context"
	"errors"
	"log/slog"
	"time"

	"github.com/google/uuid"
	"go.temporal.io/api/serviceerror"
	"go.temporal.io/sdk/client"
	"go.temporal.io/sdk/interceptor"
	"go.temporal.io/sdk/worker"

	"countersign/activities"
	"countersign/workflows"
)

// ExecOptions configure a worker of the exec queue.
type ExecOptions struct {
	Client client.Client
	Queue  string
	Script *activities.Script
	Log    *slog.Logger
	// Scripts is the number of scripts that this worker runs in parallel.
	Scripts int
	// DrainTimeout bounds how long a stopping worker lets running scripts finish.
	DrainTimeout time.Duration
}

// NewExec makes the worker of scripts; Start and Stop it.
func NewExec(o ExecOptions) worker.Worker {
	w := worker.New(o.Client, o.Queue, worker.Options{
		MaxConcurrentWorkflowTaskPollers: 2,
		// A poller occupies a slot; the other slots are for scripts that Temporal dispatches eagerly.
		MaxConcurrentActivityTaskPollers:   1,
		MaxConcurrentActivityExecutionSize: o.Scripts,
		StickyScheduleToStartTimeout:       time.Second,
		MaxHeartbeatThrottleInterval:       500 * time.Millisecond,
		WorkerStopTimeout:                  o.DrainTimeout,
		Interceptors:                       []interceptor.WorkerInterceptor{&heartbeats{}, &steps{log: o.Log}},
		OnFatalError:                       func(err error) { o.Log.Error("Worker of scripts stopped", "error", err) },
	})
	Register(w, workflows.ScriptTestWorkflow)
	Register(w, workflows.ToolCallWorkflow)
	bindScript(w, o.Script)
	return w
}

// execTimeout bounds the workflow of a test or a call, whose caller has given up long before. Temporal also bounds the
// activity by it, and the SDK compares the end with the clock of its process: a larger clock skew would end every
// script before it starts.
const execTimeout = 2*time.Minute + workflows.MaxClockSkew

// StartScriptTest starts the workflow that tests a script; a repeat finds the running one.
func (e *Engine) StartScriptTest(ctx context.Context, id uuid.UUID, timeout time.Duration) error {
	options := e.execOptions(workflows.ScriptTestID(id), "Test of a script")
	err := start(
		withoutDegradedTimeout(ctx),
		e,
		options,
		workflows.ScriptTestWorkflow,
		workflows.ScriptTestInput{TestID: id, Timeout: timeout},
	)
	return ignoreStarted(err, "start test of a script")
}

// StartToolCall starts the workflow that calls a tool; a repeat finds the running one.
func (e *Engine) StartToolCall(ctx context.Context, id uuid.UUID, timeout time.Duration) error {
	options := e.execOptions(workflows.ToolCallID(id), "Call of a tool")
	err := start(withoutDegradedTimeout(ctx), e, options, workflows.ToolCallWorkflow, workflows.ToolCallInput{CallID: id, Timeout: timeout})
	return ignoreStarted(err, "start call of a tool")
}

// CancelScriptTest cancels a test; one that has ended is no error.
func (e *Engine) CancelScriptTest(ctx context.Context, id uuid.UUID) error {
	return e.cancelWorkflow(ctx, workflows.ScriptTestID(id))
}

// CancelToolCall cancels a call; one that has ended is no error.
func (e *Engine) CancelToolCall(ctx context.Context, id uuid.UUID) error {
	return e.cancelWorkflow(ctx, workflows.ToolCallID(id))
}

func (e *Engine) execOptions(id, summary string) client.StartWorkflowOptions {
	options := e.options(id, summary)
	options.TaskQueue = e.prefix() + workflows.ExecQueue
	options.EnableEagerStart = true
	options.WorkflowExecutionTimeout = execTimeout
	return options
}

func (e *Engine) cancelWorkflow(ctx context.Context, id string) error {
	ctx, cancel := context.WithTimeout(ctx, rpcTimeout)
	defer cancel()
	err := e.client.CancelWorkflow(ctx, id, "")
	if _, gone := errors.AsType[*serviceerror.NotFound](err); gone {
		return nil
	}
	return err
}
