package access

import (
	"context"
	"fmt"

	"github.com/google/uuid"
)

// SignIns is the kind with which OnRemoved is called for a user whose sessions end because another person may have one: a new
// password, a disabled account, the end of all other sessions. Addresses with a secret of the user end with them.
const SignIns = "auth.signIns"

// OnRemoved deletes what other modules store about a deleted record, in the transaction that deletes it. The kind is the
// record's type in the audit log.
type OnRemoved func(ctx context.Context, kind string, id uuid.UUID) error

// Notify calls it for each deleted record; an error has to roll the deletion back. A nil OnRemoved does nothing.
func (f OnRemoved) Notify(ctx context.Context, kind string, ids ...uuid.UUID) error {
	if f == nil {
		return nil
	}
	for _, id := range ids {
		if err := f(ctx, kind, id); err != nil {
			return fmt.Errorf("remove what is kept about the %s: %w", kind, err)
		}
	}
	return nil
}
