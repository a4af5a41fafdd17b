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

// ProposalOptions are what a worker of the proposals queue runs.
type ProposalOptions struct {
	Client   client.Client
	Queue    string
	Proposal *activities.Proposal
	Log      *slog.Logger
	// DrainTimeout is how long a stopping worker lets running applies end; another process repeats what does not.
	DrainTimeout time.Duration
	// Suspension ends the steps that run; nil never does.
	Suspension *Suspension
}

// NewProposals makes the worker of proposals and plans; Start and Stop it. It has places of its own: the task of a turn lasts as long
// as its model answers, and what somebody has countersigned must not wait until one of a thousand answers ends.
func NewProposals(o ProposalOptions) worker.Worker {
	w := worker.New(o.Client, o.Queue, worker.Options{
		// A burst of decisions arrives as workflow tasks, each of which carries its change out.
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
	// servedFor is how long an answer about a queue is believed, pollFor a little more than a worker waits for a task before it asks again.
	servedFor = 10 * time.Second
	pollFor   = 75 * time.Second
)

// proposalQueue is where proposals and plans are started: the queue of their own, if somebody works on it. Workers of the version
// before do not, and do the work on the queue of turns, where workers of this version do it too: that of what was started there, and
// of what is started while both versions run.
func (e *Engine) proposalQueue(ctx context.Context) string {
	own := e.prefix() + workflows.ProposalQueue
	if e.servesProposals || e.proposals.served(ctx, e.client, e.now, own) {
		return own
	}
	return e.queue
}

// served remembers whether somebody works on a queue.
type served struct {
	mu    sync.Mutex
	yes   bool
	until time.Time
}

func (s *served) served(ctx context.Context, c client.Client, clock func(context.Context) (time.Time, error), queue string) bool {
	s.mu.Lock()
	defer s.mu.Unlock()
	if time.Now().Before(s.until) {
		return s.yes
	}
	ctx, cancel := context.WithTimeout(ctx, time.Second)
	defer cancel()
	d, err := c.DescribeTaskQueue(ctx, queue, enums.TASK_QUEUE_TYPE_WORKFLOW)
	// It was Temporal that looked at its clock: that of this process may be another.
	now, clockErr := clock(ctx)
	err = errors.Join(err, clockErr)
	// Whatever went wrong, the queue of turns is right.
	s.yes, s.until = false, time.Now().Add(servedFor)
	if err != nil {
		s.until = time.Now().Add(time.Second)
	}
	for _, p := range d.GetPollers() {
		s.yes = s.yes || err == nil && now.Sub(p.GetLastAccessTime().AsTime()) < pollFor
	}
	return s.yes
}
