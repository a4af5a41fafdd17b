package catalog

import (
	"context"
	"encoding/json"
	"fmt"
	"slices"
	"strconv"

	"github.com/google/uuid"

	"countersign/access"
	"countersign/modules/catalog/catalogdb"
	"countersign/principal"
	"countersign/problem"
	"countersign/store"
	"countersign/text"
)

// Environments lists the environments by name; name narrows it to one, whatever its case.
func (s *service) Environments(ctx context.Context, name string, page Page) ([]Environment, string, error) {
	environments, err := s.sightOf(ctx, environmentKind)
	if err != nil {
		return nil, "", err
	}
	if err := environments.listable(); err != nil {
		return nil, "", err
	}
	after, rows, err := page.start()
	if err != nil {
		return nil, "", err
	}
	var v validation
	v.filter("name", name)
	if err := v.Err(); err != nil {
		return nil, "", err
	}
	found, err := s.queries(ctx).Environments(ctx, catalogdb.EnvironmentsParams{After: after, MaxRows: rows, NameKey: text.Key(name)})
	if err != nil {
		return nil, "", fmt.Errorf("list environments: %w", err)
	}
	found, next := cut(page, found, func(row catalogdb.CatalogEnvironment) string { return row.NameKey })
	list, err := s.assembleEnvironments(ctx, found, environments)
	return list, next, err
}

// Environment is one environment.
func (s *service) Environment(ctx context.Context, id uuid.UUID) (Environment, error) {
	environments, err := s.sightOf(ctx, environmentKind)
	if err != nil {
		return Environment{}, err
	}
	row, err := s.queries(ctx).Environment(ctx, id)
	if err := environments.permit(id, row.Name, err, access.View); err != nil {
		return Environment{}, err
	}
	list, err := s.assembleEnvironments(ctx, []catalogdb.CatalogEnvironment{row}, environments)
	if err != nil {
		return Environment{}, err
	}
	return list[0], nil
}

// CreateEnvironment makes an environment without systems.
func (s *service) CreateEnvironment(ctx context.Context, in NewEnvironment) (Environment, error) {
	if err := environmentKind.Creatable(ctx); err != nil {
		return Environment{}, err
	}
	var v validation
	in = v.environment(in)
	if err := v.Err(); err != nil {
		return Environment{}, err
	}
	fields, err := json.Marshal(in.Fields)
	if err != nil {
		return Environment{}, fmt.Errorf("encode fields: %w", err)
	}
	id, err := newID()
	if err != nil {
		return Environment{}, err
	}
	return store.InTx(ctx, s.db, func(ctx context.Context) (Environment, error) {
		created, err := s.queries(ctx).CreateEnvironment(ctx, catalogdb.CreateEnvironmentParams{
			ID: id, Name: in.Name, NameKey: text.Key(in.Name), Description: in.Description, Fields: fields,
		})
		if err != nil {
			return Environment{}, fmt.Errorf("create environment: %w", err)
		}
		if created == 0 {
			return Environment{}, s.environmentNameTaken(ctx, in.Name)
		}
		return s.Environment(ctx, id)
	})
}

func (s *service) environmentNameTaken(ctx context.Context, name string) error {
	environments, err := s.sightOf(ctx, environmentKind)
	if err != nil {
		return err
	}
	row, err := s.queries(ctx).EnvironmentByNameKey(ctx, text.Key(name))
	return environments.takenBy(name, row.ID, row.Name, err)
}

// lockEnvironment holds an environment for a change until the transaction ends.
func (s *service) lockEnvironment(ctx context.Context, id uuid.UUID, want access.Level, based *int64) (catalogdb.CatalogEnvironment, error) {
	environments, err := s.sightOf(ctx, environmentKind)
	if err != nil {
		return catalogdb.CatalogEnvironment{}, err
	}
	row, err := s.queries(ctx).LockEnvironment(ctx, id)
	if err := environments.permit(id, row.Name, err, want); err != nil {
		return row, err
	}
	return row, problem.CheckRevision("environment "+row.Name, row.Revision, based)
}

