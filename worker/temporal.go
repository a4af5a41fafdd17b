// Package worker connects the product to Temporal: it starts and signals workflows, runs workflows and activities from
// task queues, and reconciles PostgreSQL and Temporal after crashes.
package worker

import (
	"cmp"
	"context"
	"fmt"
	"sync/atomic"
	"time"

	"go.temporal.io/sdk/client"
)

// taskTimeout is the workflow task timeout, after which Temporal detects a dead process itself. A shorter one costs
// CPU: the task of a running step sends a heartbeat at 80 % of it.
const taskTimeout = 5 * time.Second

// Engine starts workflows, and reaches running ones by their ids. It knows none of them: executions are declared beside
// their workflows.
type Engine struct {
	client client.Client
	queue  string

	taskTimeout time.Duration
	// lastUnavailable is when Temporal last did not answer, in nanoseconds since 1970; zero after an answer.
	lastUnavailable atomic.Int64

	servesProposals bool
	proposals       queueProbe
	now             func(context.Context) (time.Time, error)
}

// EngineOptions configure an Engine.
type EngineOptions struct {
	Client client.Client
	// Queue is the task queue of turns, and of proposals while no worker polls the queue of their own.
	Queue string
	// ServesProposals is set in a process that polls the queue of proposals.
	ServesProposals bool
	// TaskTimeout is the workflow task timeout; five seconds when zero.
	TaskTimeout time.Duration
	// Now is the database's clock; that of this process when nil.
	Now func(context.Context) (time.Time, error)
}

// NewEngine makes an engine.
func NewEngine(o EngineOptions) *Engine {
	if o.Now == nil {
		o.Now = func(context.Context) (time.Time, error) { return time.Now(), nil }
	}
	return &Engine{
		now:             o.Now,
		client:          o.Client,
		queue:           o.Queue,
		taskTimeout:     cmp.Or(o.TaskTimeout, taskTimeout),
		servesProposals: o.ServesProposals,
	}
}

// Ready reports whether the Temporal server answers.
func (e *Engine) Ready(ctx context.Context) error {
	_, err := e.client.CheckHealth(ctx, &client.CheckHealthRequest{})
	if err != nil {
		return fmt.Errorf("temporal: %w", err)
	}
	return nil
}
