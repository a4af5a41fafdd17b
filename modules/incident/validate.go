package incident

import (
	"slices"
	"strings"
	"time"

	"github.com/google/uuid"

	"countersign/internal/note"
	"countersign/internal/problem"
	"countersign/internal/store"
	"countersign/internal/text"
)

// validation checks an input and returns values in their stored form.
type validation struct{ problem.Issues }

// fields returns the stored form of the fields of an incident.
func (v *validation) fields(f fields) fields {
	f.Title = text.Required(&v.Issues, "title", text.Line(&v.Issues, "title", f.Title, MaxTitle))
	f.Description = text.Lines(&v.Issues, "description", f.Description, MaxDescription)
	f.DedupeKey = text.Line(&v.Issues, "dedupeKey", f.DedupeKey, MaxKey)
	f.StartedAt = f.StartedAt.UTC().Truncate(time.Microsecond)
	if f.Severity != Minor && f.Severity != Major && f.Severity != Critical {
		v.Report("severity", "must be minor, major or critical")
	}
	switch f.HealthOverride {
	case "":
		f.HealthOverride = NoOverride
	case NoOverride, Degraded, Unhealthy:
	default:
		v.Report("healthOverride", "must be none, degraded or unhealthy")
	}
	f.SystemIDs = v.systems(f.SystemIDs)
	return f
}

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

// reportedKeys begins the keys of incidents that sources of alerts report.
const reportedKeys = "alert/"

// ownKey refuses a key of a source of alerts: its texts and systems would reach an incident that a person has opened.
func (v *validation) ownKey(key string) {
	if strings.HasPrefix(key, reportedKeys) {
		v.Report("dedupeKey", "must not begin with %s, as those of sources of alerts do", reportedKeys)
	}
}

// opening returns the stored form of a new incident.
func (v *validation) opening(n NewIncident) NewIncident {
	f := v.fields(fields{
		Title: n.Title, Description: n.Description, Severity: n.Severity, SystemIDs: n.SystemIDs, HealthOverride: n.HealthOverride,
		DedupeKey: n.DedupeKey,
	})
	n.Title, n.Description, n.HealthOverride, n.DedupeKey, n.SystemIDs = f.Title, f.Description, f.HealthOverride, f.DedupeKey, f.SystemIDs
	v.ownKey(n.DedupeKey)
	if len(n.SystemIDs) == 0 && v.Count() == 0 {
		v.Report("systemIds", "must name a system")
	}
	n.StartedAt = moment(n.StartedAt)
	switch n.OnDuplicate {
	case "":
		n.OnDuplicate = OnDuplicateKeep
	case OnDuplicateKeep:
	case OnDuplicateUpdate:
		if n.DedupeKey == "" {
			v.Report("onDuplicate", "needs a dedupeKey")
		}
	default:
		v.Report("onDuplicate", "must be keep or update")
	}
	switch n.Status {
	case "":
		n.Status = Investigating
	case Resolved:
		v.Report("status", "must be that of an open incident")
	default:
		v.status("status", n.Status)
	}
	if n.InitialMessage != "" {
		n.InitialMessage = note.Message(&v.Issues, "initialMessage", n.InitialMessage)
	}
	n.Visibility = note.Seen(&v.Issues, "visibility", n.Visibility)
	return n
}

func (v *validation) status(path string, s Status) {
	if !slices.Contains(statuses, s) {
		v.Report(path, "must be investigating, identified, fixing, monitoring or resolved")
	}
}

// update returns the stored form of an update.
func (v *validation) update(n NewUpdate) NewUpdate {
	n.Message = note.Message(&v.Issues, "message", n.Message)
	n.Visibility = note.Seen(&v.Issues, "visibility", n.Visibility)
	if n.StatusChange != "" {
		v.status("statusChange", n.StatusChange)
	}
	return n
}

// closing returns the stored form of the end of an incident.
func (v *validation) closing(c Closing) Closing {
	if c.Message != "" {
		c.Message = note.Message(&v.Issues, "message", c.Message)
	}
	c.Visibility = note.Seen(&v.Issues, "visibility", c.Visibility)
	c.ResolvedAt = moment(c.ResolvedAt)
	return c
}

// moment is the stored form of an optional moment.
func moment(at *time.Time) *time.Time {
	if at == nil {
		return nil
	}
	return new(at.UTC().Truncate(time.Microsecond))
}

// end reports an end that lies before the start or in the future of the database clock.
func (v *validation) end(started, at, now time.Time) {
	if at.After(now) {
		v.Report("resolvedAt", "lies in the future")
	}
	if at.Before(started) {
		v.Report("resolvedAt", "lies before the start")
	}
}

// past reports a moment that lies in the future of the database clock.
func (v *validation) past(at, now time.Time) {
	if at.After(now) {
		v.Report("startedAt", "lies in the future")
	}
	if at.Year() < 1970 {
		v.Report("startedAt", "lies before 1970")
	}
}
