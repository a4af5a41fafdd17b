package vault

import (
	"context"

	"countersign/audit"
	"countersign/modules/vault/vaultdb"
)

const secretType = "vault.secret"

// The type in the audit log, as people read it.
var auditedSecret = audit.Declare(audit.Type{ID: secretType, Label: "Secret", Plural: "Secrets"})

// Audited are the secrets, by name.
func (m *Module) Audited() []audit.Kind {
	return []audit.Kind{audit.Ruled(auditedSecret, Read, func(ctx context.Context, name string) error {
		_, err := m.Get(ctx, name)
		return err
	})}
}

// audit adds a change of a secret to the audit log, in its transaction. Uses are on record here alone: each run makes
// some, and they change nothing.
func (m *Module) audit(ctx context.Context, row vaultdb.LockSecretRow, action string) error {
	e := audit.Event{Action: audit.Changed, Object: audit.Ref{Type: secretType, ID: row.Name, Name: row.Name}}
	switch action {
	case Created:
		e.Action, e.Summary = audit.Created, "Secret created"
	case Replaced:
		e.Summary = "The value was replaced"
		e.Fields.Mention("value", true)
	case Described:
		e.Summary = "The description was changed"
		e.Fields.Mention("description", true)
	case Deleted:
		e.Action, e.Summary = audit.Deleted, "Secret deleted"
	default:
		return nil
	}
	return audit.Record(ctx, m.db, e)
}
