package incident

import (
	"context"
	"fmt"
	"slices"

	"github.com/google/uuid"

	"countersign/audit"
	"countersign/check/health"
	"countersign/event"
	"countersign/internal/access"
	"countersign/internal/note"
	"countersign/internal/principal"
	"countersign/internal/problem"
	"countersign/internal/store"
	"countersign/modules/incident/incidentdb"
)

// Systems reads the catalog as the principal of the context.
type Systems interface {
	Sight(ctx context.Context) access.Sight
	// Lookup finds visible systems; others are missing in the answer.
	Lookup(ctx context.Context, ids []uuid.UUID) (map[uuid.UUID]access.Record, error)
	// Hold locks a visible system until the transaction ends.
	Hold(ctx context.Context, id uuid.UUID) (access.Record, error)
	// Keep locks those systems that exist until the transaction ends, visible or not, and returns them.
	Keep(ctx context.Context, ids []uuid.UUID) ([]uuid.UUID, error)
}

// Module provides the operations, tools, events and access rules of incidents.
type Module struct {
	service *service
}

// Options are the dependencies of a Module.
type Options struct {
	DB      *store.DB
	Systems Systems
	Names   note.Names
	Events  event.Appender
	Health  health.Overrides
	// Removed is called for deleted incidents.
	Removed access.OnRemoved
	// Sources are what timelines show beside updates and states.
	Sources []Source
}

// New creates the module.
func New(o Options) *Module {
	return &Module{service: &service{
		db: o.DB, systems: o.Systems, names: o.Names, events: o.Events, health: o.Health, removed: o.Removed,
		sources: o.Sources,
		notes:   &note.Store{DB: o.DB, Names: o.Names, Kind: incidentType, Noun: incidentKind.Noun, Manage: Manage},
	}}
}

type service struct {
	db      *store.DB
	systems Systems
	names   note.Names
	events  event.Appender
	health  health.Overrides
	removed access.OnRemoved
	notes   *note.Store
	sources []Source
}

func (s *service) queries(ctx context.Context) *incidentdb.Queries {
	return incidentdb.New(s.db.Conn(ctx))
}

// OnRemoved takes a deleted system out of its incidents, in the transaction that deletes the system. An incident without
// any system stays, for those who manage incidents. It locks no incident: a change that
// holds one may wait for the system.
func (m *Module) OnRemoved(ctx context.Context, kind string, id uuid.UUID) error {
	if kind != systemType {
		return nil
	}
	left, err := m.service.queries(ctx).DropSystem(ctx, id)
	if err != nil {
		return fmt.Errorf("take a system out of its incidents: %w", err)
	}
	titles, err := m.service.queries(ctx).Titles(ctx, left)
	if err != nil {
		return fmt.Errorf("name incidents: %w", err)
	}
	for _, row := range titles {
		if err := audit.Record(ctx, m.service.db, audit.Event{
			Action: audit.Removed, Object: audit.Object(incidentType, row.ID, row.Title), Subject: audit.Object(systemType, id, ""),
			Summary: "A system was deleted and left the incident",
		}); err != nil {
			return err
		}
	}
	return nil
}

// readable refuses a caller whose rules open no incident.
func readable(ctx context.Context) error {
	if p := principal.FromContext(ctx); p.Has(Read) || p.Has(Manage) {
		return nil
	}
	return problem.MissingRule("see incidents", Read)
}

// held is an incident with its systems, as its reader sees them.
type held struct {
	incidentdb.Incident
	visible []System
	// hidden are systems that the reader does not see.
	hidden []uuid.UUID
}

// all are the ids of all systems.
func (h held) all() []uuid.UUID {
	ids := slices.Clone(h.hidden)
	for _, s := range h.visible {
		ids = append(ids, s.ID)
	}
	store.SortIDs(ids)
	return ids
}

// isVisible reports whether the reader may see the incident.
func (h held) isVisible(ctx context.Context) bool {
	return len(h.visible) > 0 || len(h.hidden) == 0 && principal.FromContext(ctx).Has(Manage)
}

// withSystems adds to rows their systems.
func (s *service) withSystems(ctx context.Context, rows ...incidentdb.Incident) ([]held, error) {
	list, at, ids := make([]held, len(rows)), map[uuid.UUID]*held{}, make([]uuid.UUID, len(rows))
	for i, row := range rows {
		list[i] = held{Incident: row, visible: []System{}}
		ids[i], at[row.ID] = row.ID, &list[i]
	}
	members, err := s.queries(ctx).SystemsOf(ctx, ids)
	if err != nil {
		return nil, fmt.Errorf("list systems of incidents: %w", err)
	}
	var systems []uuid.UUID
	for _, m := range members {
		systems = append(systems, m.SystemID)
	}
	seen := map[uuid.UUID]access.Record{}
	if len(systems) > 0 {
		store.SortIDs(systems)
		if seen, err = s.systems.Lookup(ctx, slices.Compact(systems)); err != nil {
			return nil, fmt.Errorf("look up systems: %w", err)
		}
	}
	for _, m := range members {
		h := at[m.IncidentID]
		if record, sees := seen[m.SystemID]; sees {
			h.visible = append(h.visible, System{m.SystemID, record.Name})
		} else {
			h.hidden = append(h.hidden, m.SystemID)
		}
	}
	return list, nil
}

