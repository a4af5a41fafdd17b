package catalog

import (
	"context"
	"fmt"
	"slices"

	"github.com/google/uuid"

	"countersign/audit"
	"countersign/internal/access"
	"countersign/internal/problem"
	"countersign/internal/store"
	"countersign/modules/catalog/catalogdb"
)

// AddContact adds a contact to a system and returns it and the system's new revision.
func (s *service) AddContact(ctx context.Context, systemID uuid.UUID, in NewContact, based *int64) (Contact, int64, error) {
	var v validation
	in = v.contact(in)
	if err := v.Err(); err != nil {
		return Contact{}, 0, err
	}
	id := store.NewID()
	system, err := s.changeSystem(ctx, systemID, access.Edit, based, func(ctx context.Context, row catalogdb.CatalogSystem) (bool, error) {
		existing, err := s.queries(ctx).ContactsOfSystems(ctx, []uuid.UUID{systemID})
		if err != nil {
			return false, fmt.Errorf("list contacts: %w", err)
		}
		if len(existing) >= MaxContacts {
			return false, problem.Errorf(
				problem.Conflict,
				"The system %s has %d contacts, which is the most it can have. Remove one first.",
				row.Name,
				MaxContacts,
			)
		}
		return true, s.addContact(ctx, row, id, in)
	})
	if err != nil {
		return Contact{}, 0, err
	}
	i := slices.IndexFunc(system.Contacts, func(c Contact) bool { return c.ID == id })
	return system.Contacts[i], system.Revision, nil
}

// addContact adds a contact to a locked system.
func (s *service) addContact(ctx context.Context, system catalogdb.CatalogSystem, id uuid.UUID, in NewContact) error {
	if err := s.checkPerson(ctx, in.UserID); err != nil {
		return err
	}
	params := catalogdb.CreateContactParams{ID: id, SystemID: system.ID, Label: in.Label, UserID: in.UserID, Email: in.address()}
	if in.Address != "" {
		params.Kind = new(string(in.Type))
	}
	added, err := s.queries(ctx).CreateContact(ctx, params)
	if err != nil {
		return fmt.Errorf("add contact: %w", err)
	}
	if added == 0 {
		return problem.Errorf(problem.Conflict, "The system %s has this contact already.", system.Name)
	}
	return s.recordSystem(ctx, audit.Changed, system, "A contact was added ("+string(in.Type)+")")
}

func (s *service) checkPerson(ctx context.Context, id *uuid.UUID) error {
	if id == nil {
		return nil
	}
	people, err := s.directory.People(ctx, []uuid.UUID{*id})
	if err != nil {
		return fmt.Errorf("look up user: %w", err)
	}
	if _, ok := people[*id]; !ok {
		return problem.InvalidInput(
			"There is no such user. A person outside of the product can be a contact of type mailbox.",
			problem.Issue{Path: "userId", Message: "names no user"},
		)
	}
	return nil
}

// RemoveContact deletes a contact. A second call finds none.
func (s *service) RemoveContact(ctx context.Context, systemID, id uuid.UUID, based *int64) error {
	_, err := s.changeSystem(ctx, systemID, access.Edit, based, func(ctx context.Context, row catalogdb.CatalogSystem) (bool, error) {
		removed, err := s.queries(ctx).DeleteContact(ctx, catalogdb.DeleteContactParams{SystemID: systemID, ID: id})
		if err != nil {
			return false, fmt.Errorf("remove contact: %w", err)
		}
		if removed == 0 {
			return false, problem.Errorf(
				problem.NotFound,
				"The system %s has no contact with the id %s. Read the system to see its contacts.",
				row.Name,
				id,
			)
		}
		return true, s.recordSystem(ctx, audit.Changed, row, "A contact was removed")
	})
	return err
}

