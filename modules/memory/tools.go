package memory

import (
	"embed"
	"strconv"

	"countersign/tool"
)

//go:embed tool_*.md
var texts embed.FS

// memoriesAPI is where the tools find memories.
var memoriesAPI = tool.Collection[Memory]{Path: path}

// Tools are the tools of the module. They hold nothing of it: each call goes through the caller's client. In a run
// without a person, deleteMemory is not to be offered, and saves are to be counted.
func (m *Module) Tools() []tool.Tool {
	return []tool.Tool{searchMemoryTool(), saveMemoryTool(), deleteMemoryTool()}
}

// where says in a summary who will see a memory.
func (m Memory) where() string {
	if m.Scope == System {
		return ", shared on the system " + m.SystemName
	}
	return ""
}

func quoted(hint string) string { return strconv.Quote(hint) }
