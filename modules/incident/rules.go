package incident

import (
	"countersign/internal/access"
	"countersign/internal/principal"
)

// Access rules of incidents.
const (
	Read   = "incident.incident.read"
	Manage = "incident.incident.manage"
)

// incidentKind is how messages name incidents. Grants are on their systems.
var incidentKind = access.Kind{Noun: "incident", Plural: "incidents", Read: Read, Manage: Manage}

// Rules are the access rules of incidents. Manage includes seeing.
func (*Module) Rules() []principal.Rule {
	return []principal.Rule{
		{ID: Read, Description: "See incidents of systems that you may see, with the updates that are not internal", Default: true},
		{
			ID:          Manage,
			Description: "Open, change, acknowledge, resolve and delete incidents of systems that you may see, and see internal updates",
		},
	}
}
