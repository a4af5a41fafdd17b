// Package worker connects the product to Temporal: it starts and signals workflows, runs workflows and activities from
// task queues, and reconciles what a crash has left between PostgreSQL and Temporal.
package worker

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"sync/atomic"
	"time"

	"github.com/google/uuid"
	"go.temporal.io/api/enums/v1"
	"go.temporal.io/api/serviceerror"
	"go.temporal.io/sdk/client"
	"go.temporal.io/sdk/temporal"

	"countersign/chat/turn"
	"countersign/crash"
	"countersign/tool/proposal"
	"countersign/workflows"
)

// taskTimeout is how soon Temporal misses a process that has a workflow task, where nobody has before. Shorter ones cost CPU: the task of a
// running step sends a heartbeat at 80 % of it.
const taskTimeout = 5 * time.Second

// turnTimeout is longer than any turn takes: sixteen model calls of ten minutes, and their tools. It is the last resort, when
// nobody has ended a turn that makes no progress.
const turnTimeout = 6 * time.Hour

// maxStarts bounds how many turns this process starts at the same moment. In a burst, starting all of them at once would
// take the processor from the model calls that have begun already; a start that waits delays nobody's first words.
const maxStarts = 8

// Engine starts and signals the product's workflows.
type Engine struct {
	client client.Client
	queue  string
	steps  int
	starts chan struct{}

	taskTimeout time.Duration
	// failed is when Temporal did not answer the last time, in nanoseconds since 1970; zero when it did.
	failed atomic.Int64

	url             string
	servesProposals bool
	proposals       served
	now             func(context.Context) (time.Time, error)
}

// EngineOptions are what an Engine is made of.
type EngineOptions struct {
	Client client.Client
	// Queue is the task queue of turns, and of proposals while nobody works on the queue of their own.
	Queue string
	// ServesProposals is set in a process that works on the queue of proposals.
	ServesProposals bool
	// MaxSteps is how many model calls a turn may make.
	MaxSteps int
	// TaskTimeout is how soon Temporal misses a process that has a workflow task; five seconds when zero.
	TaskTimeout time.Duration
	// URL is where the app is reached, without a slash at its end: the workflow of a turn links to the page that says how it went. "" leaves
	// the link out.
	URL string
	// Now is the time of the servers, which is that of the database; the clock of this process when nil.
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
		steps:           o.MaxSteps,
		taskTimeout:     cmp.Or(o.TaskTimeout, taskTimeout),
		url:             o.URL,
		starts:          make(chan struct{}, maxStarts),
		servesProposals: o.ServesProposals,
	}
}

// StartTurn starts the workflow of an accepted turn; a repeat finds the running one, and one that is closed stays so.
func (e *Engine) StartTurn(ctx context.Context, id uuid.UUID) error {
	options := e.turnOptions(id, "Turn")
	err := start(ctx, e, options, workflows.TurnWorkflow, workflows.TurnInput{TurnID: id, MaxSteps: e.steps, Prepare: true})
	crash.Point("turn.after-start", id)
	return ignoreStarted(err, "start turn")
}

// StartTurnOf is StartTurn with search attributes, by which operators find the turn.
func (e *Engine) StartTurnOf(ctx context.Context, id uuid.UUID, set turn.Settings) error {
	return e.startTurnOf(ctx, id, set, e.turnOptions(id, "Turn of "+set.Principal.Key()))
}

// RestartTurnOf ends the run of the turn's workflow and starts another, which finds what was recorded, in one step. The run that is ended
// appears as terminated.
func (e *Engine) RestartTurnOf(ctx context.Context, id uuid.UUID, set turn.Settings) error {
	options := e.turnOptions(id, "Turn of "+set.Principal.Key()+", begun anew as its process had died")
	options.WorkflowIDReusePolicy = enums.WORKFLOW_ID_REUSE_POLICY_ALLOW_DUPLICATE
	options.WorkflowIDConflictPolicy = enums.WORKFLOW_ID_CONFLICT_POLICY_TERMINATE_EXISTING
	return e.startTurnOf(ctx, id, set, options)
}

