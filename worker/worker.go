package worker

import (
	"log/slog"
	"time"

	"go.temporal.io/sdk/client"
	"go.temporal.io/sdk/interceptor"
	"go.temporal.io/sdk/worker"

	"countersign/activities"
)

// Options are what a worker runs.
type Options struct {
	Client    client.Client
	Queue     string
	Turn      *activities.Turn
	Proposal  *activities.Proposal
	Retention *activities.Retention
	// ModelCheck plays the situations of checks of models.
	ModelCheck *activities.ModelCheck
	Log        *slog.Logger
	// DrainTimeout is how long a stopping worker lets running steps end; another process repeats what does not.
	DrainTimeout time.Duration
	// Suspension ends the steps that run; nil never does.
	Suspension *Suspension
}

// New makes the worker of turns, and of all that has no queue of its own; Start and Stop it. Proposals that were started before they had
// one, or by a process that has not heard of anybody who works on it, are carried out here.
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
		// A task whose code panics, or does not fit the history, is tried again, and not the end of its workflow: while two
		// versions run beside one another, the other one may be able to go on. What nobody can go on with, the Reconciler ends.
		WorkflowPanicPolicy: worker.BlockWorkflow,
		Interceptors:        []interceptor.WorkerInterceptor{&heartbeats{}, &steps{log: o.Log, suspension: o.Suspension}},
		OnFatalError:        func(err error) { o.Log.Error("Worker stopped", "error", err) },
	})
	RegisterWorkflows(w)
	bindTurn(w, o.Turn)
	bindProposal(w, o.Proposal)
	bindRetention(w, o.Retention)
	bindModelCheck(w, o.ModelCheck)
	return w
}
