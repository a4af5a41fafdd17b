package event

import (
	"errors"
	"fmt"
	"slices"
	"time"

	"github.com/google/uuid"
)

// The types of events.
const (
	SystemDegraded      = "healthcheck.system_degraded"
	SystemHealthy       = "healthcheck.system_healthy"
	SystemHealthChanged = "healthcheck.system_health_changed"
)

// KindSystem is the kind of events that are about a system of the catalog.
const KindSystem = "system"

// OfSystem is the subject of events about a system.
func OfSystem(id uuid.UUID) string { return KindSystem + ":" + id.String() }

// Standard is the list of event types of the product.
func Standard() (*Registry, error) {
	return NewRegistry(
		Define[SystemHealth](Type{
			ID: SystemDegraded, Name: "System degraded", Rule: "healthcheck.healthcheck.status.read", Subject: KindSystem,
			Description: "A system has become degraded or unhealthy, or has gone from one to the other for the worse.",
		}),
		Define[SystemHealth](Type{
			ID: SystemHealthy, Name: "System healthy", Rule: "healthcheck.healthcheck.status.read", Subject: KindSystem,
			Description: "A system that was degraded or unhealthy is healthy again.",
		}),
		Define[SystemHealth](Type{
			ID: SystemHealthChanged, Name: "System health changed", Rule: "healthcheck.healthcheck.status.read", Subject: KindSystem,
			Description: "The status of a system has changed, in whatever direction. It comes beside the more special event, if there is one.",
		}),
	)
}

// SystemHealth is the payload of the events about the health of a system.
type SystemHealth struct {
	SystemID   uuid.UUID `json:"systemId" jsonschema:"description=The system"`
	SystemName string    `json:"systemName" jsonschema:"description=Its name at that moment"`
	Before     string    `json:"before" jsonschema:"enum=unknown,enum=healthy,enum=degraded,enum=unhealthy,description=The status before"`
	After      string    `json:"after" jsonschema:"enum=unknown,enum=healthy,enum=degraded,enum=unhealthy,description=The status from then on"`
	Reason     string    `json:"reason" jsonschema:"description=Why in one sentence; empty when it is healthy"`
	// TargetID and CheckID are those of the decisive check, absent without one.
	TargetID *int32     `json:"targetId,omitempty" jsonschema:"description=The target whose run made the difference"`
	CheckID  *uuid.UUID `json:"checkId,omitempty" jsonschema:"description=The health check of that target"`
	At       time.Time  `json:"at" jsonschema:"description=When it changed"`
}

// Check refuses an unknown status, an unchanged status, and a missing system or time.
func (p SystemHealth) Check() error {
	statuses := []string{"unknown", "healthy", "degraded", "unhealthy"}
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
