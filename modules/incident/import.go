package incident

import (
	"context"
	"fmt"
	"slices"
	"time"

	"github.com/google/uuid"

	"countersign/audit"
	"countersign/internal/note"
	"countersign/internal/problem"
	"countersign/internal/store"
	"countersign/internal/text"
	"countersign/modules/incident/incidentdb"
)

// Limits of an import.
const (
	MaxImport        = 100
	MaxPastUpdates   = 200
	maxImportedBytes = 4 << 20
)

// PastUpdate is an update of an imported incident.
type PastUpdate struct {
	NewUpdate
	At time.Time `json:"at" doc:"When it was written; not in the future."`
}

// PastIncident is an incident to import with its own times.
type PastIncident struct {
	DedupeKey             string       `json:"dedupeKey" minLength:"1" maxLength:"200" doc:"What it is known by: an incident that has this key, open or ended, is left as it is."`
	Title                 string       `json:"title" minLength:"1" doc:"1 to 200 characters on one line."`
	Description           string       `json:"description,omitempty" doc:"At most 5,000 characters."`
	Severity              Severity     `json:"severity" enum:"minor,major,critical"`
	Status                Status       `json:"status,omitempty" enum:"investigating,identified,fixing,monitoring" doc:"Of one that is open: investigating when absent."`
	SystemIDs             []uuid.UUID  `json:"systemIds" minItems:"1" maxItems:"100" nullable:"false"`
	SuppressNotifications bool         `json:"suppressNotifications,omitempty" doc:"Send no notifications about it. None are sent about one that has ended."`
	StartedAt             time.Time    `json:"startedAt"`
	ResolvedAt            *time.Time   `json:"resolvedAt,omitempty" nullable:"true" doc:"Absent for one that is open."`
	Updates               []PastUpdate `json:"updates,omitempty" maxItems:"200" nullable:"false"`
}

// Import is a batch of incidents to import.
type Import struct {
	DryRun     bool           `json:"dryRun,omitempty" doc:"Say what would happen, and store nothing."`
	Incidents  []PastIncident `json:"incidents,omitempty" maxItems:"100" nullable:"false" doc:"At most 100; send more in several calls."`
	Statuspage string         `json:"statuspage,omitempty" maxLength:"3145728" doc:"Instead: incidents in the JSON of a Statuspage, as its API answers; at most 100."`
	SystemIDs  []uuid.UUID    `json:"systemIds,omitempty" maxItems:"100" nullable:"false" doc:"The systems of incidents of a Statuspage."`
}

// Outcomes of an import.
const (
	importCreated   = "created"
	importUnchanged = "unchanged"
	importRefused   = "refused"
)

// Imported is what an import did with one incident.
type Imported struct {
	DedupeKey string          `json:"dedupeKey"`
	Title     string          `json:"title"`
	Result    string          `json:"result" enum:"created,unchanged,refused" doc:"unchanged: an incident has its key."`
	ID        *uuid.UUID      `json:"id,omitempty" doc:"The incident, where the caller may see it."`
	Issues    []problem.Issue `json:"issues" nullable:"false" doc:"Why it is refused."`
}

// ImportReport is what an import did.
type ImportReport struct {
	Created   int        `json:"created"`
	Unchanged int        `json:"unchanged"`
	Refused   int        `json:"refused"`
	Results   []Imported `json:"results" nullable:"false" doc:"In the order of the request."`
}

// Import stores incidents of the past with their own times, each by itself. One whose key an incident has is left as it is, so
// that an import can be repeated. It has no events for those that have ended: nobody is called for them.
func (s *service) Import(ctx context.Context, in Import) (ImportReport, error) {
	report := ImportReport{Results: []Imported{}}
	if (in.Statuspage == "") == (len(in.Incidents) == 0) {
		return report, problem.InvalidInput(
			"An import has incidents, or those of a Statuspage.", problem.Issue{Path: "incidents", Message: "must be set, or statuspage"},
		)
	}
	if in.Statuspage != "" {
		var err error
		if in.Incidents, err = fromStatuspage(in.Statuspage, in.SystemIDs); err != nil {
			return report, err
		}
	}
	now, err := s.queries(ctx).Clock(ctx)
	if err != nil {
		return report, fmt.Errorf("read the clock: %w", err)
	}
	for i, one := range in.Incidents {
		done, err := s.importOne(ctx, one, fmt.Sprintf("incidents[%d].", i), now, in.DryRun)
		if err != nil {
			return report, err
		}
		switch done.Result {
		case importCreated:
			report.Created++
		case importUnchanged:
			report.Unchanged++
		default:
			report.Refused++
		}
		report.Results = append(report.Results, done)
	}
	return report, nil
}

// importOne imports an incident, or says why not.
func (s *service) importOne(ctx context.Context, in PastIncident, path string, now time.Time, dryRun bool) (Imported, error) {
	var v validation
	in = v.imported(in, now)
	done := Imported{DedupeKey: text.Clip(in.DedupeKey, MaxKey), Title: text.Clip(in.Title, MaxTitle), Result: importRefused}
	err := v.Err()
	if err == nil {
		err = s.db.InTx(ctx, func(ctx context.Context) error {
			if err := s.holdSystems(ctx, in.SystemIDs); err != nil {
				return err
			}
			id, created, err := s.placeImport(ctx, in, dryRun)
			if err != nil {
				return err
			}
			if done.ID, done.Result = id, importUnchanged; created {
				done.Result = importCreated
			}
			return nil
		})
	}
	done.Issues = []problem.Issue{}
	if err == nil {
		return done, nil
	}
	e := problem.As(err)
	if e.Code != problem.Invalid {
		return done, err
	}
	for _, issue := range e.Issues {
		done.Issues = append(done.Issues, problem.Issue{Path: path + issue.Path, Message: issue.Message})
	}
	return done, nil
}

