package intake

import (
	"context"
	"fmt"
	"slices"
	"time"

	"github.com/google/uuid"

	"countersign/internal/principal"
	"countersign/internal/problem"
	"countersign/internal/rest"
	"countersign/internal/store"
	"countersign/modules/intake/alert"
	"countersign/modules/intake/intakedb"
)

// Payloads returns a page of what a source has sent, the last first.
func (s *service) Payloads(ctx context.Context, id uuid.UUID, page rest.Page) ([]Payload, rest.Next, error) {
	row, err := s.queries(ctx).Source(ctx, id)
	if _, err = see(ctx, id, row, err); err != nil {
		return nil, rest.Next{}, err
	}
	before, err := page.AfterMoment()
	if err != nil {
		return nil, rest.Next{}, err
	}
	if before == nil {
		before = new(rest.Latest())
	}
	rows, err := s.queries(ctx).Payloads(ctx, intakedb.PayloadsParams{
		SourceID: id, BeforeAt: before.At, BeforeID: before.ID, MaxRows: page.Rows(),
	})
	if err != nil {
		return nil, rest.Next{}, fmt.Errorf("list payloads: %w", err)
	}
	rows, next := rest.Cut(page, rows, func(r intakedb.PayloadsRow) string { return rest.Moment{At: r.LastAt, ID: r.ID}.String() })
	list := make([]Payload, len(rows))
	for i, r := range rows {
		list[i] = Payload{
			ID: r.ID, Alerts: int(r.Alerts), Note: r.Note, Bytes: int(r.Bytes), ReceivedAt: r.ReceivedAt, LastAt: r.LastAt, Times: r.Times,
		}
	}
	return list, next, nil
}

// Payload returns what a source has sent, as it came.
func (s *service) Payload(ctx context.Context, id, payload uuid.UUID) (FullPayload, error) {
	row, err := s.queries(ctx).Source(ctx, id)
	if _, err = see(ctx, id, row, err); err != nil {
		return FullPayload{}, err
	}
	r, err := s.queries(ctx).Payload(ctx, intakedb.PayloadParams{ID: payload, SourceID: id})
	if store.NoRows(err) {
		return FullPayload{}, problem.Errorf(
			problem.NotFound,
			"The payload %s is not kept. Payloads are deleted after %d days.",
			payload,
			keptDays,
		)
	}
	if err != nil {
		return FullPayload{}, fmt.Errorf("load payload: %w", err)
	}
	return FullPayload{Body: r.Body, Payload: Payload{
		ID: r.ID, Alerts: int(r.Alerts), Note: r.Note, Bytes: len(r.Body), ReceivedAt: r.ReceivedAt, LastAt: r.LastAt, Times: r.Times,
	}}, nil
}

// maxShown bounds the alerts of an incident that are listed.
const maxShown = 200

// Alerts returns the alerts of an incident that the caller may see, those that fire first.
func (s *service) Alerts(ctx context.Context, incident uuid.UUID) ([]Alert, error) {
	if err := s.incidents.See(ctx, incident); err != nil {
		return nil, err
	}
	rows, err := s.queries(ctx).AlertsOf(ctx, intakedb.AlertsOfParams{IncidentID: incident, MaxRows: maxShown})
	if err != nil {
		return nil, fmt.Errorf("list alerts of an incident: %w", err)
	}
	list := make([]Alert, len(rows))
	for i, r := range rows {
		list[i] = Alert{
			SourceID: r.SourceID, SourceName: r.SourceName, SourceKind: alert.Kind(r.SourceKind), Title: r.Title, Description: r.Description,
			Firing: r.IsFiring, Severity: r.Severity, Labels: r.Labels, URL: r.Url, At: r.At, EndedAt: r.EndedAt, SeenAt: r.SeenAt,
		}
	}
	return list, nil
}

// Receipt is what a payload did to an incident.
type Receipt struct {
	ID, SourceID uuid.UUID
	SourceName   string
	PayloadID    *uuid.UUID
	At           time.Time
	Result       string
	// Title is that of an alert, from outside.
	Title            string
	Firing, Resolved int
}

// Receipts lists what was received about an incident that the caller may see, before a moment, newest first. Payloads are for
// those who may see sources.
func (m *Module) Receipts(ctx context.Context, incident uuid.UUID, before rest.Moment, limit int) ([]Receipt, error) {
	rows, err := m.service.queries(ctx).Receipts(ctx, intakedb.ReceiptsParams{
		IncidentID: incident, BeforeAt: before.At, BeforeID: before.ID, MaxRows: int32(limit),
	})
	if err != nil {
		return nil, fmt.Errorf("list what was received about an incident: %w", err)
	}
	p := principal.FromContext(ctx)
	list := make([]Receipt, len(rows))
	for i, r := range rows {
		list[i] = Receipt{
			ID: r.ID, SourceID: r.SourceID, SourceName: r.SourceName, At: r.At, Result: r.Result, Title: r.Title,
			Firing: int(r.Firing), Resolved: int(r.Resolved),
		}
		if p.Has(Read) || p.Has(Manage) {
			list[i].PayloadID = r.PayloadID
		}
	}
	return list, nil
}

// Try says what would follow from a payload, and stores nothing.
func (s *service) Try(ctx context.Context, id uuid.UUID, in Trial, _ *int64) (Tried, error) {
	row, err := s.queries(ctx).Source(ctx, id)
	if row, err = see(ctx, id, row, err); err != nil {
		return Tried{}, err
	}
	kind := alert.Kind(row.Kind)
	if in.Payload == "" {
		in.Payload = alert.Example(kind)
	}
	p, err := alert.Parse(kind, []byte(in.Payload))
	if err != nil {
		return Tried{}, err
	}
	var all []uuid.UUID
	for _, one := range p.Alerts {
		all = append(all, systemsFor(row.Rules, one.Labels)...)
	}
	store.SortIDs(all)
	found, err := s.systems.Lookup(ctx, slices.Compact(all))
	if err != nil {
		return Tried{}, fmt.Errorf("look up systems: %w", err)
	}
	numbers, tried := map[string]int{}, Tried{Payload: in.Payload, Note: p.Note, Alerts: []TriedAlert{}}
	for _, one := range p.Alerts {
		key := incidentKey(row.Rules, one)
		if numbers[key] == 0 {
			numbers[key] = len(numbers) + 1
		}
		shown := TriedAlert{
			Title: one.Title, Firing: one.Firing, Severity: severityOf(row.Rules, one), Systems: []System{}, Labels: one.Labels,
			Incident: numbers[key],
		}
		for _, system := range systemsFor(row.Rules, one.Labels) {
			shown.Systems = append(shown.Systems, System{ID: system, Name: found[system].Name})
		}
		tried.Alerts = append(tried.Alerts, shown)
	}
	return tried, nil
}
