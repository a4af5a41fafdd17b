package auth

import "countersign/internal/access"

// BindRemoved sets what is called in the transaction that deletes a record with grants, a user, an application, a team or
// a role; the kind is its type in the audit log. It is called during wiring, before any request.
func (a *Auth) BindRemoved(follow access.OnRemoved) {
	a.Grants.removed, a.Directory.removed = follow, follow
}
