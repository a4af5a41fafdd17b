package agent

import (
	"embed"

	"countersign/tool"
)

//go:embed tool_*.md
var texts embed.FS

// Tools are the assistant's tools to read agents, test tools and propose them.
func (m *Module) Tools() []tool.Tool {
	return []tool.Tool{listTool(), getTool(), testTool(), proposeTool()}
}
