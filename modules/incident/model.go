// Package incident manages incidents: what is wrong with systems, since when, how bad it is, who has taken it on, and
// what people write about it until it is resolved.
//
// An incident follows its systems: readers see it when they see one of them, and only those that they see. Changes need
// incident.incident.manage. Updates and links have a visibility of their own (package
// note). Of the open incidents one has a dedupe key, which the database guards, so that the second report of the same
// trouble gets the first incident. While an incident with a health override is open, its systems are at least that bad.
//
// Systems and names of people belong to other modules, reached through the interfaces Systems and note.Names.
package incident

import (
	"slices"
	"time"

	"github.com/google/uuid"

	"countersign/internal/access"
	"countersign/internal/note"
	"countersign/internal/rest"
)

// Limits of incidents. Lengths are in characters.
const (
	MaxTitle       = 200
	MaxDescription = 5000
	MaxKey         = 200
	MaxSystems     = 100
	MaxBulk        = 100
	MaxQuery       = 200
)

// Status is how far an incident is. People move it freely.
type Status string

// The statuses. Resolved ends an incident, every other one means that it is open.
const (
	Investigating Status = "investigating"
	Identified    Status = "identified"
	Fixing        Status = "fixing"
	Monitoring    Status = "monitoring"
	Resolved      Status = "resolved"
)

// statuses are all of them, in their usual order.
var statuses = []Status{Investigating, Identified, Fixing, Monitoring, Resolved}

// Severity is a label; nothing follows from it by itself.
type Severity string

// The severities.
const (
	Minor    Severity = "minor"
	Major    Severity = "major"
	Critical Severity = "critical"
)

// HealthOverride is what the systems of an open incident are at least.
type HealthOverride string

// The overrides.
const (
	NoOverride HealthOverride = "none"
	Degraded   HealthOverride = "degraded"
	Unhealthy  HealthOverride = "unhealthy"
)

// System is a system of an incident.
type System struct {
	ID   uuid.UUID `json:"id"`
	Name string    `json:"name"`
}

// Acknowledgement says who has taken an incident on.
type Acknowledgement struct {
	At     time.Time `json:"at"`
	ByID   uuid.UUID `json:"byId"`
	ByName string    `json:"byName,omitempty" doc:"Absent when the account is gone."`
}

// Listed is an incident without its texts and links.
type Listed struct {
	ID                    uuid.UUID        `json:"id"`
	Title                 string           `json:"title"`
	Status                Status           `json:"status" enum:"investigating,identified,fixing,monitoring,resolved"`
	Severity              Severity         `json:"severity" enum:"minor,major,critical"`
	SuppressNotifications bool             `json:"suppressNotifications"`
	HealthOverride        HealthOverride   `json:"healthOverride" enum:"none,degraded,unhealthy" doc:"What its systems are at least while it is open."`
	Systems               []System         `json:"systems" nullable:"false" doc:"Those that the caller may see."`
	StartedAt             time.Time        `json:"startedAt"`
	ResolvedAt            *time.Time       `json:"resolvedAt,omitempty" doc:"Absent while it is open."`
	Acknowledged          *Acknowledgement `json:"acknowledged,omitempty" doc:"Absent until a person has taken it on."`
	DuplicateOf           *uuid.UUID       `json:"duplicateOf,omitempty" doc:"The incident into which it was merged, if the caller may see that."`
	DedupeKey             string           `json:"dedupeKey,omitempty" doc:"For those who may change it. Of the open incidents one has a key."`
	Imported              bool             `json:"imported,omitempty" doc:"Its texts came with an import or from a source of alerts. For the assistant they are content from outside."`
	Access                access.Level     `json:"access" enum:"viewer,owner"`
	rest.Revised
	CreatedAt time.Time `json:"createdAt"`
	UpdatedAt time.Time `json:"updatedAt"`
}

// Incident is an incident as one reader sees it.
type Incident struct {
	Listed
	Description string      `json:"description"`
	Links       []note.Link `json:"links" nullable:"false" doc:"Those that the caller may see."`
}

// IsOpen reports that the incident is not resolved.
func (i Listed) IsOpen() bool { return i.Status != Resolved }

// systemIDs are the ids of the systems, sorted.
func (i Listed) systemIDs() []uuid.UUID {
	ids := make([]uuid.UUID, len(i.Systems))
	for n, s := range i.Systems {
		ids[n] = s.ID
	}
	return ids
}

