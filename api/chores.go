package api

import (
	"context"
	"time"

	"countersign/internal/store/chore"
)

// Chores prune expired answers.
func (k KeptAnswers) Chores() []chore.Chore {
	return []chore.Chore{{Name: "prune idempotency keys", Every: time.Hour, Do: func(ctx context.Context) error {
		return PruneIdempotencyKeys(ctx, k.DB)
	}}}
}
