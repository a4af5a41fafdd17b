package health

import (
	"errors"
	"fmt"
	"slices"
	"time"

	"github.com/google/uuid"

	"countersign/event"
)

// The types of events about the health of a system.
const (
	EventDegraded = "healthcheck.system_degraded"
	EventHealthy  = "healthcheck.system_healthy"
	EventChanged  = "healthcheck.system_health_changed"
	// EventCheckUnknown comes once for each streak of runs that could not be made.
	EventCheckUnknown = "healthcheck.check_unknown"
)

// SubjectSystem is the kind of events that are about a system of the catalog.
const SubjectSystem = "system"

// SubjectOf is the subject of events about a system.
func SubjectOf(system uuid.UUID) string { return SubjectSystem + ":" + system.String() }

// EventTypes are the types of events about the health of a system: read is the access rule to see them, and see checks
// whether the caller may see a system.
func EventTypes(read string, see event.See) []event.Type {
	return []event.Type{
		event.Define[ChangedPayload](event.Type{
			ID: EventDegraded, Name: "System degraded", Rule: read, Subject: SubjectSystem, See: see,
			Description: "A system has become degraded or unhealthy, or has gone from one to the other for the worse.",
			Opposites:   []string{EventHealthy},
		}),
		event.Define[ChangedPayload](event.Type{
			ID: EventHealthy, Name: "System healthy", Rule: read, Subject: SubjectSystem, See: see,
			Description: "A system that was degraded or unhealthy is healthy again.",
			Opposites:   []string{EventDegraded},
		}),
		event.Define[ChangedPayload](event.Type{
			ID: EventChanged, Name: "System health changed", Rule: read, Subject: SubjectSystem, See: see,
			Description: "The status of a system has changed, in whatever direction. It comes beside the more special event, if there is one.",
			Opposites:   []string{EventChanged},
		}),
		event.Define[CheckUnknownPayload](event.Type{
			ID: EventCheckUnknown, Name: "Check unknown", Rule: read, Subject: SubjectSystem, See: see,
			Description: "So many runs of a check in a row could not be made that nothing is known of it: 3, or what the assignment says.",
		}),
	}
}

// CheckUnknownPayload is the payload of EventCheckUnknown.
type CheckUnknownPayload struct {
	SystemID   uuid.UUID `json:"systemId" jsonschema:"description=The system"`
	SystemName string    `json:"systemName" jsonschema:"description=Its name at that moment"`
	TargetID   int32     `json:"targetId" jsonschema:"description=The target whose runs could not be made"`
	CheckID    uuid.UUID `json:"checkId" jsonschema:"description=The health check of that target"`
	Reason     string    `json:"reason" jsonschema:"description=Why in one sentence"`
	At         time.Time `json:"at" jsonschema:"description=When the last of these runs was due"`
}

// Check refuses a missing system, check, reason or time.
func (p CheckUnknownPayload) Check() error {
	if p.SystemID == uuid.Nil || p.CheckID == uuid.Nil || p.Reason == "" || p.At.IsZero() {
		return errors.New("it lacks the system, the check, the reason or the time")
	}
	return nil
}

// ChangedPayload is the payload of the events about the health of a system.
type ChangedPayload struct {
	SystemID   uuid.UUID `json:"systemId" jsonschema:"description=The system"`
	SystemName string    `json:"systemName" jsonschema:"description=Its name at that moment"`
	Before     string    `json:"before" jsonschema:"enum=unknown,enum=healthy,enum=partly-unknown,enum=degraded,enum=unhealthy,description=The status before"`
	After      string    `json:"after" jsonschema:"enum=unknown,enum=healthy,enum=partly-unknown,enum=degraded,enum=unhealthy,description=The status from then on"`
	Reason     string    `json:"reason" jsonschema:"description=Why in one sentence; empty when it is healthy"`
	// TargetID and CheckID are those of the decisive check, absent without one.
	TargetID *int32     `json:"targetId,omitempty" jsonschema:"description=The target whose run made the difference"`
	CheckID  *uuid.UUID `json:"checkId,omitempty" jsonschema:"description=The health check of that target"`
	// Source is that of the decisive override, absent without one.
	Source string    `json:"source,omitempty" jsonschema:"description=What made the difference instead of a check: the kind of an override"`
	At     time.Time `json:"at" jsonschema:"description=When it changed"`
}

// Check refuses an unknown status, an unchanged status, and a missing system or time.
func (p ChangedPayload) Check() error {
	statuses := []string{"unknown", "healthy", "partly-unknown", "degraded", "unhealthy"}
	switch {
	case !slices.Contains(statuses, p.Before), !slices.Contains(statuses, p.After):
		return fmt.Errorf("there is no change from %q to %q", p.Before, p.After)
	case p.Before == p.After:
		return errors.New("the status is the same as before")
	case p.SystemID == uuid.Nil, p.At.IsZero():
		return errors.New("it lacks the system or the time")
	}
	return nil
}
