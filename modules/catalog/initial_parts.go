package catalog

import (
	"context"
	"fmt"
	"strconv"

	"github.com/google/uuid"

	"countersign/audit"
	"countersign/internal/access"
	"countersign/internal/problem"
	"countersign/internal/store"
	"countersign/modules/catalog/catalogdb"
	"countersign/tool"
)

// Initial parts of new records are added in the creating transaction, with the rights that adding them later needs.

// lockMembers serializes a change of n memberships with others.
func (s *service) lockMembers(ctx context.Context, n int) error {
	if n == 0 {
		return nil
	}
	if err := s.queries(ctx).LockMembers(ctx); err != nil {
		return fmt.Errorf("lock members: %w", err)
	}
	return nil
}

// addInitialParts adds the initial contacts, links, environments and groups of a new system.
func (s *service) addInitialParts(ctx context.Context, id uuid.UUID, in NewSystem) error {
	system := catalogdb.CatalogSystem{ID: id, Name: in.Name}
	for i, contact := range in.Contacts {
		if err := s.addContact(ctx, system, store.NewID(), contact); err != nil {
			return inElement("contacts", i, err)
		}
	}
	for _, link := range in.Links {
		if err := s.addLink(ctx, system, store.NewID(), link); err != nil {
			return err
		}
	}
	if len(in.EnvironmentIDs) > 0 {
		if err := s.checkEnvironments(ctx, in.EnvironmentIDs); err != nil {
			return err
		}
		if _, err := s.replaceEnvironments(ctx, system, in.EnvironmentIDs); err != nil {
			return err
		}
	}
	for i, group := range in.GroupIDs {
		err := s.groups.Change(ctx, group, access.Edit, nil, func(ctx context.Context, row catalogdb.CatalogGroup) (bool, error) {
			return s.addToGroup(ctx, row, system)
		})
		if err != nil {
			return missingReference("groupIds", i, err)
		}
	}
	return nil
}

// addToGroup adds a system to a locked group, and reports whether it was not a member.
func (s *service) addToGroup(ctx context.Context, group catalogdb.CatalogGroup, system catalogdb.CatalogSystem) (bool, error) {
	n, err := s.queries(ctx).AddToGroup(ctx, catalogdb.AddToGroupParams{GroupID: group.ID, SystemID: system.ID})
	if err != nil {
		return false, fmt.Errorf("set member: %w", err)
	}
	if n == 0 {
		return false, nil
	}
	return true, s.recordPart(
		ctx,
		audit.Added,
		audit.Object(systemType, system.ID, system.Name),
		audit.Object(groupType, group.ID, group.Name),
		"Put into a group",
	)
}

// addInitialMembers adds systems that the caller sees to a new group.
func (s *service) addInitialMembers(ctx context.Context, group catalogdb.CatalogGroup, systems []uuid.UUID) error {
	for i, id := range systems {
		system, err := s.systems.Hold(ctx, id, access.View, nil)
		if err == nil {
			_, err = s.addToGroup(ctx, group, system)
		}
		if err != nil {
			return missingReference("systemIds", i, err)
		}
	}
	return nil
}

// addInitialSystems adds systems that the caller may change to a new environment.
func (s *service) addInitialSystems(ctx context.Context, environment uuid.UUID, systems []uuid.UUID) error {
	for i, id := range systems {
		err := s.systems.Change(ctx, id, access.Edit, nil, func(ctx context.Context, row catalogdb.CatalogSystem) (bool, error) {
			added, err := s.queries(
				ctx,
			).AddToEnvironments(
				ctx,
				catalogdb.AddToEnvironmentsParams{SystemID: id, EnvironmentIds: []uuid.UUID{environment}},
			)
			if err != nil || len(added) == 0 {
				return false, err
			}
			if err := s.recordEnvironments(ctx, row, nil, added); err != nil {
				return false, err
			}
			return true, s.notifyChanged(ctx, id)
		})
		if err != nil {
			return missingReference("systemIds", i, err)
		}
	}
	return nil
}

// missingReference converts a not-found error to an invalid input that names the missing record; other errors pass.
func missingReference(path string, i int, err error) error {
	if !problem.Is(err, problem.NotFound) {
		return err
	}
	return problem.InvalidInput(
		problem.As(err).Detail,
		problem.Issue{Path: path + "[" + strconv.Itoa(i) + "]", Message: "names nothing that is there"},
	)
}

// checkParts makes the checks of equip in a dry run.
func checkParts(ctx context.Context, c tool.Caller, in NewSystem) error {
	var v validation
	for i, contact := range in.Contacts {
		if contact.UserID == nil {
			continue
		}
		// Not everybody may look users up; then applying checks the id.
		_, err := usersAPI.Load(ctx, c, *contact.UserID, "userId")
		if err := v.Absorb(inElement("contacts", i, err)); err != nil && !problem.Is(err, problem.Forbidden) {
			return err
		}
	}
	for i, id := range in.EnvironmentIDs {
		_, err := environmentsAPI.Load(ctx, c, id, "environmentIds["+strconv.Itoa(i)+"]")
		if err := v.Absorb(err); err != nil {
			return err
		}
	}
	for i, id := range in.GroupIDs {
		_, err := groupsAPI.LoadForChange(ctx, c, id, "groupIds["+strconv.Itoa(i)+"]", access.Edit)
		if err := v.Absorb(err); err != nil {
			return err
		}
	}
	return v.Err()
}

// checkMembers refuses systems that the caller may not add, in a dry run. It returns their names by id.
func checkMembers(ctx context.Context, c tool.Caller, systems []uuid.UUID, want access.Level) (map[string]string, error) {
	var v validation
	labels := map[string]string{}
	for i, id := range systems {
		system, err := systemsAPI.LoadForChange(ctx, c, id, "systemIds["+strconv.Itoa(i)+"]", want)
		if err := v.Absorb(err); err != nil {
			return nil, err
		}
		labels[id.String()] = system.Name
	}
	return labels, v.Err()
}