func (e *Engine) startTurnOf(ctx context.Context, id uuid.UUID, set turn.Settings, options client.StartWorkflowOptions) error {
	options.TypedSearchAttributes = temporal.NewSearchAttributes(
		attributeConversation.ValueSet(set.ConversationID.String()), attributePrincipal.ValueSet(set.Principal.Key()),
		attributeModel.ValueSet(set.Model), attributeConnection.ValueSet(set.ConnectionID.String()),
	)
	waiting, cancel := context.WithTimeout(ctx, patience)
	defer cancel()
	select {
	case e.starts <- struct{}{}:
	case <-waiting.Done():
		return fmt.Errorf("start turn: too many wait for Temporal: %w", context.Cause(waiting))
	}
	defer func() { <-e.starts }()
	err := start(ctx, e, options, workflows.TurnWorkflow, workflows.TurnInput{TurnID: id, MaxSteps: e.steps, Prepare: true})
	return ignoreStarted(err, "start turn")
}

// StopTurn wakes a turn that waits for its model provider.
func (e *Engine) StopTurn(ctx context.Context, id uuid.UUID) error {
	err := signal(ctx, e, workflows.TurnID(id), workflows.StopSignal, workflows.StopInput{})
	if _, gone := errors.AsType[*serviceerror.NotFound](err); gone {
		return nil
	}
	if err != nil {
		return fmt.Errorf("signal turn: %w", err)
	}
	return nil
}

// Start starts the workflow that waits for the decision about a proposal.
func (e *Engine) Start(ctx context.Context, c proposal.Card, ttl time.Duration) error {
	options := e.options(workflows.ProposalID(c.ProposalID), "Proposal of "+c.ToolName)
	options.TaskQueue = e.proposalQueue(ctx)
	attributes := []temporal.SearchAttributeUpdate{
		attributeTool.ValueSet(c.ToolName), attributePrincipal.ValueSet(string(c.Proposer.Kind) + ":" + c.Proposer.ID.String()),
		workflows.StatusAttribute.ValueSet(string(c.Status)),
	}
	if c.ConversationID != nil {
		attributes = append(attributes, attributeConversation.ValueSet(c.ConversationID.String()))
	}
	options.TypedSearchAttributes = temporal.NewSearchAttributes(attributes...)
	err := start(ctx, e, options, workflows.ProposalWorkflow, workflows.ProposalInput{ProposalID: c.ProposalID, TTL: ttl})
	return ignoreStarted(err, "start proposal")
}

// Decided tells a proposal's workflow to look at its row, starting it if it never was or had ended too soon.
func (e *Engine) Decided(ctx context.Context, id uuid.UUID, ttl time.Duration) error {
	options := e.options(workflows.ProposalID(id), "Proposal")
	options.TaskQueue = e.proposalQueue(ctx)
	options.WorkflowIDReusePolicy = enums.WORKFLOW_ID_REUSE_POLICY_ALLOW_DUPLICATE
	err := signalOrStart(ctx, e, options, workflows.DecidedSignal, workflows.DecidedInput{},
		workflows.ProposalWorkflow, workflows.ProposalInput{ProposalID: id, TTL: ttl})
	if err != nil {
		return fmt.Errorf("signal proposal: %w", err)
	}
	return nil
}

// TurnState is what Temporal knows of a turn.
type TurnState int

// A missing turn was never started, a closed one has ended or failed.
const (
	TurnMissing TurnState = iota
	TurnRunning
	TurnClosed
)

// Condition is what Temporal knows of a workflow.
type Condition struct {
	State TurnState
	// Attempt is which attempt at its workflow task is due or runs, from 1; 0 when it waits for a timer, a signal or an activity.
	// It rises while the task fails, as it does when the code panics or does not fit the history.
	Attempt int
	// Waits is set when no process has taken its workflow task.
	Waits bool
}

