package healthcheck

import (
	"cmp"
	"context"
	"fmt"
	"slices"

	"countersign/check/foreign"
	"countersign/internal/problem"
)

// formatOwn is the format of documents of this product.
const formatOwn = "countersign"

// ImportDraft is a document whose import is previewed: one of this product, or a file of another one.
type ImportDraft struct {
	Document string         `json:"document" minLength:"1" maxLength:"1048576" doc:"A document of health checks, or a file of another product, in JSON or YAML. Several files of YAML stand one after the other with a line --- between them."`
	Format   string         `json:"format,omitempty" enum:"countersign,gatus,uptime-kuma,blackbox,checkly" doc:"What it is; found out when absent."`
	Systems  []SystemChoice `json:"systems,omitempty" maxItems:"1000" nullable:"false" doc:"As of an import."`
}

// ImportPreview is the effect that an import would have.
type ImportPreview struct {
	ImportReport
	Format     string      `json:"format" enum:"countersign,gatus,uptime-kuma,blackbox,checkly"`
	Conversion *Conversion `json:"conversion,omitempty" doc:"What a file of another product becomes."`
}

// Conversion is what a file of another product becomes. It holds no secret of the file.
type Conversion struct {
	Document string          `json:"document" doc:"The document to import, in YAML."`
	Monitors int             `json:"monitors" doc:"How many monitors the file has."`
	Mapped   int             `json:"mapped" doc:"How many of them became a check."`
	Findings []ImportFinding `json:"findings" nullable:"false" doc:"What changes its meaning or is left out, by line."`
	Secrets  []ImportSecret  `json:"secrets" nullable:"false" doc:"Passwords and tokens of the file. Checks refer to them as secrets of the vault, which have to exist before the import."`
}

// ImportFinding is a setting of a file that is not kept as it is.
type ImportFinding struct {
	Kind    string `json:"kind" enum:"changes,leftOut"`
	Line    int    `json:"line" doc:"Counted from 1."`
	Monitor string `json:"monitor,omitempty" doc:"The monitor by its name in the file. Absent for settings of the whole file."`
	Setting string `json:"setting,omitempty" doc:"The setting by its path. Absent for the whole monitor."`
	Message string `json:"message"`
}

// ImportSecret is a password or token of a file.
type ImportSecret struct {
	Name     string   `json:"name" doc:"The name of the secret in the vault."`
	Line     int      `json:"line" doc:"Where it is, counted from 1."`
	Column   int      `json:"column" doc:"Where its value begins in the line, in UTF-16 code units counted from 0."`
	Length   int      `json:"length" doc:"How long its value is, in UTF-16 code units; 0 for one whose value is not in the file as it is."`
	Monitors []string `json:"monitors" nullable:"false" doc:"The monitors that use it."`
	Exists   bool     `json:"exists" doc:"Whether the vault has a secret of this name, as far as the caller may know: it is used then, whatever its value."`
}

// PreviewImport returns the effect of an import, in a transaction that is rolled back.
func (s *service) PreviewImport(ctx context.Context, in ImportDraft) (ImportPreview, error) {
	preview := ImportPreview{Format: in.Format}
	if err := checkKind.Creatable(ctx); err != nil {
		return preview, err
	}
	if preview.Format == "" {
		if preview.Format = foreign.Detect(in.Document); preview.Format == "" {
			preview.Format = formatOwn
		}
	}
	document := Import{Document: in.Document, Systems: in.Systems}
	var lines []int
	if preview.Format != formatOwn {
		var err error
		if preview.Conversion, lines, err = s.convert(ctx, preview.Format, in.Document); err != nil {
			return preview, err
		}
		document.Document = preview.Conversion.Document
	}
	err := s.DB.DryRun(ctx, func(ctx context.Context) (err error) {
		preview.ImportReport, err = s.importAll(ctx, document)
		return err
	})
	for i := range preview.Checks {
		if preview.Checks[i].Outcome == importCreates {
			preview.Checks[i].ID = nil
		}
		if i < len(lines) {
			preview.Checks[i].Line = lines[i]
		}
	}
	for i := range preview.Systems {
		if preview.ImportReport.Systems[i].Outcome == importCreates {
			preview.ImportReport.Systems[i].SystemID = nil
		}
	}
	return preview, err
}

// convert converts a file of another product to a document, and returns the lines of its checks.
func (s *service) convert(ctx context.Context, format, content string) (*Conversion, []int, error) {
	plan, err := foreign.Read(format, content)
	if err != nil {
		return nil, nil, err
	}
	if len(plan.Checks) > MaxDocumentChecks {
		message := fmt.Sprintf("has %d monitors that become checks, at most %d can be imported at once", len(plan.Checks), MaxDocumentChecks)
		return nil, nil, problem.InvalidInput(
			"The file "+message+". Import its groups one after the other.", problem.Issue{Path: "document", Message: message})
	}
	c := &Conversion{Monitors: plan.Monitors, Mapped: plan.Mapped, Findings: []ImportFinding{}, Secrets: []ImportSecret{}}
	d, lines := Document{Version: DocumentVersion, Checks: []PortableCheck{}}, []int{}
	for _, one := range plan.Checks {
		definition, err := definitionOf(one.Configuration, one.Interval)
		if err != nil {
			return nil, nil, err
		}
		d.Checks = append(d.Checks, PortableCheck{
			Name: one.Name, Description: one.Description, Definition: definition, Paused: &one.Paused,
			Assignments: []PortableAssignment{{System: one.System, Thresholds: one.Thresholds}},
		})
		lines = append(lines, one.Line)
	}
	written, err := d.As("yaml")
	if err != nil {
		return nil, nil, err
	}
	c.Document = string(written)
	for _, f := range plan.Findings {
		c.Findings = append(c.Findings, ImportFinding(f))
	}
	for _, one := range plan.Secrets {
		exists := true
		err := s.Secrets.Exist(ctx, []string{one.Name})
		switch {
		case problem.Is(err, problem.Conflict):
			exists = false
		case err != nil:
			return nil, nil, err
		}
		if exists {
			// The file chooses where it is sent, and its author need not be the caller.
			c.Findings = append(c.Findings, ImportFinding{
				Kind: foreign.Changes, Line: one.Line, Monitor: one.Monitors[0],
				Message: "The secret " + one.Name + " of the vault is sent to where this monitor says, whatever its value",
			})
		}
		c.Secrets = append(c.Secrets, ImportSecret{
			Name: one.Name, Line: one.Line, Column: one.Column, Length: one.Length, Monitors: one.Monitors, Exists: exists,
		})
	}
	slices.SortStableFunc(c.Findings, func(a, b ImportFinding) int { return cmp.Compare(a.Line, b.Line) })
	return c, lines, nil
}
