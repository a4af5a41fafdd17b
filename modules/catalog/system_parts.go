package catalog

import (
	"context"
	"fmt"
	"slices"

	"github.com/google/uuid"

	"countersign/access"
	"countersign/modules/catalog/catalogdb"
	"countersign/problem"
	"countersign/store"
)

// AddContact adds a contact to a system and returns it and the system's new revision.
func (s *service) AddContact(ctx context.Context, systemID uuid.UUID, in NewContact, based *int64) (Contact, int64, error) {
	var v validation
	in = v.contact(in)
	if err := v.Err(); err != nil {
		return Contact{}, 0, err
	}
	id, err := newID()
	if err != nil {
		return Contact{}, 0, err
	}
	system, err := s.changeSystem(ctx, systemID, access.Edit, based, func(ctx context.Context, row catalogdb.CatalogSystem) (bool, error) {
		if err := s.checkPerson(ctx, in.UserID); err != nil {
			return false, err
		}
		existing, err := s.queries(ctx).ContactsOfSystems(ctx, []uuid.UUID{systemID})
		if err != nil {
			return false, fmt.Errorf("list contacts: %w", err)
		}
		if len(existing) >= MaxContacts {
			return false, problem.Errorf(problem.Conflict, "The system %s has %d contacts, which is the most it can have. Remove one first.", row.Name, MaxContacts)
		}
		params := catalogdb.CreateContactParams{ID: id, SystemID: systemID, Label: in.Label, UserID: in.UserID}
		if in.Type == MailboxContact {
			params.Email = &in.Email
		}
		added, err := s.queries(ctx).CreateContact(ctx, params)
		if err != nil {
			return false, fmt.Errorf("add contact: %w", err)
		}
		if added == 0 {
			return false, problem.Errorf(problem.Conflict, "The system %s has this contact already.", row.Name)
		}
		return true, nil
	})
	if err != nil {
		return Contact{}, 0, err
	}
	i := slices.IndexFunc(system.Contacts, func(c Contact) bool { return c.ID == id })
	return system.Contacts[i], system.Revision, nil
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
		return problem.InvalidInput("There is no such user. A person outside of the product can be a contact of type mailbox.", problem.Issue{Path: "userId", Message: "names no user"})
	}
	return nil
}

