package catalog

import (
	"context"
	"fmt"

	"github.com/google/uuid"

	"countersign/access"
	"countersign/problem"
	"countersign/store"
)

// Types are the object types on which grants can be held.
func (*Module) Types() []string { return []string{systemKind.ObjectType, groupKind.ObjectType} }

// See is problem.NotFound unless the object exists and the caller may see it.
func (m *Module) See(ctx context.Context, objectType string, id uuid.UUID) error {
	switch objectType {
	case systemKind.ObjectType:
		row, err := m.service.queries(ctx).System(ctx, id)
		return m.service.see(ctx, systemKind, id, row.Name, err)
	case groupKind.ObjectType:
		row, err := m.service.queries(ctx).Group(ctx, id)
		return m.service.see(ctx, groupKind, id, row.Name, err)
	}
	return notGrantable(objectType)
}

// Touch raises the revision of an object whose grants change; problem.NotFound when it does not exist.
func (m *Module) Touch(ctx context.Context, objectType string, id uuid.UUID) error {
	q := m.service.queries(ctx)
	switch objectType {
	case systemKind.ObjectType:
		_, err := q.LockSystem(ctx, id)
		return touch(ctx, systemKind, id, err, q.BumpSystem)
	case groupKind.ObjectType:
		_, err := q.LockGroup(ctx, id)
		return touch(ctx, groupKind, id, err, q.BumpGroup)
	}
	return notGrantable(objectType)
}

func (s *service) see(ctx context.Context, k access.Kind, id uuid.UUID, name string, err error) error {
	v, sightErr := s.sightOf(ctx, k)
	if sightErr != nil {
		return sightErr
	}
	return v.permit(id, name, err, access.View)
}

func touch(ctx context.Context, k access.Kind, id uuid.UUID, err error, bump func(context.Context, uuid.UUID) error) error {
	if store.NoRows(err) {
		return k.Missing(id)
	}
	if err != nil {
		return fmt.Errorf("lock %s: %w", k.Noun, err)
	}
	if err := bump(ctx, id); err != nil {
		return fmt.Errorf("raise the revision: %w", err)
	}
	return nil
}

func notGrantable(objectType string) error {
	return problem.Errorf(problem.NotFound, "There are no objects of the type %s to grant access to.", objectType)
}
