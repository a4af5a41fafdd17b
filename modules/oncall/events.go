package oncall

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"strings"
	"time"

	"github.com/google/uuid"

	"countersign/event"
	"countersign/internal/durable"
	"countersign/internal/notice"
	"countersign/internal/problem"
	"countersign/internal/store"
	"countersign/internal/store/chore"
	"countersign/modules/oncall/oncalldb"
)

// The types of events.
const (
	// EventEscalated says that a step of a policy was taken.
	EventEscalated = "oncall.escalated"
	// EventPolicyChanged says that a policy was created, changed or deleted.
	EventPolicyChanged = "oncall.policy_changed"

	policySubject = "escalation_policy"
)

// Escalated is the payload of EventEscalated.
type Escalated struct {
	IncidentID uuid.UUID `json:"incidentId" jsonschema:"description=The incident"`
	PolicyID   uuid.UUID `json:"policyId" jsonschema:"description=The escalation policy"`
	PolicyName string    `json:"policyName" jsonschema:"description=Its name at that moment"`
	Step       int       `json:"step" jsonschema:"description=The step counted from 1"`
	Round      int       `json:"round" jsonschema:"description=How often the steps were begun"`
	People     int       `json:"people" jsonschema:"description=How many people it calls"`
	Messages   int       `json:"messages" jsonschema:"description=How many messages it sends at most"`
	At         time.Time `json:"at" jsonschema:"description=When it was taken"`
}

// Check refuses a missing incident or time.
func (p Escalated) Check() error {
	if p.IncidentID == uuid.Nil || p.At.IsZero() {
		return errors.New("it lacks the incident or the time")
	}
	return nil
}

// PolicyChanged is the payload of EventPolicyChanged.
type PolicyChanged struct {
	PolicyID uuid.UUID `json:"policyId" jsonschema:"description=The escalation policy"`
	Name     string    `json:"name" jsonschema:"description=Its name at that moment"`
}

// Check refuses a missing policy.
func (p PolicyChanged) Check() error {
	if p.PolicyID == uuid.Nil {
		return errors.New("it lacks the policy")
	}
	return nil
}

// incidentRead is the rule to see incidents.
const incidentRead = "incident.incident.read"

// EventTypes are the events of escalations, for those who may see the incident, and of policies.
func (m *Module) EventTypes() []event.Type {
	return []event.Type{
		event.Define[Escalated](event.Type{
			ID: EventEscalated, Name: "Incident escalated", Description: "A step of an escalation policy was taken.", Rule: incidentRead,
			Subject: incidentSubject, See: func(ctx context.Context, id uuid.UUID) error {
				_, err := m.service.incidents.See(ctx, id)
				return err
			},
		}),
		event.Define[PolicyChanged](event.Type{
			ID: EventPolicyChanged, Name: "Escalation policy changed", Rule: Read, Subject: policySubject, See: event.SeeAll,
			Description: "An escalation policy was created, changed or deleted.",
		}),
	}
}

func (s *service) announce(ctx context.Context, e event.New) error {
	if err := s.events.Append(ctx, e); err != nil {
		return fmt.Errorf("append %s: %w", e.Type, err)
	}
	return nil
}

// policyChanged tells escalations of a changed policy.
func (s *service) policyChanged(ctx context.Context, id uuid.UUID, name string) error {
	return s.announce(ctx, event.New{
		Type: EventPolicyChanged, Subject: policySubject + ":" + id.String(), ContextKey: id.String(), Payload: PolicyChanged{id, name},
	})
}

// consumer is the name of the consumer, under which its cursors are stored.
const consumer = "escalation"

// Consumers starts escalations of incidents and wakes them.
func (m *Module) Consumers() []event.Consumer {
	return []event.Consumer{{
		Name: consumer, Handle: m.service.handle, Timeout: 2 * time.Minute,
		Types: []string{
			"incident.created", "incident.reopened", "incident.updated", "incident.acknowledged", "incident.resolved", EventPolicyChanged,
			"maintenance.ended", "maintenance.cancelled", "maintenance.updated",
		},
	}}
}

func (s *service) handle(ctx context.Context, e event.Event) error {
	if strings.HasPrefix(e.Type, "maintenance.") {
		return s.wakeMuted(ctx)
	}
	if e.Type == EventPolicyChanged {
		var p PolicyChanged
		if err := json.Unmarshal(e.Payload, &p); err != nil {
			return fmt.Errorf("read payload: %w", err)
		}
		return s.wakeAll(ctx, p.PolicyID)
	}
	id, err := uuid.Parse(strings.TrimPrefix(e.Subject, incidentSubject+":"))
	if err != nil {
		return fmt.Errorf("read subject: %w", err)
	}
	if e.Type == "incident.created" || e.Type == "incident.reopened" {
		return s.begin(ctx, id, e)
	}
	// The workflow reads the incident as it is now. It is woken before the locks are held, so that a slow engine holds up nobody.
	before, err := s.queries(ctx).EscalationOf(ctx, id)
	if err != nil && !store.NoRows(err) {
		return fmt.Errorf("get escalation: %w", err)
	}
	if err == nil && before.State == stateWaiting {
		if err := s.wake(ctx, before.WorkflowID); err != nil {
			return err
		}
	}
	now, known, err := s.hold(ctx, id)
	if err != nil {
		return err
	}
	return s.follow(ctx, e, now, known)
}

