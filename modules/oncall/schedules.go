package oncall

import (
	"context"
	"fmt"
	"slices"
	"time"

	"github.com/google/uuid"

	"countersign/audit"
	"countersign/internal/access"
	"countersign/internal/calendar"
	"countersign/internal/problem"
	"countersign/internal/rest"
	"countersign/internal/store"
	"countersign/internal/text"
	"countersign/modules/oncall/oncalldb"
	"countersign/modules/oncall/rota"
)

// validation checks an input and returns values in their stored form.
type validation struct{ problem.Issues }

func (v *validation) names(name, description string) (string, string) {
	return text.Required(&v.Issues, "name", text.Line(&v.Issues, "name", name, MaxName)),
		text.Lines(&v.Issues, "description", description, MaxDescription)
}

func (v *validation) zone(name string) *time.Location {
	zone, err := calendar.Zone(name)
	if err != nil {
		issue := calendar.Issue("zone", err)
		v.Report(issue.Path, "%s", issue.Message)
		return time.UTC
	}
	return zone
}

func (v *validation) schedule(n NewSchedule) NewSchedule {
	n.Name, n.Description = v.names(n.Name, n.Description)
	n.TeamID = given(n.TeamID)
	zone := v.zone(n.Zone)
	if len(n.Layers) > MaxLayers {
		v.Report("layers", "has %d entries, at most %d are allowed", len(n.Layers), MaxLayers)
		return n
	}
	n.Layers = append([]rota.Rotation{}, n.Layers...)
	for i := range n.Layers {
		path := fmt.Sprintf("layers[%d]", i)
		l := &n.Layers[i]
		l.Name = text.Line(&v.Issues, path+".name", l.Name, MaxName)
		l.People = append([]uuid.UUID{}, l.People...)
		l.Compile(zone, path, &v.Issues)
	}
	return n
}

// checkPeople refuses people who do not exist. known are those that the record names already: a deleted user does not
// keep others from changing it.
func (s *service) checkPeople(ctx context.Context, v *validation, layers []rota.Rotation, known []rota.Rotation) error {
	n, err := s.lookUp(ctx, peopleOf(layers), nil)
	if err != nil {
		return err
	}
	before := peopleOf(known)
	for i, l := range layers {
		for k, id := range l.People {
			if _, ok := n.people[id]; !ok && !slices.Contains(before, id) {
				v.Report(fmt.Sprintf("layers[%d].people[%d]", i, k), "names no user: %s", id)
			}
		}
	}
	return nil
}

func peopleOf(layers []rota.Rotation) []uuid.UUID {
	ids := []uuid.UUID{}
	for _, l := range layers {
		ids = append(ids, l.People...)
	}
	return ids
}

// CreateSchedule creates a schedule.
func (s *service) CreateSchedule(ctx context.Context, n NewSchedule) (Schedule, error) {
	var v validation
	n = v.schedule(n)
	if err := v.Err(); err != nil {
		return Schedule{}, err
	}
	if err := creatable(ctx, scheduleKind, n.TeamID); err != nil {
		return Schedule{}, err
	}
	return store.InTx(ctx, s.db, func(ctx context.Context) (Schedule, error) {
		if err := s.checkTeam(ctx, &v.Issues, n.TeamID); err != nil {
			return Schedule{}, err
		}
		if err := s.checkPeople(ctx, &v, n.Layers, nil); err != nil {
			return Schedule{}, err
		}
		if err := v.Err(); err != nil {
			return Schedule{}, err
		}
		row, err := s.queries(ctx).CreateSchedule(ctx, oncalldb.CreateScheduleParams{
			ID: store.NewID(), Name: n.Name, NameKey: text.Key(n.Name), Description: n.Description, TeamID: n.TeamID, Zone: n.Zone,
			Layers: n.Layers,
		})
		if err != nil {
			return Schedule{}, taken(fmt.Errorf("create schedule: %w", err), scheduleKind, "oncall_schedules_name", n.Name)
		}
		err = record(ctx, s.db, audit.Created, scheduleObject(row.ID, row.Name), "On-call schedule created", nil)
		if err != nil {
			return Schedule{}, err
		}
		return s.presentOne(ctx, row)
	})
}

