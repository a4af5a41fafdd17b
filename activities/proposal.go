package activities

import (
	"context"

	"github.com/google/uuid"

	"countersign/crash"
	"countersign/tool/proposal"
	"countersign/turn"
	"countersign/workflows"
)

// TurnStarter starts the workflow of an accepted turn. It may be repeated.
type TurnStarter interface {
	StartTurn(ctx context.Context, id uuid.UUID) error
}

// Proposal holds the activities of a proposal.
type Proposal struct {
	Proposals *proposal.Service
	Turns     *turn.Store
	Starter   TurnStarter
}

// ExpireProposal looks at the row: it marks a proposal whose time is over, and says where it stands.
func (a *Proposal) ExpireProposal(ctx context.Context, in workflows.ExpireProposalInput) (workflows.ProposalState, error) {
	card, err := a.Proposals.Expire(ctx, in.ProposalID)
	return stateOf(card), err
}

// ApplyProposal carries out what a person has decided.
func (a *Proposal) ApplyProposal(ctx context.Context, in workflows.ApplyProposalInput) (workflows.ProposalState, error) {
	card, err := a.Proposals.Run(ctx, in.ProposalID)
	return stateOf(card), err
}

// stateOf asks for a follow-up turn when a person has decided about a proposal of a conversation. A failed apply has
// none: the card explains it, and the person decides what to ask next.
func stateOf(c proposal.Card) workflows.ProposalState {
	decided := c.Status == proposal.Applied || c.Status == proposal.Declined
	return workflows.ProposalState{Status: string(c.Status), FollowUp: decided && !c.Automatic && c.TurnID != nil}
}

// StartFollowUp starts the turn in which the model acknowledges the decision, once; the browser may have asked for it
// before. While the conversation is busy it is repeated.
func (a *Proposal) StartFollowUp(ctx context.Context, in workflows.StartFollowUpInput) (workflows.StartFollowUpOutput, error) {
	var out workflows.StartFollowUpOutput
	card, err := a.Proposals.Load(ctx, in.ProposalID)
	if err != nil {
		return out, err
	}
	settings, err := a.Turns.SettingsOf(ctx, *card.TurnID)
	if err != nil {
		return out, err
	}
	// The session in which the person asked may have ended since; the one in which they decided has not, or not so long.
	if who, err := a.Proposals.Decider(ctx, in.ProposalID); err == nil && who.Key() == settings.Principal.Key() {
		settings.Principal = who
	}
	crash.Point("followup.before-accept", in.ProposalID)
	t, _, err := a.Turns.AcceptDecision(ctx, settings, card.ProposalID, DecisionOf(card.Status))
	crash.Point("followup.after-accept", in.ProposalID)
	if err != nil {
		return out, err
	}
	if t.Status.Final() {
		return out, nil
	}
	return out, a.Starter.StartTurn(ctx, t.ID)
}

// DecisionOf is the decision that a status is the outcome of.
func DecisionOf(s proposal.Status) turn.Decision {
	if s == proposal.Declined {
		return turn.Decline
	}
	return turn.Apply
}
