package healthcheck

import (
	"cmp"
	"context"
	"fmt"
	"slices"
	"strconv"

	"github.com/google/uuid"

	"countersign/audit"
	"countersign/check"
	"countersign/check/health"
	"countersign/internal/access"
	"countersign/internal/principal"
	"countersign/internal/problem"
	"countersign/internal/rest"
	"countersign/internal/store"
	"countersign/modules/healthcheck/healthcheckdb"
)

// maxEnvironments bounds the environments of one assignment.
const maxEnvironments = 50

// AssignmentChoice is the configuration of an assignment.
type AssignmentChoice struct {
	Enabled        *bool             `json:"enabled,omitempty" jsonschema:"description=Whether it runs for this system; it does when left out." doc:"True when absent."`
	Thresholds     health.Thresholds `json:"thresholds,omitempty,omitzero" jsonschema:"description=From which runs the status comes; left out for 2 failures in a row to degraded and 5 to unhealthy."`
	EnvironmentIDs *[]uuid.UUID      `json:"environmentIds,omitempty" nullable:"true" maxItems:"50" jsonschema:"maxItems=50,description=In which environments of the system it runs: left out for all of them; an empty list for once without an environment." doc:"Null for all environments of the system, whichever these are; empty for once without one."`
}

// AssignedTarget is a check of a system in an environment. Its status is absent for readers without the right to status.
type AssignedTarget struct {
	ID            int32      `json:"id"`
	EnvironmentID *uuid.UUID `json:"environmentId,omitempty"`
	Active        bool       `json:"active"`
	Status        Status     `json:"status,omitempty" enum:"unknown,healthy,degraded,unhealthy"`
}

// Assignment is a check of a system.
type Assignment struct {
	CheckID    uuid.UUID `json:"checkId"`
	SystemID   uuid.UUID `json:"systemId"`
	SystemName string    `json:"systemName"`
	AssignmentChoice
	Held    bool             `json:"held" doc:"Whether it awaits a decision: the system or an environment was changed by who may not use secrets, and what changed decides where the check sends its secrets. Until somebody who may use secrets assigns the check again or saves it, it runs as before, and not in new places."`
	Targets []AssignedTarget `json:"targets" nullable:"false"`
}

// assignedTo is a check after a change of its assignments.
type assignedTo struct {
	Assignment

	revision int64
}

// Assignments lists the systems that a check is assigned to and the caller may see.
func (s *service) Assignments(ctx context.Context, checkID uuid.UUID, page rest.Page) ([]Assignment, rest.Next, error) {
	if _, err := s.checks.See(ctx, checkID); err != nil {
		return nil, rest.Next{}, err
	}
	after, err := page.AfterID()
	if err != nil {
		return nil, rest.Next{}, err
	}
	sight := s.Systems.Sight(ctx)
	rows, err := s.queries(ctx).AssignmentsOfCheck(ctx, healthcheckdb.AssignmentsOfCheckParams{
		CheckID:     checkID,
		After:       *cmp.Or(after, &uuid.Nil),
		MaxRows:     page.Rows(),
		ByRule:      sight.Every(),
		SubjectType: sight.SubjectType,
		SubjectID:   sight.SubjectID,
		TeamIds:     sight.TeamIDs,
	})
	if err != nil {
		return nil, rest.Next{}, fmt.Errorf("list assignments: %w", err)
	}
	rows, next := rest.Cut(page, rows, func(row healthcheckdb.HealthAssignment) string { return row.SystemID.String() })
	list, err := s.presentAssignments(ctx, checkID, rows)
	return list, next, err
}

