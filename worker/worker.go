package worker

import (
	"log/slog"
	"time"

	"go.temporal.io/sdk/client"
	"go.temporal.io/sdk/interceptor"
	"go.temporal.io/sdk/worker"

	"countersign/activities"
	"countersign/internal/durable"
)

// Options configure a worker.
type Options struct {
	Client    client.Client
	Queue     string
	Turn      *activities.Turn
	Proposal  *activities.Proposal
	Retention *activities.Retention
	// Modules are the workflows of modules on this queue.
	Modules []durable.Registration
	Log     *slog.Logger
	// DrainTimeout bounds how long a stopping worker lets running steps finish (graceful shutdown); another process
	// repeats the others.
	DrainTimeout time.Duration
	// Suspension abandons the running steps; nil never does.
	Suspension *Suspension
}

// New makes the worker of turns, and of everything without a queue of its own; Start and Stop it. It also runs
// proposals that were started on the queue of turns.
func New(o Options) worker.Worker {
	w := worker.New(o.Client, o.Queue, worker.Options{
		MaxConcurrentWorkflowTaskPollers:        8,
		MaxConcurrentActivityTaskPollers:        4,
		MaxConcurrentWorkflowTaskExecutionSize:  1000,
		MaxConcurrentLocalActivityExecutionSize: 2000,
		MaxConcurrentActivityExecutionSize:      200,
		StickyScheduleToStartTimeout:            time.Second,
		MaxHeartbeatThrottleInterval:            500 * time.Millisecond,
		WorkerStopTimeout:                       o.DrainTimeout,
		// A failing workflow task is retried and does not fail its workflow: while two versions run, the other one may be
		// able to continue. The Reconciler ends the others.
		WorkflowPanicPolicy: worker.BlockWorkflow,
		Interceptors:        []interceptor.WorkerInterceptor{&heartbeats{}, &steps{log: o.Log, suspension: o.Suspension}},
		OnFatalError:        func(err error) { o.Log.Error("Worker stopped", "error", err) },
	})
	RegisterWorkflows(w)
	bindTurn(w, o.Turn)
	bindProposal(w, o.Proposal)
	bindRetention(w, o.Retention)
	RegisterModules(w, o.Modules)
	return w
}
