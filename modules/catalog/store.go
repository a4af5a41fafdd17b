package catalog

import (
	"context"
	"fmt"

	"github.com/google/uuid"

	"countersign/internal/rest"
	"countersign/modules/catalog/catalogdb"
)

// assemble adds the related data of systems, in a fixed number of queries.
func (s *service) assemble(ctx context.Context, rows ...catalogdb.CatalogSystem) ([]System, error) {
	ids := make([]uuid.UUID, len(rows))
	for i, row := range rows {
		ids[i] = row.ID
	}
	levels, err := systemKind.Sight(ctx).Levels(ctx, s.db, ids...)
	if err != nil || len(rows) == 0 {
		return []System{}, err
	}
	list := make([]System, len(rows))
	at := make(map[uuid.UUID]*System, len(rows))
	for i, row := range rows {
		list[i] = System{
			ID: row.ID, Name: row.Name, Description: row.Description, Metadata: row.Metadata, Tags: row.Tags,
			Owners: []Owner{}, Groups: []Reference{}, Environments: []Reference{}, Contacts: []Contact{}, Links: []Link{},
			Access: levels[row.ID], Revised: rest.Revised{Revision: row.Revision}, CreatedAt: row.CreatedAt, UpdatedAt: row.UpdatedAt,
		}
		at[row.ID] = &list[i]
	}
	for _, step := range []func(context.Context, []uuid.UUID, map[uuid.UUID]*System) error{
		s.addOwners, s.addGroups, s.addEnvironments, s.addContacts, s.addLinks,
	} {
		if err := step(ctx, ids, at); err != nil {
			return nil, err
		}
	}
	return list, nil
}

// only returns the one record of a list assembled from one row.
func only[T any](list []T, err error) (T, error) {
	if err != nil {
		var none T
		return none, err
	}
	return list[0], nil
}

func (s *service) addOwners(ctx context.Context, ids []uuid.UUID, at map[uuid.UUID]*System) error {
	owners, err := s.grants.Owners(ctx, systemKind.ObjectType, ids)
	if err != nil {
		return fmt.Errorf("list owners: %w", err)
	}
	for id, teams := range owners {
		if system, ok := at[id]; ok {
			system.Owners = append(system.Owners, teams...)
		}
	}
	return nil
}

// groupsOfSystems lists the groups of systems that the caller may see, by name.
func (s *service) groupsOfSystems(ctx context.Context, ids []uuid.UUID) ([]catalogdb.GroupsOfSystemsRow, error) {
	sight := groupKind.Sight(ctx)
	rows, err := s.queries(ctx).GroupsOfSystems(ctx, catalogdb.GroupsOfSystemsParams{
		SystemIds: ids, ByRule: sight.Every(), SubjectType: sight.SubjectType, SubjectID: sight.SubjectID, TeamIds: sight.TeamIDs,
	})
	if err != nil {
		return nil, fmt.Errorf("list groups of systems: %w", err)
	}
	return rows, nil
}

func (s *service) addGroups(ctx context.Context, ids []uuid.UUID, at map[uuid.UUID]*System) error {
	rows, err := s.groupsOfSystems(ctx, ids)
	if err != nil {
		return err
	}
	for _, row := range rows {
		at[row.SystemID].Groups = append(at[row.SystemID].Groups, Reference{ID: row.ID, Name: row.Name})
	}
	return nil
}

func (s *service) addEnvironments(ctx context.Context, ids []uuid.UUID, at map[uuid.UUID]*System) error {
	if !environmentKind.Sight(ctx).Every() {
		return nil
	}
	rows, err := s.queries(ctx).EnvironmentsOfSystems(ctx, ids)
	if err != nil {
		return fmt.Errorf("list environments of systems: %w", err)
	}
	for _, row := range rows {
		at[row.SystemID].Environments = append(at[row.SystemID].Environments, Reference{ID: row.ID, Name: row.Name})
	}
	return nil
}

