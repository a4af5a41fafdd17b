package automation

import "countersign/internal/principal"

// Manage lets its holder write and test automation scripts.
const Manage = "automation.automation.manage"

// Rules are the access rules of automation scripts.
func (*Module) Rules() []principal.Rule {
	return []principal.Rule{
		{ID: Manage, Description: "Write and test automation scripts"},
	}
}
