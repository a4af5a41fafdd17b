package worker

import (
	"log/slog"
	"time"

	"go.temporal.io/sdk/client"
	"go.temporal.io/sdk/interceptor"
	"go.temporal.io/sdk/worker"

	"countersign/internal/durable"
)

// ModulesOptions configure a worker of a queue on which only modules have workflows.
type ModulesOptions struct {
	Client  client.Client
	Queue   string
	Modules []durable.Registration
	Log     *slog.Logger
	// DrainTimeout bounds how long a stopping worker lets running steps finish.
	DrainTimeout time.Duration
	// Suspension abandons the running steps; nil never does.
	Suspension *Suspension
}

// NewModules makes the worker of such a queue; Start and Stop it.
func NewModules(o ModulesOptions) worker.Worker {
	w := worker.New(o.Client, o.Queue, worker.Options{
		MaxConcurrentWorkflowTaskPollers:        2,
		MaxConcurrentActivityTaskPollers:        2,
		MaxConcurrentWorkflowTaskExecutionSize:  200,
		MaxConcurrentLocalActivityExecutionSize: 400,
		MaxConcurrentActivityExecutionSize:      200,
		StickyScheduleToStartTimeout:            time.Second,
		MaxHeartbeatThrottleInterval:            500 * time.Millisecond,
		WorkerStopTimeout:                       o.DrainTimeout,
		// As in New: another version may be able to continue the workflow.
		WorkflowPanicPolicy: worker.BlockWorkflow,
		Interceptors:        []interceptor.WorkerInterceptor{&heartbeats{}, &steps{log: o.Log, suspension: o.Suspension}},
		OnFatalError:        func(err error) { o.Log.Error("Worker stopped", "queue", o.Queue, "error", err) },
	})
	RegisterModules(w, o.Modules)
	return w
}
