package healthcheck

import (
	"cmp"
	"context"
	"crypto/sha256"
	"encoding/hex"
	"encoding/json"
	"fmt"
	"slices"
	"strconv"

	"github.com/google/uuid"

	"countersign/check/foreign"
	"countersign/internal/access"
	"countersign/internal/problem"
	"countersign/internal/store"
	"countersign/internal/text"
	"countersign/modules/healthcheck/healthcheckdb"
)

// Import is a document to import.
type Import struct {
	Document string `json:"document" minLength:"1" maxLength:"1048576" doc:"A document of health checks, in JSON or YAML."`
	Expected string `json:"expected,omitempty" maxLength:"64" doc:"The fingerprint of a preview: the import is refused with 412 if it would do something else by now."`
	// Touches are the existing checks in the document: only callers who see all of them see a proposal of the import.
	Touches []uuid.UUID `json:"touches,omitempty" maxItems:"200" doc:"Ids of the checks that exist and are named in the document. A proposal says them; an import does not need them."`
	// TouchesSystems are the existing systems that the document names, likewise.
	TouchesSystems []uuid.UUID    `json:"touchesSystems,omitempty" maxItems:"1000" doc:"The same for systems."`
	Systems        []SystemChoice `json:"systems,omitempty" maxItems:"1000" nullable:"false" doc:"Which systems stand for those that the document names. One that is not listed is the system of that name, which is created if there is none."`
}

// SystemChoice is what stands for a system that a document names.
type SystemChoice struct {
	Name     string     `json:"name" minLength:"1" maxLength:"120" doc:"As in the document, whatever the case."`
	SystemID *uuid.UUID `json:"systemId,omitempty" nullable:"true" doc:"The system to assign to. Absent: checks are not assigned to it."`
}

// Outcomes of an import.
const (
	importCreates = "created"
	importChanges = "updated"
	importLeaves  = "unchanged"
	importRefuses = "refused"
)

// ImportedCheck is the effect of an import on a check.
type ImportedCheck struct {
	Name     string          `json:"name"`
	Outcome  string          `json:"outcome" enum:"created,updated,unchanged,refused"`
	Line     int             `json:"line,omitempty" doc:"Where its monitor begins, in a file of another product."`
	ID       *uuid.UUID      `json:"id,omitempty" doc:"Absent for one that is new in a preview, or refused."`
	Revision int64           `json:"revision,omitempty" doc:"Of a check that was there, before the import."`
	Changes  []string        `json:"changes" nullable:"false" doc:"Which of its members change."`
	Errors   []problem.Issue `json:"errors" nullable:"false" doc:"What it is refused for."`
	// Assignments are in the order of the document, without those to systems that are left out by choice.
	Assignments []ImportedAssignment `json:"assignments" nullable:"false" doc:"Its assignments in the document."`
	Idle        bool                 `json:"idle" doc:"Whether it runs nowhere after the import: it is assigned to no system that you may see."`
}

// ImportReport is the effect of an import, which applies completely or not at all.
type ImportReport struct {
	Valid       bool             `json:"valid" doc:"Whether nothing is refused."`
	Created     int              `json:"created"`
	Updated     int              `json:"updated"`
	Unchanged   int              `json:"unchanged"`
	Checks      []ImportedCheck  `json:"checks" nullable:"false" doc:"In the order of the document."`
	Systems     []ImportedSystem `json:"systems" nullable:"false" doc:"The systems that the document names, by name."`
	Fingerprint string           `json:"fingerprint" doc:"Stands for all of it."`
}

// Import creates and updates checks by name as in a document. Checks that the document does not name stay unchanged.
func (s *service) Import(ctx context.Context, in Import) (ImportReport, error) {
	if format := foreign.Detect(in.Document); format != "" {
		return ImportReport{}, problem.InvalidInput(
			"The document is of the format "+format+". Preview it, and import the document that the preview answers with.",
			problem.Issue{Path: "document", Message: "is of the format " + format},
		)
	}
	return store.InTx(ctx, s.DB, func(ctx context.Context) (ImportReport, error) {
		report, err := s.importAll(ctx, in)
		if err != nil {
			return report, err
		}
		var v validation
		for i, c := range report.Checks {
			for _, issue := range c.Errors {
				v.Report("checks["+strconv.Itoa(i)+"]."+issue.Path, "%s", issue.Message)
			}
		}
		if err := v.Err(); err != nil {
			return report, err
		}
		if in.Expected != "" && in.Expected != report.Fingerprint {
			return report, problem.Errorf(
				problem.Precondition,
				"The import would do something else than its preview said: health checks have changed since. Preview it again.",
			)
		}
		return report, nil
	})
}

