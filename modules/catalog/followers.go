package catalog

import (
	"context"
	"fmt"

	"github.com/google/uuid"
)

// Followers keep something about systems, and follow what becomes of them. They join the transaction of the change, of which an
// error takes everything back.
type Followers interface {
	// OnSystemRemoved is told of a system that is deleted.
	OnSystemRemoved(ctx context.Context, system uuid.UUID) error
	// OnSystemsChanged is told of systems that have another name, other metadata or other environments, or environments with
	// another name or other fields.
	OnSystemsChanged(ctx context.Context, systems []uuid.UUID) error
}

// removed deletes what others keep about a system.
func (s *service) removed(ctx context.Context, system uuid.UUID) error {
	if s.followers != nil {
		if err := s.followers.OnSystemRemoved(ctx, system); err != nil {
			return fmt.Errorf("remove what is kept about the system: %w", err)
		}
	}
	if err := s.grants.Remove(ctx, systemKind.ObjectType, system); err != nil {
		return fmt.Errorf("remove grants: %w", err)
	}
	return nil
}

// changed tells those who follow systems.
func (s *service) changed(ctx context.Context, systems ...uuid.UUID) error {
	if s.followers == nil || len(systems) == 0 {
		return nil
	}
	if err := s.followers.OnSystemsChanged(ctx, systems); err != nil {
		return fmt.Errorf("tell of changed systems: %w", err)
	}
	return nil
}

// systemsIn are all systems in an environment, whoever asks.
func (s *service) systemsIn(ctx context.Context, environment uuid.UUID) ([]uuid.UUID, error) {
	ids, err := s.queries(ctx).SystemsInEnvironment(ctx, environment)
	if err != nil {
		return nil, fmt.Errorf("list the systems of an environment: %w", err)
	}
	return ids, nil
}
