package connection

import "countersign/internal/principal"

// Access rules of connections. Choosing one for a chat needs ChatRead, which the chat declares.
const (
	Read     = "ai.connection.read"
	Manage   = "ai.connection.manage"
	ChatRead = "ai.chat.read"
)

// Rules are the access rules of connections.
func (*Module) Rules() []principal.Rule {
	return []principal.Rule{
		{ID: Read, Description: "See model connections with their addresses, without their keys"},
		{ID: Manage, Description: "Create, change, test and delete model connections"},
	}
}
