package chat

import (
	"context"
	"encoding/json"
	"fmt"
	"slices"

	"countersign/api"

	"github.com/google/uuid"
	"github.com/labstack/echo/v4"

	"countersign/audit"
	"countersign/chat/conversation"
	"countersign/chat/stream"
	"countersign/chat/turn"
	"countersign/internal/crash"
	"countersign/internal/principal"
	"countersign/internal/problem"
	"countersign/tool/proposal"
)

const (
	maxApprovals = 100
	maxCallID    = 300
)

// approval is the answer of a person in an AI SDK client to the approval request of a proposal. It carries no rights:
// the proposal is decided as from its card.
type approval struct {
	proposal uuid.UUID
	callID   string
	approved bool
	reason   string
}

// approvals returns the answers in this message whose outcomes the client has not received.
func (m clientMessage) approvals(issues *problem.Issues, path string) []approval {
	var answered []approval
	for i, part := range m.Parts {
		if part.State != stream.ApprovalResponded {
			continue
		}
		at := fmt.Sprintf("%s.parts[%d]", path, i)
		if part.Approval == nil || part.Approval.Approved == nil || len(part.ToolCallID) > maxCallID {
			issues.Report(at+".approval", "must have the id of the request, and approved")
			continue
		}
		id, err := uuid.Parse(part.Approval.ID)
		if err != nil {
			issues.Report(at+".approval.id", "is none of this server")
			continue
		}
		answered = append(answered, approval{id, part.ToolCallID, *part.Approval.Approved, part.Approval.Reason})
	}
	if len(answered) > maxApprovals {
		issues.Report(path+".parts", "must have %d answered approvals at most", maxApprovals)
	}
	return answered
}

// approve decides proposals as the person answered, and continues the message in which they were made: first the
// outcomes, then the turn in which the model acknowledges them.
func (h *Chat) approve(c echo.Context, p principal.Principal, conv conversation.Conversation, in clientRequest) error {
	if p.TurnID != uuid.Nil {
		return problem.Errorf(problem.Forbidden, "A tool cannot decide about a proposal; only a person or an application can.")
	}
	ctx := audit.Arriving(c.Request().Context(), "chat", api.ChannelOf(c.Request()))
	cards, err := h.answeredProposals(ctx, p, conv, in.approvals)
	if err != nil {
		return err
	}
	subject, err := h.decideAll(ctx, p, in.approvals, cards)
	if err != nil {
		return err
	}
	opening := []string{stream.Start(in.continued, json.RawMessage("{}"))}
	settled := true
	for i, a := range in.approvals {
		if cards[i], err = h.outcome(ctx, p, a.proposal); err != nil {
			return err
		}
		settled = settled && cards[i].Status.Final()
		if chunk := outcomeChunk(cards[i], a.callID); chunk != "" {
			opening = append(opening, chunk)
		}
	}
	if settled {
		a, err := h.acknowledge(ctx, p, cards[0], subject)
		if err == nil {
			return h.serveContinuation(c, a, opening)
		}
		if !problem.Is(err, problem.Busy) {
			return err
		}
	}
	// The decision stands all the same, and the model acknowledges it later.
	return stream.ServeChunks(c.Response(), append(opening, stream.Finish("stop", json.RawMessage("{}"))))
}

// answeredProposals loads the proposals of the answers. None is decided unless each can be, or the same person has
// already decided it in the same way.
func (h *Chat) answeredProposals(
	ctx context.Context,
	p principal.Principal,
	conv conversation.Conversation,
	answered []approval,
) ([]proposal.Card, error) {
	cards := make([]proposal.Card, len(answered))
	for i, a := range answered {
		card, err := h.Proposals.Get(ctx, p, a.proposal)
		if err != nil {
			return nil, err
		}
		if card.ConversationID == nil || *card.ConversationID != conv.ID {
			return nil, problem.Errorf(problem.Conflict, "This proposal was not made in this conversation.")
		}
		if card.Status != proposal.Proposed && !decidedSo(card, p, a.approved) {
			return nil, problem.Errorf(
				problem.Conflict,
				"The proposal is %s already, so it cannot be decided any more.",
				card.Status,
			).With(
				"proposalStatus",
				card.Status,
			)
		}
		if card.Status == proposal.Proposed && card.Blocked != "" {
			return nil, problem.Errorf(problem.Forbidden, "%s", card.Blocked)
		}
		cards[i] = card
	}
	return cards, nil
}

// decidedSo reports whether p made this decision before, as in a repeated request.
func decidedSo(card proposal.Card, p principal.Principal, approved bool) bool {
	if card.DecidedBy == nil || card.DecidedBy.Kind != p.Kind || card.DecidedBy.ID != p.ID {
		return false
	}
	return approved == (card.Status != proposal.Declined)
}

