package worker

import (
	"context"
	"fmt"

	"countersign/event"
	"countersign/internal/durable"
)

// Dispatcher starts the workflows of events (event.Starter), each on the queue of its declaration.
type Dispatcher struct {
	engine *Engine
	queues map[string]durable.Queue
}

// Dispatcher starts the declared workflows.
func (e *Engine) Dispatcher(declared ...durable.Registration) Dispatcher {
	queues := make(map[string]durable.Queue, len(declared))
	for _, r := range declared {
		queues[r.Workflow.Name] = r.Queue
	}
	return Dispatcher{e, queues}
}

// StartDispatched implements event.Starter. A workflow that was started stays as it is, running or closed.
func (d Dispatcher) StartDispatched(ctx context.Context, s event.Start) error {
	queue, ok := d.queues[s.Workflow]
	if !ok {
		return fmt.Errorf("no module of this version declares the workflow %q", s.Workflow)
	}
	return d.engine.Start(ctx, durable.Execution{
		ID: s.ID, Queue: queue, Summary: "Event workflow " + s.Workflow, Retried: true, Workflow: s.Workflow, Input: s.Input,
	})
}
