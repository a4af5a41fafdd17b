package maintenance

import (
	"slices"
	"time"

	"github.com/google/uuid"

	"countersign/internal/calendar"
	"countersign/internal/note"
	"countersign/internal/problem"
	"countersign/internal/store"
	"countersign/internal/text"
)

// validation checks an input and returns values in their stored form.
type validation struct{ problem.Issues }

// fields returns the stored form of the fields of a maintenance, without a look at when it happens.
func (v *validation) fields(f fields) fields {
	f.Title = text.Required(&v.Issues, "title", text.Line(&v.Issues, "title", f.Title, MaxTitle))
	f.Description = text.Lines(&v.Issues, "description", f.Description, MaxDescription)
	f.StartAt, f.EndAt = moment(f.StartAt), moment(f.EndAt)
	f.SystemIDs = v.systems(f.SystemIDs)
	return f
}

// moment is the stored form of a time.
func moment(t time.Time) time.Time { return t.UTC().Truncate(time.Microsecond) }

// systems returns ids sorted, each once.
func (v *validation) systems(ids []uuid.UUID) []uuid.UUID {
	if len(ids) > MaxSystems {
		v.Report("systemIds", "has %d entries, at most %d are allowed", len(ids), MaxSystems)
		return nil
	}
	ids = slices.Clone(ids)
	store.SortIDs(ids)
	return slices.Compact(ids)
}

// scheduling returns the stored form of a new maintenance, and when it happens.
func (v *validation) scheduling(n NewMaintenance) (NewMaintenance, plan) {
	f := v.fields(fields{
		Title: n.Title, Description: n.Description, SystemIDs: n.SystemIDs, StartAt: n.StartAt, EndAt: n.EndAt, Zone: n.Zone, Rule: n.Rule,
	})
	if f.Zone == "" && f.Rule == "" {
		f.Zone = "UTC"
	}
	p := v.plan(&f)
	n.Title, n.Description, n.SystemIDs, n.StartAt, n.EndAt = f.Title, f.Description, f.SystemIDs, f.StartAt, f.EndAt
	n.Zone, n.Rule = f.Zone, f.Rule
	if len(n.SystemIDs) == 0 && v.Count() == 0 {
		v.Report("systemIds", "must name a system")
	}
	if n.InitialMessage != "" {
		n.InitialMessage = note.Message(&v.Issues, "initialMessage", n.InitialMessage)
	}
	n.Visibility = note.Seen(&v.Issues, "visibility", n.Visibility)
	return n, p
}

// plan returns when a maintenance with these fields happens.
func (v *validation) plan(f *fields) plan {
	v.span("startAt", "endAt", f.StartAt, f.EndAt)
	zone, err := calendar.Zone(f.Zone)
	if err != nil {
		v.Report("zone", "%s", calendar.Issue("zone", err).Message)
	}
	if v.Count() > 0 {
		return plan{}
	}
	p, err := newPlan(f.Rule, f.StartAt, f.EndAt, zone)
	if err != nil {
		v.Report("rule", "%s", calendar.Issue("rule", err).Message)
		return plan{}
	}
	f.Rule = p.rule
	return p
}

// earliest is before every time that a maintenance can have.
var earliest = time.Date(2000, 1, 1, 0, 0, 0, 0, time.UTC)

// span reports an end that is not after the start, and a span that is too long.
func (v *validation) span(startPath, endPath string, start, end time.Time) {
	switch {
	case start.Before(earliest):
		v.Report(startPath, "must be a time after the year 2000, with an offset from UTC")
	case !end.After(start):
		v.Report(endPath, "must be after the start")
	case end.Sub(start) > MaxLength:
		v.Report(endPath, "must be within a year of the start")
	}
}

// ahead reports an end that has passed and a start that is too far away.
func (v *validation) ahead(startPath, endPath string, start, end, now time.Time) {
	if !end.After(now) {
		v.Report(endPath, "lies in the past")
	}
	if start.Sub(now) > maxAhead {
		v.Report(startPath, "lies more than ten years ahead")
	}
}

// update returns the stored form of an update.
func (v *validation) update(n NewUpdate) NewUpdate {
	n.Message = note.Message(&v.Issues, "message", n.Message)
	n.Visibility = note.Seen(&v.Issues, "visibility", n.Visibility)
	return n
}

// closing returns the stored form of the end of a maintenance.
func (v *validation) closing(c Closing) Closing {
	if c.Message != "" {
		c.Message = note.Message(&v.Issues, "message", c.Message)
	}
	c.Visibility = note.Seen(&v.Issues, "visibility", c.Visibility)
	return c
}