// see returns a row of a schedule or policy unless there is none, or the caller may see no such record.
func see[Row any](ctx context.Context, kind access.Kind, id uuid.UUID, row Row, err error) (Row, error) {
	if err := readable(ctx); err != nil {
		return row, err
	}
	if store.NoRows(err) {
		return row, kind.Missing(id)
	}
	return row, store.Wrap("load "+kind.Noun, err)
}

// holdSchedule locks a schedule for a change by the caller.
func (s *service) holdSchedule(ctx context.Context, id uuid.UUID, based *int64) (oncalldb.OncallSchedule, error) {
	row, err := s.queries(ctx).LockSchedule(ctx, id)
	if row, err = see(ctx, scheduleKind, id, row, err); err != nil {
		return row, err
	}
	if err := scheduleKind.Permit(row.Name, levelOf(ctx, row.TeamID), access.Own); err != nil {
		return row, err
	}
	return row, problem.CheckRevision("on-call schedule "+row.Name, row.Revision, based)
}

// Schedule returns one schedule.
func (s *service) Schedule(ctx context.Context, id uuid.UUID) (Schedule, error) {
	row, err := s.queries(ctx).Schedule(ctx, id)
	if row, err = see(ctx, scheduleKind, id, row, err); err != nil {
		return Schedule{}, err
	}
	return s.presentOne(ctx, row)
}

// Schedules returns a page of schedules by name.
func (s *service) Schedules(ctx context.Context, team *uuid.UUID, page rest.Page) ([]Schedule, rest.Next, error) {
	if err := readable(ctx); err != nil {
		return nil, rest.Next{}, err
	}
	after, err := page.After()
	if err != nil {
		return nil, rest.Next{}, err
	}
	rows, err := s.queries(ctx).Schedules(ctx, oncalldb.SchedulesParams{After: after, TeamID: team, MaxRows: page.Rows()})
	if err != nil {
		return nil, rest.Next{}, fmt.Errorf("list schedules: %w", err)
	}
	rows, next := rest.Cut(page, rows, func(r oncalldb.OncallSchedule) string { return r.NameKey })
	list, err := s.present(ctx, rows...)
	return list, next, err
}

// UpdateSchedule changes a schedule. A change without effect keeps the revision.
func (s *service) UpdateSchedule(ctx context.Context, id uuid.UUID, c ScheduleChange, based *int64) (Schedule, error) {
	return store.InTx(ctx, s.db, func(ctx context.Context) (Schedule, error) {
		row, err := s.holdSchedule(ctx, id, based)
		if err != nil {
			return Schedule{}, err
		}
		was := NewSchedule{Name: row.Name, Description: row.Description, TeamID: row.TeamID, Zone: row.Zone, Layers: row.Layers}
		var v validation
		now := v.schedule(c.over(was))
		if err := v.Err(); err != nil {
			return Schedule{}, err
		}
		var fields audit.Fields
		fields.Compare("name", was.Name, now.Name)
		fields.Compare("zone", was.Zone, now.Zone)
		fields.Mention("description", was.Description != now.Description)
		fields.Mention("teamId", store.Value(was.TeamID) != store.Value(now.TeamID))
		fields.Mention("layers", !sameLayers(was.Layers, now.Layers))
		if len(fields) == 0 {
			return s.presentOne(ctx, row)
		}
		if store.Value(was.TeamID) != store.Value(now.TeamID) {
			if err := creatable(ctx, scheduleKind, now.TeamID); err != nil {
				return Schedule{}, err
			}
			if err := s.checkTeam(ctx, &v.Issues, now.TeamID); err != nil {
				return Schedule{}, err
			}
		}
		if err := s.checkPeople(ctx, &v, now.Layers, was.Layers); err != nil {
			return Schedule{}, err
		}
		if err := v.Err(); err != nil {
			return Schedule{}, err
		}
		row, err = s.queries(ctx).UpdateSchedule(ctx, oncalldb.UpdateScheduleParams{
			ID: id, Name: now.Name, NameKey: text.Key(now.Name), Description: now.Description, TeamID: now.TeamID, Zone: now.Zone,
			Layers: now.Layers,
		})
		if err != nil {
			return Schedule{}, taken(fmt.Errorf("change schedule: %w", err), scheduleKind, "oncall_schedules_name", now.Name)
		}
		if err := record(ctx, s.db, audit.Changed, scheduleObject(id, row.Name), "On-call schedule changed", fields); err != nil {
			return Schedule{}, err
		}
		return s.presentOne(ctx, row)
	})
}

