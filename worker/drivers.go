package worker

import (
	"context"
	"fmt"
	"time"

	"github.com/google/uuid"
	"go.temporal.io/sdk/temporal"

	"countersign/chat/turn"
	"countersign/internal/crash"
	"countersign/internal/durable"
	"countersign/internal/problem"
	"countersign/tool/proposal"
	"countersign/workflows"
)

// Drivers connect packages below the workflows to the engine: each has the interface of one of them, and starts what is
// declared beside the workflow.

// maxConcurrentStarts bounds how many turns this process starts concurrently. A burst of starts would take CPU time
// from running model calls; a delayed start delays no first words.
const maxConcurrentStarts = 8

// TurnDriver starts and stops turns.
type TurnDriver struct {
	engine *Engine
	steps  int
	url    string
	starts chan struct{}
}

// NewTurnDriver makes the driver of turns with at most that many model calls each. The URL is that of the app, without a
// trailing slash, for the link from a turn's workflow to its details page; "" leaves the link out.
func NewTurnDriver(e *Engine, maxSteps int, url string) *TurnDriver {
	return &TurnDriver{engine: e, steps: maxSteps, url: url, starts: make(chan struct{}, maxConcurrentStarts)}
}

// StartTurn starts the workflow of an accepted turn. It is idempotent: a running or closed one stays as it is.
func (d *TurnDriver) StartTurn(ctx context.Context, id uuid.UUID) error {
	err := d.engine.Start(ctx, d.execution(id))
	crash.Point("turn.after-start", id)
	return err
}

// StartTurnOf is StartTurn with search attributes, by which operators find the turn.
func (d *TurnDriver) StartTurnOf(ctx context.Context, id uuid.UUID, set turn.Settings) error {
	x := d.execution(id)
	x.Summary = "Turn of " + set.Principal.Key()
	x.Attributes = []temporal.SearchAttributeUpdate{
		attributeConversation.ValueSet(set.ConversationID.String()), attributePrincipal.ValueSet(set.Principal.Key()),
		attributeModel.ValueSet(set.Model), attributeConnection.ValueSet(set.ConnectionID.String()),
	}
	waiting, cancel := context.WithTimeout(ctx, rpcTimeout)
	defer cancel()
	select {
	case d.starts <- struct{}{}:
	case <-waiting.Done():
		return fmt.Errorf("start turn: too many wait for Temporal: %w", context.Cause(waiting))
	}
	defer func() { <-d.starts }()
	return d.engine.Start(ctx, x)
}

// StopTurn wakes a turn that waits for its model provider.
func (d *TurnDriver) StopTurn(ctx context.Context, id uuid.UUID) error {
	err := d.engine.Signal(ctx, workflows.TurnID(id), workflows.StopSignal.With(workflows.StopInput{}))
	if problem.Is(err, problem.NotFound) {
		return nil
	}
	return err
}

func (d *TurnDriver) execution(id uuid.UUID) durable.Execution {
	x := workflows.TurnExecution(workflows.TurnInput{TurnID: id, MaxSteps: d.steps, Prepare: true})
	if d.url != "" {
		x.Details = "[How this turn went](" + d.url + "/turns/" + id.String() + "): each step with its time, tokens and cost"
	}
	return x
}

// ProposalDriver starts and signals the workflows of proposals and plans (proposal.Driver).
type ProposalDriver struct{ Engine *Engine }

// StartProposal starts the workflow that waits for the decision about a proposal.
func (d ProposalDriver) StartProposal(ctx context.Context, c proposal.Card, ttl time.Duration) error {
	x := workflows.ProposalExecution(workflows.ProposalInput{ProposalID: c.ProposalID, TTL: ttl})
	x.Summary = "Proposal of " + c.ToolName
	x.Attributes = []temporal.SearchAttributeUpdate{
		attributeTool.ValueSet(c.ToolName), attributePrincipal.ValueSet(string(c.Proposer.Kind) + ":" + c.Proposer.ID.String()),
		workflows.StatusAttribute.ValueSet(string(c.Status)),
	}
	if c.ConversationID != nil {
		x.Attributes = append(x.Attributes, attributeConversation.ValueSet(c.ConversationID.String()))
	}
	return d.Engine.Start(ctx, x)
}

// Decided signals a proposal's workflow to read its row, starting it if it does not run.
func (d ProposalDriver) Decided(ctx context.Context, id uuid.UUID, ttl time.Duration) error {
	x := workflows.ProposalExecution(workflows.ProposalInput{ProposalID: id, TTL: ttl})
	x.Again = durable.AfterEnd
	return d.Engine.SignalOrStart(ctx, x, workflows.DecidedSignal.With(workflows.DecidedInput{}))
}

// DecidedPlan starts the workflow of a decided plan, again if it has ended.
func (d ProposalDriver) DecidedPlan(ctx context.Context, plan uuid.UUID) error {
	return d.Engine.Start(ctx, workflows.PlanExecution(workflows.PlanInput{PlanID: plan}, durable.AfterEnd))
}

// EnsurePlan starts the workflow of a decided plan unless it runs or has completed.
func (d ProposalDriver) EnsurePlan(ctx context.Context, plan uuid.UUID) error {
	return d.Engine.Start(ctx, workflows.PlanExecution(workflows.PlanInput{PlanID: plan}, durable.AfterFailure))
}

// ScriptDriver starts and cancels tests of scripts and calls of tools (script.Starter).
type ScriptDriver struct{ Engine durable.Engine }

// StartScriptTest starts the workflow that tests a script; a repeat finds the running one.
func (d ScriptDriver) StartScriptTest(ctx context.Context, id uuid.UUID, timeout time.Duration) error {
	return d.Engine.Start(ctx, workflows.ScriptTestExecution(workflows.ScriptTestInput{TestID: id, Timeout: timeout}))
}

// StartToolCall starts the workflow that calls a tool; a repeat finds the running one.
func (d ScriptDriver) StartToolCall(ctx context.Context, id uuid.UUID, timeout time.Duration) error {
	return d.Engine.Start(ctx, workflows.ToolCallExecution(workflows.ToolCallInput{CallID: id, Timeout: timeout}))
}

// CancelScriptTest cancels a test; one that has ended is no error.
func (d ScriptDriver) CancelScriptTest(ctx context.Context, id uuid.UUID) error {
	return d.Engine.Cancel(ctx, workflows.ScriptTestID(id))
}

// CancelToolCall cancels a call; one that has ended is no error.
func (d ScriptDriver) CancelToolCall(ctx context.Context, id uuid.UUID) error {
	return d.Engine.Cancel(ctx, workflows.ToolCallID(id))
}

// ErasureDriver starts erasures (conversation.Driver).
type ErasureDriver struct{ Engine durable.Engine }

// StartErasure starts the workflow of an erasure, again if it was terminated; a repeat finds the running one.
func (d ErasureDriver) StartErasure(ctx context.Context, id uuid.UUID) error {
	return d.Engine.Start(ctx, workflows.ErasureExecution(workflows.ErasureInput{ErasureID: id}))
}
