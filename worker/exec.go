package worker

import (
	"context"
	"log/slog"
	"time"

	"github.com/google/uuid"
	"go.temporal.io/sdk/client"
	"go.temporal.io/sdk/interceptor"
	"go.temporal.io/sdk/worker"

	"countersign/activities"
	"countersign/internal/durable"
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
	// Modules are the workflows of modules on this queue.
	Modules []durable.Registration
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
	RegisterModules(w, o.Modules)
	return w
}

// execTimeout bounds the workflow of a test or a call, whose caller has given up long before. Temporal also bounds the
// activity by it, and the SDK compares the end with the clock of its process: a larger clock skew would end every
// script before it starts.
const execTimeout = 2*time.Minute + durable.MaxClockSkew

// StartScriptTest starts the workflow that tests a script; a repeat finds the running one.
func (e *Engine) StartScriptTest(ctx context.Context, id uuid.UUID, timeout time.Duration) error {
	return e.Start(ctx, workflows.ScriptTestWorkflow.Execute(
		durable.Execution{ID: workflows.ScriptTestID(id), Queue: durable.ExecQueue, Summary: "Test of a script", Timeout: execTimeout},
		workflows.ScriptTestInput{TestID: id, Timeout: timeout},
	))
}

// StartToolCall starts the workflow that calls a tool; a repeat finds the running one.
func (e *Engine) StartToolCall(ctx context.Context, id uuid.UUID, timeout time.Duration) error {
	return e.Start(ctx, workflows.ToolCallWorkflow.Execute(
		durable.Execution{ID: workflows.ToolCallID(id), Queue: durable.ExecQueue, Summary: "Call of a tool", Timeout: execTimeout},
		workflows.ToolCallInput{CallID: id, Timeout: timeout},
	))
}

// CancelScriptTest cancels a test; one that has ended is no error.
func (e *Engine) CancelScriptTest(ctx context.Context, id uuid.UUID) error {
	return e.Cancel(ctx, workflows.ScriptTestID(id))
}

// CancelToolCall cancels a call; one that has ended is no error.
func (e *Engine) CancelToolCall(ctx context.Context, id uuid.UUID) error {
	return e.Cancel(ctx, workflows.ToolCallID(id))
}
