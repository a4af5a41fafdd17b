package catalog

import (
	"context"
	"fmt"

	"github.com/google/uuid"

	"countersign/access"
	"countersign/modules/catalog/catalogdb"
)

// Sight is which systems the caller of a context may see: all but Hidden when Every is set, and Granted in any case.
// Other modules filter by it what they keep about systems.
type Sight struct {
	Every   bool
	Hidden  []uuid.UUID
	Granted []uuid.UUID
}

// Sight is which systems the principal of ctx may see.
func (m *Module) Sight(ctx context.Context) (Sight, error) {
	v, err := m.service.sightOf(ctx, systemKind)
	if err != nil {
		return Sight{}, err
	}
	return Sight{Every: v.every(), Hidden: v.private, Granted: append([]uuid.UUID{}, v.granted[access.View]...)}, nil
}

// SystemAccess is a system's name and what the caller may do with it.
type SystemAccess struct {
	Name   string
	Access access.Level
}

// MayEdit reports whether the caller may change the system.
func (a SystemAccess) MayEdit() bool { return a.Access.Includes(access.Edit) }

// SystemAccess looks systems up as the principal of ctx; those that do not exist or may not be seen are missing.
func (m *Module) SystemAccess(ctx context.Context, ids []uuid.UUID) (map[uuid.UUID]SystemAccess, error) {
	v, err := m.service.sightOf(ctx, systemKind)
	if err != nil {
		return nil, err
	}
	rows, err := catalogdb.New(m.service.db.Conn(ctx)).SystemNames(ctx, ids)
	if err != nil {
		return nil, fmt.Errorf("name systems: %w", err)
	}
	seen := make(map[uuid.UUID]SystemAccess, len(rows))
	for _, row := range rows {
		if level := v.of(row.ID); level != access.None {
			seen[row.ID] = SystemAccess{Name: row.Name, Access: level}
		}
	}
	return seen, nil
}
