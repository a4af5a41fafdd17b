package catalog

import "countersign/internal/principal"

// Access rules of the catalog.
const (
	SystemRead        = "catalog.system.read"
	SystemManage      = "catalog.system.manage"
	GroupRead         = "catalog.group.read"
	GroupManage       = "catalog.group.manage"
	EnvironmentRead   = "catalog.environment.read"
	EnvironmentManage = "catalog.environment.manage"
)

// Rules are the access rules of the catalog. Manage includes seeing.
func (*Module) Rules() []principal.Rule {
	return []principal.Rule{
		{ID: SystemRead, Description: "See systems with their owners, contacts and links", Default: true},
		{ID: SystemManage, Description: "Create, change and delete systems, and choose their owners"},
		{ID: GroupRead, Description: "See groups of systems", Default: true},
		{ID: GroupManage, Description: "Create, change and delete groups of systems, and choose their members"},
		{ID: EnvironmentRead, Description: "See environments and which systems run in them", Default: true},
		{ID: EnvironmentManage, Description: "Create, change and delete environments"},
	}
}
