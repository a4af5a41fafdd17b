package intake

import (
	"context"
	"fmt"
	"time"

	"github.com/google/uuid"

	"countersign/internal/secret"
	"countersign/internal/store"
	"countersign/internal/store/chore"
	"countersign/modules/intake/intakedb"
)

const (
	// keptDays is how long payloads and ended alerts are kept.
	keptDays    = 30
	pruneBatch  = 1000
	resealBatch = 100
)

// Chores remove old payloads and alerts.
func (m *Module) Chores() []chore.Chore {
	return []chore.Chore{{Name: "alerts", Every: time.Hour, Do: m.service.prune}}
}

func (s *service) prune(ctx context.Context) error {
	for {
		payloads, err := s.queries(ctx).PrunePayloads(ctx, intakedb.PrunePayloadsParams{Days: keptDays, MaxRows: pruneBatch})
		if err != nil {
			return fmt.Errorf("remove old payloads: %w", err)
		}
		alerts, err := s.queries(ctx).PruneAlerts(ctx, intakedb.PruneAlertsParams{Days: keptDays, MaxRows: pruneBatch})
		if err != nil {
			return fmt.Errorf("remove old alerts: %w", err)
		}
		if payloads < pruneBatch && alerts < pruneBatch {
			return nil
		}
	}
}

// OnRemoved forgets the alerts of a deleted incident, and the team of a source when it is deleted. A deleted system stays in
// the rules of sources, where it has no effect.
func (m *Module) OnRemoved(ctx context.Context, kind string, id uuid.UUID) error {
	switch kind {
	case incidentType:
		return store.Wrap("forget the alerts of an incident", m.service.queries(ctx).DropIncident(ctx, id))
	case teamType:
		return store.Wrap("take a team from sources of alerts", m.service.queries(ctx).DropTeam(ctx, id))
	}
	return nil
}

// Sealed are the secrets of sources.
func (m *Module) Sealed() []secret.Sealed {
	return []secret.Sealed{{Values: "sources of alerts", Reseal: m.service.resealAll}}
}

func (s *service) resealAll(ctx context.Context) (int, error) {
	return secret.ResealEach(ctx, func(ctx context.Context, after uuid.UUID) ([]uuid.UUID, error) {
		return s.queries(ctx).SealedSources(ctx, intakedb.SealedSourcesParams{After: after, MaxRows: resealBatch})
	}, s.reseal)
}

func (s *service) reseal(ctx context.Context, id uuid.UUID) (changed bool, err error) {
	err = s.db.InTx(ctx, func(ctx context.Context) error {
		row, err := s.queries(ctx).LockSource(ctx, id)
		if store.NoRows(err) {
			return nil
		}
		if err != nil {
			return fmt.Errorf("lock source: %w", err)
		}
		fresh, isNew, err := s.sealer.Reseal(row.KeysSealed, associated(id))
		if err != nil || !isNew {
			return store.Wrap("source "+id.String(), err)
		}
		changed = true
		return store.Wrap("reseal", s.queries(ctx).SetSealed(ctx, intakedb.SetSealedParams{ID: id, KeysSealed: fresh}))
	})
	return changed, err
}
