package activities

import (
	"cmp"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"time"

	"github.com/google/uuid"

	"countersign/chat/assistant"
	"countersign/chat/turn"
	"countersign/problem"
	"countersign/secret/scrub"
	"countersign/tool"
	"countersign/tool/budget"
	"countersign/tool/invoke"
	"countersign/tool/proposal"
)

const (
	stoppedMessage  = "The turn was stopped before this call was done."
	panickedMessage = "The tool failed because of a fault in its code, and nothing was changed."
)

// settled is what is recorded of a call that has ended with result and err. A call that was stopped, has failed or is
// given up is closed first, and what it has come to is read from the row of its proposal: an error does not say whether
// a commit came through. An error is a fault of the host, and the step is repeated.
func (c *toolCall) settled(ctx context.Context, result turn.ToolResult, err error) (turn.ToolResult, error) {
	stopped := err != nil && c.session.IsStopped()
	panicked, isPanic := errors.AsType[*tool.PanicError](err)
	switch {
	case stopped:
		result = turn.ToolResult{Error: &turn.Failure{Code: problem.Stopped, Message: stoppedMessage}}
	case isPanic:
		c.Log.Error("Tool panicked", "turn", c.session.ID, "tool", c.call.Tool, "error", panicked)
		result = turn.ToolResult{
			Error: &turn.Failure{
				Code: problem.Internal, Message: panickedMessage + " Do not call it in the same way again; tell the person that it failed.",
			},
			Shown: panickedMessage,
		}
	case err != nil && attemptOf(ctx) >= toolAttempts:
		c.Log.Error("Tool given up", "turn", c.session.ID, "tool", c.call.Tool, "error", err)
		result = turn.Refused(err)
	case err != nil:
		return result, err
	}
	if result.Error == nil || result.Card != nil || err == nil && c.reads() {
		return result, nil
	}
	card, found, err := c.close(ctx, result.Error.Code, stopped)
	if err != nil {
		return turn.ToolResult{}, fmt.Errorf("settle tool call: %w", err)
	}
	if !found {
		return result, nil
	}
	return c.standing(c.tool, card, 0)
}

// reads reports whether the call can come to no proposal.
func (c *toolCall) reads() bool {
	return c.tool.Name != "" && c.tool.Effect == tool.Read && !c.tool.MayLeave()
}

// close ends the call, so that nothing can be proposed by it any more, and finds the proposal that it has come to. A
// stop withdraws one that nobody has decided about; one that is being applied is waited for.
func (c *toolCall) close(ctx context.Context, code problem.Code, stopped bool) (card proposal.Card, found bool, err error) {
	ctx, cancel := context.WithTimeout(context.WithoutCancel(ctx), invoke.SettleTimeout+applyTimeout)
	defer cancel()
	if c.auditID == uuid.Nil {
		// The reservation may have been committed although its answer never came.
		entry, err := c.entry(ctx)
		if err != nil {
			return card, false, err
		}
		c.auditID, err = c.Budget.Reserve(ctx, entry)
		if problem.Is(err, problem.Budget) {
			return card, false, nil
		}
		if err != nil {
			return card, false, err
		}
	}
	if err := c.Budget.End(ctx, c.auditID, code); err != nil {
		return card, false, err
	}
	if c.reads() {
		return card, false, nil
	}
	card, err = c.Proposals.Load(ctx, c.auditID)
	if problem.Is(err, problem.NotFound) {
		return card, false, nil
	}
	if err == nil && stopped && card.Status == proposal.Proposed {
		card, err = c.Proposals.WithdrawStopped(ctx, card.ProposalID, c.session.Who.SessionID)
	}
	if err == nil && card.Status == proposal.Applying {
		card, err = c.awaitApplied(ctx, card.ProposalID)
	}
	return card, true, err
}

// awaitApplied waits for a change whose apply has begun, also when the turn was stopped meanwhile.
func (c *toolCall) awaitApplied(ctx context.Context, id uuid.UUID) (proposal.Card, error) {
	wait, cancel := context.WithTimeout(context.WithoutCancel(ctx), applyTimeout)
	defer cancel()
	return c.Proposals.Await(wait, id)
}

