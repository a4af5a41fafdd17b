package catalog

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"strings"

	"github.com/google/uuid"

	"countersign/access"
	"countersign/modules/catalog/catalogdb"
	"countersign/problem"
	"countersign/store"
	"countersign/text"
)

// SystemFilter narrows a list of systems; what is empty does not.
type SystemFilter struct {
	// Query is looked for in names and descriptions, and compared with tags.
	Query string
	// Name is a whole name, whatever its case.
	Name          string
	Tag           string
	GroupID       *uuid.UUID
	EnvironmentID *uuid.UUID
}

// Systems lists the systems that the caller may see, by name, and the cursor of the next page if there is one.
func (s *service) Systems(ctx context.Context, f SystemFilter, page Page) ([]System, string, error) {
	systems, groups, err := s.sights(ctx)
	if err != nil {
		return nil, "", err
	}
	if err := systems.listable(); err != nil {
		return nil, "", err
	}
	after, rows, err := page.start()
	if err != nil {
		return nil, "", err
	}
	if err := s.checkFilter(ctx, f, groups); err != nil {
		return nil, "", err
	}
	found, err := s.queries(ctx).Systems(ctx, catalogdb.SystemsParams{
		After: after, MaxRows: rows,
		NameKey: text.Key(f.Name), Search: text.Key(f.Query), Tag: strings.ToLower(strings.TrimSpace(f.Tag)), GroupID: f.GroupID, EnvironmentID: f.EnvironmentID,
		Every: systems.every(), Hidden: systems.private, Granted: systems.granted[access.View],
	})
	if err != nil {
		return nil, "", fmt.Errorf("list systems: %w", err)
	}
	found, next := cut(page, found, func(row catalogdb.CatalogSystem) string { return row.NameKey })
	list, err := s.assemble(ctx, found, systems, groups)
	return list, next, err
}

// checkFilter refuses a group or environment that is not there for the caller, instead of finding nothing in it.
func (s *service) checkFilter(ctx context.Context, f SystemFilter, groups sight) error {
	var v validation
	v.filter("query", f.Query)
	v.filter("name", f.Name)
	v.filter("tag", f.Tag)
	if err := v.Err(); err != nil {
		return err
	}
	if f.GroupID != nil {
		row, err := s.queries(ctx).Group(ctx, *f.GroupID)
		if err := groups.permit(*f.GroupID, row.Name, err, access.View); err != nil {
			return err
		}
	}
	if f.EnvironmentID != nil {
		return s.checkEnvironments(ctx, []uuid.UUID{*f.EnvironmentID})
	}
	return nil
}

// System is one system.
func (s *service) System(ctx context.Context, id uuid.UUID) (System, error) {
	systems, groups, err := s.sights(ctx)
	if err != nil {
		return System{}, err
	}
	row, err := s.queries(ctx).System(ctx, id)
	if err := systems.permit(id, row.Name, err, access.View); err != nil {
		return System{}, err
	}
	return s.assembleOne(ctx, row, systems, groups)
}

// written is a system after a change that the caller was permitted to make, even if the caller gave it away with it.
func (s *service) written(ctx context.Context, id uuid.UUID) (System, error) {
	systems, groups, err := s.sights(ctx)
	if err != nil {
		return System{}, err
	}
	row, err := s.queries(ctx).System(ctx, id)
	if err != nil {
		return System{}, fmt.Errorf("load system: %w", err)
	}
	return s.assembleOne(ctx, row, systems, groups)
}

// CreateSystem makes a system, owned by a team when one is named.
func (s *service) CreateSystem(ctx context.Context, in NewSystem) (System, error) {
	if err := systemKind.Creatable(ctx); err != nil {
		return System{}, err
	}
	var v validation
	in = v.system(in)
	if err := v.Err(); err != nil {
		return System{}, err
	}
	metadata, err := json.Marshal(in.Metadata)
	if err != nil {
		return System{}, fmt.Errorf("encode metadata: %w", err)
	}
	id, err := newID()
	if err != nil {
		return System{}, err
	}
	return store.InTx(ctx, s.db, func(ctx context.Context) (System, error) {
		created, err := s.queries(ctx).CreateSystem(ctx, catalogdb.CreateSystemParams{
			ID: id, Name: in.Name, NameKey: text.Key(in.Name), Description: in.Description, Metadata: metadata, Tags: in.Tags,
		})
		if err != nil {
			return System{}, fmt.Errorf("create system: %w", err)
		}
		if created == 0 {
			return System{}, s.systemNameTaken(ctx, in.Name)
		}
		if _, err := s.chooseOwner(ctx, id, in.OwnerTeamID, "ownerTeamId"); err != nil {
			return System{}, err
		}
		return s.written(ctx, id)
	})
}

