package healthcheck

import (
	"context"

	"github.com/google/uuid"

	"countersign/check/health"
	"countersign/event"
	"countersign/internal/problem"
)

// EventTypes are the events about the health of a system, for readers who may see its status.
func (m *Module) EventTypes() []event.Type { return health.EventTypes(StatusRead, m.seeSystem) }

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
