package maintenance

import (
	"context"
	"fmt"
	"slices"
	"time"

	"github.com/google/uuid"

	"countersign/audit"
	"countersign/event"
	"countersign/internal/access"
	"countersign/internal/durable"
	"countersign/internal/note"
	"countersign/internal/principal"
	"countersign/internal/problem"
	"countersign/internal/store"
	"countersign/modules/maintenance/maintenancedb"
)

// Systems reads the catalog as the principal of the context.
type Systems interface {
	Sight(ctx context.Context) access.Sight
	// Lookup finds visible systems; others are missing in the answer.
	Lookup(ctx context.Context, ids []uuid.UUID) (map[uuid.UUID]access.Record, error)
	// Hold locks a visible system until the transaction ends.
	Hold(ctx context.Context, id uuid.UUID) (access.Record, error)
}

// People finds a person with their current rights; problem.NotFound for one that may not sign in.
type People interface {
	Person(ctx context.Context, id uuid.UUID) (principal.Principal, error)
}

// Rechecker looks again at notifications that mutes hold about systems, in the transaction of the change of a mute.
type Rechecker interface {
	Recheck(ctx context.Context, systems ...uuid.UUID) error
}

// Module provides the operations, tools, events, workflow and access rules of maintenances.
type Module struct {
	service *service
}

// Options are the dependencies of a Module.
type Options struct {
	DB      *store.DB
	Systems Systems
	Names   note.Names
	People  People
	Events  event.Appender
	Engine  durable.Engine
	// Mutes has held notifications looked at again; nil without any.
	Mutes Rechecker
	// URL is the address of the product, for links in calendars.
	URL string
	// Removed is called for deleted maintenances.
	Removed access.OnRemoved
	// Now is the clock; that of the database when nil.
	Now func() time.Time
}

// New creates the module.
func New(o Options) *Module {
	return &Module{service: &service{
		Options: o, db: o.DB, changedPlans: make(chan struct{}, 1),
		notes: &note.Store{DB: o.DB, Names: o.Names, Kind: maintenanceType, Noun: maintenanceKind.Noun, Manage: Manage},
	}}
}

type service struct {
	Options

	db    *store.DB
	notes *note.Store
	// changedPlans wakes the chore that tells workflows of them.
	changedPlans chan struct{}
}

func (s *service) queries(ctx context.Context) *maintenancedb.Queries {
	return maintenancedb.New(s.db.Conn(ctx))
}

// now reads the clock that decides.
func (s *service) now(ctx context.Context) (time.Time, error) {
	if s.Now != nil {
		return moment(s.Now()), nil
	}
	now, err := s.queries(ctx).Clock(ctx)
	if err != nil {
		return time.Time{}, fmt.Errorf("read the clock: %w", err)
	}
	return now.UTC(), nil
}

// OnRemoved ends the calendar feed of a user whose sessions end, and takes a deleted system out of its maintenances, in the
// transaction that does so. A maintenance
// without any system stays, for those who manage maintenances. It locks no maintenance: a change that holds one may wait
// for the system.
func (m *Module) OnRemoved(ctx context.Context, kind string, id uuid.UUID) error {
	switch kind {
	case access.SignIns:
		_, err := m.service.dropFeed(ctx, id, "Calendar feed ended with the sessions")
		return err
	case systemType:
	default:
		return nil
	}
	left, err := m.service.queries(ctx).DropSystem(ctx, id)
	if err != nil {
		return fmt.Errorf("take a system out of its maintenances: %w", err)
	}
	titles, err := m.service.queries(ctx).Titles(ctx, left)
	if err != nil {
		return fmt.Errorf("name maintenances: %w", err)
	}
	for _, row := range titles {
		if err := audit.Record(ctx, m.service.db, audit.Event{
			Action: audit.Removed, Object: audit.Object(maintenanceType, row.ID, row.Title), Subject: audit.Object(systemType, id, ""),
			Summary: "A system was deleted and left the maintenance",
		}); err != nil {
			return err
		}
	}
	return nil
}

// readable refuses a caller whose rules open no maintenance.
func readable(ctx context.Context) error {
	if p := principal.FromContext(ctx); p.Has(Read) || p.Has(Manage) {
		return nil
	}
	return problem.MissingRule("see maintenances", Read)
}

