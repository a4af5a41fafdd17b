package incident

import (
	"embed"
	"time"

	"github.com/google/uuid"

	"countersign/internal/access"
	"countersign/internal/note"
	"countersign/internal/problem"
	"countersign/tool"
	"countersign/tool/kit"
)

//go:embed tool_*.md
var texts embed.FS

// Where the tools find records.
var (
	incidentsAPI = kit.Collection[Incident]{Kind: incidentKind, Path: path}
	systemsAPI   = kit.Collection[System]{
		Kind: access.Kind{Noun: "system", Plural: "systems", ObjectType: systemType, Read: systemRead}, Path: "/api/catalog/systems",
	}
)

// systemRead is the rule of the catalog that opens every system.
const systemRead = "catalog.system.read"

// Tools are the tools of incidents. They hold nothing of the module: each call goes through the caller's client.
func (m *Module) Tools() []tool.Tool {
	return []tool.Tool{
		listTool(), getTool(), briefTool(), createTool(), updateTool(), addUpdateTool(), acknowledgeTool(), resolveTool(), addLinkTool(),
		removeLinkTool(), deleteUpdateTool(), deleteTool(),
	}
}

// about is the target of a change of an incident.
func about(id uuid.UUID) []tool.Target {
	return []tool.Target{incidentsAPI.Target(id, access.Edit)}
}

// briefIncident is the part of an incident for a model.
type briefIncident struct {
	ID             uuid.UUID      `json:"id"`
	Title          string         `json:"title"`
	Status         Status         `json:"status"`
	Severity       Severity       `json:"severity"`
	HealthOverride HealthOverride `json:"healthOverride,omitempty" jsonschema:"description=What its systems are at least while it is open."`
	Systems        []string       `json:"systems,omitempty" jsonschema:"description=Names of its systems that the person may see."`
	StartedAt      time.Time      `json:"startedAt"`
	ResolvedAt     *time.Time     `json:"resolvedAt,omitempty"`
	AcknowledgedBy string         `json:"acknowledgedBy,omitempty" jsonschema:"description=Who has taken it on; absent while nobody has."`
	DuplicateOf    *uuid.UUID     `json:"duplicateOf,omitempty"`
	Imported       bool           `json:"imported,omitempty" jsonschema:"description=Its texts come from another product."`
}

// Tainted implements tool.Tainted: the texts of an imported incident, and of one that alerts opened, are from outside.
func (b briefIncident) Tainted() bool { return b.Imported }

// importOrigin names the source of texts from outside.
const importOrigin = "imported incidents and alerts"

func brief(i Listed) briefIncident {
	b := briefIncident{
		ID: i.ID, Title: i.Title, Status: i.Status, Severity: i.Severity, StartedAt: i.StartedAt, ResolvedAt: i.ResolvedAt,
		DuplicateOf: i.DuplicateOf, Imported: i.Imported,
	}
	if i.HealthOverride != NoOverride {
		b.HealthOverride = i.HealthOverride
	}
	for _, s := range i.Systems {
		b.Systems = append(b.Systems, s.Name)
	}
	if i.Acknowledged != nil {
		if b.AcknowledgedBy = i.Acknowledged.ByName; b.AcknowledgedBy == "" {
			b.AcknowledgedBy = i.Acknowledged.ByID.String()
		}
	}
	return b
}

// incidentOutput is the incident after a change.
type incidentOutput struct {
	Incident briefIncident `json:"incident"`
}

// Tainted implements tool.Tainted.
func (o incidentOutput) Tainted() bool { return o.Incident.Tainted() }

// Origin implements tool.Originated.
func (incidentOutput) Origin() string { return importOrigin }

func newIncidentOutput(i Incident) incidentOutput { return incidentOutput{brief(i.Listed)} }

// movedOutput is the incident after a call that sets its state.
type movedOutput struct {
	Incident briefIncident `json:"incident"`
	Changed  bool          `json:"changed" jsonschema:"description=Whether this call did it; false when it was so before."`
}

// Tainted implements tool.Tainted.
func (o movedOutput) Tainted() bool { return o.Incident.Tainted() }

// Origin implements tool.Originated.
func (movedOutput) Origin() string { return importOrigin }

func newMovedOutput(m Moved) movedOutput { return movedOutput{brief(m.Listed), m.Changed} }

// briefUpdate is an update for a model.
type briefUpdate struct {
	ID           uuid.UUID       `json:"id"`
	At           time.Time       `json:"at"`
	By           string          `json:"by,omitempty"`
	Message      string          `json:"message"`
	StatusChange Status          `json:"statusChange,omitempty"`
	Visibility   note.Visibility `json:"visibility"`
}

func briefNote(n note.Note) briefUpdate {
	return briefUpdate{
		ID: n.ID, At: n.CreatedAt, By: n.AuthorName, Message: n.Message, StatusChange: Status(n.StatusChange), Visibility: n.Visibility,
	}
}

// overrideEffect says what an override means for systems.
func overrideEffect(o HealthOverride) []string {
	if o == NoOverride || o == "" {
		return nil
	}
	return []string{"While it is open, its systems are shown as " + string(o) + " or worse."}
}

// endOfOverride says what the end of an incident means for its systems.
func endOfOverride(i Incident) []string {
	if i.HealthOverride == NoOverride || !i.IsOpen() {
		return nil
	}
	return []string{"Its systems are as healthy as their checks say again."}
}

// noneOf refuses an id that names no part of an incident.
func noneOf(title, what, field string) error {
	return problem.InvalidInput(
		"The incident "+title+" has no such "+what+". Read it with incident_get to see what it has.",
		problem.Issue{Path: field, Message: "names no " + what + " of this incident"},
	)
}
