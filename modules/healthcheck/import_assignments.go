package healthcheck

import (
	"context"
	"fmt"
	"maps"
	"slices"
	"strings"

	"github.com/google/uuid"

	"countersign/check"
	"countersign/internal/access"
	"countersign/internal/principal"
	"countersign/internal/problem"
	"countersign/internal/store"
	"countersign/internal/text"
	"countersign/modules/healthcheck/healthcheckdb"
)

// ImportedAssignment is the effect of an import on an assignment.
type ImportedAssignment struct {
	System  string `json:"system" doc:"The name of the system that it is for."`
	Outcome string `json:"outcome" enum:"created,updated,unchanged"`
}

// Outcomes of systems that a document names.
const (
	systemFound  = "found"
	systemChosen = "chosen"
	systemLeft   = "left"
)

// ImportedSystem is a system that a document names.
type ImportedSystem struct {
	Name     string     `json:"name"`
	Outcome  string     `json:"outcome" enum:"found,created,chosen,left,refused" doc:"found by its name, created, chosen by the caller, left out by the caller, or refused."`
	SystemID *uuid.UUID `json:"systemId,omitempty" doc:"Absent for one that is new in a preview."`
	Checks   int        `json:"checks" doc:"How many checks of the document name it."`
}

// importedSystem is a system of a document during its import.
type importedSystem struct {
	ImportedSystem
	// environments are the names of the environments in which checks run on it, for a system to create.
	environments []string
	// refusal is why checks cannot be assigned to it.
	refusal *problem.Error
}

// lockSystems finds the systems that a document names, and locks those that exist, in the order of their ids. The answer is in the
// order of names.
func (s *service) lockSystems(ctx context.Context, d Document, choices []SystemChoice) ([]*importedSystem, error) {
	named := namedSystems(d)
	var v validation
	for i, choice := range choices {
		system := named[text.Key(choice.Name)]
		switch {
		case system == nil:
			v.Report(fmt.Sprintf("systems[%d].name", i), "is no system that the document names")
		case system.Outcome != "":
			v.Report(fmt.Sprintf("systems[%d].name", i), "is chosen twice")
		case choice.SystemID == nil:
			system.Outcome = systemLeft
		default:
			system.Outcome, system.SystemID = systemChosen, choice.SystemID
		}
	}
	if err := v.Err(); err != nil {
		return nil, err
	}
	ordered := make([]*importedSystem, 0, len(named))
	for _, key := range slices.Sorted(maps.Keys(named)) {
		system := named[key]
		ordered = append(ordered, system)
		if system.Outcome != "" {
			continue
		}
		id, err := s.Systems.Find(ctx, system.Name)
		if err != nil {
			return nil, err
		}
		if system.Outcome, system.SystemID = importCreates, id; id != nil {
			system.Outcome = systemFound
		}
	}
	locked := slices.DeleteFunc(slices.Clone(ordered), func(system *importedSystem) bool { return system.SystemID == nil })
	slices.SortFunc(locked, func(a, b *importedSystem) int { return slices.Compare(a.SystemID[:], b.SystemID[:]) })
	for _, system := range locked {
		if _, err := s.Systems.Hold(ctx, *system.SystemID); err != nil {
			if err := system.refuse(err); err != nil {
				return nil, err
			}
		}
	}
	return ordered, nil
}

// namedSystems are the systems that a document names, by the keys of their names.
func namedSystems(d Document) map[string]*importedSystem {
	named := map[string]*importedSystem{}
	for _, c := range d.Checks {
		for _, a := range c.Assignments {
			key := text.Key(a.System)
			if named[key] == nil {
				named[key] = &importedSystem{ImportedSystem: ImportedSystem{Name: strings.TrimSpace(a.System)}}
			}
			named[key].Checks++
			if a.Environments != nil {
				named[key].environments = append(named[key].environments, *a.Environments...)
			}
		}
	}
	for _, system := range named {
		slices.Sort(system.environments)
		system.environments = slices.Compact(system.environments)
	}
	return named
}

// refuse records why checks cannot be assigned to a system. It returns errors that are no answer.
func (i *importedSystem) refuse(err error) error {
	e := problem.As(err)
	if e == nil || e.Code == problem.Internal || e.Code == problem.Throttled {
		return err
	}
	i.Outcome, i.refusal, i.SystemID = importRefuses, e, nil
	return nil
}

// createSystems creates the systems that do not exist.
func (s *service) createSystems(ctx context.Context, systems []*importedSystem) error {
	for _, system := range systems {
		if system.Outcome != importCreates {
			continue
		}
		id, err := s.Systems.Create(ctx, system.Name, system.environments)
		if err != nil {
			if err := system.refuse(err); err != nil {
				return err
			}
			continue
		}
		system.SystemID = &id
	}
	return nil
}

// importAssignments makes and changes assignments, after all checks and systems are there.
func (s *service) importAssignments(ctx context.Context, all []importing, systems []*importedSystem, report []ImportedCheck) error {
	named := map[string]*importedSystem{}
	ids := []uuid.UUID{}
	for _, system := range systems {
		named[text.Key(system.Name)] = system
		if system.SystemID != nil {
			ids = append(ids, *system.SystemID)
		}
	}
	described, err := s.described(ctx, distinct(ids))
	if err != nil {
		return err
	}
	for _, one := range all {
		done := &report[one.at]
		if done.Outcome == importRefuses {
			continue
		}
		for j, a := range one.check.Assignments {
			system := named[text.Key(a.System)]
			if system.Outcome == systemLeft {
				continue
			}
			outcome, err := s.importAssignment(ctx, one, *done.ID, a, system, described)
			e := problem.As(err)
			switch {
			case err == nil:
				name := described[*system.SystemID].Scope.Name
				done.Assignments = append(done.Assignments, ImportedAssignment{System: name, Outcome: outcome})
			case e == nil || e.Code == problem.Internal || e.Code == problem.Throttled:
				return err
			default:
				done.refuseAssignment(j, e)
			}
		}
		done.follow()
	}
	return s.markIdle(ctx, report)
}