func (s *service) addContacts(ctx context.Context, ids []uuid.UUID, at map[uuid.UUID]*System) error {
	rows, err := s.queries(ctx).ContactsOfSystems(ctx, ids)
	if err != nil {
		return fmt.Errorf("list contacts: %w", err)
	}
	var users []uuid.UUID
	for _, row := range rows {
		if row.UserID != nil {
			users = append(users, *row.UserID)
		}
	}
	var people map[uuid.UUID]Person
	if len(users) > 0 {
		if people, err = s.directory.People(ctx, users); err != nil {
			return fmt.Errorf("look up contacts: %w", err)
		}
	}
	for _, row := range rows {
		c := Contact{ID: row.ID, Type: MailboxContact, Label: row.Label, UserID: row.UserID}
		if row.UserID != nil {
			person := people[*row.UserID]
			c.Type, c.UserName, c.UserEmail = UserContact, person.Name, person.Email
		}
		switch {
		case row.Email != nil && row.Kind != nil:
			c.Type, c.Address = ContactType(*row.Kind), *row.Email
		case row.Email != nil:
			c.Email = *row.Email
		}
		at[row.SystemID].Contacts = append(at[row.SystemID].Contacts, c)
	}
	return nil
}

func (s *service) addLinks(ctx context.Context, ids []uuid.UUID, at map[uuid.UUID]*System) error {
	rows, err := s.queries(ctx).LinksOfSystems(ctx, ids)
	if err != nil {
		return fmt.Errorf("list links: %w", err)
	}
	for _, row := range rows {
		at[row.SystemID].Links = append(at[row.SystemID].Links, Link{ID: row.ID, Label: row.Label, URL: row.Url, CreatedAt: row.CreatedAt})
	}
	return nil
}

func (s *service) assembleGroups(ctx context.Context, rows ...catalogdb.CatalogGroup) ([]Group, error) {
	ids := make([]uuid.UUID, len(rows))
	for i, row := range rows {
		ids[i] = row.ID
	}
	levels, err := groupKind.Sight(ctx).Levels(ctx, s.db, ids...)
	if err != nil {
		return nil, err
	}
	list := make([]Group, len(rows))
	at := make(map[uuid.UUID]*Group, len(rows))
	for i, row := range rows {
		list[i] = Group{
			ID: row.ID, Name: row.Name, Description: row.Description, Metadata: row.Metadata, SystemIDs: []uuid.UUID{},
			Access: levels[row.ID], Revised: rest.Revised{Revision: row.Revision}, CreatedAt: row.CreatedAt, UpdatedAt: row.UpdatedAt,
		}
		at[row.ID] = &list[i]
	}
	sight := systemKind.Sight(ctx)
	members, err := s.queries(ctx).SystemsOfGroups(ctx, catalogdb.SystemsOfGroupsParams{
		GroupIds: ids, ByRule: sight.Every(), SubjectType: sight.SubjectType, SubjectID: sight.SubjectID, TeamIds: sight.TeamIDs,
	})
	if err != nil {
		return nil, fmt.Errorf("list systems of groups: %w", err)
	}
	for _, m := range members {
		at[m.GroupID].SystemIDs = m.SystemIds
	}
	return list, nil
}

func (s *service) assembleEnvironments(ctx context.Context, rows ...catalogdb.CatalogEnvironment) ([]Environment, error) {
	byRule := environmentKind.Sight(ctx).ByRule
	list := make([]Environment, len(rows))
	ids := make([]uuid.UUID, len(rows))
	at := make(map[uuid.UUID]*Environment, len(rows))
	for i, row := range rows {
		list[i] = Environment{
			ID: row.ID, Name: row.Name, Description: row.Description, Fields: row.Fields, SystemIDs: []uuid.UUID{},
			Access: byRule, Revised: rest.Revised{Revision: row.Revision}, CreatedAt: row.CreatedAt, UpdatedAt: row.UpdatedAt,
		}
		ids[i], at[row.ID] = row.ID, &list[i]
	}
	sight := systemKind.Sight(ctx)
	members, err := s.queries(ctx).SystemsOfEnvironments(ctx, catalogdb.SystemsOfEnvironmentsParams{
		EnvironmentIds: ids, ByRule: sight.Every(), SubjectType: sight.SubjectType, SubjectID: sight.SubjectID, TeamIds: sight.TeamIDs,
	})
	if err != nil {
		return nil, fmt.Errorf("list systems of environments: %w", err)
	}
	for _, m := range members {
		at[m.EnvironmentID].SystemIDs = m.SystemIds
	}
	return list, nil
}
