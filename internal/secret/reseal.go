package secret

import (
	"context"
	"errors"

	"github.com/google/uuid"
)

// ResealEach seals stored values with the newest key and reports how many it changed. page lists the next ids after
// one, in order, and none at the end; one reseals a single value in a transaction of its own, so that it can be stopped
// and restarted at any time, beside running processes. The error names values that cannot be opened, which stay
// unchanged.
func ResealEach(
	ctx context.Context,
	page func(ctx context.Context, after uuid.UUID) ([]uuid.UUID, error),
	one func(ctx context.Context, id uuid.UUID) (bool, error),
) (int, error) {
	resealed, after := 0, uuid.Nil
	var failed []error
	for {
		ids, err := page(ctx, after)
		if err != nil {
			return resealed, err
		}
		if len(ids) == 0 {
			return resealed, errors.Join(failed...)
		}
		for _, id := range ids {
			after = id
			changed, err := one(ctx, id)
			if ctx.Err() != nil {
				return resealed, ctx.Err()
			}
			// A value that cannot be opened must not keep the others at the old key.
			failed = append(failed, err)
			if changed {
				resealed++
			}
		}
	}
}
