package app

import (
	"context"
	"maps"
	"net/http"
	"time"

	"github.com/google/uuid"

	"countersign/internal/egress"
	"countersign/internal/principal"
	"countersign/internal/rest"
	"countersign/modules/incident"
	"countersign/modules/intake"
)

// aws is the client for requests to AWS.
func (a *App) aws(guard *egress.Guard) *http.Client {
	client := guard.Client(20 * time.Second)
	if a.config.AWS != nil {
		client.Transport = a.config.AWS
	}
	return client
}

// alerted gives sources of alerts their incidents.
type alerted struct{ *incident.Module }

// See implements intake.Incidents.
func (i alerted) See(ctx context.Context, id uuid.UUID) error {
	_, err := i.Module.See(ctx, id)
	return err
}

// Report implements intake.Incidents.
func (i alerted) Report(ctx context.Context, source uuid.UUID, name string, r intake.Report) (uuid.UUID, string, error) {
	ctx = principal.NewContext(ctx, incident.Reporter(source, name))
	id, done, err := i.Module.Report(ctx, incident.Report{
		Key: r.Key, Last: r.Last, Was: wording(r.Was), Now: wording(r.Now), Systems: r.Systems, StartedAt: r.StartedAt, IsNew: r.IsNew,
		ReopenWithin: r.ReopenWithin,
	})
	return id, string(done), err
}

// End implements intake.Incidents.
func (i alerted) End(
	ctx context.Context, source uuid.UUID, name string, id uuid.UUID, key string, at time.Time,
) (string, error) {
	done, err := i.ReportEnd(principal.NewContext(ctx, incident.Reporter(source, name)), id, key, at)
	return string(done), err
}

func wording(w intake.Wording) incident.Wording {
	return incident.Wording{Title: w.Title, Description: w.Description, Severity: incident.Severity(w.Severity)}
}

// actors names those who act in incidents: people, applications and sources of alerts.
type actors struct {
	names
	parts *parts
}

// Names implements note.Names.
func (a actors) Names(ctx context.Context, ids []uuid.UUID) (map[uuid.UUID]string, error) {
	found, err := a.names.Names(ctx, ids)
	if err != nil {
		return nil, err
	}
	var left []uuid.UUID
	for _, id := range ids {
		if _, ok := found[id]; !ok {
			left = append(left, id)
		}
	}
	if len(left) == 0 {
		return found, nil
	}
	sources, err := a.parts.intake.Names(ctx, left)
	maps.Copy(found, sources)
	return found, err
}

// alerts are what sources of alerts have sent about an incident.
func alerts(p *parts) incident.Source {
	return func(ctx context.Context, about incident.About, before rest.Moment, limit int) ([]incident.Entry, error) {
		receipts, err := p.intake.Receipts(ctx, about.Incident, before, limit)
		entries := make([]incident.Entry, len(receipts))
		for i, r := range receipts {
			entries[i] = incident.Alert(r.ID, r.At, incident.AlertReceipt{
				SourceID: r.SourceID, SourceName: r.SourceName, Result: r.Result, Title: r.Title, Firing: r.Firing, Resolved: r.Resolved,
				PayloadID: r.PayloadID,
			})
		}
		return entries, err
	}
}
