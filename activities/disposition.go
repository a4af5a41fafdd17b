package activities

import (
	"context"
	"encoding/json"
	"math"
	"slices"

	"countersign/chat/assistant"
	"countersign/chat/turn"
	"countersign/model"
	"countersign/tool"
	"countersign/tool/disposition"
)

// decide asks what becomes of the call with this effect, with the policy as it is at this moment. payload is what would be
// applied, nil while that is not known.
func (c *toolCall) decide(
	ctx context.Context,
	t tool.Tool,
	effect tool.Effect,
	payload json.RawMessage,
) (d disposition.Disposition, why string, err error) {
	policy, err := disposition.Holding(ctx, c.Policies, t, payload)
	if err != nil {
		return "", "", err
	}
	if why := disposition.Undecidable(c.scope.principal, t.Access.Personal, policy); effect != tool.Read && why != "" {
		return disposition.Refuse, why, nil
	}
	d, why = c.becomes(effect, policy)
	return d, why, nil
}

// becomes says what becomes of the call with this effect under a policy.
func (c *toolCall) becomes(effect tool.Effect, policy disposition.Policy) (d disposition.Disposition, why string) {
	return disposition.Decide(disposition.Call{
		Effect: effect, Principal: c.scope.principal.Kind, Mode: c.session.PermissionMode,
		Tainted: c.session.Tainted(), ForeignSkill: c.scope.skill != nil && c.scope.skill.Foreign, Policy: policy,
		Leaves: c.leaves, Private: c.private(),
	})
}

// private reports whether the conversation holds what is the installation's own: notes, memories, or any result of a tool
// that is not a text of the product.
func (c *toolCall) private() bool { return c.privateBefore(math.MaxInt) }

// privateBefore is private for what the model had been shown when it began a step.
func (c *toolCall) privateBefore(number int) bool {
	if c.session.Summary() != "" || len(c.scope.memories) > 0 {
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