func (s *service) presentAssignments(ctx context.Context, checkID uuid.UUID, rows []healthcheckdb.HealthAssignment) ([]Assignment, error) {
	ids := make([]uuid.UUID, len(rows))
	for i, row := range rows {
		ids[i] = row.SystemID
	}
	systems, err := s.Systems.Lookup(ctx, ids)
	if err != nil {
		return nil, fmt.Errorf("look up systems: %w", err)
	}
	levels, err := statusKind.Sight(ctx).Levels(ctx, s.DB, checkID)
	if err != nil {
		return nil, err
	}
	targets, err := s.queries(ctx).TargetsOfAssignments(ctx, healthcheckdb.TargetsOfAssignmentsParams{CheckID: checkID, SystemIds: ids})
	if err != nil {
		return nil, fmt.Errorf("list targets: %w", err)
	}
	list := make([]Assignment, 0, len(rows))
	for _, row := range rows {
		system, ok := systems[row.SystemID]
		if !ok {
			continue
		}
		a := Assignment{
			CheckID:          checkID,
			SystemID:         row.SystemID,
			SystemName:       system.Name,
			AssignmentChoice: AssignmentChoice{Enabled: &row.Enabled, Thresholds: row.Thresholds},
			Held:             row.Held,
			Targets:          []AssignedTarget{},
		}
		if row.EnvironmentIds != nil {
			a.EnvironmentIDs = &row.EnvironmentIds
		}
		for _, t := range targets {
			if t.SystemID == row.SystemID {
				target := AssignedTarget{ID: t.ID, EnvironmentID: t.EnvironmentID, Active: t.Active}
				if levels[checkID] != access.None {
					target.Status = statusOf(t.Status)
				}
				a.Targets = append(a.Targets, target)
			}
		}
		list = append(list, a)
	}
	return list, nil
}

// Assign assigns a check to a system, or changes the assignment. It needs the right to change both. An unchanged assignment
// keeps its revision.
func (s *service) Assign(ctx context.Context, checkID, systemID uuid.UUID, in AssignmentChoice, based *int64) (assignedTo, error) {
	return store.InTx(ctx, s.DB, func(ctx context.Context) (assignedTo, error) {
		err := s.checks.Change(ctx, checkID, access.Edit, based, func(ctx context.Context, row healthcheckdb.HealthCheck) (bool, error) {
			return s.assign(ctx, row, systemID, in)
		})
		if err != nil {
			return assignedTo{}, err
		}
		return s.assigned(ctx, checkID, systemID)
	})
}

func (s *service) assigned(ctx context.Context, checkID, systemID uuid.UUID) (assignedTo, error) {
	row, err := s.queries(ctx).Check(ctx, checkID)
	if err != nil {
		return assignedTo{}, fmt.Errorf("load a health check: %w", err)
	}
	stored, err := s.queries(ctx).Assignment(ctx, healthcheckdb.AssignmentParams{CheckID: checkID, SystemID: systemID})
	if err != nil {
		return assignedTo{}, fmt.Errorf("load an assignment: %w", err)
	}
	list, err := s.presentAssignments(ctx, checkID, []healthcheckdb.HealthAssignment{stored})
	if err != nil || len(list) == 0 {
		return assignedTo{}, err
	}
	return assignedTo{list[0], row.Revision}, nil
}

// assign changes an assignment of a locked check.
func (s *service) assign(ctx context.Context, row healthcheckdb.HealthCheck, systemID uuid.UUID, in AssignmentChoice) (bool, error) {
	system, err := s.editableSystem(ctx, systemID, "assign a health check to")
	if err != nil {
		return false, err
	}
	if err := s.queries(ctx).LockPlan(ctx); err != nil {
		return false, fmt.Errorf("wait for other plans: %w", err)
	}
	if err := s.checkAssignment(ctx, systemID, in); err != nil {
		return false, err
	}
	if err := s.permitSending(ctx, row); err != nil {
		return false, err
	}
	params := healthcheckdb.AssignParams{
		CheckID:    row.ID,
		SystemID:   systemID,
		Enabled:    in.Enabled == nil || *in.Enabled,
		Thresholds: in.Thresholds,
	}
	if in.EnvironmentIDs != nil {
		params.EnvironmentIds = distinct(*in.EnvironmentIDs)
	}
	made, err := s.queries(ctx).Assign(ctx, params)
	if store.NoRows(err) {
		return false, nil
	}
	if err != nil {
		return false, fmt.Errorf("assign a health check: %w", err)
	}
	action, summary := audit.Changed, "The assignment to a system changed"
	if made {
		action, summary = audit.Added, "Assigned to a system"
	}
	if err := s.recordAssignment(ctx, action, row, systemID, system.Name, summary); err != nil {
		return false, err
	}
	return true, s.planSystems(ctx, []uuid.UUID{systemID}, &row.ID)
}

// editableSystem locks a system that the caller may change.
func (s *service) editableSystem(ctx context.Context, id uuid.UUID, action string) (access.Record, error) {
	system, err := s.Systems.Hold(ctx, id)
	if err != nil {
		return system, err
	}
	if !system.Level.Includes(access.Edit) {
		return system, problem.MissingRule(action+" the system "+system.Name, systemManage)
	}
	return system, nil
}

