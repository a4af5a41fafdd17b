package scriptpolicy

import (
	"context"

	"countersign/audit"
)

// The one script policy, as the audit log names it.
const (
	policyType = "script.policy"
	policyID   = "policy"
)

// The type in the audit log, as people read it.
var auditedPolicy = audit.Declare(audit.Type{
	ID: policyType, Label: "Script policy", Kept: []string{"network", "allow", "test", "run"},
})

// Audited is the script policy, whose id is "policy".
func (m *Module) Audited() []audit.Kind {
	return []audit.Kind{audit.Ruled(auditedPolicy, Manage, func(context.Context, string) error { return nil })}
}

// record adds a change to the audit log, in its transaction.
func (m *Module) record(ctx context.Context, document []byte, after Policy) error {
	before, err := parse(document)
	if err != nil {
		before = Tightest()
	}
	var fields audit.Fields
	fields.Compare("network", string(before.Network), string(after.Network))
	fields.Compare("allow", before.Allow, after.Allow)
	fields.Compare("test", before.Test, after.Test)
	fields.Compare("run", before.Run, after.Run)
	return audit.Record(ctx, m.db, audit.Event{
		Action:  audit.Changed,
		Object:  audit.Ref{Type: policyType, ID: policyID, Name: "Script policy"},
		Summary: "The script policy was changed",
		Fields:  fields,
	})
}
