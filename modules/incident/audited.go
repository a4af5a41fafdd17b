package incident

import (
	"context"

	"countersign/audit"
	"countersign/internal/note"
	"countersign/modules/incident/incidentdb"
)

// Types of objects in the audit log.
const (
	incidentType = "incident.incident"
	systemType   = "catalog.system"
	checkType    = "healthcheck.healthcheck"
)

// The type in the audit log, as people read it.
var auditedIncident = audit.Declare(audit.Type{
	ID: incidentType, Label: "Incident", Plural: "Incidents",
	Kept:       []string{"title", "status", "severity", "healthOverride", "suppressNotifications", "startedAt", "resolvedAt"},
	Page:       "/incidents/{id}",
	Restricted: true,
})

// Summaries of entries that a timeline tells by states and updates.
const (
	summaryOpened       = "Incident opened"
	summaryImported     = "Incident imported"
	summaryMoved        = "Incident moved"
	summaryMerged       = "Incident merged into another one"
	summaryResolved     = "Incident resolved"
	summaryReopened     = "Incident reopened"
	summaryAcknowledged = "Incident acknowledged"
)

// toldOtherwise are the summaries that a timeline leaves out.
var toldOtherwise = []string{
	summaryOpened, summaryImported, summaryMoved, summaryMerged, summaryResolved, summaryReopened, summaryAcknowledged, note.SummaryWritten,
}

// Kinds of states, see migration 00480.
const (
	stateOpened       = "opened"
	stateImported     = "imported"
	stateMoved        = "moved"
	stateAcknowledged = "acknowledged"
	stateResolved     = "resolved"
	stateReopened     = "reopened"
	stateMerged       = "merged"
)

// Audited lets callers who see an incident read its history.
func (m *Module) Audited() []audit.Kind {
	return []audit.Kind{{Type: auditedIncident, See: audit.ByUUID(m.service.Get)}}
}

// record writes an audit event about a change, in its transaction.
func (s *service) record(ctx context.Context, action audit.Action, row incidentdb.Incident, summary string, fields audit.Fields) error {
	return audit.Record(ctx, s.db, audit.Event{
		Action: action, Object: audit.Object(incidentType, row.ID, row.Title), Summary: summary, Fields: fields,
	})
}