func (s *service) systemNameTaken(ctx context.Context, name string) error {
	systems, err := s.sightOf(ctx, systemKind)
	if err != nil {
		return err
	}
	row, err := s.queries(ctx).SystemByNameKey(ctx, text.Key(name))
	return systems.takenBy(name, row.ID, row.Name, err)
}

// changeSystem locks a system, checks access and revision, and runs change on it. When change reports that it did
// something, the revision rises. It returns the system afterwards.
func (s *service) changeSystem(ctx context.Context, id uuid.UUID, want access.Level, based *int64, change func(ctx context.Context, row catalogdb.CatalogSystem) (bool, error)) (System, error) {
	return store.InTx(ctx, s.db, func(ctx context.Context) (System, error) {
		row, err := s.lockSystem(ctx, id, want, based)
		if err != nil {
			return System{}, err
		}
		changed, err := change(ctx, row)
		if err != nil {
			return System{}, err
		}
		if changed {
			if err := s.queries(ctx).BumpSystem(ctx, id); err != nil {
				return System{}, fmt.Errorf("raise revision: %w", err)
			}
		}
		return s.written(ctx, id)
	})
}

// lockSystem holds a system for a change until the transaction ends.
func (s *service) lockSystem(ctx context.Context, id uuid.UUID, want access.Level, based *int64) (catalogdb.CatalogSystem, error) {
	systems, err := s.sightOf(ctx, systemKind)
	if err != nil {
		return catalogdb.CatalogSystem{}, err
	}
	row, err := s.queries(ctx).LockSystem(ctx, id)
	if err := systems.permit(id, row.Name, err, want); err != nil {
		return row, err
	}
	return row, problem.CheckRevision("system "+row.Name, row.Revision, based)
}

// UpdateSystem changes a system's own fields. A change to what is there already leaves the revision alone.
func (s *service) UpdateSystem(ctx context.Context, id uuid.UUID, c SystemChange, based *int64) (System, error) {
	return s.changeSystem(ctx, id, access.Edit, based, func(ctx context.Context, row catalogdb.CatalogSystem) (bool, error) {
		next, err := c.applyTo(row)
		if err != nil {
			return false, err
		}
		if other, err := s.queries(ctx).SystemByNameKey(ctx, text.Key(next.Name)); err == nil && other.ID != id {
			return false, s.systemNameTaken(ctx, next.Name)
		} else if err != nil && !store.NoRows(err) {
			return false, fmt.Errorf("look up the name: %w", err)
		}
		metadata, err := json.Marshal(next.Metadata)
		if err != nil {
			return false, fmt.Errorf("encode metadata: %w", err)
		}
		n, err := s.queries(ctx).UpdateSystem(ctx, catalogdb.UpdateSystemParams{
			ID: id, Name: next.Name, NameKey: text.Key(next.Name), Description: next.Description, Metadata: metadata, Tags: next.Tags,
		})
		if store.Violates(err, "catalog_systems_name_key") {
			return false, nameTaken(systemKind, next.Name, nil)
		}
		if err != nil {
			return false, fmt.Errorf("update system: %w", err)
		}
		return n > 0, nil
	})
}

// applyTo is the system's own fields after the change.
func (c SystemChange) applyTo(row catalogdb.CatalogSystem) (NewSystem, error) {
	next := NewSystem{Name: row.Name, Description: row.Description, Tags: row.Tags}
	if err := json.Unmarshal(row.Metadata, &next.Metadata); err != nil {
		return next, fmt.Errorf("decode metadata: %w", err)
	}
	var v validation
	next = v.system(c.over(next))
	return next, v.Err()
}

func replace[T any](field *T, with *T) {
	if with != nil {
		*field = *with
	}
}

// DeleteSystem removes a system with its contacts, links and memberships. A second call finds nothing.
func (s *service) DeleteSystem(ctx context.Context, id uuid.UUID, based *int64) error {
	return s.db.InTx(ctx, func(ctx context.Context) error {
		q := s.queries(ctx)
		if err := q.LockMembers(ctx); err != nil {
			return fmt.Errorf("lock members: %w", err)
		}
		if _, err := s.lockSystem(ctx, id, access.Own, based); err != nil {
			return err
		}
		if err := errors.Join(q.BumpGroupsOfSystem(ctx, id), q.BumpEnvironmentsOfSystem(ctx, id)); err != nil {
			return fmt.Errorf("raise revisions: %w", err)
		}
		if _, err := q.DeleteSystem(ctx, id); err != nil {
			return fmt.Errorf("delete system: %w", err)
		}
		return s.removed(ctx, id)
	})
}

// sights is what the caller sees of systems and of the groups they are in.
func (s *service) sights(ctx context.Context) (systems, groups sight, err error) {
	if systems, err = s.sightOf(ctx, systemKind); err != nil {
		return systems, groups, err
	}
	groups, err = s.sightOf(ctx, groupKind)
	return systems, groups, err
}
