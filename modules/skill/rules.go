package skill

import "countersign/internal/principal"

// Access rules of skills. Create permits publishing; changing is for the author with Manage, and for administrators.
const (
	Read   = "ai.skill.read"
	Create = "ai.skill-create.manage"
	Manage = "ai.skill.manage"
)

// Rules are the access rules of skills.
func (*Module) Rules() []principal.Rule {
	return []principal.Rule{
		{ID: Read, Description: "See skills and use them in chats", Default: true},
		{ID: Create, Description: "Publish skills that everybody who may see skills can use", Default: true},
		{ID: Manage, Description: "Change and delete your own skills", Default: true},
	}
}
