package chat

import (
	"github.com/labstack/echo/v4"

	"countersign/chat/conversation"
	"countersign/chat/turn"
	"countersign/internal/crash"
	"countersign/internal/principal"
	"countersign/internal/problem"
	"countersign/tool/proposal"
)

// planDecision streams the turn in which the model acknowledges the decision about a plan.
func (h *Chat) planDecision(c echo.Context, p principal.Principal, conv conversation.Conversation, d chatDecision) error {
	ctx := c.Request().Context()
	if d.Kind != turn.Apply && d.Kind != turn.Decline {
		return problem.InvalidInput(
			"The decision must say what was decided.",
			problem.Issue{Path: "decision.kind", Message: `must be "apply" or "decline"`},
		)
	}
	plan, err := h.Proposals.Plan(ctx, p, *d.PlanID)
	if err != nil {
		return err
	}
	if plan.ConversationID != conv.ID {
		return problem.Errorf(problem.Conflict, "This plan was not made in this conversation.")
	}
	if outcome, ok := plan.Decided(); !ok || (outcome == proposal.Declined) != (d.Kind == turn.Decline) {
		const message = "The plan is %s and was not decided like this, so there is nothing to acknowledge."
		return problem.Errorf(problem.Conflict, message, plan.Status).With("planStatus", plan.Status)
	}
	set, err := h.settingsAfterDecision(ctx, plan.PlanID, d.Kind)
	if err != nil {
		return err
	}
	set.Principal = p
	crash.Point("plan.before-decision", plan.PlanID)
	a, err := h.acceptDecision(ctx, set, plan.PlanID, d.Kind)
	if err != nil {
		return err
	}
	return h.serveTurn(c, a)
}