// importing is a check of a document during its import.
type importing struct {
	at    int
	check PortableCheck
	row   *healthcheckdb.HealthCheck
}

// importAll imports the valid checks in the transaction of ctx. It locks existing checks first, in a fixed order,
// because the later lock of plans must not wait for checks (deadlock).
func (s *service) importAll(ctx context.Context, in Import) (ImportReport, error) {
	report := ImportReport{Valid: true, Checks: []ImportedCheck{}, Systems: []ImportedSystem{}}
	if err := checkKind.Creatable(ctx); err != nil {
		return report, err
	}
	document, err := ReadDocument(in.Document)
	if err != nil {
		return report, err
	}
	if err := onceEach(document); err != nil {
		return report, err
	}
	all := make([]importing, len(document.Checks))
	report.Checks = make([]ImportedCheck, len(document.Checks))
	for i, c := range document.Checks {
		if c.Definition, err = s.upgraded(c.Definition); err != nil {
			return report, err
		}
		all[i] = importing{at: i, check: c}
		if all[i].row, err = s.known(ctx, c.Name); err != nil {
			return report, err
		}
	}
	slices.SortStableFunc(all, func(a, b importing) int { return compareRows(a.row, b.row) })
	for _, one := range all {
		if one.row == nil {
			continue
		}
		if *one.row, err = s.queries(ctx).LockCheck(ctx, one.row.ID); err != nil && !store.NoRows(err) {
			return report, fmt.Errorf("lock a health check: %w", err)
		}
	}
	systems, err := s.lockSystems(ctx, document, in.Systems)
	if err != nil {
		return report, err
	}
	// New checks and systems come before the first change of targets, whose lock must not wait for their names.
	created := slices.IndexFunc(all, func(one importing) bool { return one.row != nil })
	if created < 0 {
		created = len(all)
	}
	if err := s.importEach(ctx, all[:created], report.Checks); err != nil {
		return report, err
	}
	if err := s.createSystems(ctx, systems); err != nil {
		return report, err
	}
	if err := s.importEach(ctx, all[created:], report.Checks); err != nil {
		return report, err
	}
	if err := s.importAssignments(ctx, all, systems, report.Checks); err != nil {
		return report, err
	}
	for _, system := range systems {
		report.Systems = append(report.Systems, system.ImportedSystem)
	}
	return report, report.sum()
}

// importEach imports checks without their assignments. A refused check becomes part of the report.
func (s *service) importEach(ctx context.Context, all []importing, report []ImportedCheck) error {
	for _, one := range all {
		done, err := s.importOne(ctx, one)
		e := problem.As(err)
		switch {
		case err == nil:
		case e == nil || e.Code == problem.Internal || e.Code == problem.Throttled:
			return err
		default:
			done = refused(one.check.Name, e)
		}
		report[one.at] = done
	}
	return nil
}

// compareRows orders new checks before existing ones, these by id.
func compareRows(a, b *healthcheckdb.HealthCheck) int {
	switch {
	case a == nil || b == nil:
		return cmp.Compare(boolInt(a != nil), boolInt(b != nil))
	default:
		return slices.Compare(a.ID[:], b.ID[:])
	}
}

func boolInt(b bool) int {
	if b {
		return 1
	}
	return 0
}

func refused(name string, e *problem.Error) ImportedCheck {
	issues := e.Issues
	if len(issues) == 0 {
		issues = []problem.Issue{{Path: "name", Message: e.Detail}}
	}
	return ImportedCheck{Name: name, Outcome: importRefuses, Changes: []string{}, Errors: issues, Assignments: []ImportedAssignment{}}
}

// onceEach refuses a document that names a check twice, or a system twice in a check.
func onceEach(d Document) error {
	var v validation
	seen := map[string]int{}
	for i, c := range d.Checks {
		key := text.Key(c.Name)
		if first, twice := seen[key]; twice {
			v.Report("checks["+strconv.Itoa(i)+"].name", "is that of checks[%d] too", first)
			continue
		}
		seen[key] = i
		assigned := map[string]bool{}
		for j, a := range c.Assignments {
			key := text.Key(a.System)
			if assigned[key] {
				v.Report(fmt.Sprintf("checks[%d].assignments[%d].system", i, j), "is named by the check before")
			}
			assigned[key] = true
		}
	}
	return v.Err()
}

