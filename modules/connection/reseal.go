package connection

import (
	"context"
	"fmt"

	"github.com/google/uuid"

	"countersign/internal/secret"
	"countersign/internal/store"
	"countersign/modules/connection/connectiondb"
)

// Sealed are the API keys and headers of connections.
func (m *Module) Sealed() []secret.Sealed {
	return []secret.Sealed{{Values: "API keys of connections", Reseal: func(ctx context.Context) (int, error) {
		return Reseal(ctx, m.db, m.sealer)
	}}}
}

// Reseal seals the API key and the headers of every connection that an older key sealed with the newest key, and reports
// of how many (secret.ResealEach).
func Reseal(ctx context.Context, db *store.DB, keys secret.Sealer) (int, error) {
	const batch = 100
	return secret.ResealEach(ctx, func(ctx context.Context, after uuid.UUID) ([]uuid.UUID, error) {
		ids, err := connectiondb.New(db.Conn(ctx)).SealedConnections(ctx, connectiondb.SealedConnectionsParams{After: after, Max: batch})
		if err != nil {
			return nil, fmt.Errorf("list connections: %w", err)
		}
		return ids, nil
	}, func(ctx context.Context, id uuid.UUID) (bool, error) { return resealOne(ctx, db, keys, id) })
}

func resealOne(ctx context.Context, db *store.DB, keys secret.Sealer, id uuid.UUID) (changed bool, err error) {
	err = db.InTx(ctx, func(ctx context.Context) error {
		q := connectiondb.New(db.Conn(ctx))
		sealed, err := q.LockKey(ctx, id)
		if store.NoRows(err) {
			return nil
		}
		if err != nil {
			return fmt.Errorf("lock connection: %w", err)
		}
		fresh := connectiondb.ResealKeyParams{ID: id}
		for _, part := range []struct {
			name               string
			sealed, associated []byte
			into               *[]byte
		}{
			{"API key", sealed.ApiKeySealed, associated(id), &fresh.ApiKeySealed},
			{"headers", sealed.HeadersSealed, headersAssociated(id), &fresh.HeadersSealed},
		} {
			if len(part.sealed) == 0 {
				continue
			}
			fresh, isNew, err := keys.Reseal(part.sealed, part.associated)
			if err != nil {
				return fmt.Errorf("%s of connection %s: %w", part.name, id, err)
			}
			if *part.into = part.sealed; isNew {
				*part.into = fresh
			}
			changed = changed || isNew
		}
		if !changed {
			return nil
		}
		if err := q.ResealKey(ctx, fresh); err != nil {
			return fmt.Errorf("reseal key of connection %s: %w", id, err)
		}
		return nil
	})
	return changed && err == nil, err
}
