package healthcheck

import (
	"context"
	"fmt"

	"github.com/google/uuid"

	"countersign/check/health"
	"countersign/event"
	"countersign/internal/access"
	"countersign/internal/problem"
)

// EventTypes are the events about the health of a system, for readers who may see its status. Checks that payloads name are shown to
// those who may see them.
func (m *Module) EventTypes() []event.Type {
	types := health.EventTypes(StatusRead, m.seeSystem)
	for i, t := range types {
		if t.ID == health.EventCheckUnknown {
			types[i] = event.WithRedaction(t, m.service.redactUnknown)
		} else {
			types[i] = event.WithRedaction(t, m.service.redactChanged)
		}
	}
	return types
}

func (m *Module) seeSystem(ctx context.Context, id uuid.UUID) error {
	found, err := m.service.Systems.Lookup(ctx, []uuid.UUID{id})
	if err != nil {
		return err
	}
	if _, sees := found[id]; !sees {
		return problem.Errorf(problem.NotFound, "There is no system with the id %s.", id)
	}
	return nil
}

// Reasons of events for readers who may not see the results of runs or the names of environments, which reasons quote.
const (
	briefChange  = "One of its checks makes it so."
	briefUnknown = "Its runs could not be made."
)

// redactChanged removes the decisive check or override from the payloads of readers who may not see it.
func (s *service) redactChanged(ctx context.Context, payloads []health.ChangedPayload) ([]*health.ChangedPayload, error) {
	var checks []uuid.UUID
	for _, p := range payloads {
		if p.CheckID != nil {
			checks = append(checks, *p.CheckID)
		}
	}
	visible, err := s.visibleChecks(ctx, checks)
	if err != nil {
		return nil, err
	}
	whole := seesDetails(ctx) && s.Systems.SeesEnvironments(ctx)
	shown := make([]*health.ChangedPayload, len(payloads))
	for i, p := range payloads {
		healthy := p.After == health.Healthy.String()
		switch {
		case p.Source != "":
			if !s.seesOverride(ctx, p.Source) {
				p.Source, p.Reason = "", hiddenOverride
			}
		case p.CheckID == nil:
		case !visible[*p.CheckID]:
			p.CheckID, p.TargetID = nil, nil
			if !healthy {
				p.Reason = hiddenReason
			}
		case !whole && !healthy:
			p.Reason = briefChange
		}
		shown[i] = &p
	}
	return shown, nil
}

// redactUnknown leaves out the events about checks that the reader may not see.
func (s *service) redactUnknown(ctx context.Context, payloads []health.CheckUnknownPayload) ([]*health.CheckUnknownPayload, error) {
	checks := make([]uuid.UUID, len(payloads))
	for i, p := range payloads {
		checks[i] = p.CheckID
	}
	visible, err := s.visibleChecks(ctx, checks)
	if err != nil {
		return nil, err
	}
	whole := seesDetails(ctx) && s.Systems.SeesEnvironments(ctx)
	shown := make([]*health.CheckUnknownPayload, len(payloads))
	for i, p := range payloads {
		if !visible[p.CheckID] {
			continue
		}
		if !whole {
			p.Reason = briefUnknown
		}
		shown[i] = &p
	}
	return shown, nil
}

// visibleChecks returns which checks the caller may see. A deleted one is not visible: the grants that kept it private went with it.
func (s *service) visibleChecks(ctx context.Context, ids []uuid.UUID) (map[uuid.UUID]bool, error) {
	visible := map[uuid.UUID]bool{}
	if len(ids) == 0 {
		return visible, nil
	}
	levels, err := statusKind.Sight(ctx).Levels(ctx, s.DB, ids...)
	if err != nil {
		return nil, err
	}
	existing, err := s.queries(ctx).ExistingChecks(ctx, ids)
	if err != nil {
		return nil, fmt.Errorf("look for checks: %w", err)
	}
	for _, id := range existing {
		visible[id] = levels[id] != access.None
	}
	return visible, nil
}
