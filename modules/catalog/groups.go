package catalog

import (
	"context"
	"fmt"
	"reflect"

	"github.com/google/uuid"

	"countersign/audit"
	"countersign/internal/access"
	"countersign/internal/rest"
	"countersign/internal/store"
	"countersign/internal/text"
	"countersign/modules/catalog/catalogdb"
)

// Groups lists the groups that the caller may see, by name; name selects one, ignoring case.
func (s *service) Groups(ctx context.Context, name string, page rest.Page) ([]Group, rest.Next, error) {
	sight, _, err := groupKind.Listing(ctx, s.db)
	if err != nil {
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
	rows, err := catalogdb.New(s.db.CustomPlans(ctx)).Groups(ctx, catalogdb.GroupsParams{
		After: after, MaxRows: page.Rows(), NameKey: key, ByGrants: !sight.Every() && key == "",
		ByRule: sight.Every(), SubjectType: sight.SubjectType, SubjectID: sight.SubjectID, TeamIds: sight.TeamIDs,
	})
	if err != nil {
		return nil, rest.Next{}, fmt.Errorf("list groups: %w", err)
	}
	rows, next := rest.Cut(page, rows, func(row catalogdb.CatalogGroup) string { return row.NameKey })
	list, err := s.assembleGroups(ctx, rows...)
	return list, next, err
}

// Group returns one group.
func (s *service) Group(ctx context.Context, id uuid.UUID) (Group, error) {
	row, err := s.groups.See(ctx, id)
	if err != nil {
		return Group{}, err
	}
	return only(s.assembleGroups(ctx, row))
}

// CreateGroup creates a group of systems that the caller sees.
func (s *service) CreateGroup(ctx context.Context, in NewGroup) (Group, error) {
	if err := groupKind.Creatable(ctx); err != nil {
		return Group{}, err
	}
	var v validation
	in = v.newGroup(in)
	if err := v.Err(); err != nil {
		return Group{}, err
	}
	id, key := store.NewID(), text.Key(in.Name)
	return store.InTx(ctx, s.db, func(ctx context.Context) (Group, error) {
		if err := s.lockMembers(ctx, len(in.SystemIDs)); err != nil {
			return Group{}, err
		}
		created, err := s.queries(ctx).CreateGroup(ctx, catalogdb.CreateGroupParams{
			ID: id, Name: in.Name, NameKey: key, Description: in.Description, Metadata: in.Metadata,
		})
		if err := s.groups.Created(ctx, created, err, in.Name, key); err != nil {
			return Group{}, err
		}
		if err := s.record(ctx, audit.Created, groupType, access.Head{ID: id, Name: in.Name}, "Group created", nil); err != nil {
			return Group{}, err
		}
		if err := s.addInitialMembers(ctx, catalogdb.CatalogGroup{ID: id, Name: in.Name}, in.SystemIDs); err != nil {
			return Group{}, err
		}
		return s.Group(ctx, id)
	})
}

// UpdateGroup changes a group's own fields. A change without effect keeps the revision.
func (s *service) UpdateGroup(ctx context.Context, id uuid.UUID, c GroupChange, based *int64) (Group, error) {
	return store.InTx(ctx, s.db, func(ctx context.Context) (Group, error) {
		err := s.groups.Change(ctx, id, access.Edit, based, func(ctx context.Context, row catalogdb.CatalogGroup) (bool, error) {
			var v validation
			next := v.group(c.over(NewGroup{Name: row.Name, Description: row.Description, Metadata: row.Metadata}))
			if err := v.Err(); err != nil {
				return false, err
			}
			key := text.Key(next.Name)
			if err := s.groups.Free(ctx, next.Name, key, id); err != nil {
				return false, err
			}
			n, err := s.queries(ctx).UpdateGroup(ctx, catalogdb.UpdateGroupParams{
				ID: id, Name: next.Name, NameKey: key, Description: next.Description, Metadata: next.Metadata,
			})
			if err != nil || n == 0 {
				return false, groupKind.Updated(err, next.Name, "catalog_groups_name_key")
			}
			var fields audit.Fields
			fields.Compare("name", row.Name, next.Name)
			fields.Mention("description", row.Description != next.Description)
			fields.Mention("metadata", !reflect.DeepEqual(row.Metadata, next.Metadata))
			return true, s.recordUpdate(ctx, groupType, "Group", access.Head{ID: id, Name: next.Name}, fields)
		})
		if err != nil {
			return Group{}, err
		}
		return s.Group(ctx, id)
	})
}

// DeleteGroup deletes a group; its systems stay. A second call finds none.
func (s *service) DeleteGroup(ctx context.Context, id uuid.UUID, based *int64) error {
	return s.changeMembers(ctx, func(ctx context.Context, q *catalogdb.Queries) error {
		row, err := s.groups.Hold(ctx, id, access.Own, based)
		if err != nil {
			return err
		}
		if _, err := q.DeleteGroup(ctx, id); err != nil {
			return fmt.Errorf("delete group: %w", err)
		}
		if err := s.grants.Remove(ctx, groupKind.ObjectType, id); err != nil {
			return fmt.Errorf("remove grants: %w", err)
		}
		return s.record(
			ctx,
			audit.Deleted,
			groupType,
			access.Head{ID: id, Name: row.Name},
			"Group deleted, with its grants; its systems stay",
			nil,
		)
	})
}

// SetMember adds or removes a system of a group, and reports whether that changed anything. It needs the right to
// change the group and to see the system. The system's revision stays: otherwise any viewer could invalidate its
// pending changes.
func (s *service) SetMember(ctx context.Context, groupID, systemID uuid.UUID, member bool, based *int64) (changed bool, err error) {
	err = s.changeMembers(ctx, func(ctx context.Context, q *catalogdb.Queries) error {
		return s.groups.Change(ctx, groupID, access.Edit, based, func(ctx context.Context, group catalogdb.CatalogGroup) (bool, error) {
			system, err := s.systems.Hold(ctx, systemID, access.View, nil)
			if err != nil {
				return false, err
			}
			if member {
				changed, err = s.addToGroup(ctx, group, system)
				return changed, err
			}
			n, err := q.RemoveFromGroup(ctx, catalogdb.RemoveFromGroupParams{GroupID: groupID, SystemID: systemID})
			if err != nil {
				return false, fmt.Errorf("set member: %w", err)
			}
			if changed = n > 0; !changed {
				return false, nil
			}
			return true, s.recordPart(
				ctx,
				audit.Removed,
				audit.Object(systemType, systemID, system.Name),
				audit.Object(groupType, groupID, group.Name),
				"Taken out of a group",
			)
		})
	})
	return changed, err
}
