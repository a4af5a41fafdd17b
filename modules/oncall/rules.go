package oncall

import (
	"countersign/internal/access"
	"countersign/internal/principal"
)

// Access rules of on-call schedules and escalation policies.
const (
	Read   = "oncall.schedule.read"
	Manage = "oncall.schedule.manage"
)

// Kinds of records, as messages name them. A team owns them by a column of their own.
var (
	scheduleKind = access.Kind{Noun: "on-call schedule", Plural: "on-call schedules", Read: Read, Manage: Manage}
	policyKind   = access.Kind{Noun: "escalation policy", Plural: "escalation policies", Read: Read, Manage: Manage}
)

// Rules are the access rules of the module. Manage includes seeing.
func (*Module) Rules() []principal.Rule {
	return []principal.Rule{
		{ID: Read, Description: "See on-call schedules and escalation policies, and who is on call", Default: true},
		{ID: Manage, Description: "Create, change and delete on-call schedules and escalation policies, also those of other teams"},
	}
}