// names are the names of the systems by id.
func (i Listed) names() map[string]string {
	names := map[string]string{}
	for _, s := range i.Systems {
		names[s.ID.String()] = s.Name
	}
	return names
}

// NewIncident is the input for opening an incident.
type NewIncident struct {
	Title                 string          `json:"title" jsonschema:"minLength=1,maxLength=200" doc:"1 to 200 characters on one line."`
	Description           string          `json:"description,omitempty" jsonschema:"maxLength=5000" doc:"At most 5,000 characters."`
	Status                Status          `json:"status,omitempty" enum:"investigating,identified,fixing,monitoring" jsonschema:"enum=investigating,enum=identified,enum=fixing,enum=monitoring,description=investigating when left out." doc:"investigating when absent."`
	Severity              Severity        `json:"severity" enum:"minor,major,critical" jsonschema:"enum=minor,enum=major,enum=critical"`
	SystemIDs             []uuid.UUID     `json:"systemIds" minItems:"1" maxItems:"100" nullable:"false" jsonschema:"minItems=1,maxItems=100"`
	HealthOverride        HealthOverride  `json:"healthOverride,omitempty" enum:"none,degraded,unhealthy" jsonschema:"enum=none,enum=degraded,enum=unhealthy,description=How bad its systems look at least; only when asked for." doc:"What its systems are at least while it is open."`
	SuppressNotifications bool            `json:"suppressNotifications,omitempty" jsonschema:"description=Only when asked for." doc:"Send no notifications about it."`
	StartedAt             *time.Time      `json:"startedAt,omitempty" nullable:"true" jsonschema:"description=When it began; with an offset from UTC." doc:"When it began; now when absent. It may lie before the incident was opened, and not in the future."`
	DedupeKey             string          `json:"dedupeKey,omitempty" jsonschema:"maxLength=200,description=A key of the trouble for programs: while an incident with it is open no second one is made." doc:"While an incident with this key is open, no second one is made: the answer is the first one. Keys that begin with alert/ are those of sources of alerts."`
	InitialMessage        string          `json:"initialMessage,omitempty" jsonschema:"maxLength=10000,description=The first update." doc:"The first update, at most 10,000 characters."`
	Visibility            note.Visibility `json:"visibility,omitempty" enum:"public,logged_in,internal" jsonschema:"enum=public,enum=logged_in,enum=internal,description=Who sees the first update; public when left out." doc:"Who sees the first update; public when absent."`
	OnDuplicate           string          `json:"onDuplicate,omitempty" enum:"keep,update" jsonschema:"enum=keep,enum=update" doc:"What a report does to the open incident that has its dedupeKey: keep leaves it, and is meant when absent; update sets title and severity, the description and the override if the report has them, adds the systems, and writes initialMessage."`
}

// Effects of a report on the open incident that has its key.
const (
	OnDuplicateKeep   = "keep"
	OnDuplicateUpdate = "update"
)

// Change changes an incident; nil fields stay.
type Change struct {
	Title                 *string         `json:"title,omitempty" jsonschema:"minLength=1,maxLength=200" doc:"1 to 200 characters on one line."`
	Description           *string         `json:"description,omitempty" nullable:"true" jsonschema:"maxLength=5000,description=An empty text clears it." doc:"At most 5,000 characters."`
	Severity              *Severity       `json:"severity,omitempty" enum:"minor,major,critical" jsonschema:"enum=minor,enum=major,enum=critical"`
	SystemIDs             *[]uuid.UUID    `json:"systemIds,omitempty" maxItems:"100" jsonschema:"minItems=1,maxItems=100,description=Replaces all." doc:"Replaces those of its systems that the caller may see; others stay."`
	HealthOverride        *HealthOverride `json:"healthOverride,omitempty" nullable:"true" enum:"none,degraded,unhealthy" jsonschema:"enum=none,enum=degraded,enum=unhealthy,description=none lifts it." doc:"null lifts it, as none does."`
	SuppressNotifications *bool           `json:"suppressNotifications,omitempty" nullable:"true"`
	StartedAt             *time.Time      `json:"startedAt,omitempty" jsonschema:"description=With an offset from UTC." doc:"When it began; not in the future."`
	DedupeKey             *string         `json:"dedupeKey,omitempty" nullable:"true" jsonschema:"maxLength=200,description=An empty text clears it." doc:"At most 200 characters on one line; not one that begins with alert/."`
}

