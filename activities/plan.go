package activities

import (
	"context"

	"github.com/google/uuid"

	"countersign/chat/assistant"
	"countersign/internal/problem"
	"countersign/internal/secret/scrub"
	"countersign/tool"
	"countersign/tool/disposition"
	"countersign/tool/proposal"
	"countersign/workflows"
)

// ApplyNextInPlan applies the next change of a decided plan.
func (a *Proposal) ApplyNextInPlan(ctx context.Context, in workflows.ApplyNextInPlanInput) (workflows.ApplyNextInPlanOutput, error) {
	left, err := a.Proposals.RunNext(ctx, in.PlanID)
	if err != nil {
		return workflows.ApplyNextInPlanOutput{}, err
	}
	plan, err := a.Proposals.LoadPlan(ctx, in.PlanID)
	if err != nil {
		return workflows.ApplyNextInPlanOutput{}, err
	}
	_, decided := plan.Decided()
	return workflows.ApplyNextInPlanOutput{
		Status:   workflows.ProposalStatus(plan.Status),
		Left:     left,
		FollowUp: decided && plan.Proposals[0].Run == nil,
	}, nil
}

// StartPlanFollowUp starts the one turn in which the model acknowledges the outcome of a plan. It is retried while the
// conversation is busy.
func (a *Proposal) StartPlanFollowUp(ctx context.Context, in workflows.StartPlanFollowUpInput) (workflows.StartPlanFollowUpOutput, error) {
	var out workflows.StartPlanFollowUpOutput
	plan, err := a.Proposals.LoadPlan(ctx, in.PlanID)
	if err != nil {
		return out, err
	}
	outcome, decided := plan.Decided()
	if !decided {
		return out, nil
	}
	who, err := a.Proposals.PlanDecider(ctx, in.PlanID)
	if err != nil {
		return out, err
	}
	return out, a.followUp(ctx, in.PlanID, in.PlanID, who, DecisionOf(outcome))
}

// note is the text about a decision for the model, with the taints of its content.
type note struct {
	text   string
	taints []disposition.Taint
}

// decisionNote describes the decision that a turn follows: about a proposal, or about the plan with this id. It uses
// the stored proposals alone, so no text of a client reaches the model with it.
func decisionNote(ctx context.Context, proposals *proposal.Service, registry *tool.Registry, id uuid.UUID) (note, error) {
	card, err := proposals.Load(ctx, id)
	if problem.Is(err, problem.NotFound) {
		return planNote(ctx, proposals, registry, id)
	}
	if err != nil {
		return note{}, err
	}
	var n note
	o, err := n.outcome(ctx, card, registry)
	if err != nil {
		return note{}, err
	}
	n.text = assistant.DecisionNote(o)
	return n, nil
}

func planNote(ctx context.Context, proposals *proposal.Service, registry *tool.Registry, id uuid.UUID) (note, error) {
	plan, err := proposals.LoadPlan(ctx, id)
	if err != nil {
		return note{}, err
	}
	var n note
	outcomes := make([]assistant.Outcome, len(plan.Proposals))
	for i, c := range plan.Proposals {
		if outcomes[i], err = n.outcome(ctx, c, registry); err != nil {
			return note{}, err
		}
	}
	n.text = assistant.PlanNote(outcomes)
	return n, nil
}

// outcome describes the outcome of a proposal, with the result of a decided read.
func (n *note) outcome(ctx context.Context, c proposal.Card, registry *tool.Registry) (assistant.Outcome, error) {
	o := assistant.Outcome{Status: string(c.Status), Tool: c.ToolName, Summary: c.Summary, Failure: failureOf(c)}
	if c.DecisionReason != "" && c.DecidedBy != nil {
		o.Reason, o.Decider = c.DecisionReason, c.DecidedBy.Name
		// The decider's text is untrusted for the proposer, and it causes a turn by itself.
		if c.DecidedBy.ID != c.Proposer.ID {
			n.taints = append(n.taints, disposition.Taint{Kind: disposition.DecisionTaint, Source: c.DecidedBy.Name})
		}
	}
	t, ok, err := registry.Lookup(ctx, c.ToolName)
	if err != nil {
		return o, err
	}
	if ok && (t.MayLeave() || t.Result.Untrusted && t.Effect != tool.Read) && c.Status == proposal.Applied {
		o.Result = assistant.Clamp(scrub.JSON(c.Result), assistant.ClampChars(0))
		n.taints = append(n.taints, disposition.Taint{Kind: disposition.ToolTaint, Tool: t.Name, Source: c.Summary})
	}
	return o, nil
}

// failureOf is the failure for the proposer, whom the model answers.
func failureOf(c proposal.Card) string {
	if c.Error == nil {
		return ""
	}
	return c.SeenByProposer().Error.Message
}
