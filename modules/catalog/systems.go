package catalog

import (
	"context"
	"fmt"
	"reflect"
	"strings"

	"github.com/google/uuid"

	"countersign/audit"
	"countersign/internal/access"
	"countersign/internal/problem"
	"countersign/internal/rest"
	"countersign/internal/store"
	"countersign/internal/text"
	"countersign/modules/catalog/catalogdb"
)

// SystemFilter narrows a list of systems; empty fields match all.
type SystemFilter struct {
	// Query is searched in names and descriptions, and compared with tags.
	Query string
	// Name is an exact name, ignoring case.
	Name          string
	Tag           string
	GroupID       *uuid.UUID
	EnvironmentID *uuid.UUID
	// TeamID is the owner team.
	TeamID *uuid.UUID
}

// SystemPage is a page of systems.
type SystemPage struct {
	Systems []System
	Next    rest.Next
	// Similar are systems with similar names (typo tolerance), when a search finds nothing.
	Similar []System
	// Count is the number of systems on all pages, when requested.
	Count *Count
}

// Systems lists the systems that the caller may see, by name.
func (s *service) Systems(ctx context.Context, f SystemFilter, page rest.Page, count bool) (SystemPage, error) {
	b, err := s.parseFilter(ctx, f)
	if err != nil {
		return SystemPage{}, err
	}
	var out SystemPage
	var rows, similar []catalogdb.CatalogSystem
	if rows, out.Next, err = s.listRows(ctx, &b, page); err != nil {
		return SystemPage{}, err
	}
	if len(rows) == 0 && b.params.After == "" {
		if similar, err = s.similar(ctx, &b); err != nil {
			return SystemPage{}, err
		}
	}
	if count {
		if out.Count, err = s.count(ctx, &b, len(rows), out.Next); err != nil {
			return SystemPage{}, err
		}
	}
	all, err := s.assemble(ctx, append(rows, similar...)...)
	if err != nil {
		return SystemPage{}, err
	}
	out.Systems, out.Similar = all[:len(rows):len(rows)], all[len(rows):]
	return out, nil
}

// listRows reads a page of systems.
func (s *service) listRows(
	ctx context.Context,
	b *systemQuerySpec,
	page rest.Page,
) (rows []catalogdb.CatalogSystem, next rest.Next, err error) {
	if b.params.After, err = page.After(); err != nil {
		return nil, rest.Next{}, err
	}
	b.params.MaxRows = page.Rows()
	if rows, err = s.systemRows(ctx, b); err != nil {
		return nil, rest.Next{}, fmt.Errorf("list systems: %w", err)
	}
	rows, next = rest.Cut(page, rows, func(row catalogdb.CatalogSystem) string { return row.NameKey })
	return rows, next, nil
}

// parseFilter validates a filter.
func (s *service) parseFilter(ctx context.Context, f SystemFilter) (systemQuerySpec, error) {
	sight, few, err := systemKind.Listing(ctx, s.db)
	if err != nil {
		return systemQuerySpec{}, err
	}
	var v validation
	params := catalogdb.SystemsParams{
		Search: text.Query(&v.Issues, "query", f.Query), NameKey: text.Query(&v.Issues, "name", f.Name),
		Tag: strings.ToLower(strings.TrimSpace(f.Tag)), GroupID: f.GroupID, EnvironmentID: f.EnvironmentID, TeamID: f.TeamID,
		ByRule: sight.Every(), SubjectType: sight.SubjectType, SubjectID: sight.SubjectID, TeamIds: sight.TeamIDs,
	}
	text.Query(&v.Issues, "tag", f.Tag)
	if err := v.Err(); err != nil {
		return systemQuerySpec{}, err
	}
	params.Pattern = text.Pattern(params.Search)
	if f.GroupID != nil {
		if _, err := s.groups.See(ctx, *f.GroupID); err != nil {
			return systemQuerySpec{}, err
		}
	}
	if f.EnvironmentID != nil {
		if err := s.checkEnvironments(ctx, []uuid.UUID{*f.EnvironmentID}); err != nil {
			return systemQuerySpec{}, err
		}
	}
	return systemQuerySpec{params: params, sight: sight, few: few}, nil
}

// System returns one system.
func (s *service) System(ctx context.Context, id uuid.UUID) (System, error) {
	row, err := s.systems.See(ctx, id)
	if err != nil {
		return System{}, err
	}
	return only(s.assemble(ctx, row))
}

// reload returns a system after a permitted change, which may have ended the caller's access.
func (s *service) reload(ctx context.Context, id uuid.UUID) (System, error) {
	row, err := s.queries(ctx).System(ctx, id)
	if err != nil {
		return System{}, fmt.Errorf("load system: %w", err)
	}
	return only(s.assemble(ctx, row))
}

// CreateSystem creates a system, owned by the named team, if any.
func (s *service) CreateSystem(ctx context.Context, in NewSystem) (System, error) {
	if err := systemKind.Creatable(ctx); err != nil {
		return System{}, err
	}
	var v validation
	in = v.newSystem(in)
	if err := v.Err(); err != nil {
		return System{}, err
	}
	id, key := store.NewID(), text.Key(in.Name)
	return store.InTx(ctx, s.db, func(ctx context.Context) (System, error) {
		if err := s.lockMembers(ctx, len(in.EnvironmentIDs)+len(in.GroupIDs)); err != nil {
			return System{}, err
		}
		created, err := s.queries(ctx).CreateSystem(ctx, catalogdb.CreateSystemParams{
			ID: id, Name: in.Name, NameKey: key, Description: in.Description, Metadata: in.Metadata, Tags: in.Tags,
		})
		if err := s.systems.Created(ctx, created, err, in.Name, key); err != nil {
			return System{}, err
		}
		if err := s.record(ctx, audit.Created, systemType, access.Head{ID: id, Name: in.Name}, "System created", nil); err != nil {
			return System{}, err
		}
		if _, err := s.chooseOwner(ctx, id, in.OwnerTeamID, "ownerTeamId"); err != nil {
			return System{}, err
		}
		if err := s.addInitialParts(ctx, id, in); err != nil {
			return System{}, err
		}
		return s.reload(ctx, id)
	})
}

