package kit

import (
	"context"
	"encoding/json"
	"sync"

	"countersign/tool"
)

// Making is a tool that a user defines at runtime. Its Definition has no rules and no texts: its Source decides who is
// offered it.
type Making struct {
	tool.Definition
	// Input is the parsed schema of the arguments.
	Input tool.Schema
	// Run runs a call with valid arguments: a read when called, a write when applied.
	Run func(ctx context.Context, c tool.Caller, input json.RawMessage) (any, error)
	// Preview is the dry run of a write. Its payload is the input, and nil.
	Preview func(ctx context.Context, c tool.Caller, input json.RawMessage) (Preview[json.RawMessage], error)
	// InputOf converts a request to the operation that the tool shares with others.
	InputOf func(parameters []string, body []byte) (json.RawMessage, error)
}

// anything is the schema of an unknown output.
var anything = sync.OnceValue(func() *Schema {
	s, err := ParseSchema(json.RawMessage(`{}`))
	if err != nil {
		panic(err)
	}
	return s
})

// NewMade makes a custom tool. The error is about its name.
func NewMade(m Making) (tool.Tool, error) {
	code := tool.Implementation{Input: m.Input, Output: anything(), Run: m.Run, InputOf: m.InputOf}
	if m.Effect != tool.Read {
		code.DryRun = func(ctx context.Context, c tool.Caller, input json.RawMessage) (tool.Proposed, error) {
			p, err := m.Preview(ctx, c, input)
			if err != nil {
				return tool.Proposed{}, err
			}
			p.Payload = input
			return p.proposed(m.Definition)
		}
	}
	return tool.NewMade(m.Definition, code)
}
