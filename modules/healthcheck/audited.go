package healthcheck

import (
	"context"

	"countersign/audit"
	"countersign/internal/access"
	"countersign/internal/principal"
	"countersign/internal/store"

	"github.com/google/uuid"

	"countersign/internal/problem"
)

// Types of objects in the audit log, beside ObjectType.
const (
	systemType    = "catalog.system"
	retentionType = "healthcheck.retention"
	locationType  = "healthcheck.location"
)

// Types of objects in the audit log, as people read them.
var (
	auditedCheck = audit.Declare(audit.Type{
		ID: ObjectType, Label: "Health check", Plural: "Health checks", Page: "/health/checks/{id}",
		Kept: []string{"name", "strategyId", "intervalSeconds", "paused"}, Restricted: true,
	})
	auditedRetention = audit.Declare(audit.Type{
		ID: retentionType, Label: "History of health checks", Kept: []string{"rawDays", "hourlyDays", "dailyDays"},
	})
	auditedLocation = audit.Declare(audit.Type{
		ID:     locationType,
		Label:  "Location of health checks",
		Plural: "Locations of health checks",
		Page:   "/health/locations",
		Kept:   []string{"name"},
	})
)

// Types are the object types on which grants can be held.
func (*Module) Types() []string { return []string{ObjectType} }

// See returns problem.NotFound unless the check exists and the caller may see it.
func (m *Module) See(ctx context.Context, objectType string, id uuid.UUID) error {
	if objectType != ObjectType {
		return notGrantable(objectType)
	}
	_, err := m.service.checks.See(ctx, id)
	return err
}

// Touch locks a check whose grants change and raises its revision; problem.NotFound when it does not exist. It returns the
// check's name.
func (m *Module) Touch(ctx context.Context, objectType string, id uuid.UUID) (string, error) {
	if objectType != ObjectType {
		return "", notGrantable(objectType)
	}
	head, err := m.service.checks.Touch(ctx, id)
	return head.Name, err
}

func notGrantable(objectType string) error {
	return problem.Errorf(problem.NotFound, "There are no objects of the type %s to grant access to.", objectType)
}

// Audited lets callers who may see a check read its history.
func (m *Module) Audited() []audit.Kind {
	return []audit.Kind{{Type: auditedCheck, See: audit.ByUUID(m.service.checks.See)}, {Type: auditedRetention}, {Type: auditedLocation}}
}

// Known lets callers who may see a check's name and status see its events: these are more than those who may read its
// configuration.
func (m *Module) Known() audit.Kind {
	known := m.service.checks
	known.Kind = statusKind
	return audit.Kind{Type: auditedCheck, See: audit.ByUUID(known.See)}
}

// record adds a change to the audit log, in its transaction.
func (s *service) record(ctx context.Context, action audit.Action, head access.Head, summary string, fields audit.Fields) error {
	return audit.Record(
		ctx,
		s.DB,
		audit.Event{Action: action, Object: audit.Object(ObjectType, head.ID, head.Name), Summary: summary, Fields: fields},
	)
}

// recordGuess audits that the caller wanted the name of an invisible check. The entry is about the caller and names
// neither the name nor the check.
func recordGuess(ctx context.Context, db *store.DB, noun string) error {
	who := principal.FromContext(ctx)
	object := audit.Object("auth."+string(who.Kind), who.ID, who.Name)
	return audit.Record(ctx, db, audit.Event{
		Action: audit.NameRefused, Object: object, Summary: "A name was refused that a " + noun + " has which they do not see",
	})
}
