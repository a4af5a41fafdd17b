package incident

import (
	"context"
	"fmt"
	"strings"
	"time"

	"github.com/google/uuid"

	"countersign/internal/notice"
	"countersign/internal/store"
)

// TopicCalled is the topic of calls by escalation policies, and of the end of what they were about.
const TopicCalled = "incident.called"

// updateEdge begins the edge of a notice about one update of an incident, before its id.
const updateEdge = "update:"

// Notices lets people be notified about incidents that they may see.
func (m *Module) Notices() []notice.Subject {
	return []notice.Subject{{
		Kind: subjectIncident, Rules: []string{Read, Manage}, Facts: m.service.facts,
		Topics: []notice.Topic{{
			ID: TopicCalled, Label: "On-call", Description: "An escalation policy calls you about an incident.",
		}},
	}}
}

// facts are what a message about an incident says now, as its reader sees it.
func (s *service) facts(ctx context.Context, n notice.Notice) (notice.Facts, error) {
	i, err := s.Get(ctx, n.ID)
	if err != nil {
		return notice.Facts{}, err
	}
	names := make([]string, len(i.Systems))
	for k, system := range i.Systems {
		names[k] = system.Name
	}
	f := notice.Facts{
		Title: i.Title, Text: i.Description, Path: "/incidents/" + i.ID.String(), Over: !i.IsOpen(),
		Severity: notice.Warning, Fields: []notice.Field{
			{Label: "Severity", Value: string(i.Severity)},
			{Label: "Status", Value: string(i.Status)},
			{Label: "Systems", Value: listed(names)},
			{Label: "Since", Value: i.StartedAt.UTC().Format(time.RFC3339)},
		},
	}
	if id, ok := strings.CutPrefix(n.Edge, updateEdge); ok {
		// News are what was written, as its reader may see it.
		update, err := uuid.Parse(id)
		if err != nil {
			return notice.Facts{}, fmt.Errorf("read the update of a notice: %w", err)
		}
		written, err := s.editor().UpdateOf(ctx, n.ID, update)
		if err != nil {
			return notice.Facts{}, err
		}
		f.Text = written.Message
	}
	if i.Severity == Critical {
		f.Severity = notice.Critical
	}
	if i.Acknowledged != nil {
		f.Fields = append(f.Fields, notice.Field{Label: "Acknowledged by", Value: i.Acknowledged.ByName})
	}
	if f.Over {
		f.Severity, f.Title = notice.Good, "Resolved: "+strings.TrimSpace(i.Title)
	}
	return f, nil
}

// Standing is an incident on behalf of the product.
type Standing struct {
	Listed

	Suppressed     bool
	AcknowledgedAt *time.Time
	AcknowledgedBy *uuid.UUID
	// AllSystems are its systems, also those that a reader does not see.
	AllSystems []uuid.UUID
}

// Hold returns an incident on behalf of the product and keeps it as it is until the transaction ends; false when it is gone.
func (m *Module) Hold(ctx context.Context, id uuid.UUID) (Standing, bool, error) {
	row, err := m.service.queries(ctx).HoldIncident(ctx, id)
	if store.NoRows(err) {
		return Standing{}, false, nil
	}
	if err != nil {
		return Standing{}, false, fmt.Errorf("hold incident: %w", err)
	}
	members, err := m.service.queries(ctx).SystemsOf(ctx, []uuid.UUID{id})
	if err != nil {
		return Standing{}, false, fmt.Errorf("list systems of an incident: %w", err)
	}
	out := Standing{
		Listed:     Listed{ID: row.ID, Title: row.Title, Status: Status(row.Status), Severity: Severity(row.Severity)},
		Suppressed: row.SuppressNotifications, AcknowledgedAt: row.AcknowledgedAt, AcknowledgedBy: row.AcknowledgedBy,
	}
	for _, member := range members {
		out.AllSystems = append(out.AllSystems, member.SystemID)
	}
	return out, true, nil
}

// See returns an incident that the principal of the context may see.
func (m *Module) See(ctx context.Context, id uuid.UUID) (Incident, error) {
	return m.service.Get(ctx, id)
}
