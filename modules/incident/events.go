package incident

import (
	"context"
	"errors"
	"fmt"
	"slices"
	"strings"
	"time"

	"github.com/google/uuid"

	"countersign/check/health"
	"countersign/event"
	"countersign/internal/note"
	"countersign/internal/store"
)

// The types of events about incidents.
const (
	EventCreated      = "incident.created"
	EventUpdated      = "incident.updated"
	EventAcknowledged = "incident.acknowledged"
	EventResolved     = "incident.resolved"
	EventReopened     = "incident.reopened"
)

// subjectIncident is the kind of events that are about an incident.
const subjectIncident = "incident"

// Payload is the payload of the events about an incident.
type Payload struct {
	IncidentID   uuid.UUID   `json:"incidentId" jsonschema:"description=The incident"`
	Title        string      `json:"title" jsonschema:"description=Its title at that moment"`
	Status       string      `json:"status" jsonschema:"enum=investigating,enum=identified,enum=fixing,enum=monitoring,enum=resolved,description=Its status from then on"`
	StatusBefore string      `json:"statusBefore,omitempty" jsonschema:"description=Its status before when that has changed"`
	Severity     string      `json:"severity" jsonschema:"enum=minor,enum=major,enum=critical,description=Its severity at that moment"`
	SystemIDs    []uuid.UUID `json:"systemIds" jsonschema:"description=Its systems at that moment"`
	Changes      []string    `json:"changes,omitempty" jsonschema:"description=The names of the changed fields"`
	// UpdateID and Visibility are set for a written or edited update.
	UpdateID    *uuid.UUID `json:"updateId,omitempty" jsonschema:"description=The update that was written or edited"`
	Visibility  string     `json:"visibility,omitempty" jsonschema:"description=Who may see that update: public; logged_in or internal"`
	DuplicateOf *uuid.UUID `json:"duplicateOf,omitempty" jsonschema:"description=The incident into which it was merged"`
	Suppressed  bool       `json:"suppressed,omitempty" jsonschema:"description=Whether notifications about it are suppressed"`
	At          time.Time  `json:"at" jsonschema:"description=When it happened"`
}

// Check refuses a missing incident, title or time.
func (p Payload) Check() error {
	if p.IncidentID == uuid.Nil || p.Title == "" || p.At.IsZero() {
		return errors.New("it lacks the incident, the title or the time")
	}
	return nil
}

// EventTypes are the events about incidents, for those who may see the incident.
func (m *Module) EventTypes() []event.Type {
	define := func(id, name, description string, opposites ...string) event.Type {
		t := event.Define[Payload](event.Type{
			ID: id, Name: name, Description: description, Rule: Read, Subject: subjectIncident, See: m.see, Opposites: opposites,
		})
		return event.WithRedaction(t, m.service.redact)
	}
	return []event.Type{
		define(EventCreated, "Incident opened", "An incident was opened.", EventResolved),
		define(EventUpdated, "Incident updated", "An incident got an update, another status, or other fields."),
		define(EventAcknowledged, "Incident acknowledged", "A person has taken an incident on.", EventResolved, EventReopened),
		define(EventResolved, "Incident resolved", "An incident has ended, or was merged into another one.", EventReopened),
		define(EventReopened, "Incident reopened", "An incident that had ended is open again.", EventResolved),
	}
}

func (m *Module) see(ctx context.Context, id uuid.UUID) error {
	_, err := m.service.Get(ctx, id)
	return err
}

// redact leaves out systems and incidents that the reader may not see, and events about updates that are not for them.
func (s *service) redact(ctx context.Context, payloads []Payload) ([]*Payload, error) {
	var systems, into []uuid.UUID
	for _, p := range payloads {
		systems = append(systems, p.SystemIDs...)
		if p.DuplicateOf != nil {
			into = append(into, *p.DuplicateOf)
		}
	}
	store.SortIDs(systems)
	seen, err := s.systems.Lookup(ctx, slices.Compact(systems))
	if err != nil {
		return nil, fmt.Errorf("look up systems: %w", err)
	}
	merged, err := s.visibleOf(ctx, into)
	if err != nil {
		return nil, err
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
		if p.DuplicateOf != nil && !merged[*p.DuplicateOf] {
			p.DuplicateOf = nil
		}
		shown[i] = &p
	}
	return shown, nil
}

// announce appends an event about a locked incident, whose state it adds.
func (s *service) announce(ctx context.Context, kind string, h held, p Payload) error {
	now, err := s.queries(ctx).Clock(ctx)
	if err != nil {
		return fmt.Errorf("read the clock: %w", err)
	}
	p.IncidentID, p.Title, p.Status, p.Severity, p.At = h.ID, h.Title, h.Status, h.Severity, now.UTC()
	p.SystemIDs, p.DuplicateOf, p.Suppressed = append([]uuid.UUID{}, h.all()...), h.DuplicateOf, h.SuppressNotifications
	subject := subjectIncident + ":" + h.ID.String()
	if err := s.events.Append(ctx, event.New{Type: kind, Subject: subject, ContextKey: h.ID.String(), Payload: p}); err != nil {
		return fmt.Errorf("append %s: %w", kind, err)
	}
	return nil
}

// HealthSource is the source of the overrides of incidents.
const HealthSource = "incident.open"

// Health lets open incidents make their systems worse than their checks say.
func (*Module) Health() []health.Source {
	return []health.Source{{ID: HealthSource, Label: "Open incident", Rule: Read}}
}

// settle sets or lifts the override of a locked incident, in the transaction of its change.
func (s *service) settle(ctx context.Context, h held) error {
	var overrides []health.Override
	if status, worse := healthOf[overrideOf(h.Incident)]; worse && h.ResolvedAt == nil {
		for _, system := range h.all() {
			overrides = append(overrides, health.Override{System: system, Status: status, Reason: reason(h.Title)})
		}
	}
	if _, err := s.health.Override(ctx, HealthSource, h.ID, overrides...); err != nil {
		return fmt.Errorf("set the health override: %w", err)
	}
	return nil
}

var healthOf = map[HealthOverride]health.Status{Degraded: health.Degraded, Unhealthy: health.Unhealthy}

// reason is a sentence without its full stop that fits an override.
func reason(title string) string {
	const before, after = "The incident ", " is open"
	most := health.MaxReason - len(before) - len(after)
	if len(title) > most {
		title = strings.ToValidUTF8(title[:most-len("…")], "") + "…"
	}
	return before + title + after
}