// see returns an incident that the caller may see. A missing and a hidden one give the same error.
func (s *service) see(ctx context.Context, id uuid.UUID, row incidentdb.Incident, err error) (held, error) {
	if err != nil && !store.NoRows(err) {
		return held{}, fmt.Errorf("load incident: %w", err)
	}
	if err == nil {
		list, err := s.withSystems(ctx, row)
		if err != nil {
			return held{}, err
		}
		if list[0].isVisible(ctx) {
			return list[0], nil
		}
	}
	return held{}, incidentKind.Missing(id)
}

// hold locks an incident for a change by the caller until the transaction ends, and checks its revision.
func (s *service) hold(ctx context.Context, id uuid.UUID, based *int64) (held, error) {
	row, err := s.queries(ctx).LockIncident(ctx, id)
	h, err := s.see(ctx, id, row, err)
	if err != nil {
		return held{}, err
	}
	if !principal.FromContext(ctx).Has(Manage) {
		return held{}, incidentKind.Refusal(h.Title, access.Edit)
	}
	return h, problem.CheckRevision("incident "+h.Title, h.Revision, based)
}

// Get returns one incident.
func (s *service) Get(ctx context.Context, id uuid.UUID) (Incident, error) {
	if err := readable(ctx); err != nil {
		return Incident{}, err
	}
	row, err := s.queries(ctx).Incident(ctx, id)
	h, err := s.see(ctx, id, row, err)
	if err != nil {
		return Incident{}, err
	}
	return s.present(ctx, h)
}

// reload returns an incident after a permitted change.
func (s *service) reload(ctx context.Context, id uuid.UUID) (held, error) {
	row, err := s.queries(ctx).Incident(ctx, id)
	if err != nil {
		return held{}, fmt.Errorf("load incident: %w", err)
	}
	list, err := s.withSystems(ctx, row)
	if err != nil {
		return held{}, err
	}
	return list[0], nil
}

// present returns an incident as the caller sees it.
func (s *service) present(ctx context.Context, h held) (Incident, error) {
	listed, err := s.list(ctx, h)
	if err != nil {
		return Incident{}, err
	}
	links, err := s.notes.Links(ctx, h.ID)
	if err != nil {
		return Incident{}, err
	}
	return Incident{Listed: listed[0], Description: h.Description, Links: append([]note.Link{}, links[h.ID]...)}, nil
}

// list returns incidents as the caller sees them, without their texts.
func (s *service) list(ctx context.Context, rows ...held) ([]Listed, error) {
	manages := principal.FromContext(ctx).Has(Manage)
	list, people, into, all := make([]Listed, len(rows)), []uuid.UUID{}, []uuid.UUID{}, make([]uuid.UUID, len(rows))
	for i, h := range rows {
		list[i] = Listed{
			ID: h.ID, Title: h.Title, Status: Status(h.Status), Severity: Severity(h.Severity), HealthOverride: overrideOf(h.Incident),
			SuppressNotifications: h.SuppressNotifications, Systems: h.visible, StartedAt: h.StartedAt, ResolvedAt: h.ResolvedAt,
			Access: access.View, CreatedAt: h.CreatedAt, UpdatedAt: h.UpdatedAt,
		}
		list[i].Revision, all[i] = h.Revision, h.ID
		if manages {
			list[i].Access, list[i].DedupeKey = access.Own, store.Value(h.DedupeKey)
		}
		if h.AcknowledgedBy != nil {
			people = append(people, *h.AcknowledgedBy)
		}
		if h.DuplicateOf != nil {
			into = append(into, *h.DuplicateOf)
		}
	}
	names, err := s.namesOf(ctx, people)
	if err != nil {
		return nil, err
	}
	shown, err := s.visibleOf(ctx, into)
	if err != nil {
		return nil, err
	}
	imported, err := s.queries(ctx).ImportedOf(ctx, all)
	if err != nil {
		return nil, fmt.Errorf("list imported incidents: %w", err)
	}
	for i, h := range rows {
		if h.AcknowledgedBy != nil && h.AcknowledgedAt != nil {
			list[i].Acknowledged = &Acknowledgement{At: *h.AcknowledgedAt, ByID: *h.AcknowledgedBy, ByName: names[*h.AcknowledgedBy]}
		}
		if h.DuplicateOf != nil && shown[*h.DuplicateOf] {
			list[i].DuplicateOf = h.DuplicateOf
		}
		list[i].Imported = slices.Contains(imported, h.ID)
	}
	return list, nil
}

// namesOf returns the names of people and applications.
func (s *service) namesOf(ctx context.Context, ids []uuid.UUID) (map[uuid.UUID]string, error) {
	if len(ids) == 0 {
		return nil, nil
	}
	names, err := s.names.Names(ctx, ids)
	if err != nil {
		return nil, fmt.Errorf("look people up: %w", err)
	}
	return names, nil
}

// visibleOf returns which incidents the caller may see.
func (s *service) visibleOf(ctx context.Context, ids []uuid.UUID) (map[uuid.UUID]bool, error) {
	if len(ids) == 0 {
		return nil, nil
	}
	existing, err := s.queries(ctx).Titles(ctx, ids)
	if err != nil {
		return nil, fmt.Errorf("name incidents: %w", err)
	}
	rows := make([]incidentdb.Incident, len(existing))
	for i, e := range existing {
		rows[i].ID = e.ID
	}
	list, err := s.withSystems(ctx, rows...)
	if err != nil {
		return nil, err
	}
	visible := map[uuid.UUID]bool{}
	for _, h := range list {
		visible[h.ID] = h.isVisible(ctx)
	}
	return visible, nil
}

func overrideOf(row incidentdb.Incident) HealthOverride {
	if row.HealthOverride == nil {
		return NoOverride
	}
	return HealthOverride(*row.HealthOverride)
}
