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
	"countersign/internal/problem"
	"countersign/internal/secret/scrub"
	"countersign/internal/store"
	"countersign/tool"
	"countersign/tool/budget"
	"countersign/tool/invoke"
	"countersign/tool/proposal"
)

const (
	stoppedMessage  = "The turn was stopped before this call was done."
	panickedMessage = "The tool failed because of a fault in its code, and nothing was changed."
)

// finalResult is the result to record of a call that has ended with result and err. It first closes a call that was
// stopped, has failed or is given up, and reads its outcome from the row of its proposal: an error does not say whether
// a commit came through. An error is a server fault, and the step is retried.
func (c *toolCall) finalResult(ctx context.Context, result turn.ToolResult, err error) (turn.ToolResult, error) {
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
	case err != nil && attemptNumber(ctx) >= attemptLimit(err):
		c.Log.Error("Tool given up", "turn", c.session.ID, "tool", c.call.Tool, "error", err)
		result = turn.Refused(err)
	case err != nil:
		return result, err
	}
	if result.Error == nil || result.Card != nil || err == nil && c.cannotPropose() {
		return result, nil
	}
	card, found, err := c.closeCall(ctx, result.Error.Code, stopped)
	if err != nil {
		return turn.ToolResult{}, fmt.Errorf("settle tool call: %w", err)
	}
	if !found {
		return result, nil
	}
	return c.proposalResult(c.tool, card, 0)
}

// attemptLimit is the number of attempts at a call that fails with err. One that cannot write during an outage of the
// database waits for its end, as long as its step does: a card of auto mode is not left to a person by it.
func attemptLimit(err error) int32 {
	if store.Unavailable(err) && !errors.Is(err, context.DeadlineExceeded) {
		return outageAttempts
	}
	return toolAttempts
}

// cannotPropose reports whether the call can never make a proposal.
func (c *toolCall) cannotPropose() bool {
	return c.tool.Name != "" && c.tool.Effect == tool.Read && !c.tool.MayLeave()
}

// closeCall closes the call, so that it cannot make a proposal any more, and finds the proposal that it has made. A
// stop withdraws an undecided one, and waits for one that is being applied.
func (c *toolCall) closeCall(ctx context.Context, code problem.Code, stopped bool) (card proposal.Card, found bool, err error) {
	ctx, cancel := context.WithTimeout(context.WithoutCancel(ctx), invoke.SettleTimeout+applyTimeout)
	defer cancel()
	if c.auditID == uuid.Nil {
		// The reservation may have been committed although its answer was lost.
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
	if c.cannotPropose() {
		return card, false, nil
	}
	card, err = c.Proposals.Load(ctx, c.auditID)
	if problem.Is(err, problem.NotFound) {
		return card, false, nil
	}
	if err == nil && stopped && card.Status == proposal.Proposed {
		card, err = c.Proposals.WithdrawStopped(ctx, card.ProposalID, c.session.Principal.SessionID)
	}
	if err == nil && card.Status == proposal.Applying {
		card, err = c.awaitApplied(ctx, card.ProposalID)
	}
	return card, true, err
}

// awaitApplied waits for a change that is being applied, also when the turn was stopped meanwhile.
func (c *toolCall) awaitApplied(ctx context.Context, id uuid.UUID) (proposal.Card, error) {
	wait, cancel := context.WithTimeout(context.WithoutCancel(ctx), applyTimeout)
	defer cancel()
	return c.Proposals.Await(wait, id)
}

// awaitingOutput is the model's result for an undecided proposal, decidedOutput that for every other one.
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

// proposalResult is the result of a call that has made a proposal, by the proposal's status. It always has its card.
func (c *toolCall) proposalResult(t tool.Tool, card proposal.Card, chars int) (turn.ToolResult, error) {
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
		c.readRecords.Note(card.Result)
		r.Output, err = tool.Canonical(decidedOutput{Status: card.Status, Summary: card.Summary, Result: card.Result})
		if err == nil && (t.Result.Untrusted || t.MayLeave()) {
			// The write was answered from outside.
			r.Output, r.Untrusted = assistant.Clamp(scrub.JSON(r.Output), cmp.Or(chars, assistant.ClampChars(0))), true
		}
	}
	return r, err
}

// SettleUnrecorded records, at the end of a turn, the outcome of calls that made a proposal and left no record: their
// process died, or their step was given up.
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
		card, ok, err := c.closeCall(ctx, problem.Stopped, stopped)
		if err != nil || !ok {
			return errors.Join(err, fmt.Errorf("settle call %d of step %d at the end of its turn", u.Call, u.Step))
		}
		result, err := c.proposalResult(c.tool, card, 0)
		if err != nil {
			return err
		}
		if err := s.RecordTool(ctx, u.Step, u.Call, result, nil, result.Chunks(c.call.ID)...); err != nil {
			return err
		}
	}
	return nil
}