// held is a maintenance with its systems, as its reader sees them.
type held struct {
	maintenancedb.Maintenance
	visible []System
	// hidden are systems that the reader does not see.
	hidden []uuid.UUID
}

// isVisible reports whether the reader may see the maintenance.
func (h held) isVisible(ctx context.Context) bool {
	return len(h.visible) > 0 || len(h.hidden) == 0 && principal.FromContext(ctx).Has(Manage)
}

// withSystems adds to rows their systems.
func (s *service) withSystems(ctx context.Context, rows ...maintenancedb.Maintenance) ([]held, error) {
	list, at, ids := make([]held, len(rows)), map[uuid.UUID]*held{}, make([]uuid.UUID, len(rows))
	for i, row := range rows {
		list[i] = held{Maintenance: row, visible: []System{}}
		ids[i], at[row.ID] = row.ID, &list[i]
	}
	members, err := s.queries(ctx).SystemsOf(ctx, ids)
	if err != nil {
		return nil, fmt.Errorf("list systems of maintenances: %w", err)
	}
	var systems []uuid.UUID
	for _, m := range members {
		systems = append(systems, m.SystemID)
	}
	seen := map[uuid.UUID]access.Record{}
	if len(systems) > 0 {
		store.SortIDs(systems)
		if seen, err = s.Systems.Lookup(ctx, slices.Compact(systems)); err != nil {
			return nil, fmt.Errorf("look up systems: %w", err)
		}
	}
	for _, m := range members {
		h := at[m.MaintenanceID]
		if record, sees := seen[m.SystemID]; sees {
			h.visible = append(h.visible, System{m.SystemID, record.Name})
		} else {
			h.hidden = append(h.hidden, m.SystemID)
		}
	}
	return list, nil
}