// systemManage is the catalog rule that changing assignments needs, besides a grant on the system.
const systemManage = "catalog.system.manage"

// environmentRead is the catalog rule that naming environments needs.
const environmentRead = "catalog.environment.read"

func (s *service) checkAssignment(ctx context.Context, systemID uuid.UUID, in AssignmentChoice) error {
	var v validation
	for _, issue := range in.Thresholds.Issues() {
		v.Report("thresholds."+issue.Path, "%s", issue.Message)
	}
	if in.EnvironmentIDs == nil {
		return v.Err()
	}
	ids := *in.EnvironmentIDs
	if len(ids) > 0 && !s.Systems.SeesEnvironments(ctx) {
		return problem.MissingRule("use environments", principal.FromContext(ctx).Missing(environmentRead)...)
	}
	if len(ids) > maxEnvironments {
		v.Report("environmentIds", "has %d environments, at most %d are allowed", len(ids), maxEnvironments)
		return v.Err()
	}
	described, err := s.Systems.Describe(ctx, []uuid.UUID{systemID})
	if err != nil {
		return fmt.Errorf("describe a system: %w", err)
	}
	for i, id := range ids {
		known := len(described) > 0 && slices.ContainsFunc(described[0].Environments, func(e check.EnvironmentScope) bool { return e.ID == id })
		if !known {
			v.Report("environmentIds["+strconv.Itoa(i)+"]", "names no environment of the system")
		}
	}
	return v.Err()
}

func distinct(ids []uuid.UUID) []uuid.UUID {
	sorted := append([]uuid.UUID{}, ids...)
	store.SortIDs(sorted)
	return slices.Compact(sorted)
}

// Unassign removes the assignment of a check to a system; NotFound without one.
func (s *service) Unassign(ctx context.Context, checkID, systemID uuid.UUID, based *int64) error {
	return s.checks.Change(ctx, checkID, access.Edit, based, func(ctx context.Context, row healthcheckdb.HealthCheck) (bool, error) {
		system, err := s.editableSystem(ctx, systemID, "take a health check from")
		if err != nil {
			return false, err
		}
		if err := s.queries(ctx).LockPlan(ctx); err != nil {
			return false, fmt.Errorf("wait for other plans: %w", err)
		}
		n, err := s.queries(ctx).Unassign(ctx, healthcheckdb.UnassignParams{CheckID: checkID, SystemID: systemID})
		if err != nil {
			return false, fmt.Errorf("end an assignment: %w", err)
		}
		if n == 0 {
			return false, problem.Errorf(problem.NotFound, "The health check %s is not assigned to the system %s.", row.Name, system.Name)
		}
		if err := s.recordAssignment(ctx, audit.Removed, row, systemID, system.Name, "No longer assigned to a system"); err != nil {
			return false, err
		}
		return true, s.planSystems(ctx, []uuid.UUID{systemID}, &checkID)
	})
}

func (s *service) recordAssignment(
	ctx context.Context,
	action audit.Action,
	row healthcheckdb.HealthCheck,
	systemID uuid.UUID,
	systemName, summary string,
) error {
	return audit.Record(ctx, s.DB, audit.Event{
		Action:  action,
		Object:  audit.Object(ObjectType, row.ID, row.Name),
		Subject: audit.Object(systemType, systemID, systemName),
		Summary: summary,
	})
}

// OnRemoved deletes the assignments of a system, in the transaction that deletes the system.
func (m *Module) OnRemoved(ctx context.Context, kind string, id uuid.UUID) error {
	if kind != systemType {
		return nil
	}
	s := m.service
	if err := s.queries(ctx).LockPlan(ctx); err != nil {
		return fmt.Errorf("wait for other plans: %w", err)
	}
	if _, err := s.queries(ctx).UnassignSystem(ctx, id); err != nil {
		return fmt.Errorf("end the assignments of a system: %w", err)
	}
	if err := s.planSystems(ctx, []uuid.UUID{id}, nil); err != nil {
		return err
	}
	if err := s.queries(ctx).ForgetSystemStates(ctx, []uuid.UUID{id}); err != nil {
		return fmt.Errorf("forget the state of a system: %w", err)
	}
	return nil
}

// OnSystemsChanged replans systems after changes of their names, attributes or environments.
func (m *Module) OnSystemsChanged(ctx context.Context, systems []uuid.UUID) error {
	return m.service.planSystems(ctx, systems, nil)
}
