package automation

import (
	"context"
	"net/http"
	"time"

	"github.com/google/uuid"

	"countersign/automation/definition"
	"countersign/internal/access"
	"countersign/tool"
	"countersign/tool/capability"
	"countersign/tool/kit"
)

// automationsAPI is where the tools find automations.
var automationsAPI = kit.Collection[Automation]{Kind: automationKind, Path: path}

// Tools are the tools of automations. Those that change something go through the caller's client.
func (m *Module) Tools() []tool.Tool {
	tools := []tool.Tool{
		listTool(), getTool(), proposeTool(), updateTool(), deleteTool(), runsTool(), explainRunTool(), runNowTool(), m.listServiceAccountsTool(),
	}
	catalog := capability.Kit{Context: "automation", Texts: texts, Rule: Read, Kind: automationKind, List: m.service.capabilities}
	return append(append(tools, catalog.Tools()...), m.Authoring.Tools()...)
}

// about is the target of a change of an automation.
func about(id uuid.UUID) []tool.Target { return []tool.Target{automationsAPI.Target(id, access.Edit)} }

// briefAutomation is the part of an automation for a model.
type briefAutomation struct {
	ID       uuid.UUID  `json:"id"`
	Name     string     `json:"name"`
	Status   string     `json:"status"`
	RunAs    string     `json:"runAs"`
	Triggers []string   `json:"triggers"`
	LastRuns []string   `json:"lastRuns,omitempty" jsonschema_description:"Statuses of its last runs, newest first."`
	NextDue  *time.Time `json:"nextDue,omitempty"`
}

func brief(l Listed) briefAutomation {
	b := briefAutomation{l.ID, l.Name, l.Status, l.RunAs.Name, l.Triggers, nil, l.NextDue}
	for _, r := range l.LastRuns[:min(len(l.LastRuns), 5)] {
		b.LastRuns = append(b.LastRuns, r.Status)
	}
	return b
}

type changedOutput struct {
	Automation briefAutomation `json:"automation"`
}

func newChangedOutput(a Automation) changedOutput { return changedOutput{brief(a.Listed)} }

// validated asks the API what saving a definition would say. Its issues go back to the model.
func validated(ctx context.Context, c tool.Caller, d Draft) (Verdict, error) {
	var v Verdict
	if _, err := c.Client.Do(ctx, http.MethodPost, path+"/validate", d, &v); err != nil {
		return v, err
	}
	return v, refusal(v.Issues)
}

// touches says what a definition may do, for the card.
func touches(v Verdict) []string {
	var effects []string
	if v.Definition == nil {
		return nil
	}
	for _, t := range v.Definition.Triggers {
		effects = append(effects, "Runs on "+t.Event+".")
	}
	seen := map[string]bool{}
	for _, s := range definition.Steps(v.Definition) {
		if s.Action != "" && !seen[s.Action] {
			seen[s.Action] = true
			effects = append(effects, "Its runs do "+s.Action+" without asking anybody.")
		}
	}
	for _, i := range v.Issues {
		effects = append(effects, "Warning: "+i.Path+": "+i.Message)
	}
	return effects[:min(len(effects), 20)]
}
