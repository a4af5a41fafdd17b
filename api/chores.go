package api

import (
	"context"
	"time"

	"countersign/store/chore"
)

// Chores are what has to be done now and then.
func (k KeptAnswers) Chores() []chore.Chore {
	return []chore.Chore{{Name: "prune idempotency keys", Every: time.Hour, Do: func(ctx context.Context) error {
		return PruneIdempotencyKeys(ctx, k.DB)
	}}}
}
