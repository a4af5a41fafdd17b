package oncall

import (
	"context"
	"embed"
	"net/url"
	"time"

	"github.com/google/uuid"

	"countersign/internal/problem"
	"countersign/tool"
	"countersign/tool/kit"
)

//go:embed tool_*.md
var texts embed.FS

// Tools are the tools of the module. Schedules and policies are changed by people.
func (m *Module) Tools() []tool.Tool { return []tool.Tool{explainTool()} }

type explainInput struct {
	IncidentID *uuid.UUID  `json:"incidentId,omitempty" jsonschema:"description=An incident; leave it out for one that has not opened."`
	SystemIDs  []uuid.UUID `json:"systemIds,omitempty" jsonschema:"maxItems=20,description=Systems of an incident that has not opened."`
	Severity   string      `json:"severity,omitempty" jsonschema:"enum=minor,enum=major,enum=critical,description=Of an incident that has not opened; major when left out."`
	PersonID   *uuid.UUID  `json:"personId,omitempty" jsonschema:"description=Only about this person."`
	At         *time.Time  `json:"at,omitempty" jsonschema:"description=When it opens; now when left out. With an offset."`
}

// explainOutput is the explanation in sentences.
type explainOutput struct {
	Policy string   `json:"policy,omitempty"`
	Text   string   `json:"text"`
	Reason string   `json:"reason,omitempty"`
	Steps  []string `json:"steps,omitempty" jsonschema:"description=Those that were taken and those that come."`
	People []string `json:"people,omitempty" jsonschema:"description=Whether and when each person is called and why others are not."`
}

// shownSteps bounds the sentences for a model.
const shownSteps = 24

func explainTool() tool.Tool {
	d := kit.Define(texts, "notify.explain", tool.Read, Read)
	return kit.NewRead(d, func(ctx context.Context, c tool.Caller, in explainInput) (explainOutput, error) {
		if (in.IncidentID == nil) == (len(in.SystemIDs) == 0) {
			return explainOutput{}, problem.InvalidInput("Name an incident, or the systems of one that has not opened.",
				problem.Issue{Path: "incidentId", Message: "must be given without systemIds, or they without it"})
		}
		query := url.Values{}
		if in.IncidentID != nil {
			query.Set("incidentId", in.IncidentID.String())
		}
		for _, id := range in.SystemIDs {
			query.Add("systemIds", id.String())
		}
		if in.Severity != "" {
			query.Set("severity", in.Severity)
		}
		if in.PersonID != nil {
			query.Set("personId", in.PersonID.String())
		}
		if in.At != nil {
			query.Set("at", in.At.Format(time.RFC3339))
		}
		var e Explanation
		if _, err := c.Client.Get(ctx, explainPath+"?"+query.Encode(), &e); err != nil {
			return explainOutput{}, err
		}
		out := explainOutput{Text: e.Text, Reason: e.Reason}
		if e.Policy != nil {
			out.Policy = e.Policy.Name
		}
		for _, s := range e.Steps[:min(len(e.Steps), shownSteps)] {
			out.Steps = append(out.Steps, s.Text)
		}
		for _, p := range e.People[:min(len(e.People), shownSteps)] {
			out.People = append(out.People, p.Text)
		}
		return out, nil
	})
}
