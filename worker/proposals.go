package worker

import (
	"context"
	"errors"
	"log/slog"
	"sync"
	"time"

	"go.temporal.io/api/enums/v1"
	"go.temporal.io/sdk/client"
	"go.temporal.io/sdk/interceptor"
	"go.temporal.io/sdk/worker"

	"countersign/activities"
	"countersign/workflows"
)

// ProposalOptions configure a worker of the proposals queue.
type ProposalOptions struct {
	Client   client.Client
	Queue    string
	Proposal *activities.Proposal
	Log      *slog.Logger
	// DrainTimeout bounds how long a stopping worker lets running applies finish; another process repeats the others.
	DrainTimeout time.Duration
	// Suspension abandons the running steps; nil never does.
	Suspension *Suspension
}

// NewProposals makes the worker of proposals and plans; Start and Stop it. It has slots of its own, so that decided
// changes never wait for the workflow tasks of turns, which last as long as their model calls.
func NewProposals(o ProposalOptions) worker.Worker {
	w := worker.New(o.Client, o.Queue, worker.Options{
		// A burst of decisions arrives as workflow tasks, each of which applies its change.
		MaxConcurrentWorkflowTaskPollers:       8,
		MaxConcurrentActivityTaskPollers:       2,
		MaxConcurrentWorkflowTaskExecutionSize: 200,
		MaxConcurrentActivityExecutionSize:     100,
		StickyScheduleToStartTimeout:           time.Second,
		MaxHeartbeatThrottleInterval:           500 * time.Millisecond,
		WorkerStopTimeout:                      o.DrainTimeout,
		Interceptors: []interceptor.WorkerInterceptor{
			&heartbeats{},
			&steps{log: o.Log, suspension: o.Suspension},
		},
		OnFatalError: func(err error) { o.Log.Error("Worker of proposals stopped", "error", err) },
	})
	Register(w, workflows.ProposalWorkflow)
	Register(w, workflows.PlanWorkflow)
	bindProposal(w, o.Proposal)
	return w
}

const (
	// probeTTL is how long the answer about a queue is cached, pollerTTL a little more than one long poll of a worker.
	probeTTL  = 10 * time.Second
	pollerTTL = 75 * time.Second
)

// proposalQueue is the queue that proposals and plans are started on: their own if any worker polls it. Workers of the
// version before poll only the queue of turns, as workers of this version do too, for everything that was or is started
// there while both versions run.
func (e *Engine) proposalQueue(ctx context.Context) string {
	own := e.prefix() + workflows.ProposalQueue
	if e.servesProposals || e.proposals.isServed(ctx, e.client, e.now, own) {
		return own
	}
	return e.queue
}

// queueProbe caches whether any worker polls a queue.
type queueProbe struct {
	mu     sync.Mutex
	served bool
	until  time.Time
}

func (s *queueProbe) isServed(ctx context.Context, c client.Client, clock func(context.Context) (time.Time, error), queue string) bool {
	s.mu.Lock()
	defer s.mu.Unlock()
	if time.Now().Before(s.until) {
		return s.served
	}
	ctx, cancel := context.WithTimeout(ctx, time.Second)
	defer cancel()
	d, err := c.DescribeTaskQueue(ctx, queue, enums.TASK_QUEUE_TYPE_WORKFLOW)
	// Last access times are by Temporal's clock, and this process may have a clock skew.
	now, clockErr := clock(ctx)
	err = errors.Join(err, clockErr)
	// After an error, the queue of turns is right.
	s.served, s.until = false, time.Now().Add(probeTTL)
	if err != nil {
		s.until = time.Now().Add(time.Second)
	}
	for _, p := range d.GetPollers() {
		s.served = s.served || err == nil && now.Sub(p.GetLastAccessTime().AsTime()) < pollerTTL
	}
	return s.served
}
