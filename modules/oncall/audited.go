package oncall

import (
	"context"

	"github.com/google/uuid"

	"countersign/audit"
	"countersign/internal/store"
)

// Types of objects in the audit log.
const (
	scheduleType = "oncall.schedule"
	policyType   = "oncall.policy"

	personType = audit.PersonType
	teamType   = "auth.team"
)

// The types in the audit log, as people read them.
var (
	auditedSchedule = audit.Declare(audit.Type{
		ID: scheduleType, Label: "On-call schedule", Plural: "On-call schedules", Page: "/on-call/schedules/{id}", Kept: []string{"name", "zone"},
	})
	auditedPolicy = audit.Declare(audit.Type{
		ID: policyType, Label: "Escalation policy", Plural: "Escalation policies", Page: "/on-call/policies/{id}",
		Kept: []string{"name", "zone", "repeats", "betweenSeconds", "severities", "default", "enabled"},
	})
)

// Audited lets callers who see a schedule or policy read its history.
func (m *Module) Audited() []audit.Kind {
	return []audit.Kind{
		{Type: auditedSchedule, See: audit.ByUUID(m.service.Schedule)},
		{Type: auditedPolicy, See: audit.ByUUID(m.service.Policy)},
	}
}

// record writes an audit event about a change, in its transaction.
func record(ctx context.Context, db *store.DB, action audit.Action, object audit.Ref, summary string, fields audit.Fields) error {
	return audit.Record(ctx, db, audit.Event{Action: action, Object: object, Summary: summary, Fields: fields})
}

func scheduleObject(id uuid.UUID, name string) audit.Ref { return audit.Object(scheduleType, id, name) }

func policyObject(id uuid.UUID, name string) audit.Ref { return audit.Object(policyType, id, name) }