// Look asks Temporal about a turn.
func (e *Engine) Look(ctx context.Context, id uuid.UUID) (TurnState, error) {
	c, err := e.Examine(ctx, id)
	return c.State, err
}

// Examine asks Temporal how a turn is.
func (e *Engine) Examine(ctx context.Context, id uuid.UUID) (Condition, error) {
	return e.examine(ctx, workflows.TurnID(id))
}

// GiveUpTurn ends the workflow of a turn from outside, whatever it does. One that has ended stays as it is.
func (e *Engine) GiveUpTurn(ctx context.Context, id uuid.UUID, why string) error {
	return e.terminate(ctx, workflows.TurnID(id), why)
}

// ExamineDue asks Temporal how the workflow of a proposal is, or that of its plan if there is one. One that runs has been told.
func (e *Engine) ExamineDue(ctx context.Context, d proposal.Due) (Condition, error) {
	return e.examine(ctx, workflowOf(d))
}

// GiveUpDue ends the workflow that ExamineDue looks at; another run of it begins with what the rows say.
func (e *Engine) GiveUpDue(ctx context.Context, d proposal.Due, why string) error {
	return e.terminate(ctx, workflowOf(d), why)
}

func workflowOf(d proposal.Due) string {
	if d.Plan != uuid.Nil {
		return workflows.PlanID(d.Plan)
	}
	return workflows.ProposalID(d.ID)
}

func (e *Engine) examine(ctx context.Context, id string) (Condition, error) {
	ctx, cancel := context.WithTimeout(ctx, patience)
	defer cancel()
	d, err := e.client.DescribeWorkflowExecution(ctx, id, "")
	if _, missing := errors.AsType[*serviceerror.NotFound](err); missing {
		return Condition{State: TurnMissing}, nil
	}
	if err != nil {
		return Condition{}, fmt.Errorf("describe %s: %w", id, err)
	}
	if d.GetWorkflowExecutionInfo().GetStatus() != enums.WORKFLOW_EXECUTION_STATUS_RUNNING {
		return Condition{State: TurnClosed}, nil
	}
	task := d.GetPendingWorkflowTask()
	return Condition{
		State: TurnRunning, Attempt: int(task.GetAttempt()), Waits: task.GetState() == enums.PENDING_WORKFLOW_TASK_STATE_SCHEDULED,
	}, nil
}

// Ready reports whether the Temporal server answers.
func (e *Engine) Ready(ctx context.Context) error {
	_, err := e.client.CheckHealth(ctx, &client.CheckHealthRequest{})
	if err != nil {
		return fmt.Errorf("temporal: %w", err)
	}
	return nil
}

func (e *Engine) turnOptions(id uuid.UUID, summary string) client.StartWorkflowOptions {
	options := e.options(workflows.TurnID(id), summary)
	options.EnableEagerStart, options.WorkflowRunTimeout = true, turnTimeout
	if e.url != "" {
		options.StaticDetails = "[How this turn went](" + e.url + "/turns/" + id.String() + "): each step with its time, tokens and cost"
	}
	return options
}

func (e *Engine) options(id, summary string) client.StartWorkflowOptions {
	return client.StartWorkflowOptions{
		ID: id, TaskQueue: e.queue, WorkflowTaskTimeout: e.taskTimeout, StaticSummary: summary,
		WorkflowIDReusePolicy:    enums.WORKFLOW_ID_REUSE_POLICY_REJECT_DUPLICATE,
		WorkflowIDConflictPolicy: enums.WORKFLOW_ID_CONFLICT_POLICY_USE_EXISTING,
	}
}

func ignoreStarted(err error, what string) error {
	if temporal.IsWorkflowExecutionAlreadyStartedError(err) {
		return nil
	}
	if err != nil {
		return fmt.Errorf("%s: %w", what, err)
	}
	return nil
}
