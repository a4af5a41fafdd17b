package api

import (
	"context"
	"fmt"
	"time"

	"countersign/api/apidb"
	"countersign/internal/store/chore"
)

// Chores prune expired answers and client requests.
func (k KeptAnswers) Chores() []chore.Chore {
	return []chore.Chore{{Name: "prune idempotency keys", Every: time.Hour, Do: func(ctx context.Context) error {
		return PruneIdempotencyKeys(ctx, k.DB)
	}}, {Name: "prune requests of clients", Every: time.Hour, Do: func(ctx context.Context) error {
		if _, err := apidb.New(k.DB.Conn(ctx)).PruneClientRequests(ctx); err != nil {
			return fmt.Errorf("forget requests of clients: %w", err)
		}
		return nil
	}}}
}