// fields are the fields of an incident that a change can replace.
type fields struct {
	Title                 string         `json:"title"`
	Description           string         `json:"description"`
	Severity              Severity       `json:"severity"`
	SystemIDs             []uuid.UUID    `json:"systemIds"`
	HealthOverride        HealthOverride `json:"healthOverride"`
	SuppressNotifications bool           `json:"suppressNotifications"`
	StartedAt             time.Time      `json:"startedAt"`
	DedupeKey             string         `json:"dedupeKey"`
}

// fields are those of the incident as its reader sees it.
func (i Incident) fields() fields {
	return fields{
		Title: i.Title, Description: i.Description, Severity: i.Severity, SystemIDs: i.systemIDs(), HealthOverride: i.HealthOverride,
		SuppressNotifications: i.SuppressNotifications, StartedAt: i.StartedAt.UTC(), DedupeKey: i.DedupeKey,
	}
}

// over returns the fields after the change.
func (c Change) over(f fields) fields {
	rest.Replace(&f.Title, c.Title)
	rest.Replace(&f.Description, c.Description)
	rest.Replace(&f.Severity, c.Severity)
	rest.Replace(&f.HealthOverride, c.HealthOverride)
	rest.Replace(&f.SuppressNotifications, c.SuppressNotifications)
	rest.Replace(&f.StartedAt, c.StartedAt)
	rest.Replace(&f.DedupeKey, c.DedupeKey)
	rest.Replace(&f.SystemIDs, c.SystemIDs)
	f.SystemIDs = slices.Clone(f.SystemIDs)
	return f
}

// NewUpdate is the input for writing an update.
type NewUpdate struct {
	Message      string          `json:"message" jsonschema:"minLength=1,maxLength=10000,description=What is new in plain words." doc:"1 to 10,000 characters."`
	StatusChange Status          `json:"statusChange,omitempty" enum:"investigating,identified,fixing,monitoring,resolved" jsonschema:"enum=investigating,enum=identified,enum=fixing,enum=monitoring,enum=resolved,description=The status that it sets." doc:"The status that it sets; resolved ends the incident, every other one reopens an ended one."`
	Visibility   note.Visibility `json:"visibility,omitempty" enum:"public,logged_in,internal" jsonschema:"enum=public,enum=logged_in,enum=internal,description=public when left out." doc:"Who sees it; public when absent. internal is for those who manage incidents."`
}

// UpdateChange edits an update; nil fields stay.
type UpdateChange note.UpdateChange

// Closing is the input for resolving an incident.
type Closing struct {
	Message    string          `json:"message,omitempty" jsonschema:"maxLength=10000,description=A last update." doc:"A last update, at most 10,000 characters."`
	Visibility note.Visibility `json:"visibility,omitempty" enum:"public,logged_in,internal" jsonschema:"enum=public,enum=logged_in,enum=internal,description=public when left out." doc:"Who sees the update; public when absent."`
	ResolvedAt *time.Time      `json:"resolvedAt,omitempty" nullable:"true" jsonschema:"description=When it ended if not now; with an offset from UTC." doc:"When it ended; now when absent. It lies between the start and now."`
}

// Reopening is the input for reopening an incident.
type Reopening struct {
	Status  Status `json:"status,omitempty" enum:"investigating,identified,fixing,monitoring" doc:"investigating when absent."`
	Message string `json:"message,omitempty" doc:"An update, at most 10,000 characters."`
}

// Merging names the incident into which another one is merged.
type Merging struct {
	Into uuid.UUID `json:"into" doc:"The open incident that stays."`
}

// Opened is the answer to a report.
type Opened struct {
	Incident
	Created bool `json:"created" doc:"Whether this call opened it; false when an open incident has the key of the report."`
	Updated bool `json:"updated" doc:"Whether this call changed an incident that was open: see onDuplicate."`
}

// Moved is an incident after a call that sets its state.
type Moved struct {
	Incident
	Changed bool `json:"changed" doc:"Whether this call did it; false when it was so before."`
}

// Filter narrows a list. Empty fields match all.
type Filter struct {
	Status   Status
	Severity Severity
	SystemID *uuid.UUID
	// State is open or resolved.
	State string
	// DedupeKey is for those who manage incidents.
	DedupeKey string
	// Query is searched in titles and descriptions.
	Query string
}
