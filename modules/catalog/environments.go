package catalog

import (
	"context"
	"fmt"
	"reflect"
	"slices"
	"strconv"

	"github.com/google/uuid"

	"countersign/audit"
	"countersign/internal/access"
	"countersign/internal/principal"
	"countersign/internal/problem"
	"countersign/internal/rest"
	"countersign/internal/store"
	"countersign/internal/text"
	"countersign/modules/catalog/catalogdb"
)

// Environments lists environments by name; name selects one, ignoring case.
func (s *service) Environments(ctx context.Context, name string, page rest.Page) ([]Environment, rest.Next, error) {
	if _, _, err := environmentKind.Listing(ctx, s.db); err != nil {
		return nil, rest.Next{}, err
	}
	after, err := page.After()
	if err != nil {
		return nil, rest.Next{}, err
	}
	var v validation
	key := text.Query(&v.Issues, "name", name)
	if err := v.Err(); err != nil {
		return nil, rest.Next{}, err
	}
	rows, err := catalogdb.New(
		s.db.CustomPlans(ctx),
	).Environments(
		ctx,
		catalogdb.EnvironmentsParams{After: after, MaxRows: page.Rows(), NameKey: key},
	)
	if err != nil {
		return nil, rest.Next{}, fmt.Errorf("list environments: %w", err)
	}
	rows, next := rest.Cut(page, rows, func(row catalogdb.CatalogEnvironment) string { return row.NameKey })
	list, err := s.assembleEnvironments(ctx, rows...)
	return list, next, err
}

// Environment returns one environment.
func (s *service) Environment(ctx context.Context, id uuid.UUID) (Environment, error) {
	row, err := s.environments.See(ctx, id)
	if err != nil {
		return Environment{}, err
	}
	return only(s.assembleEnvironments(ctx, row))
}

// CreateEnvironment creates an environment.
func (s *service) CreateEnvironment(ctx context.Context, in NewEnvironment) (Environment, error) {
	if err := environmentKind.Creatable(ctx); err != nil {
		return Environment{}, err
	}
	var v validation
	in = v.newEnvironment(in)
	if err := v.Err(); err != nil {
		return Environment{}, err
	}
	id, key := store.NewID(), text.Key(in.Name)
	return store.InTx(ctx, s.db, func(ctx context.Context) (Environment, error) {
		if err := s.lockMembers(ctx, len(in.SystemIDs)); err != nil {
			return Environment{}, err
		}
		created, err := s.queries(ctx).CreateEnvironment(ctx, catalogdb.CreateEnvironmentParams{
			ID: id, Name: in.Name, NameKey: key, Description: in.Description, Fields: in.Fields,
		})
		if err := s.environments.Created(ctx, created, err, in.Name, key); err != nil {
			return Environment{}, err
		}
		if err := s.record(ctx, audit.Created, environmentType, access.Head{ID: id, Name: in.Name}, "Environment created", nil); err != nil {
			return Environment{}, err
		}
		if err := s.addInitialSystems(ctx, id, in.SystemIDs); err != nil {
			return Environment{}, err
		}
		return s.Environment(ctx, id)
	})
}

// UpdateEnvironment changes an environment's own fields. A change without effect keeps the revision. It is serialized
// with membership changes, so that followers of its systems miss none.
func (s *service) UpdateEnvironment(ctx context.Context, id uuid.UUID, c EnvironmentChange, based *int64) (Environment, error) {
	return store.InTx(ctx, s.db, func(ctx context.Context) (Environment, error) {
		if err := s.queries(ctx).LockMembers(ctx); err != nil {
			return Environment{}, fmt.Errorf("lock members: %w", err)
		}
		err := s.environments.Change(ctx, id, access.Edit, based, func(ctx context.Context, row catalogdb.CatalogEnvironment) (bool, error) {
			var v validation
			next := v.environment(c.over(NewEnvironment{Name: row.Name, Description: row.Description, Fields: row.Fields}))
			if err := v.Err(); err != nil {
				return false, err
			}
			key := text.Key(next.Name)
			if err := s.environments.Free(ctx, next.Name, key, id); err != nil {
				return false, err
			}
			n, err := s.queries(ctx).UpdateEnvironment(ctx, catalogdb.UpdateEnvironmentParams{
				ID: id, Name: next.Name, NameKey: key, Description: next.Description, Fields: next.Fields,
			})
			if err != nil || n == 0 {
				return false, environmentKind.Updated(err, next.Name, "catalog_environments_name_key")
			}
			var fields audit.Fields
			fields.Compare("name", row.Name, next.Name)
			fields.Mention("description", row.Description != next.Description)
			fields.Mention("fields", !reflect.DeepEqual(row.Fields, next.Fields))
			if err := s.recordUpdate(ctx, environmentType, "Environment", access.Head{ID: id, Name: next.Name}, fields); err != nil {
				return false, err
			}
			systems, err := s.systemsIn(ctx, id)
			if err != nil {
				return false, err
			}
			return true, s.notifyChanged(ctx, systems...)
		})
		if err != nil {
			return Environment{}, err
		}
		return s.Environment(ctx, id)
	})
}

// DeleteEnvironment deletes an environment; its systems stay. A second call finds none.
func (s *service) DeleteEnvironment(ctx context.Context, id uuid.UUID, based *int64) error {
	return s.changeMembers(ctx, func(ctx context.Context, q *catalogdb.Queries) error {
		row, err := s.environments.Hold(ctx, id, access.Own, based)
		if err != nil {
			return err
		}
		systems, err := s.systemsIn(ctx, id)
		if err != nil {
			return err
		}
		if err := q.BumpSystemsOfEnvironment(ctx, id); err != nil {
			return fmt.Errorf("raise revisions: %w", err)
		}
		if _, err := q.DeleteEnvironment(ctx, id); err != nil {
			return fmt.Errorf("delete environment: %w", err)
		}
		if err := s.notifyChanged(ctx, systems...); err != nil {
			return err
		}
		if err := s.grants.Remove(ctx, environmentType, id); err != nil {
			return fmt.Errorf("remove grants: %w", err)
		}
		return s.record(ctx, audit.Deleted, environmentType, access.Head{ID: id, Name: row.Name}, "Environment deleted; its systems stay", nil)
	})
}

// checkEnvironments refuses ids of missing environments. A caller who may not see environments may not assign them
// either: a replacement would hide which ones it removed.
func (s *service) checkEnvironments(ctx context.Context, ids []uuid.UUID) error {
	if !environmentKind.Sight(ctx).Every() {
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
