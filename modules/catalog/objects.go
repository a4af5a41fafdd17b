package catalog

import (
	"context"
	"fmt"

	"github.com/google/uuid"

	"countersign/access"
	"countersign/problem"
)

// Types are the object types on which grants can be held.
func (*Module) Types() []string { return []string{systemKind.ObjectType, groupKind.ObjectType} }

// See is problem.NotFound unless the object exists and the caller may see it.
func (m *Module) See(ctx context.Context, objectType string, id uuid.UUID) (err error) {
	switch objectType {
	case systemKind.ObjectType:
		_, err = m.service.systems.See(ctx, id)
	case groupKind.ObjectType:
		_, err = m.service.groups.See(ctx, id)
	default:
		err = notGrantable(objectType)
	}
	return err
}

// Touch locks an object whose grants change and raises its revision; problem.NotFound when it does not exist. It
// returns the object's name.
func (m *Module) Touch(ctx context.Context, objectType string, id uuid.UUID) (string, error) {
	var head access.Head
	var err error
	switch objectType {
	case systemKind.ObjectType:
		head, err = m.service.systems.Touch(ctx, id)
	case groupKind.ObjectType:
		head, err = m.service.groups.Touch(ctx, id)
	default:
		err = notGrantable(objectType)
	}
	return head.Name, err
}

func notGrantable(objectType string) error {
	return problem.Errorf(problem.NotFound, "There are no objects of the type %s to grant access to.", objectType)
}

// Sight is which systems the principal of ctx sees, for what other modules keep about systems.
func (*Module) Sight(ctx context.Context) access.Sight { return systemKind.Sight(ctx) }

// Lookup finds systems as the principal of ctx; those that do not exist or may not be seen are missing.
func (m *Module) Lookup(ctx context.Context, ids []uuid.UUID) (map[uuid.UUID]access.Record, error) {
	levels, err := systemKind.Sight(ctx).Levels(ctx, m.service.db, ids...)
	if err != nil {
		return nil, err
	}
	rows, err := m.service.queries(ctx).SystemNames(ctx, ids)
	if err != nil {
		return nil, fmt.Errorf("name systems: %w", err)
	}
	seen := make(map[uuid.UUID]access.Record, len(rows))
	for _, row := range rows {
		if levels[row.ID] != access.None {
			seen[row.ID] = access.Record{Name: row.Name, Level: levels[row.ID]}
		}
	}
	return seen, nil
}
