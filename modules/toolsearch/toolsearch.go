// Package toolsearch finds tools by words, for a model whose context window does not hold all of them. Found tools
// are offered from the next step on (package chat/assistant, ChooseTools).
package toolsearch

import (
	"embed"

	"github.com/danielgtaylor/huma/v2"

	"countersign/tool"
)

//go:embed tool_*.md
var texts embed.FS

const rule = "ai.chat.read"

// Module provides the search tool. It has no operations, as programs list all tools.
type Module struct{}

// New makes a Module.
func New() *Module { return &Module{} }

// Routes declares nothing.
func (m *Module) Routes(huma.API) {}

// Tools are the tools of the module.
func (m *Module) Tools() []tool.Tool { return []tool.Tool{searchTool()} }
