package maintenance

import (
	"context"
	"errors"
	"fmt"
	"slices"
	"time"

	"github.com/google/uuid"

	"countersign/event"
	"countersign/internal/note"
	"countersign/internal/store"
	"countersign/modules/maintenance/maintenancedb"
)

// The types of events about maintenances.
const (
	EventScheduled = "maintenance.scheduled"
	EventUpdated   = "maintenance.updated"
	EventStarted   = "maintenance.started"
	EventEnded     = "maintenance.ended"
	EventCancelled = "maintenance.cancelled"
)

// subjectMaintenance is the kind of events that are about a maintenance.
const subjectMaintenance = "maintenance"

// Payload is the payload of the events about a maintenance.
type Payload struct {
	MaintenanceID uuid.UUID   `json:"maintenanceId" jsonschema:"description=The maintenance"`
	Title         string      `json:"title" jsonschema:"description=Its title at that moment"`
	Status        string      `json:"status" jsonschema:"enum=scheduled,enum=in_progress,enum=completed,enum=cancelled,description=Its status from then on"`
	StatusBefore  string      `json:"statusBefore,omitempty" jsonschema:"description=Its status before when that has changed"`
	SystemIDs     []uuid.UUID `json:"systemIds" jsonschema:"description=Its systems at that moment"`
	StartsAt      time.Time   `json:"startsAt" jsonschema:"description=When the occurrence in progress or the next one begins; of one that is over the last one"`
	EndsAt        time.Time   `json:"endsAt" jsonschema:"description=When that occurrence ends"`
	Zone          string      `json:"zone" jsonschema:"description=The time zone in which it was planned"`
	Occurrence    *time.Time  `json:"occurrence,omitempty" jsonschema:"description=The occurrence that it is about by the time that the recurrence has for it"`
	EndedAt       *time.Time  `json:"endedAt,omitempty" jsonschema:"description=When it has ended"`
	EndedEarly    bool        `json:"endedEarly,omitempty" jsonschema:"description=Whether a person has ended it before its planned end"`
	Extended      bool        `json:"extended,omitempty" jsonschema:"description=Whether its end was put off while it was in progress"`
	NextStartsAt  *time.Time  `json:"nextStartsAt,omitempty" jsonschema:"description=When the next occurrence begins"`
	// OccurrenceCancelled is set when one occurrence was cancelled.
	OccurrenceCancelled bool     `json:"occurrenceCancelled,omitempty" jsonschema:"description=Whether that occurrence was cancelled"`
	Changes             []string `json:"changes,omitempty" jsonschema:"description=The names of the changed fields"`
	// UpdateID and Visibility are set for a written or edited update.
	UpdateID   *uuid.UUID `json:"updateId,omitempty" jsonschema:"description=The update that was written or edited"`
	Visibility string     `json:"visibility,omitempty" jsonschema:"description=Who may see that update: public; logged_in or internal"`
	Suppresses bool       `json:"suppresses,omitempty" jsonschema:"description=Whether notifications about its systems are suppressed while it is in progress"`
	At         time.Time  `json:"at" jsonschema:"description=When it happened"`
}

// Check refuses a missing maintenance, title or time.
func (p Payload) Check() error {
	if p.MaintenanceID == uuid.Nil || p.Title == "" || p.At.IsZero() {
		return errors.New("it lacks the maintenance, the title or the time")
	}
	return nil
}

// EventTypes are the events about maintenances, for those who may see the maintenance.
func (m *Module) EventTypes() []event.Type {
	define := func(id, name, description string, opposites ...string) event.Type {
		t := event.Define[Payload](event.Type{
			ID: id, Name: name, Description: description, Rule: Read, Subject: subjectMaintenance, See: m.see, Opposites: opposites,
		})
		return event.WithRedaction(t, m.service.redact)
	}
	return []event.Type{
		define(EventScheduled, "Maintenance scheduled", "A maintenance was scheduled.", EventStarted, EventCancelled),
		define(EventUpdated, "Maintenance updated", "A maintenance got an update, was extended, moved, or got other fields."),
		define(EventStarted, "Maintenance started", "A maintenance, or an occurrence of a recurring one, has begun.", EventEnded),
		define(EventEnded, "Maintenance ended", "A maintenance, or an occurrence of a recurring one, has ended.", EventStarted),
		define(EventCancelled, "Maintenance cancelled", "A maintenance that had not begun was cancelled."),
	}
}

func (m *Module) see(ctx context.Context, id uuid.UUID) error {
	_, err := m.service.Get(ctx, id)
	return err
}

// redact leaves out systems that the reader may not see, and events about updates that are not for them.
func (s *service) redact(ctx context.Context, payloads []Payload) ([]*Payload, error) {
	var systems []uuid.UUID
	for _, p := range payloads {
		systems = append(systems, p.SystemIDs...)
	}
	store.SortIDs(systems)
	seen, err := s.Systems.Lookup(ctx, slices.Compact(systems))
	if err != nil {
		return nil, fmt.Errorf("look up systems: %w", err)
	}
	audience := note.Audience(ctx, Manage)
	shown := make([]*Payload, len(payloads))
	for i, p := range payloads {
		if p.Visibility != "" && !slices.Contains(audience, note.Visibility(p.Visibility)) {
			continue
		}
		p.SystemIDs = slices.DeleteFunc(slices.Clone(p.SystemIDs), func(id uuid.UUID) bool {
			_, sees := seen[id]
			return !sees
		})
		shown[i] = &p
	}
	return shown, nil
}

// announce appends an event about a locked maintenance, whose state it adds.
func (s *service) announce(ctx context.Context, kind string, row maintenancedb.Maintenance, p Payload) error {
	now, err := s.now(ctx)
	if err != nil {
		return err
	}
	members, err := s.queries(ctx).SystemsOf(ctx, []uuid.UUID{row.ID})
	if err != nil {
		return fmt.Errorf("list systems: %w", err)
	}
	p.MaintenanceID, p.Title, p.Status, p.At = row.ID, row.Title, row.Status, now
	p.StartsAt, p.EndsAt, p.Zone, p.Suppresses = row.StartsAt.UTC(), row.EndsAt.UTC(), row.Zone, row.SuppressNotifications
	if p.Occurrence == nil && row.Rule != "" {
		p.Occurrence = new(row.Original.UTC())
	}
	p.SystemIDs = []uuid.UUID{}
	for _, m := range members {
		p.SystemIDs = append(p.SystemIDs, m.SystemID)
	}
	// A mute may have ended or become shorter.
	if s.Mutes != nil && p.UpdateID == nil && kind != EventScheduled && kind != EventStarted {
		if err := s.Mutes.Recheck(ctx, p.SystemIDs...); err != nil {
			return err
		}
	}
	subject := subjectMaintenance + ":" + row.ID.String()
	if err := s.Events.Append(ctx, event.New{Type: kind, Subject: subject, ContextKey: row.ID.String(), Payload: p}); err != nil {
		return fmt.Errorf("append %s: %w", kind, err)
	}
	return nil
}
