package maintenance

import (
	"embed"
	"time"

	"github.com/google/uuid"

	"countersign/internal/access"
	"countersign/internal/calendar"
	"countersign/internal/note"
	"countersign/internal/problem"
	"countersign/tool"
	"countersign/tool/kit"
)

//go:embed tool_*.md
var texts embed.FS

// Where the tools find records.
var (
	maintenancesAPI = kit.Collection[Maintenance]{Kind: maintenanceKind, Path: path}
	systemsAPI      = kit.Collection[catalogSystem]{
		Kind: access.Kind{Noun: "system", Plural: "systems", ObjectType: systemType, Read: systemRead}, Path: "/api/catalog/systems",
	}
)

// systemRead is the rule of the catalog that opens every system.
const systemRead = "catalog.system.read"

// catalogSystem is what the tools read of a system.
type catalogSystem struct {
	ID     uuid.UUID `json:"id"`
	Name   string    `json:"name"`
	Owners []struct {
		TeamName string `json:"teamName"`
	} `json:"owners"`
}

// Tools are the tools of maintenances. They hold nothing of the module: each call goes through the caller's client.
func (m *Module) Tools() []tool.Tool {
	return []tool.Tool{
		listTool(), getTool(), impactTool(), createTool(), updateTool(), addUpdateTool(), closeTool(), addLinkTool(), removeLinkTool(),
		deleteTool(),
	}
}

// about is the target of a change of a maintenance.
func about(id uuid.UUID) []tool.Target {
	return []tool.Target{maintenancesAPI.Target(id, access.Edit)}
}

// briefMaintenance is the part of a maintenance for a model.
type briefMaintenance struct {
	ID                    uuid.UUID `json:"id"`
	Title                 string    `json:"title"`
	Status                Status    `json:"status"`
	StartAt               time.Time `json:"startAt" jsonschema:"description=Of the occurrence in progress or the next one or the last one."`
	EndAt                 time.Time `json:"endAt"`
	Zone                  string    `json:"zone" jsonschema:"description=The time zone in which it was planned."`
	Recurrence            string    `json:"recurrence,omitempty" jsonschema:"description=Absent when it happens once."`
	SuppressNotifications bool      `json:"suppressNotifications,omitempty"`
	EndedEarly            bool      `json:"endedEarly,omitempty"`
	Extended              bool      `json:"extended,omitempty"`
	Systems               []string  `json:"systems,omitempty" jsonschema:"description=Names of its systems that the person may see."`
}

func brief(l Listed) briefMaintenance {
	b := briefMaintenance{
		ID: l.ID, Title: l.Title, Status: l.Status, StartAt: l.Occurrence.StartAt, EndAt: l.Occurrence.EndAt, Zone: l.Zone,
		Recurrence: l.Recurrence, SuppressNotifications: l.SuppressNotifications, EndedEarly: l.Occurrence.EndedEarly,
		Extended: l.Occurrence.Extended,
	}
	// A model compares the times of answers with those that the person has given.
	if zone, err := calendar.Zone(l.Zone); err == nil {
		b.StartAt, b.EndAt = b.StartAt.In(zone), b.EndAt.In(zone)
	}
	for _, s := range l.Systems {
		b.Systems = append(b.Systems, s.Name)
	}
	return b
}

// maintenanceOutput is the maintenance after a change.
type maintenanceOutput struct {
	Maintenance briefMaintenance `json:"maintenance"`
}

func newMaintenanceOutput(m Maintenance) maintenanceOutput { return maintenanceOutput{brief(m.Listed)} }

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

// when describes a span of time in its zone, such as "from 2026-03-15 02:00 to 04:00 CET (Europe/Berlin)".
func when(start, end time.Time, zone string) string {
	z, err := calendar.Zone(zone)
	if err != nil {
		z = time.UTC
	}
	start, end = start.In(z), end.In(z)
	until := end.Format("15:04 MST")
	if start.Format(time.DateOnly) != end.Format(time.DateOnly) {
		until = end.Format("2006-01-02 15:04 MST")
	}
	return "from " + start.Format("2006-01-02 15:04") + " to " + until + " (" + zone + ")"
}

// suppression says what a maintenance means for notifications.
func suppression(suppresses bool) []string {
	if !suppresses {
		return nil
	}
	return []string{"While it is in progress, nobody is notified about its systems."}
}

// noneOf refuses an id that names no part of a maintenance.
func noneOf(title, what, field string) error {
	return problem.InvalidInput(
		"The maintenance "+title+" has no such "+what+". Read it with maintenance_get to see what it has.",
		problem.Issue{Path: field, Message: "names no " + what + " of this maintenance"},
	)
}
