package agent

import (
	"embed"

	"countersign/tool"
)

//go:embed tool_*.md
var texts embed.FS

// Tools are the tools by which an assistant sees agents, tries tools out and proposes them.
func (m *Module) Tools() []tool.Tool {
	return []tool.Tool{listTool(), getTool(), testTool(), proposeTool()}
}