// refuseAssignment refuses a check for one of its assignments.
func (c *ImportedCheck) refuseAssignment(at int, e *problem.Error) {
	path := fmt.Sprintf("assignments[%d].", at)
	c.Outcome = importRefuses
	if len(e.Issues) == 0 {
		c.Errors = append(c.Errors, problem.Issue{Path: path + "system", Message: e.Detail})
	}
	for _, issue := range e.Issues {
		c.Errors = append(c.Errors, problem.Issue{Path: path + issue.Path, Message: issue.Message})
	}
}

// follow makes an unchanged check with a changed assignment a changed one.
func (c *ImportedCheck) follow() {
	changed := slices.ContainsFunc(c.Assignments, func(a ImportedAssignment) bool { return a.Outcome != importLeaves })
	if !changed || c.Outcome == importCreates || c.Outcome == importRefuses {
		return
	}
	c.Outcome = importChanges
	c.Changes = append(c.Changes, "assignments")
}

// importAssignment makes or changes one assignment. An equal one stays without a look at rights, as an equal check does.
func (s *service) importAssignment(
	ctx context.Context,
	one importing,
	checkID uuid.UUID,
	a PortableAssignment,
	system *importedSystem,
	described map[uuid.UUID]System,
) (string, error) {
	if system.refusal != nil {
		return "", system.refusal
	}
	choice := AssignmentChoice{Enabled: a.Enabled, Thresholds: a.Thresholds}
	if a.Environments != nil {
		if len(*a.Environments) > 0 && !s.Systems.SeesEnvironments(ctx) {
			return "", problem.MissingRule("use environments", principal.FromContext(ctx).Missing(environmentRead)...)
		}
		ids, err := environmentIDs(described[*system.SystemID], *a.Environments)
		if err != nil {
			return "", err
		}
		choice.EnvironmentIDs = &ids
	}
	before, err := s.queries(ctx).Assignment(ctx, healthcheckdb.AssignmentParams{CheckID: checkID, SystemID: *system.SystemID})
	outcome := importChanges
	switch {
	case store.NoRows(err):
		outcome = importCreates
	case err != nil:
		return "", fmt.Errorf("load an assignment: %w", err)
	case choice.equal(before):
		return importLeaves, nil
	}
	if one.row != nil {
		return outcome, s.checks.Change(ctx, checkID, access.Edit, nil, func(ctx context.Context, row healthcheckdb.HealthCheck) (bool, error) {
			return s.assign(ctx, row, *system.SystemID, choice)
		})
	}
	row, err := s.queries(ctx).LockCheck(ctx, checkID)
	if err != nil {
		return "", fmt.Errorf("load a health check: %w", err)
	}
	_, err = s.assign(ctx, row, *system.SystemID, choice)
	return outcome, err
}

// equal reports whether an assignment is as chosen.
func (c AssignmentChoice) equal(row healthcheckdb.HealthAssignment) bool {
	if row.Enabled != (c.Enabled == nil || *c.Enabled) || row.Thresholds != c.Thresholds {
		return false
	}
	if c.EnvironmentIDs == nil || row.EnvironmentIds == nil {
		return c.EnvironmentIDs == nil && row.EnvironmentIds == nil
	}
	return slices.Equal(distinct(*c.EnvironmentIDs), distinct(row.EnvironmentIds))
}

// environmentIDs finds environments of a system by name.
func environmentIDs(system System, names []string) ([]uuid.UUID, error) {
	ids := []uuid.UUID{}
	var v validation
	for i, name := range names {
		at := slices.IndexFunc(system.Environments, func(e check.EnvironmentScope) bool { return text.Key(e.Name) == text.Key(name) })
		if at < 0 {
			v.Report(fmt.Sprintf("environments[%d]", i), "names no environment of the system %s", system.Scope.Name)
			continue
		}
		ids = append(ids, system.Environments[at].ID)
	}
	return ids, v.Err()
}

// markIdle marks the checks that run nowhere after the import.
func (s *service) markIdle(ctx context.Context, report []ImportedCheck) error {
	ids := []uuid.UUID{}
	for _, c := range report {
		if c.ID != nil {
			ids = append(ids, *c.ID)
		}
	}
	sight := s.Systems.Sight(ctx)
	rows, err := s.queries(ctx).CountSystems(ctx, healthcheckdb.CountSystemsParams{
		CheckIds: ids, ByRule: sight.Every(), SubjectType: sight.SubjectType, SubjectID: sight.SubjectID, TeamIds: sight.TeamIDs,
	})
	if err != nil {
		return fmt.Errorf("count systems of checks: %w", err)
	}
	assigned := map[uuid.UUID]bool{}
	for _, row := range rows {
		assigned[row.CheckID] = true
	}
	for i, c := range report {
		report[i].Idle = c.ID != nil && !assigned[*c.ID]
	}
	return nil
}
