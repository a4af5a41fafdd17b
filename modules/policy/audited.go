package policy

import (
	"context"

	"countersign/audit"
	"countersign/modules/policy/policydb"
)

const policyType = "ai.tool_policy"

// The type in the audit log, as people read it.
var auditedPolicy = audit.Declare(audit.Type{
	ID: policyType, Label: "Tool policy", Plural: "Tool policies", Kept: []string{"enabled", "alwaysConfirm", "twoPerson"},
})

// Audited are the policies of tools, by the tool's name.
func (m *Module) Audited() []audit.Kind {
	return []audit.Kind{audit.Ruled(auditedPolicy, Manage, func(ctx context.Context, name string) error {
		_, err := m.find(ctx, name)
		return err
	})}
}

// record writes an audit event about a change, in its transaction.
func (m *Module) record(ctx context.Context, before, after policydb.AiToolPolicy) error {
	var fields audit.Fields
	fields.Compare("enabled", before.Enabled, after.Enabled)
	fields.Compare("alwaysConfirm", before.AlwaysConfirm, after.AlwaysConfirm)
	fields.Compare("twoPerson", before.TwoPerson, after.TwoPerson)
	return audit.Record(ctx, m.db, audit.Event{
		Action: audit.Changed, Object: audit.Ref{Type: policyType, ID: after.ToolName, Name: after.ToolName},
		Summary: "The policy of a tool was changed", Fields: fields,
	})
}
