package intake

import (
	"cmp"
	"context"
	"fmt"
	"maps"
	"slices"
	"strings"
	"time"

	"github.com/google/uuid"

	"countersign/internal/problem"
	"countersign/internal/store"
	"countersign/internal/text"
	"countersign/modules/intake/alert"
	"countersign/modules/intake/intakedb"
)

const (
	// lateWithin is how long after the end of an alert a report of the same firing counts as late, and not as another firing.
	// Senders repeat a request whose answer was lost, and several of a cluster send in any order.
	lateWithin = 5 * time.Minute
	// shownAlerts bounds the alerts that the description of an incident lists, and maxDescription its length.
	shownAlerts    = 15
	maxDescription = 5000
)

// application brings incidents up to date with the alerts of one payload. Its source is locked.
type application struct {
	*service

	source  source
	payload uuid.UUID
	done    *Received
}

// group is the alerts of one incident.
type group struct {
	key string
	// was and now are the alerts before and after the payload, and touched those of the payload that counted.
	was, now map[string]intakedb.IntakeAlert
	// fresh reports whether one began to fire, and ended whether one ceased to.
	fresh, ended bool
	touched      []string
	// started is when the first of those that began did.
	started time.Time
}

// run applies alerts, one incident after another in the order of their keys, so that two sources lock alike.
func (a *application) run(ctx context.Context, alerts []alert.Alert) error {
	of := map[string][]alert.Alert{}
	for _, one := range alerts {
		key := incidentKey(a.source.Rules, one)
		of[key] = append(of[key], one)
	}
	keys := slices.Sorted(maps.Keys(of))
	known, err := a.queries(ctx).KnownAlerts(ctx, intakedb.KnownAlertsParams{SourceID: a.source.ID, Keys: keys})
	if err != nil {
		return fmt.Errorf("load alerts: %w", err)
	}
	groups := map[string]*group{}
	for _, key := range keys {
		groups[key] = &group{key: key, was: map[string]intakedb.IntakeAlert{}, now: map[string]intakedb.IntakeAlert{}}
	}
	for _, row := range known {
		groups[row.IncidentKey].was[row.AlertKey], groups[row.IncidentKey].now[row.AlertKey] = row, row
	}
	incidents, err := a.queries(ctx).KnownIncidents(ctx, intakedb.KnownIncidentsParams{SourceID: a.source.ID, Keys: keys})
	if err != nil {
		return fmt.Errorf("load incidents of alerts: %w", err)
	}
	last := map[string]intakedb.IntakeIncident{}
	for _, row := range incidents {
		last[row.IncidentKey] = row
	}
	added := 0
	for _, key := range keys {
		g := groups[key]
		for _, one := range of[key] {
			a.judge(g, one)
		}
		added += len(g.now) - len(g.was)
	}
	if err := a.bound(ctx, added); err != nil {
		return err
	}
	for _, key := range keys {
		if err := a.settle(ctx, groups[key], last[key]); err != nil {
			return err
		}
	}
	return nil
}

// bound refuses more alerts than are kept of one source.
func (a *application) bound(ctx context.Context, added int) error {
	if added == 0 {
		return nil
	}
	count, err := a.queries(ctx).CountAlerts(ctx, a.source.ID)
	if err != nil {
		return fmt.Errorf("count alerts: %w", err)
	}
	if int(count)+added > maxAlerts {
		return problem.Errorf(
			problem.Conflict,
			"The source has %d alerts of the last weeks, at most %d are kept. Let it send fewer.",
			count,
			maxAlerts,
		)
	}
	return nil
}

// judge decides what a report of an alert means beside what is known of it. An older report than that never counts, so a
// resolve that comes late does not end a newer firing.
func (a *application) judge(g *group, one alert.Alert) {
	at := one.At
	if at.IsZero() || at.After(a.source.now) {
		at, one.Episode = a.source.now, false
	}
	at = at.Truncate(time.Microsecond)
	key := hashKey(one.Key)
	known, isKnown := g.was[key]
	fresh, ended := one.Firing, false
	if isKnown {
		switch {
		case at.Before(known.At):
			a.done.Late++
			return
		case one.Firing && known.IsFiring:
			fresh = one.Episode && at.After(known.At)
		case one.Firing:
			if !at.After(known.At) && a.source.now.Before(known.TurnedAt.Add(lateWithin)) {
				a.done.Late++
				return
			}
		default:
			ended = known.IsFiring
		}
	}
	g.now[key] = a.rowOf(g.key, key, one, known, at)
	g.touched = append(g.touched, key)
	g.ended = g.ended || ended
	if fresh {
		g.fresh = true
		if g.started.IsZero() || at.Before(g.started) {
			g.started = at
		}
	}
}

// rowOf is an alert as it is stored. known is what is known of it, zero for nothing.
func (a *application) rowOf(incident, key string, one alert.Alert, known intakedb.IntakeAlert, at time.Time) intakedb.IntakeAlert {
	row := intakedb.IntakeAlert{
		SourceID: a.source.ID, IncidentKey: incident, AlertKey: key, IsFiring: one.Firing, At: at, Title: one.Title,
		Description: one.Description, Severity: severityOf(a.source.Rules, one), Labels: one.Labels, Url: one.URL, PayloadID: &a.payload,
	}
	if !one.Firing {
		row.EndedAt = new(a.source.now)
		if !one.EndedAt.IsZero() && one.EndedAt.Before(a.source.now) {
			row.EndedAt = new(one.EndedAt.Truncate(time.Microsecond))
		}
		if !known.IsFiring && known.EndedAt != nil {
			row.EndedAt = known.EndedAt
		}
		if row.Title == "" {
			row.Title = known.Title
		}
	}
	if row.Title == "" {
		row.Title = "An alert of " + a.source.Name
	}
	if row.Labels == nil {
		row.Labels = map[string]string{}
	}
	return row
}

