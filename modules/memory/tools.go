package memory

import (
	"embed"
	"strconv"

	"countersign/tool"
	"countersign/tool/kit"
)

//go:embed tool_*.md
var texts embed.FS

// memoriesAPI is the API of memories.
var memoriesAPI = kit.Collection[Memory]{Path: path}

// Tools are the module's tools, which call the API as the caller. Runs without a person must not offer deleteMemory,
// and must count saves.
func (m *Module) Tools() []tool.Tool {
	return []tool.Tool{searchMemoryTool(), saveMemoryTool(), deleteMemoryTool()}
}

// where describes in a summary who will see a memory.
func (m Memory) where() string {
	if m.Scope == System {
		return ", shared on the system " + m.SystemName
	}
	return ""
}

func quoted(hint string) string { return strconv.Quote(hint) }
