package activities

import (
	"context"

	"github.com/google/uuid"

	"countersign/chat/turn"
	"countersign/internal/crash"
	"countersign/internal/principal"
	"countersign/internal/problem"
	"countersign/tool/proposal"
	"countersign/workflows"
)

// TurnStarter starts the workflow of an accepted turn, idempotently.
type TurnStarter interface {
	StartTurn(ctx context.Context, id uuid.UUID) error
}

// Proposal holds the activities of a proposal.
type Proposal struct {
	Proposals *proposal.Service
	Turns     *turn.Store
	Starter   TurnStarter
}

// ExpireProposal marks a proposal that has expired, and returns its state.
func (a *Proposal) ExpireProposal(ctx context.Context, in workflows.ExpireProposalInput) (out workflows.ExpireProposalOutput, err error) {
	card, err := a.Proposals.Expire(ctx, in.ProposalID)
	if err != nil {
		return out, err
	}
	if card.Planned {
		// The process that recorded the decision may have died before it started the plan's workflow.
		out.Status = workflows.Planned
		return out, a.Proposals.EnsurePlan(ctx, *card.TurnID)
	}
	out.ProposalState = stateOf(card)
	return out, nil
}

// ApplyProposal applies a decided proposal.
func (a *Proposal) ApplyProposal(ctx context.Context, in workflows.ApplyProposalInput) (workflows.ApplyProposalOutput, error) {
	card, err := a.Proposals.Run(ctx, in.ProposalID)
	return workflows.ApplyProposalOutput{ProposalState: stateOf(card)}, err
}

// stateOf asks for a follow-up turn after a person's decision in a conversation, also when the apply has failed. A run
// has nobody to whom the assistant could acknowledge it.
func stateOf(c proposal.Card) workflows.ProposalState {
	decided := c.Status == proposal.Applied || c.Status == proposal.Failed || c.Status == proposal.Declined
	return workflows.ProposalState{
		Status:   workflows.ProposalStatus(c.Status),
		FollowUp: decided && !c.Automatic && !c.Withdrawn() && c.TurnID != nil && c.Run == nil,
	}
}

// StartFollowUp starts the turn in which the model acknowledges the decision, once; the browser may have done so
// before. It is retried while the conversation is busy.
func (a *Proposal) StartFollowUp(ctx context.Context, in workflows.StartFollowUpInput) (workflows.StartFollowUpOutput, error) {
	var out workflows.StartFollowUpOutput
	card, err := a.Proposals.Load(ctx, in.ProposalID)
	if err != nil {
		return out, err
	}
	who, err := a.Proposals.Decider(ctx, in.ProposalID)
	if err != nil {
		return out, err
	}
	return out, a.followUp(ctx, *card.TurnID, card.ProposalID, who, DecisionOf(card.Status))
}

// followUp starts the turn that follows a decision about the proposal, or the plan, with the id subject, which the turn
// origin made.
func (a *Proposal) followUp(ctx context.Context, origin, subject uuid.UUID, who principal.Principal, d turn.Decision) error {
	settings, err := a.Turns.SettingsOf(ctx, origin)
	if problem.Is(err, problem.NotFound) {
		// The conversation was deleted since, so there is nothing to acknowledge.
		return nil
	}
	if err != nil {
		return err
	}
	if d == turn.Decline {
		// A proposal that was withdrawn with its message needs no acknowledgement.
		if replaced, err := a.Turns.Replaced(ctx, origin); err != nil || replaced {
			return err
		}
	}
	// The session of the request may have ended since; that of the decision is more recent.
	if who.Key() == settings.Principal.Key() {
		settings.Principal = who
	}
	crash.Point("followup.before-accept", subject)
	t, _, err := a.Turns.AcceptDecision(ctx, settings, subject, d)
	crash.Point("followup.after-accept", subject)
	if err != nil || t.Status.Final() {
		return err
	}
	return a.Starter.StartTurn(ctx, t.ID)
}

// DecisionOf is the decision behind a status.
func DecisionOf(s proposal.Status) turn.Decision {
	if s == proposal.Declined {
		return turn.Decline
	}
	return turn.Apply
}
