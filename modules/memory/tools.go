package memory

import (
	"context"
	"strconv"

	"github.com/google/uuid"

	"countersign/problem"
	"countersign/tool"
)

// Tools are the tools of the module. They hold nothing of it: each call goes through the caller's client. In a run
// without a person, deleteMemory is not to be offered, and saves are to be counted.
func (m *Module) Tools() []tool.Tool {
	return []tool.Tool{searchMemoryTool(), saveMemoryTool(), deleteMemoryTool()}
}

// read loads a memory that an input names. One that is not there is an issue of that input.
func read(ctx context.Context, c tool.Caller, id uuid.UUID, field string) (m Memory, etag string, err error) {
	etag, err = c.Client.Get(ctx, path+"/"+id.String(), &m)
	if problem.Is(err, problem.NotFound) {
		e := problem.As(err)
		return m, "", problem.InvalidInput(e.Detail, problem.Issue{Path: field, Message: e.Detail})
	}
	return m, etag, err
}

// where says in a summary who will see a memory.
func (m Memory) where() string {
	if m.Scope == System {
		return ", shared on the system " + m.SystemName
	}
	return ""
}

func quoted(hint string) string { return strconv.Quote(hint) }
