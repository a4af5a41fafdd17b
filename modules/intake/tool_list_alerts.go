package intake

import (
	"context"
	"embed"
	"net/url"
	"time"

	"github.com/google/uuid"

	"countersign/tool"
	"countersign/tool/kit"
)

//go:embed tool_*.md
var texts embed.FS

// Tools are the tools of the module. Sources are set up by people.
func (m *Module) Tools() []tool.Tool { return []tool.Tool{listAlertsTool()} }

type listAlertsInput struct {
	IncidentID uuid.UUID `json:"incidentId" jsonschema:"description=The incident; ids come from incident_list."`
}

// shownAlert is the part of an alert for a model.
type shownAlert struct {
	Source      string            `json:"source" jsonschema:"description=The source of alerts that reported it."`
	Kind        string            `json:"kind" jsonschema:"description=The product that sends."`
	Title       string            `json:"title"`
	Description string            `json:"description,omitempty"`
	Firing      bool              `json:"firing"`
	Severity    string            `json:"severity"`
	Labels      map[string]string `json:"labels,omitempty"`
	URL         string            `json:"url,omitempty"`
	At          time.Time         `json:"at" jsonschema:"description=When it began to fire or last changed."`
	EndedAt     *time.Time        `json:"endedAt,omitempty"`
}

type listAlertsOutput struct {
	Alerts []shownAlert `json:"alerts" jsonschema:"description=Those that fire first; none when no source of alerts reported the incident."`
	More   bool         `json:"more,omitempty" jsonschema:"description=There are further ones."`
}

// Tainted implements tool.Tainted: alerts are texts from outside.
func (o listAlertsOutput) Tainted() bool { return len(o.Alerts) > 0 }

// Origin implements tool.Originated.
func (listAlertsOutput) Origin() string { return "alerts" }

// modelAlerts bounds what a model gets.
const modelAlerts = 20

func listAlertsTool() tool.Tool {
	d := kit.Define(texts, "intake.listAlerts", tool.Read, incidentRead)
	return kit.NewRead(d, func(ctx context.Context, c tool.Caller, in listAlertsInput) (listAlertsOutput, error) {
		var found alertList
		query := url.Values{"incidentId": {in.IncidentID.String()}}
		if _, err := c.Client.Get(ctx, "/api/intake/alerts?"+query.Encode(), &found); err != nil {
			return listAlertsOutput{}, err
		}
		out := listAlertsOutput{Alerts: []shownAlert{}, More: len(found.Alerts) > modelAlerts}
		for _, a := range found.Alerts[:min(len(found.Alerts), modelAlerts)] {
			out.Alerts = append(out.Alerts, shownAlert{
				Source: a.SourceName, Kind: string(a.SourceKind), Title: a.Title, Description: a.Description, Firing: a.Firing,
				Severity: a.Severity, Labels: a.Labels, URL: a.URL, At: a.At, EndedAt: a.EndedAt,
			})
		}
		return out, nil
	})
}
