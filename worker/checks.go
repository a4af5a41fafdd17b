package worker

import (
	"context"
	"fmt"
	"log/slog"
	"time"

	"go.temporal.io/api/enums/v1"
	"go.temporal.io/sdk/client"
	"go.temporal.io/sdk/interceptor"
	"go.temporal.io/sdk/worker"

	"countersign/activities"
	"countersign/check/engine"
	"countersign/store"
	"countersign/store/chore"
	"countersign/workflows"
)

// ChecksOptions configure a worker of the checks queue.
type ChecksOptions struct {
	Client client.Client
	Queue  string
	Engine *engine.Engine
	Log    *slog.Logger
	// DrainTimeout bounds how long a stopping worker waits for the handover of its shards.
	DrainTimeout time.Duration
}

// NewChecks makes the worker of checks; Start and Stop it.
func NewChecks(o ChecksOptions) (worker.Worker, error) {
	workflowSlots, err := worker.NewFixedSizeSlotSupplier(100)
	if err != nil {
		return nil, fmt.Errorf("make the worker of checks: %w", err)
	}
	few, err := worker.NewFixedSizeSlotSupplier(1)
	if err != nil {
		return nil, fmt.Errorf("make the worker of checks: %w", err)
	}
	tuner, err := worker.NewCompositeTuner(worker.CompositeTunerOptions{
		WorkflowSlotSupplier:        workflowSlots,
		ActivitySlotSupplier:        &fairShare{shares: o.Engine},
		LocalActivitySlotSupplier:   few,
		NexusSlotSupplier:           few,
		SessionActivitySlotSupplier: few,
	})
	if err != nil {
		return nil, fmt.Errorf("make the worker of checks: %w", err)
	}
	w := worker.New(o.Client, o.Queue, worker.Options{
		Tuner:                            tuner,
		MaxConcurrentWorkflowTaskPollers: 2,
		MaxConcurrentActivityTaskPollers: 2,
		StickyScheduleToStartTimeout:     time.Second,
		WorkerStopTimeout:                o.DrainTimeout,
		DisableEagerActivities:           true,
		Interceptors:                     []interceptor.WorkerInterceptor{&shardHeartbeats{client: o.Client, log: o.Log}, &steps{log: o.Log}},
		OnFatalError:                     func(err error) { o.Log.Error("Worker of checks stopped", "error", err) },
	})
	Register(w, workflows.CheckShardWorkflow)
	bindChecks(w, &activities.Checks{Shards: o.Engine})
	return w, nil
}

// Shards keeps every shard of the checks held.
type Shards struct {
	DB     *store.DB
	Engine *Engine
	// Count is how many shards there are.
	Count int
}

// Chores starts the workflows of unclaimed shards.
func (s *Shards) Chores() []chore.Chore {
	return []chore.Chore{{Name: "hold shards of checks", Every: 3 * time.Second, Do: s.Start}}
}

// Start starts the workflows of unclaimed shards; running ones continue.
func (s *Shards) Start(ctx context.Context) error {
	free, err := engine.FreeShards(ctx, s.DB, s.Count)
	if err != nil {
		return err
	}
	for _, shard := range free {
		if err := s.Engine.StartCheckShard(ctx, shard); err != nil {
			return err
		}
	}
	return nil
}

// StartCheckShard starts the workflow of a shard; a repeat finds the running one.
func (e *Engine) StartCheckShard(ctx context.Context, shard int16) error {
	options := e.options(e.prefix()+workflows.CheckShardID(shard), "Runs a part of the health checks")
	options.TaskQueue = e.prefix() + workflows.ChecksQueue
	options.WorkflowIDReusePolicy = enums.WORKFLOW_ID_REUSE_POLICY_ALLOW_DUPLICATE
	err := start(ctx, e, options, workflows.CheckShardWorkflow, workflows.CheckShardInput{Shard: shard})
	return ignoreStarted(err, "start a shard of the checks")
}
