package automation

import "countersign/internal/principal"

// Access rules of automations.
const (
	Read   = "automation.automation.read"
	Manage = "automation.automation.manage"
)

// Rules are the access rules of automations. Manage includes seeing.
func (*Module) Rules() []principal.Rule {
	return []principal.Rule{
		{ID: Read, Description: "See automations, their runs, and what they can be made of"},
		{ID: Manage, Description: "Write, change, run and delete automations, and write and test their scripts"},
	}
}
