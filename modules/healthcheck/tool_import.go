package healthcheck

import (
	"context"
	"fmt"
	"net/http"
	"strings"

	"countersign/internal/access"
	"countersign/internal/problem"
	"countersign/internal/text"
	"countersign/tool"
	"countersign/tool/kit"
)

type importOutput struct {
	Created   int `json:"created"`
	Updated   int `json:"updated"`
	Unchanged int `json:"unchanged"`
}

// Targets implements tool.Targeted. Existing records may change before the decision, so the decision runs the import once as a
// dry run.
func (in Import) Targets() []tool.Target {
	targets := make([]tool.Target, 0, len(in.Touches)+len(in.TouchesSystems))
	for _, id := range in.Touches {
		targets = append(targets, checksAPI.Target(id, access.View))
	}
	for _, id := range in.TouchesSystems {
		targets = append(targets, systemsAPI.Target(id, access.View))
	}
	return targets
}

// importTool exists for the policies of its operation: an import creates and changes checks.
func (m *Module) importTool() tool.Tool {
	d := kit.Define(texts, "healthcheck.import", tool.Mutate, Manage).WithCascade()
	d.Access.Hidden, d.Policy.Rehearsed = true, true
	d.Operations.PreviewOperations = []tool.Operation{{Method: http.MethodPost, Path: previewPath}}
	d.Policy.Covers = []string{
		"catalog.createSystem", "healthcheck.assign", "healthcheck.propose", "healthcheck.setPaused", "healthcheck.update",
	}
	return kit.NewWrite(d,
		func(ctx context.Context, c tool.Caller, in Import) (kit.Preview[Import], error) {
			var none kit.Preview[Import]
			var report ImportPreview
			draft := ImportDraft{Document: in.Document, Systems: in.Systems, Format: formatOwn}
			if _, err := c.Client.Do(ctx, http.MethodPost, previewPath, draft, &report); err != nil {
				return none, err
			}
			if in.Expected != "" && in.Expected != report.Fingerprint {
				return none, problem.Errorf(
					problem.Precondition,
					"The import would do something else than its preview said: health checks have changed since. Preview it again.",
				)
			}
			// The import must match the preview that was approved.
			in.Expected, in.Touches, in.TouchesSystems = report.Fingerprint, nil, nil
			for _, one := range report.Checks {
				if one.ID != nil {
					in.Touches = append(in.Touches, *one.ID)
				}
			}
			for _, one := range report.Systems {
				if one.SystemID != nil {
					in.TouchesSystems = append(in.TouchesSystems, *one.SystemID)
				}
			}
			p := kit.Preview[Import]{
				Summary: fmt.Sprintf(
					"Import %d health checks: %d created, %d updated, %d unchanged",
					len(report.Checks),
					report.Created,
					report.Updated,
					report.Unchanged,
				),
				Payload: in,
			}
			var v validation
			for i, one := range report.Checks {
				for _, issue := range one.Errors {
					v.Report(fmt.Sprintf("checks[%d].%s", i, issue.Path), "%s", issue.Message)
				}
				switch one.Outcome {
				case importCreates:
					p.Effects = append(p.Effects, text.Shown(one.Name+" is created.", maxSentence))
				case importChanges:
					p.Effects = append(p.Effects, text.Shown(one.Name+" changes: "+strings.Join(one.Changes, ", ")+".", maxSentence))
				}
			}
			for _, one := range report.Systems {
				if one.Outcome == importCreates {
					p.Effects = append(p.Effects, text.Shown("The system "+one.Name+" is created.", maxSentence))
				}
			}
			if len(p.Effects) == 0 && v.Count() == 0 {
				return none, kit.Unchanged("the health checks are like this already.")
			}
			return p, v.Err()
		},
		func(in Import) tool.Request { return kit.Post(importPath, in) },
		func(r ImportReport) importOutput { return importOutput{r.Created, r.Updated, r.Unchanged} })
}