// awaitingOutput tells the model of a proposal that waits for a decision, decidedOutput of every other one.
type (
	awaitingOutput struct {
		Status     string    `json:"status"`
		ProposalID uuid.UUID `json:"proposalId"`
		Summary    string    `json:"summary"`
		ExpiresAt  time.Time `json:"expiresAt"`
		Note       string    `json:"note"`
	}
	decidedOutput struct {
		Status  proposal.Status `json:"status"`
		Summary string          `json:"summary"`
		Result  json.RawMessage `json:"result"`
	}
)

// standing is the result of a call that has come to a proposal, as the proposal stands: its card is always a part of it.
func (c *toolCall) standing(t tool.Tool, card proposal.Card, chars int) (turn.ToolResult, error) {
	data, err := json.Marshal(card)
	if err != nil {
		return turn.ToolResult{}, fmt.Errorf("encode card: %w", err)
	}
	r := turn.ToolResult{
		Card: &turn.Card{Kind: turn.ProposalCard, ID: card.ProposalID.String(), Data: data},
		// A follow-up turn tells the model what a person decides.
		Ends: card.Status == proposal.Proposed || !card.Automatic,
	}
	switch {
	case card.Status == proposal.Proposed:
		r.Output, err = tool.Canonical(awaitingOutput{
			Status: "awaiting_operator", ProposalID: card.ProposalID, Summary: card.Summary, ExpiresAt: card.ExpiresAt,
			Note: "Nothing has changed yet. A person decides about this proposal on its card.",
		})
	case card.Withdrawn():
		r.Error = &turn.Failure{Code: problem.Stopped, Message: stoppedMessage}
	case card.Status == proposal.Failed:
		r.Error = &turn.Failure{Code: card.Error.Code, Message: card.Error.Message, Issues: card.Error.Issues}
	default:
		if card.Automatic && (card.Status == proposal.Applied || card.Status == proposal.Applying) {
			r.Card.Kind = turn.AppliedCard
		}
		c.told.Note(card.Result)
		r.Output, err = tool.Canonical(decidedOutput{Status: card.Status, Summary: card.Summary, Result: card.Result})
		if err == nil && (t.Result.Untrusted || t.MayLeave()) {
			// The write was answered from outside.
			r.Output, r.Untrusted = assistant.Clamp(scrub.JSON(r.Output), cmp.Or(chars, assistant.ClampChars(0))), true
		}
	}
	return r, err
}

// SettleUnrecorded records what calls have come to that made a proposal and left no record, at the end of their turn:
// their process has died, or their step was given up.
func (a *Turn) SettleUnrecorded(ctx context.Context, s *turn.Session, stopped bool) error {
	found, err := a.Proposals.Unrecorded(ctx, s.ID)
	if err != nil {
		return err
	}
	for _, u := range found {
		step := s.Step(u.Step)
		if step.Model == nil || u.Call > len(step.Model.Calls) {
			return fmt.Errorf("step %d has no call %d", u.Step, u.Call)
		}
		c := &toolCall{
			Turn: a, session: &session{Session: s}, call: step.Model.Calls[u.Call-1], auditID: u.ID,
			at: budget.Position{Turn: s.ID, Step: u.Step, Call: u.Call},
		}
		if c.tool, _, err = a.Registry.Lookup(ctx, c.call.WireName); err != nil {
			return err
		}
		card, ok, err := c.close(ctx, problem.Stopped, stopped)
		if err != nil || !ok {
			return errors.Join(err, fmt.Errorf("settle call %d of step %d at the end of its turn", u.Call, u.Step))
		}
		result, err := c.standing(c.tool, card, 0)
		if err != nil {
			return err
		}
		if err := s.RecordTool(ctx, u.Step, u.Call, result, nil, result.Chunks(c.call.ID)...); err != nil {
			return err
		}
	}
	return nil
}
