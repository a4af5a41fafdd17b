package durable

import (
	"context"
	"errors"
	"fmt"
	"time"

	"github.com/google/uuid"
	"go.temporal.io/sdk/temporal"
)

// Queue is a task queue, by the kind of work in it. Queue names of a process may carry a prefix, so that several stacks can
// share a Temporal namespace.
type Queue string

// The task queues of modules.
const (
	// TurnQueue is that of turns, and of everything without a queue of its own.
	TurnQueue Queue = "countersign-turns"
	// ExecQueue is that of processes that run scripts.
	ExecQueue Queue = "countersign-exec"
	// AutomationQueue is that of runs of automations, which wait long and come in bursts.
	AutomationQueue Queue = "countersign-automations"
	// ProposalQueue is that of proposals and plans, which modules do not use. They are started on TurnQueue while no worker
	// polls it.
	ProposalQueue Queue = "countersign-proposals"
)

// Registration is a workflow of a module with its steps, for the workers of a queue.
type Registration struct {
	Queue    Queue
	Workflow Named
	Steps    []Named
}

// Named is the code of a workflow or a step under its stable name.
type Named struct {
	Name string
	Code any
}

// Named is the code of the workflow.
func (w Workflow[In, Out]) Named() Named { return Named{w.Name, w.Code} }

// Bind is the step as a module does it. Every step has input and output types of its own, so a function bound to another
// step does not compile.
func (s Step[In, Out]) Bind(do func(context.Context, In) (Out, error)) Named {
	return Named{s.Name, do}
}

// Check refuses registrations that no worker would serve, and names that are taken twice.
func Check(registrations ...Registration) error {
	var failed []error
	seen := map[string]bool{}
	for _, r := range registrations {
		if r.Queue != TurnQueue && r.Queue != ExecQueue && r.Queue != AutomationQueue {
			const message = "workflow %q is on the queue %q, which no worker of modules polls"
			failed = append(failed, fmt.Errorf(message, r.Workflow.Name, r.Queue))
		}
		for i, n := range append([]Named{r.Workflow}, r.Steps...) {
			key := n.Name
			if i > 0 {
				key = "step " + n.Name
			}
			if n.Name == "" || n.Code == nil || seen[key] {
				failed = append(failed, fmt.Errorf("workflow or step %q lacks its name or code, or is there twice", n.Name))
			}
			seen[key] = true
		}
	}
	return errors.Join(failed...)
}

// Again says when the start of an execution that has ended runs its workflow once more. One that runs stays as it is.
type Again int

// An execution is run once, again when its last run did not complete, or again whenever it has ended.
const (
	Never Again = iota
	AfterFailure
	AfterEnd
)

// Execution is a workflow to start.
type Execution struct {
	// ID identifies the execution: a second start of it finds the first one.
	ID    string
	Queue Queue
	// Summary describes the execution to operators, and Details says more, as Markdown.
	Summary, Details string
	// Attributes are search attributes, by which operators find the execution. They hold ids and names only.
	Attributes []temporal.SearchAttributeUpdate
	// Timeout bounds the whole execution, and RunTimeout one run of it; nothing does when zero.
	Timeout, RunTimeout time.Duration
	// Again says when a second start runs the workflow once more.
	Again Again
	// Eager lets a worker of this process begin at once.
	Eager bool
	// Retried says that something else starts the execution again when Temporal does not answer, so that callers wait less
	// during an outage.
	Retried bool

	// Workflow and Input are set by Workflow.Execute.
	Workflow string
	Input    any
}

// Execute completes an execution of the workflow.
func (w Workflow[In, Out]) Execute(e Execution, in In) Execution {
	e.Workflow, e.Input = w.Name, in
	return e
}

// Message is a signal to send.
type Message struct {
	Signal string
	Input  any
}

// With is the signal with its input.
func (s Signal[In]) With(in In) Message { return Message{s.Name, in} }

// Query is a query of a running workflow, under its stable name.
type Query[Out any] struct{ Name string }

// Of asks the workflow with the id.
func (q Query[Out]) Of(ctx context.Context, e Engine, id string) (out Out, err error) {
	err = e.Query(ctx, id, q.Name, &out)
	return out, err
}

// Engine starts workflows and reaches running ones by their ids. *worker.Engine implements it.
type Engine interface {
	// Start is idempotent: an execution that runs or has ended stays as it is.
	Start(ctx context.Context, e Execution) error
	// Signal returns problem.NotFound when no such workflow runs.
	Signal(ctx context.Context, id string, m Message) error
	// Query stores the answer in out; problem.NotFound when there is no such workflow.
	Query(ctx context.Context, id, query string, out any) error
	// Cancel is no error for a workflow that has ended.
	Cancel(ctx context.Context, id string) error
	State(ctx context.Context, id string) (State, error)
}

// State is the state of a workflow in Temporal.
type State int

// A missing workflow was never started or is forgotten, a closed one has ended or failed.
const (
	Missing State = iota
	Running
	Closed
)

// ID makes the id of an execution about a record, such as model-check/0199aa00-….
func ID(kind string, record uuid.UUID) string { return kind + "/" + record.String() }
