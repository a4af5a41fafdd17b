package catalog

import (
	"context"
	"fmt"

	"github.com/google/uuid"
)

// Followers keep data about systems and react to changes of systems. They join the transaction of the change; an
// error rolls it back.
type Followers interface {
	// OnSystemsChanged handles changed names, metadata or environments of systems, and changed environments of
	// systems.
	OnSystemsChanged(ctx context.Context, systems []uuid.UUID) error
}

// notifyChanged notifies the followers of changed systems.
func (s *service) notifyChanged(ctx context.Context, systems ...uuid.UUID) error {
	if s.followers == nil || len(systems) == 0 {
		return nil
	}
	if err := s.followers.OnSystemsChanged(ctx, systems); err != nil {
		return fmt.Errorf("tell of changed systems: %w", err)
	}
	return nil
}

// systemsIn returns all systems in an environment, without a check of access.
func (s *service) systemsIn(ctx context.Context, environment uuid.UUID) ([]uuid.UUID, error) {
	ids, err := s.queries(ctx).SystemsInEnvironment(ctx, environment)
	if err != nil {
		return nil, fmt.Errorf("list the systems of an environment: %w", err)
	}
	return ids, nil
}
