package auth

import (
	"context"
	"fmt"

	"github.com/google/uuid"
)

// followRemoved deletes what other modules store about a deleted record, in its transaction.
type followRemoved func(ctx context.Context, kind string, id uuid.UUID) error

func (f followRemoved) notify(ctx context.Context, kind string, id uuid.UUID) error {
	if f == nil {
		return nil
	}
	if err := f(ctx, kind, id); err != nil {
		return fmt.Errorf("remove what is kept about the %s: %w", kind, err)
	}
	return nil
}

// BindRemoved sets what is called in the transaction that deletes a record with grants, a user, an application, a team or
// a role; the kind is its type in the audit log. It is called during wiring, before any request.
func (a *Auth) BindRemoved(follow func(ctx context.Context, kind string, id uuid.UUID) error) {
	a.Grants.removed, a.Directory.removed = follow, follow
}
