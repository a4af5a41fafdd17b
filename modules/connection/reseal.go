package connection

import (
	"context"
	"errors"
	"fmt"

	"github.com/google/uuid"

	"countersign/modules/connection/connectiondb"
	"countersign/store"
)

// Resealer seals a value with the newest key, and reports false when it was already. *secret.Keyset is one.
type Resealer interface {
	Reseal(sealed, associated []byte) ([]byte, bool, error)
}

// Reseal seals every API key that an older key of the keyset sealed with the newest one, and reports how many. Each is a
// transaction of its own: it can be stopped at any time and started again, beside running processes. What
// cannot be opened is left as it is, and named in the error.
func Reseal(ctx context.Context, db *store.DB, keys Resealer) (int, error) {
	const batch = 100
	resealed, after := 0, uuid.Nil
	var failed []error
	for {
		ids, err := connectiondb.New(db.Conn(ctx)).SealedConnections(ctx, connectiondb.SealedConnectionsParams{After: after, Max: batch})
		if err != nil {
			return resealed, fmt.Errorf("list connections: %w", err)
		}
		if len(ids) == 0 {
			return resealed, errors.Join(failed...)
		}
		for _, id := range ids {
			after = id
			changed, err := resealOne(ctx, db, keys, id)
			if ctx.Err() != nil {
				return resealed, ctx.Err()
			}
			// One that cannot be opened must not keep the others at the old key.
			failed = append(failed, err)
			if changed {
				resealed++
			}
		}
	}
}

func resealOne(ctx context.Context, db *store.DB, keys Resealer, id uuid.UUID) (changed bool, err error) {
	err = db.InTx(ctx, func(ctx context.Context) error {
		q := connectiondb.New(db.Conn(ctx))
		sealed, err := q.LockKey(ctx, id)
		if store.NoRows(err) || err == nil && len(sealed) == 0 {
			return nil
		}
		if err != nil {
			return fmt.Errorf("lock connection: %w", err)
		}
		fresh, isNew, err := keys.Reseal(sealed, associated(id))
		if err != nil {
			return fmt.Errorf("API key of connection %s: %w", id, err)
		}
		if !isNew {
			return nil
		}
		changed = true
		if err := q.ResealKey(ctx, connectiondb.ResealKeyParams{ID: id, ApiKeySealed: fresh}); err != nil {
			return fmt.Errorf("reseal key of connection %s: %w", id, err)
		}
		return nil
	})
	return changed && err == nil, err
}
