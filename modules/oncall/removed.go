package oncall

import (
	"context"
	"fmt"
	"slices"

	"github.com/google/uuid"

	"countersign/audit"
	"countersign/modules/oncall/escalation"
	"countersign/modules/oncall/oncalldb"
)

// incidentType is the type of incidents in the audit log.
const incidentType = "incident.incident"

// OnRemoved deletes the escalation of a deleted incident and takes deleted users and teams out of schedules and policies, in
// the transaction that deletes them. A step that then calls nobody stays, with a warning.
func (m *Module) OnRemoved(ctx context.Context, kind string, id uuid.UUID) error {
	s := m.service
	if kind == incidentType {
		if err := s.queries(ctx).DropEscalation(ctx, id); err != nil {
			return fmt.Errorf("delete the escalation of an incident: %w", err)
		}
		return nil
	}
	if kind != personType && kind != teamType {
		return nil
	}
	if kind == personType {
		if err := s.queries(ctx).DropOverridesOf(ctx, id); err != nil {
			return fmt.Errorf("remove overrides of a person: %w", err)
		}
	}
	if err := s.forgetInSchedules(ctx, kind, id); err != nil {
		return err
	}
	return s.forgetInPolicies(ctx, kind, id)
}

func (s *service) forgetInSchedules(ctx context.Context, kind string, id uuid.UUID) error {
	rows, err := s.queries(ctx).SchedulesNaming(ctx, oncalldb.SchedulesNamingParams{Ref: id, RefText: id.String()})
	if err != nil {
		return fmt.Errorf("find schedules: %w", err)
	}
	for _, row := range rows {
		for i := range row.Layers {
			row.Layers[i].People = slices.DeleteFunc(row.Layers[i].People, func(p uuid.UUID) bool { return p == id })
		}
		for i := range row.Events {
			if row.Events[i].Person == id {
				row.Events[i].Person = uuid.Nil
			}
		}
		if row.TeamID != nil && *row.TeamID == id {
			row.TeamID = nil
		}
		if err := s.queries(ctx).ForgetInSchedule(ctx, oncalldb.ForgetInScheduleParams{
			ID: row.ID, TeamID: row.TeamID, Layers: row.Layers, Events: row.Events,
		}); err != nil {
			return fmt.Errorf("change schedule: %w", err)
		}
		if err := s.recordGone(ctx, scheduleObject(row.ID, row.Name), kind, id); err != nil {
			return err
		}
	}
	return nil
}

// forgetInPolicies takes a target out of all steps.
func (s *service) forgetInPolicies(ctx context.Context, kind string, id uuid.UUID) error {
	rows, err := s.queries(ctx).PoliciesNaming(ctx, oncalldb.PoliciesNamingParams{Ref: id, RefText: id.String()})
	if err != nil {
		return fmt.Errorf("find policies: %w", err)
	}
	for _, row := range rows {
		for i := range row.Steps {
			row.Steps[i].Targets = slices.DeleteFunc(row.Steps[i].Targets, func(t escalation.Target) bool { return t.ID == id })
		}
		if row.TeamID != nil && *row.TeamID == id {
			row.TeamID = nil
		}
		if err := s.queries(
			ctx,
		).ForgetInPolicy(
			ctx,
			oncalldb.ForgetInPolicyParams{ID: row.ID, TeamID: row.TeamID, Steps: row.Steps},
		); err != nil {
			return fmt.Errorf("change policy: %w", err)
		}
		if err := s.recordGone(ctx, policyObject(row.ID, row.Name), kind, id); err != nil {
			return err
		}
	}
	return nil
}

func (s *service) recordGone(ctx context.Context, object audit.Ref, kind string, id uuid.UUID) error {
	return audit.Record(ctx, s.db, audit.Event{
		Action: audit.Removed, Object: object, Subject: audit.Object(kind, id, ""), Summary: "It was deleted and is no longer named here",
	})
}
