package catalog

import (
	"context"
	"fmt"

	"github.com/google/uuid"

	"countersign/audit"
	"countersign/internal/access"
	"countersign/internal/principal"
	"countersign/internal/store"
	"countersign/modules/catalog/catalogdb"
)

// Types of objects in the audit log.
const (
	systemType      = "catalog.system"
	groupType       = "catalog.group"
	environmentType = "catalog.environment"
	teamType        = "auth.team"
)

// Types of objects in the audit log, as people read them.
var (
	auditedSystem = audit.Declare(audit.Type{
		ID: systemType, Label: "System", Plural: "Systems", Page: "/catalog/systems/{id}", Kept: []string{"name", "tags"}, Restricted: true,
	})
	auditedGroup = audit.Declare(audit.Type{
		ID: groupType, Label: "Group", Plural: "Groups", Page: "/catalog/groups/{id}", Kept: []string{"name"}, Restricted: true,
	})
	auditedEnvironment = audit.Declare(audit.Type{
		ID: environmentType, Label: "Environment", Plural: "Environments", Page: "/catalog/environments/{id}", Kept: []string{"name"},
		Restricted: true,
	})
)

// Audited lets callers who see an object read its history.
func (m *Module) Audited() []audit.Kind {
	s := m.service
	return []audit.Kind{
		{Type: auditedSystem, See: audit.ByUUID(s.systems.See)},
		{Type: auditedGroup, See: audit.ByUUID(s.groups.See)},
		{Type: auditedEnvironment, See: audit.ByUUID(s.environments.See)},
	}
}

// record writes an audit event about a change, in its transaction.
func (s *service) record(
	ctx context.Context,
	action audit.Action,
	objectType string,
	head access.Head,
	summary string,
	fields audit.Fields,
) error {
	return audit.Record(ctx, s.db, audit.Event{
		Action: action, Object: audit.Object(objectType, head.ID, head.Name), Summary: summary, Fields: fields,
	})
}

// recordUpdate writes an audit event about a record's own fields.
func (s *service) recordUpdate(ctx context.Context, objectType, noun string, head access.Head, fields audit.Fields) error {
	return s.record(ctx, audit.Changed, objectType, head, noun+" changed", fields)
}

func (s *service) recordSystem(ctx context.Context, action audit.Action, row catalogdb.CatalogSystem, summary string) error {
	return s.record(ctx, action, systemType, access.Head{ID: row.ID, Name: row.Name}, summary, nil)
}

// recordPart writes an audit event about a part that a system gained or lost: another record, or an owning team.
func (s *service) recordPart(ctx context.Context, action audit.Action, object, subject audit.Ref, summary string) error {
	return audit.Record(ctx, s.db, audit.Event{Action: action, Object: object, Subject: subject, Summary: summary})
}

// recordEnvironments writes an audit event per environment that a system joined or left.
func (s *service) recordEnvironments(ctx context.Context, system catalogdb.CatalogSystem, removed, added []uuid.UUID) error {
	object := audit.Object(systemType, system.ID, system.Name)
	for _, change := range []struct {
		action  audit.Action
		ids     []uuid.UUID
		summary string
	}{{audit.Removed, removed, "Taken out of an environment"}, {audit.Added, added, "Put into an environment"}} {
		for _, id := range change.ids {
			row, err := s.queries(ctx).Environment(ctx, id)
			if err != nil {
				return fmt.Errorf("load environment: %w", err)
			}
			if err := s.recordPart(ctx, change.action, object, audit.Object(environmentType, id, row.Name), change.summary); err != nil {
				return err
			}
		}
	}
	return nil
}

// recordOwner writes audit events for the previous and the new owner team of a system.
func (s *service) recordOwner(ctx context.Context, system uuid.UUID, before []Owner) error {
	row, err := s.queries(ctx).System(ctx, system)
	if err != nil {
		return fmt.Errorf("load system: %w", err)
	}
	owners, err := s.grants.Owners(ctx, systemKind.ObjectType, []uuid.UUID{system})
	if err != nil {
		return fmt.Errorf("list owners: %w", err)
	}
	object := audit.Object(systemType, system, row.Name)
	for _, o := range before {
		if err := s.recordPart(
			ctx,
			audit.Withdrawn,
			object,
			audit.Object(teamType, o.TeamID, o.TeamName),
			"Ownership was withdrawn",
		); err != nil {
			return err
		}
	}
	for _, o := range owners[system] {
		if err := s.recordPart(ctx, audit.Granted, object, audit.Object(teamType, o.TeamID, o.TeamName), "Ownership was granted"); err != nil {
			return err
		}
	}
	return nil
}

// recordGuess writes an audit event for the enumeration guard: the caller used the name of a record that they cannot
// see. The event is about the caller and names neither.
func recordGuess(ctx context.Context, db *store.DB, noun string) error {
	who := principal.FromContext(ctx)
	object := audit.Object("auth."+string(who.Kind), who.ID, who.Name)
	return audit.Record(ctx, db, audit.Event{
		Action: audit.NameRefused, Object: object, Summary: "A name was refused that a " + noun + " has which they do not see",
	})
}

// partsOf describes the parts deleted with a system.
func (s *service) partsOf(ctx context.Context, id uuid.UUID) (string, error) {
	contacts, err := s.queries(ctx).ContactsOfSystems(ctx, []uuid.UUID{id})
	if err != nil {
		return "", fmt.Errorf("list contacts: %w", err)
	}
	links, err := s.queries(ctx).LinksOfSystems(ctx, []uuid.UUID{id})
	if err != nil {
		return "", fmt.Errorf("list links: %w", err)
	}
	return fmt.Sprintf("%d contacts, %d links, its memberships and grants", len(contacts), len(links)), nil
}