// changeSystem changes a system and returns the result.
func (s *service) changeSystem(
	ctx context.Context,
	id uuid.UUID,
	want access.Level,
	based *int64,
	change func(ctx context.Context, row catalogdb.CatalogSystem) (bool, error),
) (System, error) {
	return store.InTx(ctx, s.db, func(ctx context.Context) (System, error) {
		if err := s.systems.Change(ctx, id, want, based, change); err != nil {
			return System{}, err
		}
		return s.reload(ctx, id)
	})
}

// UpdateSystem changes a system's own fields. A change without effect keeps the revision.
func (s *service) UpdateSystem(ctx context.Context, id uuid.UUID, c SystemChange, based *int64) (System, error) {
	return s.changeSystem(ctx, id, access.Edit, based, func(ctx context.Context, row catalogdb.CatalogSystem) (bool, error) {
		var v validation
		next := v.system(c.over(NewSystem{Name: row.Name, Description: row.Description, Metadata: row.Metadata, Tags: row.Tags}))
		if err := v.Err(); err != nil {
			return false, err
		}
		key := text.Key(next.Name)
		if err := s.systems.Free(ctx, next.Name, key, id); err != nil {
			return false, err
		}
		n, err := s.queries(ctx).UpdateSystem(ctx, catalogdb.UpdateSystemParams{
			ID: id, Name: next.Name, NameKey: key, Description: next.Description, Metadata: next.Metadata, Tags: next.Tags,
		})
		if err != nil || n == 0 {
			return false, systemKind.Updated(err, next.Name, "catalog_systems_name_key")
		}
		var fields audit.Fields
		fields.Compare("name", row.Name, next.Name)
		fields.Compare("tags", row.Tags, next.Tags)
		fields.Mention("description", row.Description != next.Description)
		fields.Mention("metadata", !reflect.DeepEqual(row.Metadata, next.Metadata))
		if err := s.recordUpdate(ctx, systemType, "System", access.Head{ID: id, Name: next.Name}, fields); err != nil {
			return false, err
		}
		if row.Name == next.Name && reflect.DeepEqual(row.Metadata, next.Metadata) {
			return true, nil
		}
		return true, s.notifyChanged(ctx, id)
	})
}

// DeleteSystem deletes a system with its contacts, links and memberships. A second call finds none.
func (s *service) DeleteSystem(ctx context.Context, id uuid.UUID, based *int64) error {
	return s.changeMembers(ctx, func(ctx context.Context, q *catalogdb.Queries) error {
		row, err := s.systems.Hold(ctx, id, access.Own, based)
		if err != nil {
			return err
		}
		with, err := s.partsOf(ctx, id)
		if err != nil {
			return err
		}
		if err := q.BumpGroupsOfSystem(ctx, id); err != nil {
			return fmt.Errorf("raise revisions: %w", err)
		}
		if _, err := q.DeleteSystem(ctx, id); err != nil {
			return fmt.Errorf("delete system: %w", err)
		}
		if err := s.grants.Remove(ctx, systemType, id); err != nil {
			return fmt.Errorf("remove grants: %w", err)
		}
		return s.recordSystem(ctx, audit.Deleted, row, "System deleted, with "+with)
	})
}

// changeMembers serializes a change that touches several records with others.
func (s *service) changeMembers(ctx context.Context, change func(ctx context.Context, q *catalogdb.Queries) error) error {
	return s.db.InTx(ctx, func(ctx context.Context) error {
		q := s.queries(ctx)
		if err := q.LockMembers(ctx); err != nil {
			return fmt.Errorf("lock members: %w", err)
		}
		return change(ctx, q)
	})
}

// SetOwner sets the owner team of a system; nil removes it.
func (s *service) SetOwner(ctx context.Context, systemID uuid.UUID, in OwnerChoice, based *int64) (System, error) {
	return s.changeSystem(ctx, systemID, access.Own, based, func(ctx context.Context, _ catalogdb.CatalogSystem) (bool, error) {
		return s.chooseOwner(ctx, systemID, in.TeamID, "teamId")
	})
}

// chooseOwner reports whether the owner changes. path is the input's path of the team.
func (s *service) chooseOwner(ctx context.Context, systemID uuid.UUID, teamID *uuid.UUID, path string) (bool, error) {
	owners, err := s.grants.Owners(ctx, systemKind.ObjectType, []uuid.UUID{systemID})
	if err != nil {
		return false, fmt.Errorf("list owners: %w", err)
	}
	had := owners[systemID]
	team := uuid.Nil
	if teamID != nil {
		team = *teamID
	}
	switch {
	case teamID == nil && len(had) == 0, len(had) == 1 && had[0].TeamID == team:
		return false, nil
	case teamID != nil && team == uuid.Nil:
		// The nil id means no owner for grants; in an input it is the id of no team.
		err = problem.Errorf(problem.Invalid, "nil id")
	default:
		err = s.grants.SetOwner(ctx, systemKind.ObjectType, systemID, team)
	}
	if problem.Is(err, problem.Invalid) {
		return false, problem.InvalidInput(
			"There is no such team. List the teams to see what exists.",
			problem.Issue{Path: path, Message: "names no team"},
		)
	}
	if err != nil {
		return false, fmt.Errorf("set owner: %w", err)
	}
	return true, s.recordOwner(ctx, systemID, had)
}
