package activities

import (
	"context"
	"encoding/json"
	"math"
	"slices"

	"countersign/chat/assistant"
	"countersign/chat/turn"
	"countersign/internal/problem"
	"countersign/model"
	"countersign/tool"
	"countersign/tool/disposition"
)

// decide returns the disposition of the call with this effect, under the current policy. payload is the change to
// apply, nil while it is unknown.
func (c *toolCall) decide(
	ctx context.Context,
	t tool.Tool,
	effect tool.Effect,
	payload json.RawMessage,
) (d disposition.Disposition, why string, err error) {
	policy, err := disposition.CurrentPolicy(ctx, c.Policies, t, payload)
	if err != nil {
		return "", "", err
	}
	if effect != tool.Read && c.scope.run != nil {
		// A dry run without a request asks nobody whether the run still stands.
		who := c.scope.principal
		if _, err := c.Principals.Load(ctx, who.Kind, who.ID, who.SessionID); problem.Is(err, problem.Unauthorized) {
			return disposition.Refuse, problem.As(err).Detail, nil
		} else if err != nil {
			return "", "", serverError("load principal", err)
		}
		// Another turn of the run may have tainted it.
		if err := c.session.ReadTaints(ctx); err != nil {
			return "", "", err
		}
	}
	if why := disposition.Undecidable(c.scope.principal, t.Access.Personal, policy); effect != tool.Read && why != "" {
		return disposition.Refuse, why, nil
	}
	d, why = c.decideUnder(effect, policy)
	return d, why, nil
}

// decideUnder returns the disposition of the call with this effect under a policy.
func (c *toolCall) decideUnder(effect tool.Effect, policy disposition.Policy) (d disposition.Disposition, why string) {
	return disposition.Decide(disposition.Call{
		Effect: effect, Tool: c.tool.Name, Run: c.scope.run, Principal: c.scope.principal.Kind, Mode: c.session.PermissionMode,
		Tainted: c.session.Tainted(), ForeignSkill: c.scope.skill != nil && c.scope.skill.Foreign, Policy: policy,
		Leaves: c.exfiltrates, Private: c.holdsPrivate(),
	})
}

// holdsPrivate reports whether the conversation holds the installation's own data: notes, memories, or any tool result
// that is not a text of the product.
func (c *toolCall) holdsPrivate() bool { return c.heldPrivateBefore(math.MaxInt) }

// heldPrivateBefore is holdsPrivate at the start of a step. The text of a run's request may hold what its other steps read.
func (c *toolCall) heldPrivateBefore(number int) bool {
	if c.scope.run != nil || c.session.Summary() != "" || len(c.scope.memories) > 0 {
		return true
	}
	for _, step := range c.session.Steps() {
		if step.Number < number && slices.ContainsFunc(step.Tools, func(r *turn.ToolResult) bool { return r != nil && !r.Trusted }) {
			return true
		}
	}
	return slices.ContainsFunc(c.session.History(), func(m model.Message) bool {
		return m.Role == model.RoleTool && assistant.Fenced(m.Content)
	})
}