// UpdateEnvironment changes an environment's own fields. A change to what is there already leaves the revision alone.
func (s *service) UpdateEnvironment(ctx context.Context, id uuid.UUID, c EnvironmentChange, based *int64) (Environment, error) {
	return store.InTx(ctx, s.db, func(ctx context.Context) (Environment, error) {
		row, err := s.lockEnvironment(ctx, id, access.Edit, based)
		if err != nil {
			return Environment{}, err
		}
		next, err := c.applyTo(row)
		if err != nil {
			return Environment{}, err
		}
		if other, err := s.queries(ctx).EnvironmentByNameKey(ctx, text.Key(next.Name)); err == nil && other.ID != id {
			return Environment{}, s.environmentNameTaken(ctx, next.Name)
		} else if err != nil && !store.NoRows(err) {
			return Environment{}, fmt.Errorf("look up the name: %w", err)
		}
		fields, err := json.Marshal(next.Fields)
		if err != nil {
			return Environment{}, fmt.Errorf("encode fields: %w", err)
		}
		n, err := s.queries(ctx).UpdateEnvironment(ctx, catalogdb.UpdateEnvironmentParams{
			ID: id, Name: next.Name, NameKey: text.Key(next.Name), Description: next.Description, Fields: fields,
		})
		if store.Violates(err, "catalog_environments_name_key") {
			return Environment{}, nameTaken(environmentKind, next.Name, nil)
		}
		if err != nil {
			return Environment{}, fmt.Errorf("update environment: %w", err)
		}
		if n > 0 {
			if err := s.queries(ctx).BumpEnvironment(ctx, id); err != nil {
				return Environment{}, fmt.Errorf("raise revision: %w", err)
			}
		}
		return s.Environment(ctx, id)
	})
}

func (c EnvironmentChange) applyTo(row catalogdb.CatalogEnvironment) (NewEnvironment, error) {
	next := NewEnvironment{Name: row.Name, Description: row.Description}
	if err := json.Unmarshal(row.Fields, &next.Fields); err != nil {
		return next, fmt.Errorf("decode fields: %w", err)
	}
	var v validation
	next = v.environment(c.over(next))
	return next, v.Err()
}

// DeleteEnvironment removes an environment; its systems stay. A second call finds nothing.
func (s *service) DeleteEnvironment(ctx context.Context, id uuid.UUID, based *int64) error {
	return s.db.InTx(ctx, func(ctx context.Context) error {
		q := s.queries(ctx)
		if err := q.LockMembers(ctx); err != nil {
			return fmt.Errorf("lock members: %w", err)
		}
		if _, err := s.lockEnvironment(ctx, id, access.Own, based); err != nil {
			return err
		}
		if err := q.BumpSystemsOfEnvironment(ctx, id); err != nil {
			return fmt.Errorf("raise revisions: %w", err)
		}
		if _, err := q.DeleteEnvironment(ctx, id); err != nil {
			return fmt.Errorf("delete environment: %w", err)
		}
		return nil
	})
}

// checkEnvironments refuses ids that name no environment. A caller who may not see environments may not place systems
// in them either: the answer to a replacement would hide what it has removed.
func (s *service) checkEnvironments(ctx context.Context, ids []uuid.UUID) error {
	environments, err := s.sightOf(ctx, environmentKind)
	if err != nil {
		return err
	}
	if !environments.every() {
		return problem.MissingRule("use environments", principal.FromContext(ctx).Missing(EnvironmentRead)...)
	}
	known, err := s.queries(ctx).KnownEnvironments(ctx, ids)
	if err != nil {
		return fmt.Errorf("look up environments: %w", err)
	}
	var issues []problem.Issue
	for i, id := range ids {
		if !slices.Contains(known, id) {
			issues = append(issues, problem.Issue{Path: "environmentIds[" + strconv.Itoa(i) + "]", Message: "names no environment"})
		}
	}
	if len(issues) > 0 {
		return problem.InvalidInput("There is no such environment. List the environments to see what exists.", issues...)
	}
	return nil
}
