package worker

import (
	"log/slog"
	"time"

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