// firing are the alerts that fire, the worst and oldest first.
func firing(alerts map[string]intakedb.IntakeAlert) []intakedb.IntakeAlert {
	var list []intakedb.IntakeAlert
	for _, one := range alerts {
		if one.IsFiring {
			list = append(list, one)
		}
	}
	slices.SortFunc(list, func(x, y intakedb.IntakeAlert) int {
		return cmp.Or(
			slices.Index(severities, y.Severity)-slices.Index(severities, x.Severity), x.At.Compare(y.At), cmp.Compare(x.AlertKey, y.AlertKey),
		)
	})
	return list
}

// worded is what an incident about firing alerts says.
func worded(list []intakedb.IntakeAlert) Wording {
	w := Wording{Title: list[0].Title, Severity: list[0].Severity}
	if n := len(list) - 1; n > 0 {
		more := fmt.Sprintf(" and %d more", n)
		w.Title = text.Shown(w.Title, alert.MaxTitle-len(more)) + more
	}
	var b strings.Builder
	for i, one := range list {
		line := "- " + one.Title
		if one.Description != "" {
			line += ": " + one.Description
		}
		if i == shownAlerts || b.Len()+len(line) > maxDescription-100 {
			_, _ = fmt.Fprintf(&b, "\nand %d more", len(list)-i)
			break
		}
		if i > 0 {
			b.WriteByte('\n')
		}
		b.WriteString(line)
	}
	w.Description = b.String()
	return w
}

// settle stores the alerts of an incident and tells incidents what they mean.
func (a *application) settle(ctx context.Context, g *group, last intakedb.IntakeIncident) error {
	if len(g.touched) == 0 {
		return nil
	}
	for _, key := range g.touched {
		row := g.now[key]
		if err := a.queries(ctx).PutAlert(ctx, intakedb.PutAlertParams{
			SourceID: row.SourceID, IncidentKey: row.IncidentKey, AlertKey: row.AlertKey, IsFiring: row.IsFiring, At: row.At,
			EndedAt: row.EndedAt, Title: row.Title, Description: row.Description, Severity: row.Severity, Labels: row.Labels, Url: row.Url,
			PayloadID: row.PayloadID,
		}); err != nil {
			return fmt.Errorf("store an alert: %w", err)
		}
	}
	burning := firing(g.now)
	if len(burning) == 0 {
		return a.end(ctx, g, last)
	}
	return a.report(ctx, g, last, burning)
}

// report opens, reopens or updates the incident of firing alerts.
func (a *application) report(ctx context.Context, g *group, last intakedb.IntakeIncident, burning []intakedb.IntakeAlert) error {
	r := Report{
		Key: dedupeKey(a.source.ID, g.key), Was: Wording{last.Title, last.Description, last.Severity}, Now: worded(burning), IsNew: g.fresh,
		StartedAt: g.started, ReopenWithin: time.Duration(a.source.Rules.ReopenWithin) * time.Minute,
	}
	if last.IncidentID != uuid.Nil {
		r.Last = &last.IncidentID
	}
	for _, one := range burning {
		r.Systems = append(r.Systems, systemsFor(a.source.Rules, one.Labels)...)
	}
	store.SortIDs(r.Systems)
	r.Systems = slices.Compact(r.Systems)
	id, result, err := a.incidents.Report(ctx, a.source.ID, a.source.Name, r)
	if err != nil || id == uuid.Nil {
		return err
	}
	if result == resultUnchanged && g.ended {
		result = resultUpdated
	}
	if result != resultUnchanged || last.IncidentID != id {
		if err := a.queries(ctx).PutIncident(ctx, intakedb.PutIncidentParams{
			SourceID: a.source.ID, IncidentKey: g.key, IncidentID: id, Title: r.Now.Title, Description: r.Now.Description, Severity: r.Now.Severity,
		}); err != nil {
			return fmt.Errorf("store the incident of alerts: %w", err)
		}
	}
	return a.note(ctx, g, id, result)
}

// end resolves the incident of alerts that have all ended.
func (a *application) end(ctx context.Context, g *group, last intakedb.IntakeIncident) error {
	if !g.ended || last.IncidentID == uuid.Nil {
		return nil
	}
	var at time.Time
	for _, one := range g.now {
		if one.EndedAt != nil && one.EndedAt.After(at) {
			at = *one.EndedAt
		}
	}
	result, err := a.incidents.End(ctx, a.source.ID, a.source.Name, last.IncidentID, dedupeKey(a.source.ID, g.key), at)
	if err != nil {
		return err
	}
	return a.note(ctx, g, last.IncidentID, result)
}

// note writes for the timeline of an incident what a payload did.
func (a *application) note(ctx context.Context, g *group, incident uuid.UUID, result string) error {
	switch result {
	case resultOpened:
		a.done.Opened++
	case resultReopened:
		a.done.Reopened++
	case resultUpdated:
		a.done.Updated++
	case resultResolved:
		a.done.Resolved++
	default:
		return nil
	}
	burning := len(firing(g.now))
	if err := a.queries(ctx).AddReceipt(ctx, intakedb.AddReceiptParams{
		ID: store.NewID(), IncidentID: incident, SourceID: a.source.ID, SourceName: a.source.Name, PayloadID: &a.payload, Result: result,
		Title: g.now[g.touched[0]].Title, Firing: int32(burning), Resolved: int32(len(g.now) - burning),
	}); err != nil {
		return fmt.Errorf("note a report: %w", err)
	}
	return nil
}
