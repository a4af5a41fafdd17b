package connection

// Access rules of connections. Choosing one for a chat needs ChatRead, which the chat declares.
const (
	Read     = "ai.connection.read"
	Manage   = "ai.connection.manage"
	ChatRead = "ai.chat.read"
)

// Rule describes an access rule for those who give it to roles.
type Rule struct {
	ID          string
	Description string
	// Default gives the rule to every user.
	Default bool
}

// Rules are the access rules of connections.
func Rules() []Rule {
	return []Rule{
		{ID: Read, Description: "See model connections with their addresses, without their keys"},
		{ID: Manage, Description: "Create, change, test and delete model connections"},
	}
}
