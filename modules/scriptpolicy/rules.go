package scriptpolicy

import "countersign/internal/principal"

// Manage lets its holder see and set the script policy.
const Manage = "script.policy.manage"

// Rules are the access rules of the script policy.
func (*Module) Rules() []principal.Rule {
	return []principal.Rule{
		{ID: Manage, Description: "See and set what scripts may do: their network and their limits"},
	}
}
