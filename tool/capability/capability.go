// Package capability makes the two tools by which models find what a module can be configured with: strategies and
// collectors of checks, triggers and actions of automations. A module lists its entries; the tools search them, and give
// their schemas.
package capability

import (
	"context"
	"encoding/json"
	"io/fs"

	"countersign/internal/access"
	"countersign/tool"
)

// Kit makes the tools of one context, <Context>.listCapabilities and <Context>.getCapabilitySchema.
type Kit struct {
	Context string
	// Texts holds the texts of the tools, tool_list_capabilities.md and tool_get_capability_schema.md.
	Texts fs.FS
	// Rule opens the tools, or a grant on a record of Kind.
	Rule string
	Kind access.Kind
	// List returns the entries with the rights of the caller. An entry that belongs to several stands once after each.
	List func(ctx context.Context, c tool.Caller) ([]Entry, error)
}

// Entry is something that a module can be configured with.
type Entry struct {
	ID, Name, Description string
	// Role is the kind of entry in its context, such as strategy or collector.
	Role string
	// Parent is the entry that this one belongs to; "" for none.
	Parent string
	// Category groups entries for people, and Words are found by the search as well.
	Category string
	Words    []string
	// ConfigSchema is the JSON schema of its config, and ResultSchema of what assertions can be about, if any.
	ConfigSchema, ResultSchema json.RawMessage
	// Operators are the operators of assertions by the JSON type of the field.
	Operators map[string][]string
}

// Tools returns the tools of the context.
func (k Kit) Tools() []tool.Tool { return []tool.Tool{k.listTool(), k.schemaTool()} }
