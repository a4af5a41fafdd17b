package intake

import (
	"context"

	"countersign/audit"
	"countersign/modules/intake/intakedb"
)

// Types of objects in the audit log.
const (
	sourceType   = "intake.source"
	incidentType = "incident.incident"
	teamType     = "auth.team"
)

// The type in the audit log, as people read it.
var auditedSource = audit.Declare(audit.Type{
	ID: sourceType, Label: "Source of alerts", Plural: "Sources of alerts",
	Kept: []string{"name", "kind", "enabled", "severity", "groupBy", "reopenWithinMinutes"},
})

// Audited lets callers who see a source read its history.
func (m *Module) Audited() []audit.Kind {
	return []audit.Kind{{Type: auditedSource, See: audit.ByUUID(m.service.Source)}}
}

// record writes an audit event about a change, in its transaction.
func (s *service) record(
	ctx context.Context, action audit.Action, row intakedb.IntakeSource, summary string, fields audit.Fields,
) error {
	return audit.Record(ctx, s.db, audit.Event{
		Action: action, Object: audit.Object(sourceType, row.ID, row.Name), Summary: summary, Fields: fields,
	})
}
