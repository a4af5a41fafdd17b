// Package worker connects the product to Temporal: it starts and signals workflows, runs workflows and activities from
// task queues, and reconciles what a crash has left between PostgreSQL and Temporal.
package worker

import (
	"context"
	"errors"
	"fmt"
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

// workflowTaskTimeout is how soon a killed process is noticed. Shorter ones cost CPU: the task of a running step sends
// a heartbeat at 80 % of it.
const workflowTaskTimeout = 5 * time.Second

// maxStarts bounds how many turns this process starts at the same moment. In a burst, starting all of them at once would
// take the processor from the model calls that have begun already; a start that waits delays nobody's first words.
const maxStarts = 8

// Engine starts and signals the product's workflows.
type Engine struct {
	client client.Client
	queue  string
	steps  int
	starts chan struct{}
}

// EngineOptions are what an Engine is made of.
type EngineOptions struct {
	Client client.Client
	// Queue is the task queue of turns and proposals.
	Queue string
	// MaxSteps is how many model calls a turn may make.
	MaxSteps int
}

// NewEngine makes an engine.
func NewEngine(o EngineOptions) *Engine {
	return &Engine{client: o.Client, queue: o.Queue, steps: o.MaxSteps, starts: make(chan struct{}, maxStarts)}
}

// StartTurn starts the workflow of an accepted turn; a repeat finds the running one, and one that is closed stays so.
func (e *Engine) StartTurn(ctx context.Context, id uuid.UUID) error {
	options := e.options(workflows.TurnID(id), "Turn")
	options.EnableEagerStart = true
	err := start(ctx, e, options, workflows.TurnWorkflow, workflows.TurnInput{TurnID: id, MaxSteps: e.steps, Prepare: true})
	crash.Point("turn.after-start", id)
	return ignoreStarted(err, "start turn")
}

// StartTurnOf is StartTurn with search attributes, by which operators find the turn.
func (e *Engine) StartTurnOf(ctx context.Context, id uuid.UUID, set turn.Settings) error {
	options := e.options(workflows.TurnID(id), "Turn of "+set.Principal.Key())
	options.EnableEagerStart = true
	options.TypedSearchAttributes = temporal.NewSearchAttributes(
		attributeConversation.ValueSet(set.ConversationID.String()), attributePrincipal.ValueSet(set.Principal.Key()),
		attributeModel.ValueSet(set.Model), attributeConnection.ValueSet(set.ConnectionID.String()),
	)
	e.starts <- struct{}{}
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

// Look asks Temporal about a turn.
func (e *Engine) Look(ctx context.Context, id uuid.UUID) (TurnState, error) {
	d, err := e.client.DescribeWorkflowExecution(ctx, workflows.TurnID(id), "")
	if _, missing := errors.AsType[*serviceerror.NotFound](err); missing {
		return TurnMissing, nil
	}
	if err != nil {
		return TurnMissing, fmt.Errorf("describe turn: %w", err)
	}
	if d.GetWorkflowExecutionInfo().GetStatus() == enums.WORKFLOW_EXECUTION_STATUS_RUNNING {
		return TurnRunning, nil
	}
	return TurnClosed, nil
}

// Runs reports whether the workflow of a proposal, or that of the plan if there is one, runs: it has been told then.
func (e *Engine) Runs(ctx context.Context, d proposal.Due) (bool, error) {
	id := workflows.ProposalID(d.ID)
	if d.Plan != uuid.Nil {
		id = workflows.PlanID(d.Plan)
	}
	found, err := e.client.DescribeWorkflowExecution(ctx, id, "")
	if _, missing := errors.AsType[*serviceerror.NotFound](err); missing {
		return false, nil
	}
	if err != nil {
		return false, fmt.Errorf("describe proposal: %w", err)
	}
	return found.GetWorkflowExecutionInfo().GetStatus() == enums.WORKFLOW_EXECUTION_STATUS_RUNNING, nil
}

// Ready reports whether the Temporal server answers.
func (e *Engine) Ready(ctx context.Context) error {
	_, err := e.client.CheckHealth(ctx, &client.CheckHealthRequest{})
	if err != nil {
		return fmt.Errorf("temporal: %w", err)
	}
	return nil
}

func (e *Engine) options(id, summary string) client.StartWorkflowOptions {
	return client.StartWorkflowOptions{
		ID: id, TaskQueue: e.queue, WorkflowTaskTimeout: workflowTaskTimeout, StaticSummary: summary,
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