// follow ends an escalation whose incident needs nobody any more, and tells the end to those who know of the beginning.
func (s *service) follow(ctx context.Context, e event.Event, now standing, known bool) error {
	now.IncidentID = now.incident.ID
	switch {
	case now.gone:
		return nil // the workflow finds that out
	case e.Type == "incident.resolved":
		n := callOf(now.incident, fmt.Sprintf("resolved:%d", e.ID))
		n.Phase, n.Urgent = notice.Recovery, false
		if _, err := s.notices.Tell(ctx, n); err != nil {
			return fmt.Errorf("tell the end of an incident: %w", err)
		}
		if known && now.State == stateWaiting && !now.incident.Open {
			return s.end(ctx, now, stateResolved, "The incident was resolved.")
		}
	case e.Type == "incident.acknowledged" && now.incident.Open:
		reason, err := s.acknowledgedBy(ctx, now.incident)
		if err != nil {
			return err
		}
		if known && now.State == stateWaiting {
			return s.end(ctx, now, stateAcknowledged, reason)
		}
		_, err = s.notices.Stop(ctx, notice.Stop{About: aboutIncident(now.IncidentID), Reason: reason})
		return err
	}
	return nil
}

// begin starts the escalation of an incident, in the transaction of its event.
func (s *service) begin(ctx context.Context, id uuid.UUID, e event.Event) error {
	row, err := s.queries(ctx).BeginEscalation(ctx, oncalldb.BeginEscalationParams{
		IncidentID: id, WorkflowID: event.RunID(consumer, e, id.String()), BeganAt: e.CreatedAt,
	})
	if store.NoRows(err) {
		return nil
	}
	if err != nil {
		return fmt.Errorf("begin escalation: %w", err)
	}
	return event.Dispatch(ctx, event.Workflow{
		Name: escalateIncident.Name, Key: id.String(), Input: escalateInput{IncidentID: id, Opening: row.Opening},
	})
}

// wake lets a workflow read its row again. One that does not run yet reads it when it starts.
func (s *service) wake(ctx context.Context, workflowID string) error {
	err := s.engine.Signal(ctx, workflowID, escalationChanged.With(changedInput{}))
	if problem.Is(err, problem.NotFound) {
		return nil
	}
	return err
}

// wakeAll wakes the escalations that follow a policy, and those that follow none.
func (s *service) wakeAll(ctx context.Context, policy uuid.UUID) error {
	ids, err := s.queries(ctx).WaitingOn(ctx, &policy)
	if err != nil {
		return fmt.Errorf("list waiting escalations: %w", err)
	}
	return s.wakeEach(ctx, ids)
}

// wakeMuted wakes the escalations that wait for the end of a mute.
func (s *service) wakeMuted(ctx context.Context) error {
	ids, err := s.queries(ctx).MutedEscalations(ctx, mutedWord+"%")
	if err != nil {
		return fmt.Errorf("list muted escalations: %w", err)
	}
	return s.wakeEach(ctx, ids)
}

func (s *service) wakeEach(ctx context.Context, ids []string) error {
	for _, id := range ids {
		if err := s.wake(ctx, id); err != nil {
			return err
		}
	}
	return nil
}

// Times of the safety net.
const (
	overdueAfter  = 30 * time.Second
	netInterval   = 15 * time.Second
	overdueAtOnce = 200
)

// net is the safety net below the workflows: it wakes escalations whose step is overdue, and starts the workflow of one
// again that the engine has lost.
func (s *service) net(ctx context.Context) error {
	rows, err := s.queries(ctx).Overdue(ctx, oncalldb.OverdueParams{Seconds: int32(overdueAfter.Seconds()), MaxRows: overdueAtOnce})
	if err != nil {
		return fmt.Errorf("list overdue escalations: %w", err)
	}
	for _, row := range rows {
		err := s.engine.Signal(ctx, row.WorkflowID, escalationChanged.With(changedInput{}))
		if err == nil {
			continue
		}
		if !problem.Is(err, problem.NotFound) {
			return err
		}
		x := durable.Execution{
			ID: fmt.Sprintf("escalation/%s/%d", row.IncidentID, row.Opening), Queue: durable.TurnQueue, Summary: "Escalation of an incident",
		}
		if err := s.engine.Start(ctx, escalateIncident.Execute(x, escalateInput{row.IncidentID, row.Opening})); err != nil {
			return err
		}
		if err := s.queries(ctx).SetWorkflow(ctx, oncalldb.SetWorkflowParams{IncidentID: row.IncidentID, WorkflowID: x.ID}); err != nil {
			return fmt.Errorf("keep the workflow of an escalation: %w", err)
		}
	}
	return nil
}

func (s *service) netChore() chore.Chore {
	return chore.Chore{Name: "wake overdue escalations", Every: netInterval, Do: s.net}
}