// AddLink adds a link to a system and returns it and the system's new revision.
func (s *service) AddLink(ctx context.Context, systemID uuid.UUID, in NewLink, based *int64) (Link, int64, error) {
	var v validation
	in = v.link(in)
	if err := v.Err(); err != nil {
		return Link{}, 0, err
	}
	id := store.NewID()
	system, err := s.changeSystem(ctx, systemID, access.Edit, based, func(ctx context.Context, row catalogdb.CatalogSystem) (bool, error) {
		existing, err := s.queries(ctx).LinksOfSystems(ctx, []uuid.UUID{systemID})
		if err != nil {
			return false, fmt.Errorf("list links: %w", err)
		}
		if len(existing) >= MaxLinks {
			return false, problem.Errorf(
				problem.Conflict,
				"The system %s has %d links, which is the most it can have. Remove one first.",
				row.Name,
				MaxLinks,
			)
		}
		return true, s.addLink(ctx, row, id, in)
	})
	if err != nil {
		return Link{}, 0, err
	}
	i := slices.IndexFunc(system.Links, func(l Link) bool { return l.ID == id })
	return system.Links[i], system.Revision, nil
}

// addLink adds a link to a locked system.
func (s *service) addLink(ctx context.Context, system catalogdb.CatalogSystem, id uuid.UUID, in NewLink) error {
	added, err := s.queries(ctx).CreateLink(ctx, catalogdb.CreateLinkParams{ID: id, SystemID: system.ID, Label: in.Label, Url: in.URL})
	if err != nil {
		return fmt.Errorf("add link: %w", err)
	}
	if added == 0 {
		return problem.Errorf(problem.Conflict, "The system %s has a link to %s already.", system.Name, in.URL)
	}
	return s.recordSystem(ctx, audit.Changed, system, "A link was added")
}

// RemoveLink deletes a link. A second call finds none.
func (s *service) RemoveLink(ctx context.Context, systemID, id uuid.UUID, based *int64) error {
	_, err := s.changeSystem(ctx, systemID, access.Edit, based, func(ctx context.Context, row catalogdb.CatalogSystem) (bool, error) {
		removed, err := s.queries(ctx).DeleteLink(ctx, catalogdb.DeleteLinkParams{SystemID: systemID, ID: id})
		if err != nil {
			return false, fmt.Errorf("remove link: %w", err)
		}
		if removed == 0 {
			return false, problem.Errorf(
				problem.NotFound,
				"The system %s has no link with the id %s. Read the system to see its links.",
				row.Name,
				id,
			)
		}
		return true, s.recordSystem(ctx, audit.Changed, row, "A link was removed")
	})
	return err
}

// SetEnvironments replaces the environments of a system. It changes the system only; the caller needs to see the
// environments, whose revisions stay.
func (s *service) SetEnvironments(ctx context.Context, systemID uuid.UUID, in EnvironmentChoice, based *int64) (system System, err error) {
	ids := append([]uuid.UUID{}, in.EnvironmentIDs...)
	err = s.changeMembers(ctx, func(ctx context.Context, _ *catalogdb.Queries) error {
		system, err = s.changeSystem(ctx, systemID, access.Edit, based, func(ctx context.Context, row catalogdb.CatalogSystem) (bool, error) {
			if err := s.checkEnvironments(ctx, ids); err != nil {
				return false, err
			}
			return s.replaceEnvironments(ctx, row, ids)
		})
		return err
	})
	return system, err
}

func (s *service) replaceEnvironments(ctx context.Context, system catalogdb.CatalogSystem, ids []uuid.UUID) (bool, error) {
	q, systemID := s.queries(ctx), system.ID
	removed, err := q.RemoveFromOtherEnvironments(ctx, catalogdb.RemoveFromOtherEnvironmentsParams{SystemID: systemID, EnvironmentIds: ids})
	if err != nil {
		return false, fmt.Errorf("remove environments: %w", err)
	}
	added, err := q.AddToEnvironments(ctx, catalogdb.AddToEnvironmentsParams{SystemID: systemID, EnvironmentIds: ids})
	if err != nil {
		return false, fmt.Errorf("add environments: %w", err)
	}
	if len(removed)+len(added) == 0 {
		return false, nil
	}
	if err := s.recordEnvironments(ctx, system, removed, added); err != nil {
		return false, err
	}
	return true, s.notifyChanged(ctx, systemID)
}
