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

// importInput is the input of an import. The payload of its proposal is a document of this product, whatever file it came from.
type importInput struct{ Import }

// Limits of the sentences about an import, in all fewer than a proposal shows.
const (
	mostLosses  = 10
	mostEffects = 7
)

func (m *Module) importTool() tool.Tool {
	d := kit.Define(texts, "healthcheck.import", tool.Mutate, Manage).WithCascade()
	d.Policy.Rehearsed = true
	d.Schema.HiddenInput = []string{"expected", "touches", "touchesSystems"}
	d.Operations.PreviewOperations = []tool.Operation{{Method: http.MethodPost, Path: previewPath}}
	d.Policy.Covers = []string{
		"catalog.createSystem", "healthcheck.assign", "healthcheck.propose", "healthcheck.setPaused", "healthcheck.update",
	}
	return kit.NewWrite(d, previewImport,
		func(in importInput) tool.Request { return kit.Post(importPath, in.Import) },
		func(r ImportReport) importOutput { return importOutput{r.Created, r.Updated, r.Unchanged} })
}

// previewImport is the dry run of an import.
func previewImport(ctx context.Context, c tool.Caller, in importInput) (kit.Preview[importInput], error) {
	var none kit.Preview[importInput]
	var report ImportPreview
	if _, err := c.Client.Do(ctx, http.MethodPost, previewPath, ImportDraft{Document: in.Document, Systems: in.Systems}, &report); err != nil {
		return none, err
	}
	if in.Expected != "" && in.Expected != report.Fingerprint {
		return none, problem.Errorf(
			problem.Precondition,
			"The import would do something else than its preview said: health checks have changed since. Preview it again.",
		)
	}
	if err := report.refusal(); err != nil {
		return none, err
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
	p := kit.Preview[importInput]{
		Summary: fmt.Sprintf("Import %d health checks: %d created, %d updated, %d unchanged",
			len(report.Checks), report.Created, report.Updated, report.Unchanged),
		Effects: packed(mostEffects, report.effects()),
	}
	if len(p.Effects) == 0 {
		return none, kit.Unchanged("the health checks are like this already.")
	}
	if from := report.Conversion; from != nil {
		in.Document = from.Document
		p.Summary += fmt.Sprintf(", from %d of %d monitors of %s", from.Mapped, from.Monitors, report.Format)
		p.Effects = append(p.Effects, packed(mostLosses, from.losses())...)
	}
	p.Payload = in
	return p, nil
}

// refusal is the error of an import that is not valid; nil for a valid one.
func (r ImportPreview) refusal() error {
	var v validation
	for i, one := range r.Checks {
		for _, issue := range one.Errors {
			path := fmt.Sprintf("checks[%d].%s", i, issue.Path)
			if one.Line > 0 {
				path = fmt.Sprintf("document line %d, %s", one.Line, one.Name)
			}
			v.Report(path, "%s", issue.Message)
		}
	}
	if r.Conversion != nil {
		if len(r.Checks) == 0 {
			for _, f := range r.Conversion.Findings {
				v.Report("document", "%s", f.sentence())
			}
			v.Report("document", "has no monitor that becomes a check")
		}
		for _, s := range r.Conversion.Secrets {
			if !s.Exists {
				v.Report("document", "line %d holds a password or token, which becomes the secret %s: a person has to create it in the vault first",
					s.Line, s.Name)
			}
		}
	}
	return v.Err()
}

// effects are the sentences about what an import creates and changes.
func (r ImportPreview) effects() (all []string) {
	for _, one := range r.Checks {
		switch one.Outcome {
		case importCreates:
			all = append(all, text.Shown(one.Name+" is created.", maxSentence))
		case importChanges:
			all = append(all, text.Shown(one.Name+" changes: "+strings.Join(one.Changes, ", ")+".", maxSentence))
		}
	}
	for _, one := range r.Systems {
		if one.Outcome == importCreates {
			all = append(all, text.Shown("The system "+one.Name+" is created.", maxSentence))
		}
	}
	return all
}

// losses are the sentences about what changes its meaning or is left out, whole monitors first.
func (c *Conversion) losses() (all []string) {
	for _, whole := range []bool{true, false} {
		for _, f := range c.Findings {
			if (f.Monitor != "" && f.Setting == "") == whole {
				all = append(all, f.sentence())
			}
		}
	}
	return all
}

func (f ImportFinding) sentence() string {
	about := []string{fmt.Sprintf("Line %d", f.Line)}
	for _, part := range []string{f.Monitor, f.Setting} {
		if part != "" {
			about = append(about, part)
		}
	}
	return text.Shown(strings.Join(about, ", ")+": "+strings.TrimSuffix(f.Message, ".")+".", maxSentence)
}

// packed joins sentences until at most so many texts are left, and counts what finds no room.
func packed(most int, sentences []string) (all []string) {
	if len(sentences) <= most {
		return sentences
	}
	for i, sentence := range sentences {
		last := len(all) - 1
		switch {
		case last >= 0 && len(all[last])+len(sentence) < tool.MaxSummary-len(" And 10000 more."):
			all[last] += " " + sentence
		case len(all) < most:
			all = append(all, sentence)
		default:
			all[last] += fmt.Sprintf(" And %d more.", len(sentences)-i)
			return all
		}
	}
	return all
}
