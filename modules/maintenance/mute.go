package maintenance

import (
	"context"

	"github.com/google/uuid"

	"countersign/internal/notice"
)

// Muted returns the systems about which notifications are suppressed by a maintenance in progress, the last one to end for
// each.
func (m *Module) Muted(ctx context.Context, systems []uuid.UUID) ([]notice.Mute, error) {
	active, err := m.InProgress(ctx, systems...)
	if err != nil {
		return nil, err
	}
	var mutes []notice.Mute
	for _, id := range systems {
		for _, one := range active[id] {
			if one.Suppresses {
				mutes = append(mutes, notice.Mute{System: id, Until: one.Until, Reason: "maintenance " + one.ID.String()})
				break
			}
		}
	}
	return mutes, nil
}
