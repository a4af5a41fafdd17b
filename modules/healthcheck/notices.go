package healthcheck

import (
	"context"
	"strings"

	"countersign/internal/notice"
)

// Topics of notices about systems.
const (
	aboutSystem   = "system"
	topicHealth   = "system.health"
	flappingEdges = "flapping:"
)

// Notices lets people be told of the health of systems.
func (m *Module) Notices() []notice.Subject {
	return []notice.Subject{{
		Kind: aboutSystem,
		Topics: []notice.Topic{
			{ID: topicHealth, Label: "Health of systems", Description: "A system that you subscribe to is degraded, unhealthy or healthy again."},
		},
		Rules: []string{StatusRead}, Facts: m.facts,
	}}
}

// facts are how a system is now, for the reader of the context.
func (m *Module) facts(ctx context.Context, n notice.Notice) (notice.Facts, error) {
	system, err := m.service.status(ctx, n.ID)
	if err != nil {
		return notice.Facts{}, err
	}
	f := notice.Facts{
		Title: system.SystemName + " is " + strings.ReplaceAll(string(system.Status), "-", " "), Text: system.Reason,
		Path: "/health/systems/" + n.ID.String(), Severity: severityOf(system.Status),
		Over: system.Status == Healthy,
	}
	if strings.HasPrefix(n.Edge, flappingEdges) {
		f.Title, f.Over = system.SystemName+" keeps changing", false
		f.Text = "It is " + string(system.Status) + " now. You get another message when it has settled."
		f.Severity = notice.Warning
	}
	return f, nil
}

func severityOf(s Status) notice.Severity {
	switch s {
	case Healthy:
		return notice.Good
	case Degraded:
		return notice.Warning
	case Unhealthy:
		return notice.Critical
	default:
		return notice.Info
	}
}
