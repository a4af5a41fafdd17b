package mcpserver

import "countersign/internal/principal"

// The access rules of MCP servers. No role has them by default.
const (
	Read   = "mcp.server.read"
	Manage = "mcp.server.manage"
	Use    = "mcp.tool.use"
)

// Rules returns its access rules.
func (*Module) Rules() []principal.Rule {
	return []principal.Rule{
		{ID: Read, Description: "See MCP servers of others that were added, and their tools"},
		{ID: Manage, Description: "Add and change MCP servers of others, accept their tools and say what effect they have"},
		{ID: Use, Description: "Use the tools of MCP servers that were accepted: what such a call is given leaves the installation"},
	}
}
