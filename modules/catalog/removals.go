package catalog

import (
	"context"
	"fmt"

	"github.com/google/uuid"
)

// Removals are told of systems that are deleted.
type Removals interface {
	// OnSystemRemoved joins the transaction in which the system is deleted, of which an error takes everything back.
	OnSystemRemoved(ctx context.Context, system uuid.UUID) error
}

// removed deletes what others keep about a system.
func (s *service) removed(ctx context.Context, system uuid.UUID) error {
	if s.removals != nil {
		if err := s.removals.OnSystemRemoved(ctx, system); err != nil {
			return fmt.Errorf("remove what is kept about the system: %w", err)
		}
	}
	if err := s.grants.Remove(ctx, systemKind.ObjectType, system); err != nil {
		return fmt.Errorf("remove grants: %w", err)
	}
	return nil
}
