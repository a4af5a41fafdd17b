package notification

import (
	"context"
	"fmt"

	"github.com/google/uuid"

	"countersign/internal/notice"
	"countersign/internal/principal"
	"countersign/modules/notification/notificationdb"
)

// batch is what the deliveries of one claim need, read once for all of them.
type batch struct {
	// channels lacks those that are gone, people those who may not sign in.
	channels map[uuid.UUID]notificationdb.ChannelsOfRow
	people   map[uuid.UUID]principal.Principal
	// mutes has the last mute to end of each muted system.
	mutes map[uuid.UUID]notice.Mute
}

func (s *service) readBatch(ctx context.Context, claimed []notificationdb.ClaimRow) (batch, error) {
	b := batch{channels: map[uuid.UUID]notificationdb.ChannelsOfRow{}, mutes: map[uuid.UUID]notice.Mute{}}
	channels, systems := ids{}, ids{}
	for _, d := range claimed {
		channels.add(d.ChannelID)
		if notice.Phase(d.Phase) != notice.Recovery {
			systems.add(d.Systems...)
		}
	}
	rows, err := s.queries(ctx).ChannelsOf(ctx, channels.list)
	if err != nil {
		return b, fmt.Errorf("load channels: %w", err)
	}
	people := ids{}
	for _, row := range rows {
		b.channels[row.ID] = row
		if row.OwnerKind == ownerPerson {
			people.add(row.OwnerID)
		}
	}
	if len(people.list) > 0 {
		if b.people, err = s.people.Readers(ctx, people.list); err != nil {
			return b, err
		}
	}
	if len(systems.list) == 0 {
		return b, nil
	}
	mutes, err := s.mutes.Muted(ctx, systems.list)
	if err != nil {
		return b, err
	}
	for _, m := range mutes {
		last, ok := b.mutes[m.System]
		if !ok || !last.Until.IsZero() && (m.Until.IsZero() || m.Until.After(last.Until)) {
			b.mutes[m.System] = m
		}
	}
	return b, nil
}

// ids is a list without repetitions.
type ids struct {
	list []uuid.UUID
	seen map[uuid.UUID]bool
}

func (i *ids) add(all ...uuid.UUID) {
	if i.seen == nil {
		i.seen = map[uuid.UUID]bool{}
	}
	for _, id := range all {
		if !i.seen[id] {
			i.seen[id], i.list = true, append(i.list, id)
		}
	}
}
