package automation

import (
	"context"
	"time"

	"github.com/google/uuid"

	"countersign/event"
)

// The types of events about automations.
const (
	EventRunEnded    = "automation.run_ended"
	EventTriggerLate = "automation.trigger_late"

	// subjectAutomation is the kind of their subject.
	subjectAutomation = "automation"
)

// RunEndedPayload is the payload of EventRunEnded.
type RunEndedPayload struct {
	AutomationID uuid.UUID `json:"automationId"`
	Automation   string    `json:"automation" jsonschema:"description=Its name at that moment"`
	RunID        uuid.UUID `json:"runId"`
	Status       string    `json:"status" jsonschema:"enum=success,enum=failed,enum=cancelled"`
	Reason       string    `json:"reason,omitempty"`
	At           time.Time `json:"at"`
}

// TriggerLatePayload is the payload of EventTriggerLate.
type TriggerLatePayload struct {
	AutomationID uuid.UUID `json:"automationId"`
	Automation   string    `json:"automation"`
	TriggerID    string    `json:"triggerId"`
	Slot         time.Time `json:"slot" jsonschema:"description=The moment for which the schedule was late"`
	LateSeconds  int       `json:"lateSeconds"`
}

// EventTypes implements module.EventTypes.
func (m *Module) EventTypes() []event.Type {
	return []event.Type{
		event.Define[RunEndedPayload](event.Type{
			ID: EventRunEnded, Name: "Automation ended", Rule: Read, Subject: subjectAutomation, See: m.see,
			Description: "A run of an automation has ended: it succeeded, failed or was cancelled.",
		}),
		event.Define[TriggerLatePayload](event.Type{
			ID: EventTriggerLate, Name: "Schedule late", Rule: Read, Subject: subjectAutomation, See: m.see,
			Description: "A schedule of an automation was looked at more than a minute after a slot.",
		}),
	}
}

func (m *Module) see(ctx context.Context, id uuid.UUID) error {
	_, err := m.service.see(ctx, id)
	return err
}