func sameLayers(a, b []rota.Rotation) bool {
	return slices.EqualFunc(a, b, func(a, b rota.Rotation) bool {
		return a.Name == b.Name && a.Start == b.Start && a.Unit == b.Unit && a.Length == b.Length && a.Beside == b.Beside &&
			slices.Equal(a.People, b.People) && slices.Equal(a.Hours, b.Hours)
	})
}

// DeleteSchedule deletes a schedule with its overrides, and takes it out of policies.
func (s *service) DeleteSchedule(ctx context.Context, id uuid.UUID, based *int64) error {
	return s.db.InTx(ctx, func(ctx context.Context) error {
		row, err := s.holdSchedule(ctx, id, based)
		if err != nil {
			return err
		}
		if _, err := s.queries(ctx).DeleteSchedule(ctx, id); err != nil {
			return fmt.Errorf("delete schedule: %w", err)
		}
		if err := s.forgetInPolicies(ctx, scheduleType, id); err != nil {
			return err
		}
		if err := s.removed.Notify(ctx, scheduleType, id); err != nil {
			return err
		}
		return record(ctx, s.db, audit.Deleted, scheduleObject(id, row.Name), "On-call schedule deleted, with its overrides", nil)
	})
}

// rota returns what computes who is on call in a schedule.
func rotaOf(row oncalldb.OncallSchedule, overrides []oncalldb.OncallOverride) rota.Rota {
	zone, err := calendar.Zone(row.Zone)
	if err != nil {
		zone = time.UTC // checked when it was saved; a zone can leave the database later, which is a warning
	}
	r := rota.Rota{Zone: zone, Events: row.Events}
	for _, l := range row.Layers {
		var issues problem.Issues
		if compiled := l.Compile(zone, "", &issues); issues.Count() == 0 {
			r.Layers = append(r.Layers, compiled)
		}
	}
	for _, o := range overrides {
		if o.ScheduleID == row.ID {
			r.Overrides = append(r.Overrides, rota.Override{
				Person: o.PersonID, Replaces: store.Value(o.ReplacesID), Start: o.StartsAt, End: o.EndsAt,
			})
		}
	}
	return r
}

// rotas returns those of schedules, with the overrides of a time.
func (s *service) rotas(ctx context.Context, rows []oncalldb.OncallSchedule, from, to time.Time) (map[uuid.UUID]rota.Rota, error) {
	ids := make([]uuid.UUID, len(rows))
	for i, row := range rows {
		ids[i] = row.ID
	}
	overrides, err := s.queries(ctx).Overrides(ctx, oncalldb.OverridesParams{ScheduleIds: ids, FromAt: from, ToAt: to})
	if err != nil {
		return nil, fmt.Errorf("list overrides: %w", err)
	}
	rotas := map[uuid.UUID]rota.Rota{}
	for _, row := range rows {
		rotas[row.ID] = rotaOf(row, overrides)
	}
	return rotas, nil
}

func (s *service) presentOne(ctx context.Context, row oncalldb.OncallSchedule) (Schedule, error) {
	list, err := s.present(ctx, row)
	if err != nil {
		return Schedule{}, err
	}
	return list[0], nil
}

