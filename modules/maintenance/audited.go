package maintenance

import (
	"context"

	"countersign/audit"
	"countersign/modules/maintenance/maintenancedb"
)

// Types of objects in the audit log.
const (
	maintenanceType = "maintenance.maintenance"
	systemType      = "catalog.system"
	feedType        = "maintenance.feed"
)

// The types in the audit log, as people read them.
var (
	auditedMaintenance = audit.Declare(audit.Type{
		ID: maintenanceType, Label: "Maintenance", Plural: "Maintenances",
		Kept: []string{"title", "status", "startAt", "endAt", "zone", "rule", "suppressNotifications"}, Restricted: true,
	})
	auditedFeed = audit.Declare(audit.Type{ID: feedType, Label: "Calendar feed", Plural: "Calendar feeds"})
)

// Audited lets callers who see a maintenance read its history.
func (m *Module) Audited() []audit.Kind {
	return []audit.Kind{{Type: auditedMaintenance, See: audit.ByUUID(m.service.Get)}, {Type: auditedFeed}}
}

// record writes an audit event about a change, in its transaction.
func (s *service) record(
	ctx context.Context,
	action audit.Action,
	row maintenancedb.Maintenance,
	summary string,
	fields audit.Fields,
) error {
	return audit.Record(ctx, s.db, audit.Event{
		Action: action, Object: audit.Object(maintenanceType, row.ID, row.Title), Summary: summary, Fields: fields,
	})
}
