package memory

import "countersign/internal/principal"

// Access rules of memories.
const (
	Read   = "ai.memory.read"
	Manage = "ai.memory.manage"
)

// systemManage is the rule of the catalog that opens every system for changes.
const systemManage = "catalog.system.manage"

// Rules are the access rules of memories.
func (*Module) Rules() []principal.Rule {
	return []principal.Rule{
		{ID: Read, Description: "Recall the assistant's memories: your own, and those of systems that you may see", Default: true},
		{ID: Manage, Description: "Save, change and delete memories: your own, and those of systems that you may change", Default: true},
	}
}