// see returns a maintenance that the caller may see. A missing and a hidden one give the same error.
func (s *service) see(ctx context.Context, id uuid.UUID, row maintenancedb.Maintenance, err error) (held, error) {
	if err != nil && !store.NoRows(err) {
		return held{}, fmt.Errorf("load maintenance: %w", err)
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
	return held{}, maintenanceKind.Missing(id)
}

// hold locks a maintenance for a change by the caller until the transaction ends, and checks its revision.
func (s *service) hold(ctx context.Context, id uuid.UUID, based *int64) (held, error) {
	row, err := s.queries(ctx).LockMaintenance(ctx, id)
	h, err := s.see(ctx, id, row, err)
	if err != nil {
		return held{}, err
	}
	if !principal.FromContext(ctx).Has(Manage) {
		return held{}, maintenanceKind.Refusal(h.Title, access.Edit)
	}
	return h, problem.CheckRevision("maintenance "+h.Title, h.Revision, based)
}

// Get returns one maintenance.
func (s *service) Get(ctx context.Context, id uuid.UUID) (Maintenance, error) {
	if err := readable(ctx); err != nil {
		return Maintenance{}, err
	}
	row, err := s.queries(ctx).Maintenance(ctx, id)
	h, err := s.see(ctx, id, row, err)
	if err != nil {
		return Maintenance{}, err
	}
	return s.present(ctx, h)
}

// shownUpcoming is how many occurrences a maintenance is shown with.
const shownUpcoming = 10

// present returns a maintenance as the caller sees it.
func (s *service) present(ctx context.Context, h held) (Maintenance, error) {
	now, err := s.now(ctx)
	if err != nil {
		return Maintenance{}, err
	}
	links, err := s.notes.Links(ctx, h.ID)
	if err != nil {
		return Maintenance{}, err
	}
	m := Maintenance{
		Listed: listed(ctx, h, now), Description: h.Description, Links: append([]note.Link{}, links[h.ID]...), Upcoming: []Occurrence{},
	}
	if h.Rule == "" || Status(h.Status).isOver() {
		return m, nil
	}
	p, err := planOf(h.Maintenance)
	if err != nil {
		m.Issue = problem.As(err).Detail
		return m, nil
	}
	k, err := s.keptOf(ctx, now, h.ID)
	if err != nil {
		return m, err
	}
	for _, o := range occurrences(h.Maintenance, p, k[h.ID], now, now, now.Add(maxAhead), shownUpcoming) {
		if o.EndAt.After(now) {
			m.Upcoming = append(m.Upcoming, o)
		}
	}
	return m, nil
}

// keptOf returns what is stored of the occurrences of maintenances that end after a moment.
func (s *service) keptOf(ctx context.Context, after time.Time, ids ...uuid.UUID) (map[uuid.UUID]kept, error) {
	rows, err := s.queries(ctx).Occurrences(ctx, maintenancedb.OccurrencesParams{Ids: ids, After: after})
	if err != nil {
		return nil, fmt.Errorf("list occurrences: %w", err)
	}
	byID := map[uuid.UUID]kept{}
	for _, row := range rows {
		byID[row.MaintenanceID] = append(byID[row.MaintenanceID], row)
	}
	return byID, nil
}

// statusAt is the status of a maintenance at a moment, also before its row has followed the clock; as the function
// maintenance_status of the database.
func statusAt(row maintenancedb.Maintenance, now time.Time) Status {
	status := Status(row.Status)
	switch {
	case status.isOver() || now.Before(row.StartsAt):
		return status
	case now.Before(row.EndsAt):
		return InProgress
	case row.HasMore:
		return Scheduled
	default:
		return Completed
	}
}

// listed returns a maintenance as the caller sees it, without its texts.
func listed(ctx context.Context, h held, now time.Time) Listed {
	l := Listed{
		ID: h.ID, Title: h.Title, Status: statusAt(h.Maintenance, now), SuppressNotifications: h.SuppressNotifications, Systems: h.visible,
		StartAt: h.FirstStart, EndAt: h.FirstEnd, Zone: h.Zone, Rule: h.Rule, Occurrence: current(h.Maintenance, now), OverAt: h.OverAt,
		Access: access.View, CreatedAt: h.CreatedAt, UpdatedAt: h.UpdatedAt,
	}
	l.Revision = h.Revision
	if principal.FromContext(ctx).Has(Manage) {
		l.Access = access.Own
	}
	if h.Rule != "" {
		if p, err := planOf(h.Maintenance); err == nil {
			l.Recurrence = p.words()
		}
	}
	return l
}

// current is the occurrence in the row of a maintenance.
func current(row maintenancedb.Maintenance, now time.Time) Occurrence {
	o := Occurrence{
		At: row.Original, StartAt: row.StartsAt, EndAt: row.EndsAt, Status: Status(row.Status), Moved: !row.Original.Equal(row.StartsAt),
		EndedEarly: row.EndedEarly, Extended: row.Extended,
	}
	if !o.Status.isOver() {
		o.Status = statusOf(o.StartAt, o.EndAt, now)
	}
	return o
}

// statusOf is the status of an occurrence that was not cancelled.
func statusOf(start, end, now time.Time) Status {
	switch {
	case now.Before(start):
		return Scheduled
	case now.Before(end):
		return InProgress
	default:
		return Completed
	}
}

// occurrences lists those of a maintenance that overlap a span of time, by start: what is stored of them, and what the
// plan has from then on.
func occurrences(row maintenancedb.Maintenance, p plan, k kept, now, lower, upper time.Time, limit int) []Occurrence {
	var list []Occurrence
	add := func(o Occurrence) {
		if o.StartAt.Before(upper) && o.EndAt.After(lower) {
			list = append(list, o)
		}
	}
	for _, o := range k {
		if o.Original.Equal(row.Original) {
			continue
		}
		one := Occurrence{
			At: o.Original, StartAt: o.StartsAt, EndAt: o.EndsAt, Status: statusOf(o.StartsAt, o.EndsAt, now),
			Moved: !o.Original.Equal(o.StartsAt), EndedEarly: o.EndedEarly, Extended: o.Extended,
		}
		switch {
		case o.State == stateCancelled || row.OverAt != nil && o.State == stateMoved:
			one.Status = Cancelled
		case o.State == stateCompleted:
			one.Status = Completed
		}
		add(one)
	}
	add(current(row, now))
	if row.OverAt == nil && row.Rule != "" {
		for _, s := range p.between(row.Since, lower, upper, k, limit) {
			if _, stored := k.find(s.original); !stored && !s.original.Equal(row.Original) {
				add(Occurrence{At: s.original, StartAt: s.start, EndAt: s.end, Status: statusOf(s.start, s.end, now)})
			}
		}
	}
	slices.SortStableFunc(list, func(a, b Occurrence) int { return a.StartAt.Compare(b.StartAt) })
	if len(list) > limit {
		list = list[:limit]
	}
	return list
}