// known finds a check by name, if the caller sees it.
func (s *service) known(ctx context.Context, name string) (*healthcheckdb.HealthCheck, error) {
	row, err := s.queries(ctx).CheckByNameKey(ctx, text.Key(name))
	if store.NoRows(err) {
		return nil, nil
	}
	if err != nil {
		return nil, fmt.Errorf("look for a health check: %w", err)
	}
	levels, err := checkKind.Sight(ctx).Levels(ctx, s.DB, row.ID)
	if err != nil || levels[row.ID] == access.None {
		return nil, err
	}
	return &row, nil
}

func (s *service) importOne(ctx context.Context, one importing) (ImportedCheck, error) {
	c, done := one.check, ImportedCheck{
		Name: one.check.Name, Outcome: importCreates, Changes: []string{}, Errors: []problem.Issue{}, Assignments: []ImportedAssignment{},
	}
	if one.row == nil {
		created, err := s.Create(
			ctx,
			NewCheck{Name: c.Name, Description: c.Description, Definition: c.Definition, Paused: c.Paused != nil && *c.Paused},
		)
		if err != nil {
			return done, err
		}
		done.ID = &created.ID
		return done, nil
	}
	d, err := definitionOf(one.row.Definition, int(one.row.IntervalSeconds))
	if err != nil {
		return done, err
	}
	before, err := s.upgraded(placed(d, one.row.Locations, one.row.LocationRule))
	if err != nil {
		return done, err
	}
	was := NewCheck{Name: one.row.Name, Description: one.row.Description, Definition: before, Paused: one.row.Paused}
	change := c.change()
	for _, field := range changedFields(was, change.over(was)) {
		done.Changes = append(done.Changes, field.Name)
	}
	done.Outcome, done.ID, done.Revision = importLeaves, &one.row.ID, one.row.Revision
	if len(done.Changes) == 0 {
		// An import that leaves a check unchanged must not reveal it to a caller without the right to change it.
		return done, nil
	}
	done.Outcome = importChanges
	return done, s.checks.Change(ctx, one.row.ID, access.Edit, nil, func(ctx context.Context, row healthcheckdb.HealthCheck) (bool, error) {
		return s.change(ctx, row, change)
	})
}

// change makes the update of an existing check.
func (c PortableCheck) change() CheckChange {
	rule := c.LocationRule
	if rule == "" && len(c.Locations) > 0 {
		rule = c.rule()
	}
	return CheckChange{
		Locations: &c.Locations, LocationRule: &rule,
		Name: &c.Name, Description: &c.Description, StrategyID: &c.StrategyID, Version: &c.Version, Config: &c.Config, Interval: &c.Interval,
		Collectors: &c.Collectors, Kept: &c.Kept, Paused: c.Paused,
	}
}

// sum counts the outcomes, and computes the fingerprint.
func (r *ImportReport) sum() error {
	type mark struct {
		Name     string               `json:"name"`
		Outcome  string               `json:"outcome"`
		Revision int64                `json:"revision"`
		Changes  []string             `json:"changes"`
		Assigned []ImportedAssignment `json:"assigned"`
	}
	marks := make([]mark, len(r.Checks))
	for i, c := range r.Checks {
		switch c.Outcome {
		case importCreates:
			r.Created++
		case importChanges:
			r.Updated++
		case importLeaves:
			r.Unchanged++
		default:
			r.Valid = false
		}
		marks[i] = mark{c.Name, c.Outcome, c.Revision, c.Changes, c.Assignments}
	}
	// Systems that the import creates have another id each time.
	systems := slices.Clone(r.Systems)
	for i := range systems {
		if systems[i].Outcome == importCreates {
			systems[i].SystemID = nil
		}
	}
	raw, err := json.Marshal([]any{marks, systems})
	if err != nil {
		return fmt.Errorf("write a report: %w", err)
	}
	hash := sha256.Sum256(raw)
	r.Fingerprint = hex.EncodeToString(hash[:])
	return nil
}
