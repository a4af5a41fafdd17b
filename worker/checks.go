package worker

import (
	"log/slog"

	"go.temporal.io/sdk/client"
	"go.temporal.io/sdk/worker"

	"countersign/activities"
	"countersign/workflows"
)

// ChecksOptions configure a worker of the checks queue.
type ChecksOptions struct {
	Client client.Client
	Queue  string
	Log    *slog.Logger
}

// NewChecks makes the worker that ends the shard workflows which an earlier version has left; Start and Stop it. Processes
// claim shards directly since.
func NewChecks(o ChecksOptions) worker.Worker {
	w := worker.New(o.Client, o.Queue, worker.Options{
		MaxConcurrentWorkflowTaskPollers: 2,
		MaxConcurrentActivityTaskPollers: 1,
		OnFatalError:                     func(err error) { o.Log.Error("Worker of checks stopped", "error", err) },
	})
	Register(w, workflows.CheckShardWorkflow)
	bindChecks(w, &activities.Checks{})
	return w
}