// present returns schedules as the caller sees them.
func (s *service) present(ctx context.Context, rows ...oncalldb.OncallSchedule) ([]Schedule, error) {
	now, err := s.clock(ctx)
	if err != nil {
		return nil, err
	}
	rotas, err := s.rotas(ctx, rows, now, now.Add(time.Microsecond))
	if err != nil {
		return nil, err
	}
	var people, teams []uuid.UUID
	onCall, named := make([][]uuid.UUID, len(rows)), make([][]uuid.UUID, len(rows))
	for i, row := range rows {
		onCall[i] = rotas[row.ID].At(now)
		named[i] = peopleOf(row.Layers)
		for _, e := range row.Events {
			if e.Person != uuid.Nil {
				named[i] = append(named[i], e.Person)
			}
		}
		named[i] = unique(named[i])
		people = append(append(people, onCall[i]...), named[i]...)
		if row.TeamID != nil {
			teams = append(teams, *row.TeamID)
		}
	}
	n, err := s.lookUp(ctx, people, teams)
	if err != nil {
		return nil, err
	}
	list := make([]Schedule, len(rows))
	for i, row := range rows {
		level := levelOf(ctx, row.TeamID)
		list[i] = Schedule{
			ID: row.ID, Name: row.Name, Description: row.Description, Team: n.team(row.TeamID), Zone: row.Zone, Layers: row.Layers,
			Calendar: calendarOf(row, level), OnCall: n.persons(onCall[i]), People: n.persons(named[i]), Access: level,
			Revised: rest.Revised{Revision: row.Revision}, CreatedAt: row.CreatedAt, UpdatedAt: row.UpdatedAt,
		}
	}
	return list, nil
}

// checkFar refuses a time that is far from now: who is on call then is of no use, and counting up to it costs time.
func checkFar(path string, at, now time.Time) error {
	if at.Before(now.AddDate(-maxYears, 0, 0)) || at.After(now.AddDate(maxYears, 0, 0)) {
		return problem.InvalidInput(fmt.Sprintf("Ask for a time within %d years from now.", maxYears), problem.Issue{
			Path: path, Message: fmt.Sprintf("must be at most %d years away", maxYears),
		})
	}
	return nil
}

// Shifts lists who is on call in a schedule in a time, a week from now on when it is not given.
func (s *service) Shifts(ctx context.Context, id uuid.UUID, from, to time.Time) (Shifts, error) {
	row, err := s.queries(ctx).Schedule(ctx, id)
	if row, err = see(ctx, scheduleKind, id, row, err); err != nil {
		return Shifts{}, err
	}
	now, err := s.clock(ctx)
	if err != nil {
		return Shifts{}, err
	}
	if from.IsZero() {
		from = now
	}
	if err := checkFar("from", from, now); err != nil {
		return Shifts{}, err
	}
	if to.IsZero() {
		to = from.AddDate(0, 0, 7)
	}
	if !from.Before(to) || to.Sub(from) > maxRange {
		return Shifts{}, problem.InvalidInput("Ask for at most 100 days.", problem.Issue{
			Path: "to", Message: "must be after from, and at most 100 days later",
		})
	}
	overrides, err := s.queries(ctx).Overrides(ctx, oncalldb.OverridesParams{ScheduleIds: []uuid.UUID{id}, FromAt: from, ToAt: to})
	if err != nil {
		return Shifts{}, fmt.Errorf("list overrides: %w", err)
	}
	spans, err := rotaOf(row, overrides).Between(from, to)
	if err != nil {
		return Shifts{}, err
	}
	var people []uuid.UUID
	for _, span := range spans {
		people = append(people, span.People...)
	}
	for _, o := range overrides {
		people = append(people, o.PersonID, store.Value(o.ReplacesID))
	}
	n, err := s.lookUp(ctx, people, nil)
	if err != nil {
		return Shifts{}, err
	}
	out := Shifts{Shifts: make([]Shift, len(spans)), Overrides: make([]Override, len(overrides))}
	for i, span := range spans {
		out.Shifts[i] = Shift{Start: span.From.UTC(), End: span.To.UTC(), People: n.persons(span.People), Overridden: span.Overridden}
	}
	for i, o := range overrides {
		out.Overrides[i] = n.override(o)
	}
	return out, nil
}

func (n names) override(o oncalldb.OncallOverride) Override {
	out := Override{ID: o.ID, Person: n.person(o.PersonID), Start: o.StartsAt, End: o.EndsAt}
	if o.ReplacesID != nil {
		out.Replaces = new(n.person(*o.ReplacesID))
	}
	return out
}
