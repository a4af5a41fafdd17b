package catalog

import (
	"context"
	"fmt"

	"github.com/google/uuid"

	"countersign/internal/access"
	"countersign/internal/problem"
	"countersign/internal/rest"
	"countersign/internal/store"
	"countersign/internal/text"
)

// Types lists the object types that can have grants.
func (*Module) Types() []string { return []string{systemKind.ObjectType, groupKind.ObjectType} }

// See returns problem.NotFound unless the object exists and the caller may see it.
func (m *Module) See(ctx context.Context, objectType string, id uuid.UUID) error {
	_, err := m.Name(ctx, objectType, id)
	return err
}

// Name returns the name of an object, problem.NotFound unless it exists and the caller may see it.
func (m *Module) Name(ctx context.Context, objectType string, id uuid.UUID) (string, error) {
	switch objectType {
	case systemKind.ObjectType:
		row, err := m.service.systems.See(ctx, id)
		return row.Name, err
	case groupKind.ObjectType:
		row, err := m.service.groups.See(ctx, id)
		return row.Name, err
	default:
		return "", notGrantable(objectType)
	}
}

// Touch locks an object whose grants change, raises its revision and returns its name; problem.NotFound when it does
// not exist.
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

// Sight returns which systems the principal of ctx sees, for data of other modules about systems.
func (*Module) Sight(ctx context.Context) access.Sight { return systemKind.Sight(ctx) }

// Lookup finds systems that the principal of ctx sees; others are missing in the answer.
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

// Hold locks a system that the principal of ctx sees until the transaction ends, so that the returned access stays
// true; problem.NotFound when there is none.
func (m *Module) Hold(ctx context.Context, id uuid.UUID) (access.Record, error) {
	row, err := m.service.systems.Hold(ctx, id, access.View, nil)
	if err != nil {
		return access.Record{}, err
	}
	levels, err := systemKind.Sight(ctx).Levels(ctx, m.service.db, id)
	return access.Record{Name: row.Name, Level: levels[id]}, err
}

// Keep locks those of some systems that exist until the transaction ends, whether or not the principal of ctx sees them, and
// returns them by id.
func (m *Module) Keep(ctx context.Context, ids []uuid.UUID) ([]uuid.UUID, error) {
	kept, err := m.service.queries(ctx).KeepSystems(ctx, ids)
	if err != nil {
		return nil, fmt.Errorf("keep systems: %w", err)
	}
	return kept, nil
}

// Find returns the id of a system by name, whatever the case, that the principal of ctx sees; nil when there is none.
func (m *Module) Find(ctx context.Context, name string) (*uuid.UUID, error) {
	row, err := m.service.queries(ctx).SystemByNameKey(ctx, text.Key(name))
	if store.NoRows(err) {
		return nil, nil
	}
	if err != nil {
		return nil, fmt.Errorf("look for a system: %w", err)
	}
	seen, err := m.Lookup(ctx, []uuid.UUID{row.ID})
	if _, ok := seen[row.ID]; err != nil || !ok {
		return nil, err
	}
	return &row.ID, nil
}

// Create creates a system with the rights of the principal of ctx, in the environments with these names.
func (m *Module) Create(ctx context.Context, name string, environments []string) (uuid.UUID, error) {
	in := NewSystem{Name: name}
	for _, wanted := range environments {
		found, _, err := m.service.Environments(ctx, wanted, rest.Page{Limit: 1})
		if err != nil {
			return uuid.Nil, err
		}
		if len(found) == 0 {
			return uuid.Nil, problem.InvalidInput(
				"There is no environment of the name " + text.Shown(wanted, 120) + ". Create it, or take it out of the assignment.",
			)
		}
		in.EnvironmentIDs = append(in.EnvironmentIDs, found[0].ID)
	}
	created, err := m.service.CreateSystem(ctx, in)
	return created.ID, err
}

// SeesEnvironments reports whether the principal of ctx may see environments.
func (*Module) SeesEnvironments(ctx context.Context) bool { return environmentKind.Sight(ctx).Every() }

// Described is a system with its name, metadata and environments.
type Described struct {
	ID           uuid.UUID
	Name         string
	Metadata     Record
	Environments []DescribedEnvironment
}

// DescribedEnvironment is an environment with its name and fields.
type DescribedEnvironment struct {
	ID     uuid.UUID
	Name   string
	Fields Record
}

// Describe finds systems without a check of access, for work of the product itself; missing systems are left out.
func (m *Module) Describe(ctx context.Context, ids []uuid.UUID) ([]Described, error) {
	q := m.service.queries(ctx)
	systems, err := q.DescribedSystems(ctx, ids)
	if err != nil {
		return nil, fmt.Errorf("describe systems: %w", err)
	}
	places, err := q.DescribedEnvironments(ctx, ids)
	if err != nil {
		return nil, fmt.Errorf("describe environments: %w", err)
	}
	list := make([]Described, len(systems))
	at := make(map[uuid.UUID]*Described, len(systems))
	for i, row := range systems {
		list[i] = Described{ID: row.ID, Name: row.Name, Metadata: row.Metadata}
		at[row.ID] = &list[i]
	}
	for _, row := range places {
		if system := at[row.SystemID]; system != nil {
			system.Environments = append(system.Environments, DescribedEnvironment{ID: row.ID, Name: row.Name, Fields: row.Fields})
		}
	}
	return list, nil
}

// Listed is a system without what belongs to it.
type Listed struct {
	ID   uuid.UUID
	Name string
	Tags []string
}

// Browse lists the systems that the principal of ctx may see, by name, from the one after a name key, and reports
// whether there are more than the limit.
func (m *Module) Browse(ctx context.Context, f SystemFilter, after string, limit int) (list []Listed, more bool, err error) {
	b, err := m.service.parseFilter(ctx, f)
	if err != nil {
		return nil, false, err
	}
	b.params.After, b.params.MaxRows = after, int32(limit)+1
	rows, err := m.service.systemRows(ctx, &b)
	if err != nil {
		return nil, false, fmt.Errorf("browse systems: %w", err)
	}
	if more = len(rows) > limit; more {
		rows = rows[:limit]
	}
	list = make([]Listed, len(rows))
	for i, row := range rows {
		list[i] = Listed{ID: row.ID, Name: row.Name, Tags: row.Tags}
	}
	return list, more, nil
}

// GroupsOf returns the groups of systems that the principal of ctx may see, by name, and the ids of those of each
// system.
func (m *Module) GroupsOf(ctx context.Context, ids []uuid.UUID) (groups []Reference, of map[uuid.UUID][]uuid.UUID, err error) {
	rows, err := m.service.groupsOfSystems(ctx, ids)
	if err != nil {
		return nil, nil, err
	}
	of = make(map[uuid.UUID][]uuid.UUID, len(ids))
	for _, row := range rows {
		// Rows of one group follow each other, as names are unique.
		if len(groups) == 0 || groups[len(groups)-1].ID != row.ID {
			groups = append(groups, Reference{ID: row.ID, Name: row.Name})
		}
		of[row.SystemID] = append(of[row.SystemID], row.ID)
	}
	return groups, of, nil
}
