package catalog

import (
	"context"
	"encoding/json"
	"fmt"

	"github.com/google/uuid"

	"countersign/access"
	"countersign/modules/catalog/catalogdb"
	"countersign/problem"
	"countersign/store"
	"countersign/text"
)

// Groups lists the groups that the caller may see, by name; name narrows it to one, whatever its case.
func (s *service) Groups(ctx context.Context, name string, page Page) ([]Group, string, error) {
	systems, groups, err := s.sights(ctx)
	if err != nil {
		return nil, "", err
	}
	if err := groups.listable(); err != nil {
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
	found, err := s.queries(ctx).Groups(ctx, catalogdb.GroupsParams{
		After: after, MaxRows: rows, NameKey: text.Key(name),
		Every: groups.every(), Hidden: groups.private, Granted: groups.granted[access.View],
	})
	if err != nil {
		return nil, "", fmt.Errorf("list groups: %w", err)
	}
	found, next := cut(page, found, func(row catalogdb.CatalogGroup) string { return row.NameKey })
	list, err := s.assembleGroups(ctx, found, systems, groups)
	return list, next, err
}

// Group is one group.
func (s *service) Group(ctx context.Context, id uuid.UUID) (Group, error) {
	systems, groups, err := s.sights(ctx)
	if err != nil {
		return Group{}, err
	}
	row, err := s.queries(ctx).Group(ctx, id)
	if err := groups.permit(id, row.Name, err, access.View); err != nil {
		return Group{}, err
	}
	list, err := s.assembleGroups(ctx, []catalogdb.CatalogGroup{row}, systems, groups)
	if err != nil {
		return Group{}, err
	}
	return list[0], nil
}

// CreateGroup makes an empty group.
func (s *service) CreateGroup(ctx context.Context, in NewGroup) (Group, error) {
	if err := groupKind.Creatable(ctx); err != nil {
		return Group{}, err
	}
	var v validation
	in = v.group(in)
	if err := v.Err(); err != nil {
		return Group{}, err
	}
	metadata, err := json.Marshal(in.Metadata)
	if err != nil {
		return Group{}, fmt.Errorf("encode metadata: %w", err)
	}
	id, err := newID()
	if err != nil {
		return Group{}, err
	}
	return store.InTx(ctx, s.db, func(ctx context.Context) (Group, error) {
		created, err := s.queries(ctx).CreateGroup(ctx, catalogdb.CreateGroupParams{
			ID: id, Name: in.Name, NameKey: text.Key(in.Name), Description: in.Description, Metadata: metadata,
		})
		if err != nil {
			return Group{}, fmt.Errorf("create group: %w", err)
		}
		if created == 0 {
			return Group{}, s.groupNameTaken(ctx, in.Name)
		}
		return s.Group(ctx, id)
	})
}

func (s *service) groupNameTaken(ctx context.Context, name string) error {
	groups, err := s.sightOf(ctx, groupKind)
	if err != nil {
		return err
	}
	row, err := s.queries(ctx).GroupByNameKey(ctx, text.Key(name))
	return groups.takenBy(name, row.ID, row.Name, err)
}

// lockGroup holds a group for a change until the transaction ends.
func (s *service) lockGroup(ctx context.Context, id uuid.UUID, want access.Level, based *int64) (catalogdb.CatalogGroup, error) {
	groups, err := s.sightOf(ctx, groupKind)
	if err != nil {
		return catalogdb.CatalogGroup{}, err
	}
	row, err := s.queries(ctx).LockGroup(ctx, id)
	if err := groups.permit(id, row.Name, err, want); err != nil {
		return row, err
	}
	return row, problem.CheckRevision("group "+row.Name, row.Revision, based)
}

// UpdateGroup changes a group's own fields. A change to what is there already leaves the revision alone.
func (s *service) UpdateGroup(ctx context.Context, id uuid.UUID, c GroupChange, based *int64) (Group, error) {
	return store.InTx(ctx, s.db, func(ctx context.Context) (Group, error) {
		row, err := s.lockGroup(ctx, id, access.Edit, based)
		if err != nil {
			return Group{}, err
		}
		next, err := c.applyTo(row)
		if err != nil {
			return Group{}, err
		}
		if other, err := s.queries(ctx).GroupByNameKey(ctx, text.Key(next.Name)); err == nil && other.ID != id {
			return Group{}, s.groupNameTaken(ctx, next.Name)
		} else if err != nil && !store.NoRows(err) {
			return Group{}, fmt.Errorf("look up the name: %w", err)
		}
		metadata, err := json.Marshal(next.Metadata)
		if err != nil {
			return Group{}, fmt.Errorf("encode metadata: %w", err)
		}
		n, err := s.queries(ctx).UpdateGroup(ctx, catalogdb.UpdateGroupParams{
			ID: id, Name: next.Name, NameKey: text.Key(next.Name), Description: next.Description, Metadata: metadata,
		})
		if store.Violates(err, "catalog_groups_name_key") {
			return Group{}, nameTaken(groupKind, next.Name, nil)
		}
		if err != nil {
			return Group{}, fmt.Errorf("update group: %w", err)
		}
		if n > 0 {
			if err := s.queries(ctx).BumpGroup(ctx, id); err != nil {
				return Group{}, fmt.Errorf("raise revision: %w", err)
			}
		}
		return s.Group(ctx, id)
	})
}

func (c GroupChange) applyTo(row catalogdb.CatalogGroup) (NewGroup, error) {
	next := NewGroup{Name: row.Name, Description: row.Description}
	if err := json.Unmarshal(row.Metadata, &next.Metadata); err != nil {
		return next, fmt.Errorf("decode metadata: %w", err)
	}
	var v validation
	next = v.group(c.over(next))
	return next, v.Err()
}

// DeleteGroup removes a group; its systems stay. A second call finds nothing.
func (s *service) DeleteGroup(ctx context.Context, id uuid.UUID, based *int64) error {
	return s.db.InTx(ctx, func(ctx context.Context) error {
		q := s.queries(ctx)
		if err := q.LockMembers(ctx); err != nil {
			return fmt.Errorf("lock members: %w", err)
		}
		if _, err := s.lockGroup(ctx, id, access.Own, based); err != nil {
			return err
		}
		if err := q.BumpSystemsOfGroup(ctx, id); err != nil {
			return fmt.Errorf("raise revisions: %w", err)
		}
		if _, err := q.DeleteGroup(ctx, id); err != nil {
			return fmt.Errorf("delete group: %w", err)
		}
		if err := s.grants.Remove(ctx, groupKind.ObjectType, id); err != nil {
			return fmt.Errorf("remove grants: %w", err)
		}
		return nil
	})
}

// SetMember puts a system into a group or takes it out, and reports whether that changed anything. It changes the
// group; of the system the caller only needs to see it.
func (s *service) SetMember(ctx context.Context, groupID, systemID uuid.UUID, member bool, based *int64) (changed bool, err error) {
	return store.InTx(ctx, s.db, func(ctx context.Context) (bool, error) {
		q := s.queries(ctx)
		if err := q.LockMembers(ctx); err != nil {
			return false, fmt.Errorf("lock members: %w", err)
		}
		if _, err := s.lockGroup(ctx, groupID, access.Edit, based); err != nil {
			return false, err
		}
		if _, err := s.lockSystem(ctx, systemID, access.View, nil); err != nil {
			return false, err
		}
		var n int64
		var err error
		if member {
			n, err = q.AddToGroup(ctx, catalogdb.AddToGroupParams{GroupID: groupID, SystemID: systemID})
		} else {
			n, err = q.RemoveFromGroup(ctx, catalogdb.RemoveFromGroupParams{GroupID: groupID, SystemID: systemID})
		}
		if err != nil {
			return false, fmt.Errorf("set member: %w", err)
		}
		if n == 0 {
			return false, nil
		}
		if err := q.BumpGroup(ctx, groupID); err != nil {
			return false, fmt.Errorf("raise group revision: %w", err)
		}
		if err := q.BumpSystem(ctx, systemID); err != nil {
			return false, fmt.Errorf("raise system revision: %w", err)
		}
		return true, nil
	})
}
