package oncall

import (
	"context"
	"fmt"

	"github.com/google/uuid"

	"countersign/internal/secret"
	"countersign/internal/store"
	"countersign/modules/oncall/oncalldb"
)

// resealBatch is the number of schedules that one query lists.
const resealBatch = 100

// Sealed are the addresses of calendar feeds.
func (m *Module) Sealed() []secret.Sealed {
	return []secret.Sealed{{Values: "addresses of on-call calendars", Reseal: m.service.reseal}}
}

// reseal seals addresses of an older key with the newest one: see secret.ResealEach.
func (s *service) reseal(ctx context.Context) (int, error) {
	return secret.ResealEach(ctx, func(ctx context.Context, after uuid.UUID) ([]uuid.UUID, error) {
		ids, err := s.queries(ctx).SealedFeeds(ctx, oncalldb.SealedFeedsParams{After: after, MaxRows: resealBatch})
		return ids, store.Wrap("list calendar feeds", err)
	}, s.resealFeed)
}

func (s *service) resealFeed(ctx context.Context, id uuid.UUID) (changed bool, err error) {
	err = s.db.InTx(ctx, func(ctx context.Context) error {
		row, err := s.queries(ctx).LockSchedule(ctx, id)
		if store.NoRows(err) || err == nil && row.FeedSealed == nil {
			return nil
		}
		if err != nil {
			return fmt.Errorf("lock on-call schedule: %w", err)
		}
		fresh, isNew, err := s.sealer.Reseal(row.FeedSealed, feedKey(id))
		if err != nil || !isNew {
			return store.Wrap("calendar feed of the schedule "+id.String(), err)
		}
		changed = true
		return store.Wrap("reseal", s.queries(ctx).SetFeedSealed(ctx, oncalldb.SetFeedSealedParams{ID: id, Sealed: fresh}))
	})
	return changed && err == nil, err
}
