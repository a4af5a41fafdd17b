package maintenance

import (
	"context"
	"fmt"
	"slices"
	"time"

	"github.com/google/uuid"

	"countersign/internal/calendar"
	"countersign/internal/principal"
	"countersign/internal/rest"
	"countersign/internal/text"
	"countersign/modules/maintenance/maintenancedb"
)

// List returns a page of maintenances, the last ones to start first.
func (s *service) List(ctx context.Context, f Filter, page rest.Page) ([]Listed, rest.Next, error) {
	if err := readable(ctx); err != nil {
		return nil, rest.Next{}, err
	}
	before, err := page.AfterMoment()
	if err != nil {
		return nil, rest.Next{}, err
	}
	if before == nil {
		before = new(rest.Latest())
	}
	var v validation
	phrase := text.Query(&v.Issues, "query", f.Query)
	if err := v.Err(); err != nil {
		return nil, rest.Next{}, err
	}
	if err := s.checkSystem(ctx, f.SystemID); err != nil {
		return nil, rest.Next{}, err
	}
	now, err := s.now(ctx)
	if err != nil {
		return nil, rest.Next{}, err
	}
	sight := s.Systems.Sight(ctx)
	rows, err := maintenancedb.New(s.db.CustomPlans(ctx)).Maintenances(ctx, maintenancedb.MaintenancesParams{
		BeforeAt: before.At, BeforeID: before.ID, Status: string(f.Status), State: f.State, Now: now, Pattern: text.Pattern(phrase),
		SystemID: f.SystemID, Manages: principal.FromContext(ctx).Has(Manage), MaxRows: page.Rows(), ObjectType: sight.Kind.ObjectType,
		ByRule: sight.Every(), SubjectType: sight.SubjectType, SubjectID: sight.SubjectID, TeamIds: sight.TeamIDs,
	})
	if err != nil {
		return nil, rest.Next{}, fmt.Errorf("list maintenances: %w", err)
	}
	rows, next := rest.Cut(page, rows, func(r maintenancedb.Maintenance) string {
		return rest.Moment{At: r.StartsAt, ID: r.ID}.String()
	})
	all, err := s.withSystems(ctx, rows...)
	if err != nil {
		return nil, rest.Next{}, err
	}
	list := make([]Listed, len(all))
	for i, h := range all {
		list[i] = listed(ctx, h, now)
	}
	return list, next, nil
}

// checkSystem refuses a system that the caller does not see, instead of an empty list.
func (s *service) checkSystem(ctx context.Context, id *uuid.UUID) error {
	if id == nil {
		return nil
	}
	found, err := s.Systems.Lookup(ctx, []uuid.UUID{*id})
	if err != nil {
		return fmt.Errorf("look up system: %w", err)
	}
	if _, ok := found[*id]; !ok {
		return s.Systems.Sight(ctx).Kind.Missing(*id)
	}
	return nil
}

// maxPlans is how many maintenances a calendar looks at.
const maxPlans = 1000

// Calendar returns the occurrences in a span of time, by start.
func (s *service) Calendar(ctx context.Context, from, to time.Time, system *uuid.UUID) (Calendar, error) {
	none := Calendar{Entries: []Entry{}}
	if err := readable(ctx); err != nil {
		return none, err
	}
	var v validation
	from, to = moment(from), moment(to)
	switch {
	case !to.After(from):
		v.Report("to", "must be after from")
	case to.Sub(from) > MaxRange:
		v.Report("to", "must be within 100 days of from")
	}
	if err := v.Err(); err != nil {
		return none, err
	}
	if err := s.checkSystem(ctx, system); err != nil {
		return none, err
	}
	return s.calendar(ctx, from, to, system, MaxOccurrences)
}

// calendar lists at most so many occurrences.
func (s *service) calendar(ctx context.Context, from, to time.Time, system *uuid.UUID, most int) (Calendar, error) {
	none := Calendar{Entries: []Entry{}}
	now, err := s.now(ctx)
	if err != nil {
		return none, err
	}
	sight := s.Systems.Sight(ctx)
	rows, err := maintenancedb.New(s.db.CustomPlans(ctx)).MaintenancesBetween(ctx, maintenancedb.MaintenancesBetweenParams{
		Lower: from, Upper: to, SystemID: system, Manages: principal.FromContext(ctx).Has(Manage), MaxRows: maxPlans + 1,
		ObjectType: sight.Kind.ObjectType, ByRule: sight.Every(), SubjectType: sight.SubjectType, SubjectID: sight.SubjectID,
		TeamIds: sight.TeamIDs,
	})
	if err != nil {
		return none, fmt.Errorf("list maintenances: %w", err)
	}
	c := none
	if c.Truncated = len(rows) > maxPlans; c.Truncated {
		rows = rows[:maxPlans]
	}
	all, err := s.withSystems(ctx, rows...)
	if err != nil {
		return none, err
	}
	ids := make([]uuid.UUID, len(rows))
	for i, row := range rows {
		ids[i] = row.ID
	}
	// Occurrences to come depend on all that were moved or cancelled from now on.
	k, err := s.keptOf(ctx, calendar.Earlier(from, now), ids...)
	if err != nil {
		return none, err
	}
	for _, h := range all {
		p, err := planOf(h.Maintenance)
		if err != nil {
			// The row has the occurrence in progress or the next one.
			p = plan{zone: time.UTC, start: h.StartsAt, end: h.EndsAt}
		}
		for _, o := range occurrences(h.Maintenance, p, k[h.ID], now, from, to, most+1) {
			c.Entries = append(c.Entries, Entry{
				MaintenanceID: h.ID, Title: h.Title, Zone: h.Zone, Recurring: h.Rule != "", SuppressNotifications: h.SuppressNotifications,
				Systems: h.visible, Occurrence: o,
			})
		}
	}
	slices.SortStableFunc(c.Entries, func(a, b Entry) int { return a.StartAt.Compare(b.StartAt) })
	if len(c.Entries) > most {
		c.Entries, c.Truncated = c.Entries[:most], true
	}
	return c, nil
}

// Active is a maintenance in progress on a system.
type Active struct {
	SystemID uuid.UUID
	ID       uuid.UUID
	Title    string
	// Suppresses reports that notifications about the system are suppressed meanwhile.
	Suppresses bool
	Since      time.Time
	Until      time.Time
}

// InProgress returns the maintenances that are in progress on systems by the clock of the database, the last to end first.
// It does not ask who may see them.
func (m *Module) InProgress(ctx context.Context, systems ...uuid.UUID) (map[uuid.UUID][]Active, error) {
	now, err := m.service.now(ctx)
	if err != nil {
		return nil, err
	}
	rows, err := m.service.queries(ctx).ActiveOn(ctx, maintenancedb.ActiveOnParams{SystemIds: systems, Now: now})
	if err != nil {
		return nil, fmt.Errorf("list maintenances in progress: %w", err)
	}
	active := map[uuid.UUID][]Active{}
	for _, r := range rows {
		active[r.SystemID] = append(active[r.SystemID], Active{
			SystemID: r.SystemID, ID: r.ID, Title: r.Title, Suppresses: r.SuppressNotifications, Since: r.StartsAt, Until: r.EndsAt,
		})
	}
	return active, nil
}
