package vault

import "countersign/internal/principal"

// The access rules of secrets. No role has them by default.
const (
	Read   = "vault.secret.read"
	Manage = "vault.secret.manage"
)

// Rules are the access rules of secrets.
func (*Module) Rules() []principal.Rule {
	return []principal.Rule{
		{ID: Read, Description: "See names and descriptions of secrets and who used them, and use them in runs; never their values"},
		{ID: Manage, Description: "Create, replace and delete secrets; stored values are never shown"},
	}
}
