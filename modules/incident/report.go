package incident

import (
	"context"
	"fmt"
	"slices"
	"time"

	"github.com/google/uuid"

	"countersign/internal/principal"
	"countersign/internal/store"
	"countersign/internal/text"
	"countersign/modules/incident/incidentdb"
)

// Wording is what a source of alerts says about an incident.
type Wording struct {
	Title, Description string
	Severity           Severity
}

// Report is a report of a source of alerts that something is wrong.
type Report struct {
	Key string
	// Last is the last incident of the key, nil for none.
	Last *uuid.UUID
	// Was is what the source wrote there, and Now what it says now. Texts that a person has changed since stay.
	Was, Now Wording
	// Systems are added. Those that are gone are left out.
	Systems   []uuid.UUID
	StartedAt time.Time
	// IsNew reports whether an alert has begun to fire. Without it no incident is opened: a person may have resolved it.
	IsNew bool
	// ReopenWithin is how long after its end the last incident is opened again, in place of another one.
	ReopenWithin time.Duration
}

// Outcome is what a report did.
type Outcome string

// The outcomes.
const (
	ReportOpened    Outcome = "opened"
	ReportReopened  Outcome = "reopened"
	ReportUpdated   Outcome = "updated"
	ReportResolved  Outcome = "resolved"
	ReportUnchanged Outcome = "unchanged"
)

// Reporter is the principal of a source of alerts. It acts on behalf of the product, within the systems that its source names.
func Reporter(source uuid.UUID, name string) principal.Principal {
	return principal.Principal{Kind: principal.Service, ID: source, Name: name, Rules: []string{principal.Admin}}
}

// Report opens, reopens or updates the incident of a key, as the principal of a source, in the transaction of the context. The
// nil id means that there is none.
func (m *Module) Report(ctx context.Context, r Report) (id uuid.UUID, done Outcome, err error) {
	s := m.service
	kept, err := s.systems.Keep(ctx, r.Systems)
	if err != nil {
		return uuid.Nil, "", err
	}
	r.Systems = kept
	now, err := s.queries(ctx).Clock(ctx)
	if err != nil {
		return uuid.Nil, "", fmt.Errorf("read the clock: %w", err)
	}
	if r.StartedAt.After(now) || r.StartedAt.Year() < 1970 {
		r.StartedAt = now
	}
	row, err := s.queries(ctx).OpenByKey(ctx, r.Key)
	switch {
	case err == nil:
		return s.updateReported(ctx, row, r)
	case !store.NoRows(err):
		return uuid.Nil, "", fmt.Errorf("find the open incident of a key: %w", err)
	case !r.IsNew:
		return store.Value(r.Last), ReportUnchanged, nil
	}
	if id, done, err = s.reopenReported(ctx, r, now); err != nil || done != "" {
		return id, done, err
	}
	return s.openReported(ctx, r)
}

// openReported opens an incident, or finds the one that another transaction has opened with the key meanwhile.
func (s *service) openReported(ctx context.Context, r Report) (uuid.UUID, Outcome, error) {
	in := NewIncident{
		Title: r.Now.Title, Description: r.Now.Description, Status: Investigating, Severity: r.Now.Severity, HealthOverride: NoOverride,
		SystemIDs: r.Systems, StartedAt: &r.StartedAt, DedupeKey: r.Key,
	}
	row, created, err := s.createOrFind(ctx, store.NewID(), in)
	if err != nil {
		return uuid.Nil, "", err
	}
	if !created {
		return s.updateReported(ctx, row, r)
	}
	_, err = s.complete(ctx, row.ID, in)
	return row.ID, ReportOpened, err
}

