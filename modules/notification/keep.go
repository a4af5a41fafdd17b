package notification

import (
	"context"
	"fmt"
	"time"

	"github.com/google/uuid"

	"countersign/internal/secret"
	"countersign/internal/store"
	"countersign/internal/store/chore"
	"countersign/modules/notification/notificationdb"
)

// keptDays is how long the log of deliveries goes back.
const (
	keptDays    = 90
	pruneBatch  = 1000
	resealBatch = 100
)

// Chores remove old notifications.
func (m *Module) Chores() []chore.Chore {
	return []chore.Chore{{Name: "notifications", Every: time.Hour, Do: m.service.prune}}
}

func (s *service) prune(ctx context.Context) error {
	for {
		n, err := s.queries(ctx).PruneNotifications(ctx, notificationdb.PruneNotificationsParams{Days: keptDays, MaxRows: pruneBatch})
		if err != nil {
			return fmt.Errorf("remove old notifications: %w", err)
		}
		if n < pruneBatch {
			break
		}
	}
	for {
		n, err := s.queries(ctx).PruneMessages(ctx, notificationdb.PruneMessagesParams{Days: keptDays, MaxRows: pruneBatch})
		if err != nil {
			return fmt.Errorf("remove old messages: %w", err)
		}
		if n < pruneBatch {
			break
		}
	}
	for {
		n, err := s.queries(ctx).PruneUserMessages(ctx, notificationdb.PruneUserMessagesParams{Days: keptDays, MaxRows: pruneBatch})
		if err != nil {
			return fmt.Errorf("remove old messages to users: %w", err)
		}
		if n < pruneBatch {
			return nil
		}
	}
}

// owners are the kinds of records that have channels, by their types in the audit log.
var owners = map[string]string{"auth.user": ownerPerson, "auth.team": ownerTeam, "oncall.policy": ownerPolicy}

// OnRemoved removes the channels of deleted owners, and subscriptions to deleted systems and groups.
func (m *Module) OnRemoved(ctx context.Context, kind string, id uuid.UUID) error {
	q := m.service.queries(ctx)
	switch kind {
	case "catalog.system", "catalog.group":
		if _, err := q.DropSubscriptions(ctx, notificationdb.DropSubscriptionsParams{Kind: kind[len("catalog."):], RefID: id}); err != nil {
			return fmt.Errorf("remove subscriptions: %w", err)
		}
		return nil
	}
	owner, ok := owners[kind]
	if !ok {
		return nil
	}
	ids, err := q.DeleteChannelsOf(ctx, notificationdb.DeleteChannelsOfParams{OwnerKind: owner, OwnerID: id})
	if err != nil {
		return fmt.Errorf("remove channels: %w", err)
	}
	if len(ids) == 0 {
		return nil
	}
	return store.Wrap("stop deliveries", q.StopChannel(ctx, notificationdb.StopChannelParams{Ids: ids, Reason: reasonGone}))
}

// Name implements conversation.Eraser.
func (m *Module) Name() string { return "notification channels and deliveries" }

// Count counts what is stored about a person.
func (m *Module) Count(ctx context.Context, person uuid.UUID) (int64, error) {
	return m.service.queries(ctx).CountOfPerson(ctx, person)
}

// Erase deletes what is stored about a person.
func (m *Module) Erase(ctx context.Context, person uuid.UUID) (int64, error) {
	q := m.service.queries(ctx)
	channels, err := q.DeleteChannelsOf(ctx, notificationdb.DeleteChannelsOfParams{OwnerKind: ownerPerson, OwnerID: person})
	if err != nil {
		return 0, fmt.Errorf("erase channels: %w", err)
	}
	n, err := q.EraseOfPerson(ctx, person)
	if err != nil {
		return 0, fmt.Errorf("erase deliveries: %w", err)
	}
	return n + int64(len(channels)), nil
}

// reseal seals what is sealed with an older key with the newest one.
func (s *service) reseal(ctx context.Context) (int, error) {
	n, err := secret.ResealEach(ctx, func(ctx context.Context, after uuid.UUID) ([]uuid.UUID, error) {
		return s.queries(ctx).SealedChannels(ctx, notificationdb.SealedChannelsParams{After: after, MaxRows: resealBatch})
	}, s.resealChannel)
	if err != nil {
		return n, err
	}
	changed, err := s.resealSettings(ctx)
	return n + changed, err
}

func (s *service) resealChannel(ctx context.Context, id uuid.UUID) (changed bool, err error) {
	err = s.db.InTx(ctx, func(ctx context.Context) error {
		row, err := s.queries(ctx).LockChannel(ctx, id)
		if store.NoRows(err) {
			return nil
		}
		if err != nil {
			return fmt.Errorf("lock channel: %w", err)
		}
		fresh, isNew, err := s.sealer.Reseal(row.ConfigSealed, associated(id))
		if err != nil || !isNew {
			return store.Wrap("channel "+id.String(), err)
		}
		changed = true
		return store.Wrap("reseal", s.queries(ctx).SetSealed(ctx, notificationdb.SetSealedParams{ID: id, Config: fresh}))
	})
	return changed, err
}

func (s *service) resealSettings(ctx context.Context) (changed int, err error) {
	err = s.db.InTx(ctx, func(ctx context.Context) error {
		row, err := s.queries(ctx).LockSettings(ctx)
		if store.NoRows(err) {
			return nil
		}
		if err != nil {
			return fmt.Errorf("lock the settings of notifications: %w", err)
		}
		for _, one := range []struct {
			sealed     *[]byte
			associated []byte
		}{{&row.MailPasswordSealed, mailAssociated}, {&row.PushPrivateSealed, pushAssociated}} {
			if *one.sealed == nil {
				continue
			}
			fresh, isNew, err := s.sealer.Reseal(*one.sealed, one.associated)
			if err != nil {
				return fmt.Errorf("the settings of notifications: %w", err)
			}
			if isNew {
				*one.sealed = fresh
				changed++
			}
		}
		if changed == 0 {
			return nil
		}
		return s.queries(
			ctx,
		).SetSettingsSealed(
			ctx,
			notificationdb.SetSettingsSealedParams{Mail: row.MailPasswordSealed, Push: row.PushPrivateSealed},
		)
	})
	return changed, err
}
