package intake

import (
	"countersign/internal/access"
	"countersign/internal/principal"
)

// Access rules of sources of alerts.
const (
	Read   = "intake.source.read"
	Manage = "intake.source.manage"

	// incidentManage is the rule of incidents that those who set up a source need: it opens some.
	incidentManage = "incident.incident.manage"
	incidentRead   = "incident.incident.read"
)

var sourceKind = access.Kind{Noun: "source of alerts", Plural: "sources of alerts", Read: Read, Manage: Manage}

// Rules are the access rules of the module. Manage includes seeing.
func (*Module) Rules() []principal.Rule {
	return []principal.Rule{
		{ID: Read, Description: "See sources of alerts and what they have sent, without their secrets"},
		{
			ID:          Manage,
			Description: "Create, change and delete sources of alerts, also those of other teams; needs " + incidentManage + " too",
		},
	}
}
