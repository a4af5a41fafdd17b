package oncall

import (
	"context"
	"time"

	"github.com/google/uuid"

	"countersign/internal/notice"
)

// incidentSubject is the kind of notices about incidents, and of the subjects of their events.
const incidentSubject = "incident"

// TopicCalled is the topic of calls by escalation policies.
const TopicCalled = "incident.called"

// Incident is what an escalation needs to know of one.
type Incident struct {
	ID             uuid.UUID
	Title          string
	Severity       string
	Systems        []uuid.UUID
	Open           bool
	Suppressed     bool
	AcknowledgedAt *time.Time
	AcknowledgedBy *uuid.UUID
}

// Incidents reads incidents and the teams of their systems.
type Incidents interface {
	// Hold returns an incident on behalf of the product and keeps it as it is until the transaction ends; false when it is gone.
	Hold(ctx context.Context, id uuid.UUID) (Incident, bool, error)
	// See returns an incident that the principal of the context may see.
	See(ctx context.Context, id uuid.UUID) (Incident, error)
	// SeenBy reports whether a person may see an incident.
	SeenBy(ctx context.Context, id, person uuid.UUID) (bool, error)
	// SeenByTeam reports whether the channels of a team, which are read with its grants, may be sent an incident.
	SeenByTeam(ctx context.Context, id, team uuid.UUID) (bool, error)
	// Owners are the teams that own any of the systems.
	Owners(ctx context.Context, systems []uuid.UUID) ([]uuid.UUID, error)
	// CheckSystems refuses systems that the principal of the context may not see.
	CheckSystems(ctx context.Context, systems []uuid.UUID) error
}

// aboutIncident is what notices of an escalation are about.
func aboutIncident(id uuid.UUID) notice.About { return notice.About{Kind: incidentSubject, ID: id} }