// placeImport creates an incident unless one has its key.
func (s *service) placeImport(ctx context.Context, in PastIncident, dryRun bool) (id *uuid.UUID, created bool, err error) {
	q := s.queries(ctx)
	if err := q.HoldKey(ctx, in.DedupeKey); err != nil {
		return nil, false, fmt.Errorf("lock a key: %w", err)
	}
	first, err := q.LatestByKey(ctx, in.DedupeKey)
	switch {
	case err == nil:
		if _, err := s.see(ctx, first.ID, first, nil); problem.Is(err, problem.NotFound) {
			return nil, false, nil
		}
		return &first.ID, false, err
	case !store.NoRows(err):
		return nil, false, fmt.Errorf("look for the key: %w", err)
	case dryRun:
		return nil, true, nil
	}
	rows, err := q.CreateIncident(ctx, incidentdb.CreateIncidentParams{
		ID: store.NewID(), Title: in.Title, Description: in.Description, Status: string(in.Status), Severity: string(in.Severity),
		SuppressNotifications: in.SuppressNotifications, DedupeKey: &in.DedupeKey, StartedAt: &in.StartedAt, ResolvedAt: in.ResolvedAt,
		Folded: folded(in.Title, in.Description),
	})
	if err != nil {
		return nil, false, fmt.Errorf("import incident: %w", err)
	}
	if len(rows) == 0 {
		return nil, false, nil
	}
	return &rows[0].ID, true, s.completeImport(ctx, rows[0], in)
}

// completeImport adds to an imported incident its systems, updates, states, audit entry and, if it is open, its event.
func (s *service) completeImport(ctx context.Context, row incidentdb.Incident, in PastIncident) error {
	if _, err := s.queries(ctx).AddSystems(ctx, incidentdb.AddSystemsParams{IncidentID: row.ID, SystemIds: in.SystemIDs}); err != nil {
		return fmt.Errorf("add systems: %w", err)
	}
	if err := s.note(ctx, row.ID, stateImported, transition{to: in.Status, at: &row.CreatedAt}, ""); err != nil {
		return err
	}
	told := false
	for _, u := range in.Updates {
		if _, err := s.notes.Add(ctx, row.ID, note.New{
			Message: u.Message, StatusChange: string(u.StatusChange), Visibility: u.Visibility, At: &u.At,
		}); err != nil {
			return err
		}
		told = told || u.StatusChange == Resolved && in.ResolvedAt != nil && u.At.Equal(*in.ResolvedAt)
	}
	if in.ResolvedAt != nil && !told {
		if err := s.note(ctx, row.ID, stateResolved, transition{to: Resolved, at: in.ResolvedAt}, ""); err != nil {
			return err
		}
	}
	if err := s.record(ctx, audit.Created, row, summaryImported, nil); err != nil || in.ResolvedAt != nil {
		return err
	}
	h, err := s.reload(ctx, row.ID)
	if err != nil {
		return err
	}
	return s.announce(ctx, EventCreated, h, Payload{})
}

// imported returns the stored form of an imported incident.
func (v *validation) imported(in PastIncident, now time.Time) PastIncident {
	f := v.fields(fields{
		Title: in.Title, Description: in.Description, Severity: in.Severity, SystemIDs: in.SystemIDs, DedupeKey: in.DedupeKey,
		StartedAt: in.StartedAt,
	})
	in.Title, in.Description, in.DedupeKey, in.SystemIDs, in.StartedAt = f.Title, f.Description, f.DedupeKey, f.SystemIDs, f.StartedAt
	if in.DedupeKey == "" {
		v.Report("dedupeKey", "is missing")
	}
	v.ownKey(in.DedupeKey)
	if len(in.SystemIDs) == 0 {
		v.Report("systemIds", "must name a system")
	}
	v.past(in.StartedAt, now)
	if in.ResolvedAt = moment(in.ResolvedAt); in.ResolvedAt != nil {
		v.end(in.StartedAt, *in.ResolvedAt, now)
	}
	switch {
	case in.ResolvedAt != nil && in.Status != "" && in.Status != Resolved:
		v.Report("status", "is that of an incident without an end")
	case in.ResolvedAt != nil:
		in.Status = Resolved
	case in.Status == "":
		in.Status = Investigating
	case in.Status == Resolved:
		v.Report("resolvedAt", "is missing")
	default:
		v.status("status", in.Status)
	}
	if len(in.Updates) > MaxPastUpdates {
		v.Report("updates", "has %d entries, at most %d are allowed", len(in.Updates), MaxPastUpdates)
		return in
	}
	in.Updates = slices.Clone(in.Updates)
	for i, u := range in.Updates {
		var of validation
		u.NewUpdate = of.update(u.NewUpdate)
		u.At = u.At.UTC().Truncate(time.Microsecond)
		if u.At.After(now) || u.At.Year() < 1970 {
			of.Report("at", "must lie between 1970 and now")
		}
		in.Updates[i] = u
		v.within(fmt.Sprintf("updates[%d].", i), of)
	}
	return in
}

// within adds the issues of a part.
func (v *validation) within(path string, part validation) {
	if err := part.Err(); err != nil {
		for _, issue := range problem.As(err).Issues {
			v.Report(path+issue.Path, "%s", issue.Message)
		}
	}
}