// RemoveContact removes a contact. A second call finds nothing.
func (s *service) RemoveContact(ctx context.Context, systemID, id uuid.UUID, based *int64) error {
	_, err := s.changeSystem(ctx, systemID, access.Edit, based, func(ctx context.Context, row catalogdb.CatalogSystem) (bool, error) {
		removed, err := s.queries(ctx).DeleteContact(ctx, catalogdb.DeleteContactParams{SystemID: systemID, ID: id})
		if err != nil {
			return false, fmt.Errorf("remove contact: %w", err)
		}
		if removed == 0 {
			return false, problem.Errorf(problem.NotFound, "The system %s has no contact with the id %s. Read the system to see its contacts.", row.Name, id)
		}
		return true, nil
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
	id, err := newID()
	if err != nil {
		return Link{}, 0, err
	}
	system, err := s.changeSystem(ctx, systemID, access.Edit, based, func(ctx context.Context, row catalogdb.CatalogSystem) (bool, error) {
		existing, err := s.queries(ctx).LinksOfSystems(ctx, []uuid.UUID{systemID})
		if err != nil {
			return false, fmt.Errorf("list links: %w", err)
		}
		if len(existing) >= MaxLinks {
			return false, problem.Errorf(problem.Conflict, "The system %s has %d links, which is the most it can have. Remove one first.", row.Name, MaxLinks)
		}
		added, err := s.queries(ctx).CreateLink(ctx, catalogdb.CreateLinkParams{ID: id, SystemID: systemID, Label: in.Label, Url: in.URL})
		if err != nil {
			return false, fmt.Errorf("add link: %w", err)
		}
		if added == 0 {
			return false, problem.Errorf(problem.Conflict, "The system %s has a link to %s already.", row.Name, in.URL)
		}
		return true, nil
	})
	if err != nil {
		return Link{}, 0, err
	}
	i := slices.IndexFunc(system.Links, func(l Link) bool { return l.ID == id })
	return system.Links[i], system.Revision, nil
}

// RemoveLink removes a link. A second call finds nothing.
func (s *service) RemoveLink(ctx context.Context, systemID, id uuid.UUID, based *int64) error {
	_, err := s.changeSystem(ctx, systemID, access.Edit, based, func(ctx context.Context, row catalogdb.CatalogSystem) (bool, error) {
		removed, err := s.queries(ctx).DeleteLink(ctx, catalogdb.DeleteLinkParams{SystemID: systemID, ID: id})
		if err != nil {
			return false, fmt.Errorf("remove link: %w", err)
		}
		if removed == 0 {
			return false, problem.Errorf(problem.NotFound, "The system %s has no link with the id %s. Read the system to see its links.", row.Name, id)
		}
		return true, nil
	})
	return err
}

// SetOwner makes a team the owner of a system, or nobody when it is nil.
func (s *service) SetOwner(ctx context.Context, systemID uuid.UUID, teamID *uuid.UUID, based *int64) (System, error) {
	return s.changeSystem(ctx, systemID, access.Own, based, func(ctx context.Context, _ catalogdb.CatalogSystem) (bool, error) {
		return s.chooseOwner(ctx, systemID, teamID, "teamId")
	})
}

// chooseOwner reports whether the owner changes. path is where the input names the team.
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
		// To the grants, the nil id means nobody; in an input it is the id of no team.
		err = problem.Errorf(problem.Invalid, "nil id")
	default:
		err = s.grants.SetOwner(ctx, systemKind.ObjectType, systemID, team)
	}
	if problem.Is(err, problem.Invalid) {
		return false, problem.InvalidInput("There is no such team. List the teams to see what exists.", problem.Issue{Path: path, Message: "names no team"})
	}
	if err != nil {
		return false, fmt.Errorf("set owner: %w", err)
	}
	return true, nil
}

// SetEnvironments makes these the environments of a system, in place of those it has.
func (s *service) SetEnvironments(ctx context.Context, systemID uuid.UUID, ids []uuid.UUID, based *int64) (System, error) {
	if ids == nil {
		ids = []uuid.UUID{}
	}
	return store.InTx(ctx, s.db, func(ctx context.Context) (System, error) {
		if err := s.queries(ctx).LockMembers(ctx); err != nil {
			return System{}, fmt.Errorf("lock members: %w", err)
		}
		return s.changeSystem(ctx, systemID, access.Edit, based, func(ctx context.Context, _ catalogdb.CatalogSystem) (bool, error) {
			if err := s.checkEnvironments(ctx, ids); err != nil {
				return false, err
			}
			return s.replaceEnvironments(ctx, systemID, ids)
		})
	})
}

func (s *service) replaceEnvironments(ctx context.Context, systemID uuid.UUID, ids []uuid.UUID) (bool, error) {
	q := s.queries(ctx)
	removed, err := q.RemoveFromOtherEnvironments(ctx, catalogdb.RemoveFromOtherEnvironmentsParams{SystemID: systemID, EnvironmentIds: ids})
	if err != nil {
		return false, fmt.Errorf("remove environments: %w", err)
	}
	added, err := q.AddToEnvironments(ctx, catalogdb.AddToEnvironmentsParams{SystemID: systemID, EnvironmentIds: ids})
	if err != nil {
		return false, fmt.Errorf("add environments: %w", err)
	}
	touched := slices.Concat(removed, added)
	if len(touched) == 0 {
		return false, nil
	}
	if err := q.BumpEnvironments(ctx, touched); err != nil {
		return false, fmt.Errorf("raise revisions: %w", err)
	}
	return true, nil
}
