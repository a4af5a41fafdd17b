package auth

import "countersign/internal/access"

// BindRemoved sets what is called in the transaction that deletes a record with grants, a user, an application, a team or
// a role, the kind being its type in the audit log, and with access.SignIns in the one that ends the sessions of a user. It is
// called during wiring, before any request.
func (a *Auth) BindRemoved(follow access.OnRemoved) {
	a.Grants.removed, a.Directory.removed, a.Sessions.removed = follow, follow, follow
}