// decideAll decides the whole plan where the answers cover all open proposals of one plan equally, and otherwise each
// proposal. It returns the subject for the model to acknowledge: the plan or the first proposal.
func (h *Chat) decideAll(ctx context.Context, p principal.Principal, answered []approval, cards []proposal.Card) (uuid.UUID, error) {
	plan, ok, err := h.wholePlan(ctx, p, answered, cards)
	if err != nil {
		return uuid.Nil, err
	}
	if ok {
		if !answered[0].approved {
			return plan.PlanID, h.Proposals.DeclinePlan(ctx, p, plan.PlanID, answered[0].reason)
		}
		var tokens []string
		for _, card := range plan.Proposals {
			if card.Status == proposal.Proposed {
				tokens = append(tokens, card.Token)
			}
		}
		return plan.PlanID, h.Proposals.BeginPlan(ctx, p, plan.PlanID, tokens, approvalKey(plan.PlanID), answered[0].reason)
	}
	for i, a := range answered {
		if cards[i].Status != proposal.Proposed {
			continue
		}
		if a.approved {
			_, err = h.Proposals.Begin(ctx, p, cards[i].Token, approvalKey(a.proposal), a.reason)
		} else {
			_, err = h.Proposals.Decline(ctx, p, a.proposal, a.reason)
		}
		if err != nil {
			return uuid.Nil, err
		}
	}
	if cards[0].Planned && cards[0].PlanID != nil {
		return *cards[0].PlanID, nil
	}
	return cards[0].ProposalID, nil
}

func approvalKey(id uuid.UUID) string { return "approval/" + id.String() }

// wholePlan returns the plan that the answers decide; ok is false when they cover less or differ.
func (h *Chat) wholePlan(
	ctx context.Context,
	p principal.Principal,
	answered []approval,
	cards []proposal.Card,
) (plan proposal.Plan, ok bool, err error) {
	id := cards[0].PlanID
	if id == nil || len(cards) < 2 {
		return plan, false, nil
	}
	for i, a := range answered {
		same := a.approved == answered[0].approved && a.reason == answered[0].reason
		if !same || cards[i].PlanID == nil || *cards[i].PlanID != *id || cards[i].Status != proposal.Proposed {
			return plan, false, nil
		}
	}
	if plan, err = h.Proposals.Plan(ctx, p, *id); err != nil {
		return plan, false, err
	}
	for _, card := range plan.Proposals {
		if card.Status == proposal.Proposed && !slices.ContainsFunc(answered, func(a approval) bool { return a.proposal == card.ProposalID }) {
			return plan, false, nil
		}
	}
	return plan, true, nil
}

// outcome waits for the end of a proposal, as long as an apply over the API does.
func (h *Chat) outcome(ctx context.Context, p principal.Principal, id uuid.UUID) (proposal.Card, error) {
	wait, cancel := context.WithTimeout(ctx, api.ApplyWait)
	defer cancel()
	if _, err := h.Proposals.Await(wait, id); err != nil {
		return proposal.Card{}, err
	}
	return h.Proposals.Get(ctx, p, id)
}

// acknowledge accepts the turn in which the model acknowledges a decision about a card of its own turn.
func (h *Chat) acknowledge(ctx context.Context, p principal.Principal, card proposal.Card, subject uuid.UUID) (accepted, error) {
	kind := turn.Apply
	if card.Status == proposal.Declined {
		kind = turn.Decline
	}
	set, err := h.settingsAfterDecision(ctx, *card.TurnID, kind)
	if err != nil {
		return accepted{}, err
	}
	set.Principal = p
	crash.Point("chat.before-decision", subject)
	return h.acceptDecision(ctx, set, subject, kind)
}

// serveContinuation serves a turn whose answer the client appends to an earlier message.
func (h *Chat) serveContinuation(c echo.Context, a accepted, opening []string) error {
	if !a.Status.Final() {
		return h.serveRunning(c, a, opening...)
	}
	m, err := h.stored(c.Request().Context(), a.Turn)
	if err != nil {
		return err
	}
	return stream.ServeChunks(c.Response(), append(opening, m.Chunks()[1:]...))
}

// approvedOutput is the tool output that a client gets for an applied change.
type approvedOutput struct {
	Status     proposal.Status `json:"status"`
	ProposalID uuid.UUID       `json:"proposalId"`
	Summary    string          `json:"summary"`
	Result     json.RawMessage `json:"result,omitempty"`
}

// outcomeChunk is the chunk with the outcome of a call that waited for a decision; "" while undecided.
func outcomeChunk(card proposal.Card, callID string) string {
	part := stream.Part{ToolCallID: callID, State: stream.ApprovalRequested, Approval: &stream.Approval{}}
	resolvePart(&part, card)
	switch part.State {
	case stream.OutputAvailable:
		return stream.ToolOutput(callID, part.Output)
	case stream.OutputError:
		return stream.ToolOutputError(callID, part.ErrorText)
	case stream.OutputDenied:
		return stream.ToolOutputDenied(callID)
	default:
		return ""
	}
}

// resolvePart updates a tool part that waited for a decision to the state of its proposal.
func resolvePart(part *stream.Part, card proposal.Card) {
	approved := card.Status != proposal.Declined && card.Status != proposal.Expired
	switch card.Status {
	case proposal.Proposed:
		return
	case proposal.Applying:
		part.State = stream.ApprovalResponded
	case proposal.Applied:
		part.State = stream.OutputAvailable
		// Strings and stored JSON always marshal.
		part.Output, _ = json.Marshal(approvedOutput{card.Status, card.ProposalID, card.Summary, card.Result})
	case proposal.Failed, proposal.Skipped:
		part.State, part.ErrorText = stream.OutputError, "This change was not made: an earlier one of its plan failed."
		if card.Error != nil {
			part.ErrorText = card.Error.Message
		}
	case proposal.Declined, proposal.Expired:
		part.State = stream.OutputDenied
	}
	part.Approval.Approved, part.Approval.Reason = &approved, card.DecisionReason
	if card.Status == proposal.Expired {
		part.Approval.Reason = "Nobody has decided in time."
	}
}