// reopenReported opens the last incident of a key again if it ended a short time ago. One that was merged into an open
// incident stays there. An empty outcome means that neither holds.
func (s *service) reopenReported(ctx context.Context, r Report, now time.Time) (uuid.UUID, Outcome, error) {
	if r.Last == nil {
		return uuid.Nil, "", nil
	}
	row, err := s.queries(ctx).LockIncident(ctx, *r.Last)
	if store.NoRows(err) {
		return uuid.Nil, "", nil
	}
	if err != nil {
		return uuid.Nil, "", fmt.Errorf("lock the last incident of a key: %w", err)
	}
	if row.DuplicateOf != nil {
		into, err := s.queries(ctx).Incident(ctx, *row.DuplicateOf)
		if err == nil && into.ResolvedAt == nil {
			return row.ID, ReportUnchanged, nil
		}
		if err != nil && !store.NoRows(err) {
			return uuid.Nil, "", fmt.Errorf("load the incident of a duplicate: %w", err)
		}
		return uuid.Nil, "", nil
	}
	isOther := store.Value(row.DedupeKey) != r.Key
	if isOther || row.ResolvedAt == nil || row.ResolvedAt.Before(now.Add(-r.ReopenWithin)) || r.ReopenWithin == 0 {
		return uuid.Nil, "", nil
	}
	list, err := s.withSystems(ctx, row)
	if err != nil {
		return uuid.Nil, "", err
	}
	if _, _, err := s.move(ctx, list[0], transition{to: Investigating}); err != nil {
		return uuid.Nil, "", err
	}
	if row, err = s.queries(ctx).LockIncident(ctx, row.ID); err != nil {
		return uuid.Nil, "", fmt.Errorf("load incident: %w", err)
	}
	_, _, err = s.updateReported(ctx, row, r)
	return row.ID, ReportReopened, err
}

// updateReported writes to a locked incident what a source says now, where it had written before, and adds its systems.
func (s *service) updateReported(ctx context.Context, row incidentdb.Incident, r Report) (uuid.UUID, Outcome, error) {
	list, err := s.withSystems(ctx, row)
	if err != nil {
		return uuid.Nil, "", err
	}
	h := list[0]
	shown, err := s.present(ctx, h)
	if err != nil {
		return uuid.Nil, "", err
	}
	before := shown.fields()
	before.SystemIDs = h.all()
	before.DedupeKey = store.Value(row.DedupeKey)
	after := before
	if before.Title == r.Was.Title {
		after.Title = r.Now.Title
	}
	if before.Description == r.Was.Description {
		after.Description = r.Now.Description
	}
	if before.Severity == r.Was.Severity {
		after.Severity = r.Now.Severity
	}
	after.SystemIDs = slices.Clone(before.SystemIDs)
	for _, id := range r.Systems {
		if !slices.Contains(after.SystemIDs, id) && len(after.SystemIDs) < MaxSystems {
			after.SystemIDs = append(after.SystemIDs, id)
		}
	}
	store.SortIDs(after.SystemIDs)
	if len(changesOf(before, after)) == 0 {
		return row.ID, ReportUnchanged, nil
	}
	_, err = s.write(ctx, h, before, after)
	return row.ID, ReportUpdated, err
}

// ReportEnd resolves an incident of which no alert fires any more, as the principal of a source.
func (m *Module) ReportEnd(ctx context.Context, id uuid.UUID, key string, at time.Time) (Outcome, error) {
	s := m.service
	row, err := s.queries(ctx).LockIncident(ctx, id)
	if store.NoRows(err) || err == nil && (row.ResolvedAt != nil || store.Value(row.DedupeKey) != key) {
		return ReportUnchanged, nil
	}
	if err != nil {
		return "", fmt.Errorf("lock incident: %w", err)
	}
	now, err := s.queries(ctx).Clock(ctx)
	if err != nil {
		return "", fmt.Errorf("read the clock: %w", err)
	}
	t := transition{to: Resolved, at: &at}
	if at.After(now) || at.Before(row.StartedAt) {
		t.at = nil
	}
	list, err := s.withSystems(ctx, row)
	if err != nil {
		return "", err
	}
	_, _, err = s.move(ctx, list[0], t)
	return ReportResolved, err
}

// Alert makes an entry of what a source of alerts has sent.
func Alert(id uuid.UUID, at time.Time, a AlertReceipt) Entry {
	a.Title = text.Shown(a.Title, MaxTitle)
	e := placedAt(entryAlert, at, id)
	e.Alert = &a
	return e
}
