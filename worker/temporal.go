// Package worker connects the product to Temporal: it starts and signals workflows, runs workflows and activities from
// task queues, and reconciles PostgreSQL and Temporal after crashes.
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
	"countersign/internal/crash"
	"countersign/tool/proposal"
	"countersign/workflows"
)

// taskTimeout is the workflow task timeout, after which Temporal detects a dead process itself. A shorter one costs
// CPU: the task of a running step sends a heartbeat at 80 % of it.
const taskTimeout = 5 * time.Second

// turnTimeout is longer than any turn: sixteen model calls of ten minutes, and their tools. It is the last resort for
// turns that the reconciler did not end.
const turnTimeout = 6 * time.Hour

// maxConcurrentStarts bounds how many turns this process starts concurrently. A burst of starts would take CPU time
// from running model calls; a delayed start delays no first words.
const maxConcurrentStarts = 8

// Engine starts and signals the product's workflows.
type Engine struct {
	client client.Client
	queue  string
	steps  int
	starts chan struct{}

	taskTimeout time.Duration
	// lastUnavailable is when Temporal last did not answer, in nanoseconds since 1970; zero after an answer.
	lastUnavailable atomic.Int64

	url             string
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
	// MaxSteps bounds the model calls of a turn.
	MaxSteps int
	// TaskTimeout is the workflow task timeout; five seconds when zero.
	TaskTimeout time.Duration
	// URL is the public URL of the app, without a trailing slash, for the link from a turn's workflow to its details page.
	// "" leaves the link out.
	URL string
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
		steps:           o.MaxSteps,
		taskTimeout:     cmp.Or(o.TaskTimeout, taskTimeout),
		url:             o.URL,
		starts:          make(chan struct{}, maxConcurrentStarts),
		servesProposals: o.ServesProposals,
	}
}

// StartTurn starts the workflow of an accepted turn. It is idempotent: a running or closed one stays as it is.
func (e *Engine) StartTurn(ctx context.Context, id uuid.UUID) error {
	options := e.turnOptions(id, "Turn")
	err := start(ctx, e, options, workflows.TurnWorkflow, workflows.TurnInput{TurnID: id, MaxSteps: e.steps, Prepare: true})
	crash.Point("turn.after-start", id)
	return ignoreStarted(err, "start turn")
}

// StartTurnOf is StartTurn with search attributes, by which operators find the turn.
func (e *Engine) StartTurnOf(ctx context.Context, id uuid.UUID, set turn.Settings) error {
	options := e.turnOptions(id, "Turn of "+set.Principal.Key())
	options.TypedSearchAttributes = temporal.NewSearchAttributes(
		attributeConversation.ValueSet(set.ConversationID.String()), attributePrincipal.ValueSet(set.Principal.Key()),
		attributeModel.ValueSet(set.Model), attributeConnection.ValueSet(set.ConnectionID.String()),
	)
	waiting, cancel := context.WithTimeout(ctx, rpcTimeout)
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

// StartProposal starts the workflow that waits for the decision about a proposal.
func (e *Engine) StartProposal(ctx context.Context, c proposal.Card, ttl time.Duration) error {
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

// Decided signals a proposal's workflow to read its row, starting it if it does not run.
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

// TurnState is the state of a turn's workflow in Temporal.
type TurnState int

// A missing turn was never started, a closed one has ended or failed.
const (
	TurnMissing TurnState = iota
	TurnRunning
	TurnClosed
)

// Condition is the state of a workflow in Temporal.
type Condition struct {
	State TurnState
	// Attempt is the pending or running attempt at its workflow task, from 1; 0 when it waits for a timer, a signal or an
	// activity. It rises while the task fails, as when the code panics or does not fit the history.
	Attempt int
	// Queued is set when no process has taken its workflow task.
	Queued bool
}

// TurnState describes the state of a turn's workflow.
func (e *Engine) TurnState(ctx context.Context, id uuid.UUID) (TurnState, error) {
	c, err := e.DescribeTurn(ctx, id)
	return c.State, err
}

// DescribeTurn describes the workflow of a turn.
func (e *Engine) DescribeTurn(ctx context.Context, id uuid.UUID) (Condition, error) {
	return e.examine(ctx, workflows.TurnID(id))
}

// TerminateStalledTurn terminates the workflow of a turn. One that has ended stays as it is.
func (e *Engine) TerminateStalledTurn(ctx context.Context, id uuid.UUID, why string) error {
	return e.terminate(ctx, workflows.TurnID(id), why)
}

// DescribeDue describes the workflow of a proposal, or that of its plan if there is one. One that runs knows the
// decision.
func (e *Engine) DescribeDue(ctx context.Context, d proposal.Due) (Condition, error) {
	return e.examine(ctx, workflowOf(d))
}

// TerminateStalledDue terminates the workflow that DescribeDue describes; another run of it continues from the rows.
func (e *Engine) TerminateStalledDue(ctx context.Context, d proposal.Due, why string) error {
	return e.terminate(ctx, workflowOf(d), why)
}

func workflowOf(d proposal.Due) string {
	if d.Plan != uuid.Nil {
		return workflows.PlanID(d.Plan)
	}
	return workflows.ProposalID(d.ID)
}

func (e *Engine) examine(ctx context.Context, id string) (Condition, error) {
	ctx, cancel := context.WithTimeout(ctx, rpcTimeout)
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
		State: TurnRunning, Attempt: int(task.GetAttempt()), Queued: task.GetState() == enums.PENDING_WORKFLOW_TASK_STATE_SCHEDULED,
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
