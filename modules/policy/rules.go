package policy

import "countersign/internal/principal"

// Manage lets its holder see and set the policies of tools.
const Manage = "ai.policy.manage"

// Rules are the access rules of policies.
func (*Module) Rules() []principal.Rule {
	return []principal.Rule{
		{ID: Manage, Description: "See and set the policies of tools: switch them off, always ask, ask for a second person"},
	}
}
