package maintenance

import (
	"countersign/internal/access"
	"countersign/internal/principal"
)

// Access rules of maintenances.
const (
	Read   = "maintenance.maintenance.read"
	Manage = "maintenance.maintenance.manage"
)

// usersManage is the access rule of those who manage accounts, and end feeds of others.
const usersManage = "auth.users.manage"

// maintenanceKind is how messages name maintenances. Grants are on their systems.
var maintenanceKind = access.Kind{Noun: "maintenance", Plural: "maintenances", Read: Read, Manage: Manage}

// Rules are the access rules of maintenances. Manage includes seeing.
func (*Module) Rules() []principal.Rule {
	return []principal.Rule{
		{ID: Read, Description: "See maintenances of systems that you may see, with the updates that are not internal", Default: true},
		{
			ID:          Manage,
			Description: "Schedule, change, close and delete maintenances of systems that you may see, and see internal updates",
		},
	}
}
