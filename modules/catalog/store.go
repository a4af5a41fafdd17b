package catalog

import (
	"context"
	"encoding/json"
	"fmt"

	"github.com/google/uuid"

	"countersign/access"
	"countersign/modules/catalog/catalogdb"
)

// assemble completes systems with everything that belongs to them, in a fixed number of queries for any number of
// systems.
func (s *service) assemble(ctx context.Context, rows []catalogdb.CatalogSystem, systems, groups sight) ([]System, error) {
	list := make([]System, len(rows))
	ids := make([]uuid.UUID, len(rows))
	at := make(map[uuid.UUID]*System, len(rows))
	for i, row := range rows {
		list[i] = System{
			ID: row.ID, Name: row.Name, Description: row.Description, Tags: row.Tags,
			Owners: []Owner{}, Groups: []Reference{}, Environments: []Reference{}, Contacts: []Contact{}, Links: []Link{},
			Access: systems.of(row.ID), Revision: row.Revision, CreatedAt: row.CreatedAt, UpdatedAt: row.UpdatedAt,
		}
		if err := json.Unmarshal(row.Metadata, &list[i].Metadata); err != nil {
			return nil, fmt.Errorf("decode metadata: %w", err)
		}
		ids[i], at[row.ID] = row.ID, &list[i]
	}
	if len(rows) == 0 {
		return list, nil
	}
	for _, step := range []func(context.Context, []uuid.UUID, map[uuid.UUID]*System) error{
		s.addOwners, s.addEnvironments, s.addContacts, s.addLinks,
		func(ctx context.Context, ids []uuid.UUID, at map[uuid.UUID]*System) error {
			return s.addGroups(ctx, ids, at, groups)
		},
	} {
		if err := step(ctx, ids, at); err != nil {
			return nil, err
		}
	}
	return list, nil
}

func (s *service) assembleOne(ctx context.Context, row catalogdb.CatalogSystem, systems, groups sight) (System, error) {
	list, err := s.assemble(ctx, []catalogdb.CatalogSystem{row}, systems, groups)
	if err != nil {
		return System{}, err
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

func (s *service) addGroups(ctx context.Context, ids []uuid.UUID, at map[uuid.UUID]*System, groups sight) error {
	rows, err := s.queries(ctx).GroupsOfSystems(ctx, catalogdb.GroupsOfSystemsParams{
		SystemIds: ids, Every: groups.every(), Hidden: groups.private, Granted: groups.granted[access.View],
	})
	if err != nil {
		return fmt.Errorf("list groups of systems: %w", err)
	}
	for _, row := range rows {
		at[row.SystemID].Groups = append(at[row.SystemID].Groups, Reference{ID: row.ID, Name: row.Name})
	}
	return nil
}

func (s *service) addEnvironments(ctx context.Context, ids []uuid.UUID, at map[uuid.UUID]*System) error {
	environments, err := s.sightOf(ctx, environmentKind)
	if err != nil || !environments.every() {
		return err
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
		if row.Email != nil {
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

func (s *service) assembleGroups(ctx context.Context, rows []catalogdb.CatalogGroup, systems, groups sight) ([]Group, error) {
	list := make([]Group, len(rows))
	ids := make([]uuid.UUID, len(rows))
	at := make(map[uuid.UUID]*Group, len(rows))
	for i, row := range rows {
		list[i] = Group{
			ID: row.ID, Name: row.Name, Description: row.Description, SystemIDs: []uuid.UUID{},
			Access: groups.of(row.ID), Revision: row.Revision, CreatedAt: row.CreatedAt, UpdatedAt: row.UpdatedAt,
		}
		if err := json.Unmarshal(row.Metadata, &list[i].Metadata); err != nil {
			return nil, fmt.Errorf("decode metadata: %w", err)
		}
		ids[i], at[row.ID] = row.ID, &list[i]
	}
	members, err := s.queries(ctx).SystemsOfGroups(ctx, catalogdb.SystemsOfGroupsParams{
		GroupIds: ids, Every: systems.every(), Hidden: systems.private, Granted: systems.granted[access.View],
	})
	if err != nil {
		return nil, fmt.Errorf("list systems of groups: %w", err)
	}
	for _, m := range members {
		at[m.GroupID].SystemIDs = append(at[m.GroupID].SystemIDs, m.ID)
	}
	return list, nil
}

func (s *service) assembleEnvironments(ctx context.Context, rows []catalogdb.CatalogEnvironment, environments sight) ([]Environment, error) {
	systems, err := s.sightOf(ctx, systemKind)
	if err != nil {
		return nil, err
	}
	list := make([]Environment, len(rows))
	ids := make([]uuid.UUID, len(rows))
	at := make(map[uuid.UUID]*Environment, len(rows))
	for i, row := range rows {
		list[i] = Environment{
			ID: row.ID, Name: row.Name, Description: row.Description, SystemIDs: []uuid.UUID{},
			Access: environments.of(row.ID), Revision: row.Revision, CreatedAt: row.CreatedAt, UpdatedAt: row.UpdatedAt,
		}
		if err := json.Unmarshal(row.Fields, &list[i].Fields); err != nil {
			return nil, fmt.Errorf("decode fields: %w", err)
		}
		ids[i], at[row.ID] = row.ID, &list[i]
	}
	members, err := s.queries(ctx).SystemsOfEnvironments(ctx, catalogdb.SystemsOfEnvironmentsParams{
		EnvironmentIds: ids, Every: systems.every(), Hidden: systems.private, Granted: systems.granted[access.View],
	})
	if err != nil {
		return nil, fmt.Errorf("list systems of environments: %w", err)
	}
	for _, m := range members {
		at[m.EnvironmentID].SystemIDs = append(at[m.EnvironmentID].SystemIDs, m.ID)
	}
	return list, nil
}
