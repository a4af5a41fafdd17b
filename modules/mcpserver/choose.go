package mcpserver

import (
	"context"
	"fmt"

	"countersign/audit"
	"countersign/modules/mcpserver/mcpserverdb"
	"countersign/tool"
	"countersign/tool/kit"
)

// acceptTool applies the choice of an administrator to one tool.
func (m *Module) acceptTool(ctx context.Context, t mcpserverdb.McpTool, c Choice, on *choiceAudit) error {
	effect, enabled := c.Effect, c.Enabled == nil || *c.Enabled
	if effect == "" {
		effect = tool.Mutate
	}
	on.before = append(on.before, settingsOf(t.ToolID, t.Effect, t.Trusted, t.Enabled))
	on.after = append(on.after, settingsOf(t.ToolID, string(effect), c.Trusted, enabled))
	if t.AcceptedHash == nil || *t.AcceptedHash != c.Hash {
		on.accepted = append(on.accepted, t.ToolID+" "+c.Hash[:min(len(c.Hash), shownHashDigits)])
	}
	err := m.queries(ctx).SaveAcceptedTool(ctx, mcpserverdb.SaveAcceptedToolParams{
		ServerID: t.ServerID, ToolID: t.ToolID, SeenHash: &c.Hash, Effect: string(effect), Trusted: c.Trusted, Enabled: enabled,
	})
	if err != nil {
		return fmt.Errorf("accept a tool of an MCP server: %w", err)
	}
	return nil
}

// shownHashDigits is the number of hash characters shown to people.
const shownHashDigits = 12

// choiceAudit collects the audited fields of choices.
type choiceAudit struct{ accepted, before, after []string }

func (o choiceAudit) fields() (fields audit.Fields) {
	fields.Compare("accepted", []string{}, o.accepted)
	fields.Compare("tools", o.before, o.after)
	return fields
}

// settingsOf describes the settings of a tool in a few words.
func settingsOf(id, effect string, trusted, enabled bool) string {
	words := id + " " + effect
	if trusted {
		words += " trusted"
	}
	if !enabled {
		words += " off"
	}
	return words
}

// shownTool converts a row to the Tool that administrators see.
func shownTool(server mcpserverdb.McpServer, t mcpserverdb.McpTool) (Tool, error) {
	shown := Tool{
		ID:         t.ToolID,
		Name:       t.Name,
		Tool:       nameOf(server.Slug, t.ToolID),
		State:      stateOf(t),
		Effect:     tool.Effect(t.Effect),
		Trusted:    t.Trusted,
		Enabled:    t.Enabled,
		AcceptedAt: t.AcceptedAt,
		SeenAt:     t.SeenAt,
	}
	if t.SeenHash != nil {
		shown.Hash = *t.SeenHash
	}
	var err error
	if shown.Definition, err = definitionOf(t.Seen); err != nil {
		return shown, err
	}
	if shown.State != ToolChanged && shown.State != ToolGone {
		return shown, nil
	}
	if shown.Accepted, err = definitionOf(t.Accepted); err != nil {
		return shown, err
	}
	if shown.State == ToolChanged {
		shown.Diff, err = kit.Diff(shown.Accepted, shown.Definition)
	}
	return shown, err
}

func stateOf(t mcpserverdb.McpTool) State {
	switch {
	case t.SeenHash == nil:
		return ToolGone
	case t.AcceptedHash == nil:
		return ToolNew
	case *t.AcceptedHash != *t.SeenHash:
		return ToolChanged
	}
	return ToolAccepted
}
