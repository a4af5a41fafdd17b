// Package maintenance manages planned work on systems: when it happens, once or by a recurrence, what people write about
// it, and whether notifications are suppressed meanwhile. Checks keep running, and no status of a system is changed.
//
// A maintenance follows its systems: readers see it when they see one of them, and only those that they see. Changes need
// maintenance.maintenance.manage. The row of a maintenance is the truth: it holds the occurrence in progress or the next
// one, and the clock of the database decides when that begins and ends. A workflow sleeps until then, and a chore
// does the same work when no workflow does.
//
// Systems and names of people belong to other modules, reached through the interfaces Systems and note.Names.
package maintenance

import (
	"time"

	"github.com/google/uuid"

	"countersign/internal/access"
	"countersign/internal/note"
	"countersign/internal/rest"
)

// Limits of maintenances. Lengths are in characters.
const (
	MaxTitle       = 200
	MaxDescription = 5000
	MaxSystems     = 100
	// MaxChanged is how many coming occurrences can be moved or cancelled.
	MaxChanged = 200
	// MaxLength is how long an occurrence can last, and maxAhead how far in the future one can begin.
	MaxLength = 366 * 24 * time.Hour
	maxAhead  = 10 * 366 * 24 * time.Hour
	// MaxRange is the longest span of a calendar, and MaxOccurrences how many it lists.
	MaxRange       = 100 * 24 * time.Hour
	MaxOccurrences = 1000
)

// Status is how far a maintenance is.
type Status string

// The statuses. A recurring maintenance is scheduled between two occurrences. Completed and Cancelled are final.
const (
	Scheduled  Status = "scheduled"
	InProgress Status = "in_progress"
	Completed  Status = "completed"
	Cancelled  Status = "cancelled"
)

// isOver reports that nothing of the maintenance is to come.
func (s Status) isOver() bool { return s == Completed || s == Cancelled }

// System is a system of a maintenance.
type System struct {
	ID   uuid.UUID `json:"id"`
	Name string    `json:"name"`
}

// Occurrence is one time at which a maintenance happens.
type Occurrence struct {
	At         time.Time `json:"at" doc:"When the recurrence has it. It names the occurrence in changes."`
	StartAt    time.Time `json:"startAt"`
	EndAt      time.Time `json:"endAt"`
	Status     Status    `json:"status" enum:"scheduled,in_progress,completed,cancelled"`
	Moved      bool      `json:"moved,omitempty" doc:"Whether it begins at another time than the recurrence has."`
	EndedEarly bool      `json:"endedEarly,omitempty"`
	Extended   bool      `json:"extended,omitempty" doc:"Whether its end was put off while it was in progress."`
}

// Listed is a maintenance without its texts and links.
type Listed struct {
	ID                    uuid.UUID    `json:"id"`
	Title                 string       `json:"title"`
	Status                Status       `json:"status" enum:"scheduled,in_progress,completed,cancelled" doc:"By the clock of the database. A recurring one is scheduled between two occurrences."`
	SuppressNotifications bool         `json:"suppressNotifications" doc:"Whether notifications about its systems are suppressed while it is in progress."`
	Systems               []System     `json:"systems" nullable:"false" doc:"Those that the caller may see."`
	StartAt               time.Time    `json:"startAt" doc:"When it begins; of a recurring one, when its first occurrence begins."`
	EndAt                 time.Time    `json:"endAt" doc:"When it ends; of a recurring one, when its first occurrence ends."`
	Zone                  string       `json:"zone" doc:"The IANA time zone in which it was planned and recurs."`
	Rule                  string       `json:"rule" doc:"Its recurrence rule of RFC 5545; empty when it happens once."`
	Recurrence            string       `json:"recurrence,omitempty" doc:"The rule in words."`
	Occurrence            Occurrence   `json:"occurrence" doc:"The occurrence in progress, else the next one, else the last one."`
	OverAt                *time.Time   `json:"overAt,omitempty" doc:"When it was completed or cancelled."`
	Access                access.Level `json:"access" enum:"viewer,owner"`
	rest.Revised
	CreatedAt time.Time `json:"createdAt"`
	UpdatedAt time.Time `json:"updatedAt"`
}

// Maintenance is a maintenance as one reader sees it.
type Maintenance struct {
	Listed
	Description string       `json:"description"`
	Links       []note.Link  `json:"links" nullable:"false" doc:"Those that the caller may see."`
	Upcoming    []Occurrence `json:"upcoming" nullable:"false" doc:"The next occurrences, with those that were moved or cancelled; for a recurring one."`
	Issue       string       `json:"issue,omitempty" doc:"Why its recurrence cannot be read any more, such as a time zone that has left the database."`
}

// systemIDs are the ids of the systems, sorted.
func (l Listed) systemIDs() []uuid.UUID {
	ids := make([]uuid.UUID, len(l.Systems))
	for n, s := range l.Systems {
		ids[n] = s.ID
	}
	return ids
}

// names are the names of the systems by id.
func (l Listed) names() map[string]string {
	names := map[string]string{}
	for _, s := range l.Systems {
		names[s.ID.String()] = s.Name
	}
	return names
}

// NewMaintenance is the input for scheduling a maintenance.
type NewMaintenance struct {
	Title                 string          `json:"title" jsonschema:"minLength=1,maxLength=200" doc:"1 to 200 characters on one line."`
	Description           string          `json:"description,omitempty" jsonschema:"maxLength=5000" doc:"At most 5,000 characters."`
	SystemIDs             []uuid.UUID     `json:"systemIds" minItems:"1" maxItems:"100" nullable:"false" jsonschema:"minItems=1,maxItems=100" doc:"Systems that the caller may see."`
	StartAt               time.Time       `json:"startAt" jsonschema:"description=With an offset from UTC." doc:"With an offset from UTC. One in the past begins at once."`
	EndAt                 time.Time       `json:"endAt" jsonschema:"description=With an offset from UTC." doc:"With an offset from UTC; after the start and in the future."`
	Zone                  string          `json:"zone,omitempty" jsonschema:"maxLength=64,description=IANA name." doc:"IANA time zone; UTC when absent. A recurrence needs it."`
	Rule                  string          `json:"rule,omitempty" jsonschema:"maxLength=1024,description=RFC 5545; such as FREQ=WEEKLY;BYDAY=SU." doc:"Recurrence rule of RFC 5545, such as FREQ=WEEKLY;BYDAY=SU."`
	SuppressNotifications bool            `json:"suppressNotifications,omitempty"`
	InitialMessage        string          `json:"initialMessage,omitempty" jsonschema:"maxLength=10000" doc:"A first update, at most 10,000 characters."`
	Visibility            note.Visibility `json:"visibility,omitempty" enum:"public,logged_in,internal" jsonschema:"enum=public,enum=logged_in,enum=internal" doc:"Who sees the first update; public when absent."`
}

// Change changes fields of a maintenance; nil fields stay, null clears.
type Change struct {
	Title                 *string           `json:"title,omitempty" jsonschema:"minLength=1,maxLength=200" doc:"1 to 200 characters on one line."`
	Description           *string           `json:"description,omitempty" nullable:"true" jsonschema:"maxLength=5000" doc:"At most 5,000 characters."`
	SystemIDs             *[]uuid.UUID      `json:"systemIds,omitempty" maxItems:"100" jsonschema:"minItems=1,maxItems=100,description=Replaces all." doc:"Replaces those of its systems that the caller may see; others stay."`
	StartAt               *time.Time        `json:"startAt,omitempty" jsonschema:"description=With an offset from UTC." doc:"With an offset from UTC. It stays while the maintenance is in progress."`
	EndAt                 *time.Time        `json:"endAt,omitempty" jsonschema:"description=With an offset from UTC." doc:"With an offset from UTC. A later one extends a maintenance in progress that happens once."`
	Zone                  *string           `json:"zone,omitempty" jsonschema:"maxLength=64" doc:"IANA time zone."`
	Rule                  *string           `json:"rule,omitempty" nullable:"true" jsonschema:"maxLength=1024,description=Empty ends the recurrence." doc:"Recurrence rule of RFC 5545; null lets it happen once."`
	SuppressNotifications *bool             `json:"suppressNotifications,omitempty" nullable:"true"`
	Occurrence            *OccurrenceChange `json:"occurrence,omitempty" doc:"Changes one occurrence of a recurring maintenance."`
}

// OccurrenceChange moves, cancels or restores one occurrence of a recurring maintenance.
type OccurrenceChange struct {
	At        time.Time  `json:"at" doc:"at of the occurrence."`
	StartAt   *time.Time `json:"startAt,omitempty" doc:"Where it is moved; it keeps its length without endAt."`
	EndAt     *time.Time `json:"endAt,omitempty" doc:"Its end; a later one extends it while it is in progress."`
	Cancelled *bool      `json:"cancelled,omitempty" jsonschema:"description=false restores it." doc:"true cancels it, false restores it as the recurrence has it."`
}

// fields are the fields of a maintenance that a change can replace.
type fields struct {
	Title                 string      `json:"title"`
	Description           string      `json:"description"`
	SystemIDs             []uuid.UUID `json:"systemIds"`
	StartAt               time.Time   `json:"startAt"`
	EndAt                 time.Time   `json:"endAt"`
	Zone                  string      `json:"zone"`
	Rule                  string      `json:"rule"`
	SuppressNotifications bool        `json:"suppressNotifications"`
}

// fields are those of the maintenance as its reader sees it.
func (m Maintenance) fields() fields {
	return fields{
		Title: m.Title, Description: m.Description, SystemIDs: m.systemIDs(), StartAt: m.StartAt.UTC(), EndAt: m.EndAt.UTC(), Zone: m.Zone,
		Rule: m.Rule, SuppressNotifications: m.SuppressNotifications,
	}
}

// over returns the fields after the change.
func (c Change) over(f fields) fields {
	rest.Replace(&f.Title, c.Title)
	rest.Replace(&f.Description, c.Description)
	rest.Replace(&f.SystemIDs, c.SystemIDs)
	rest.Replace(&f.StartAt, c.StartAt)
	rest.Replace(&f.EndAt, c.EndAt)
	rest.Replace(&f.Zone, c.Zone)
	rest.Replace(&f.Rule, c.Rule)
	rest.Replace(&f.SuppressNotifications, c.SuppressNotifications)
	return f
}

// replans reports whether the change is about when the maintenance happens.
func (f fields) replans(after fields) bool {
	return !f.StartAt.Equal(after.StartAt) || !f.EndAt.Equal(after.EndAt) || f.Zone != after.Zone || f.Rule != after.Rule
}

// NewUpdate is the input for writing an update.
type NewUpdate struct {
	Message    string          `json:"message" jsonschema:"minLength=1,maxLength=10000,description=What is new in plain words." doc:"1 to 10,000 characters."`
	Visibility note.Visibility `json:"visibility,omitempty" enum:"public,logged_in,internal" jsonschema:"enum=public,enum=logged_in,enum=internal,description=public when left out." doc:"Who sees it; public when absent. internal is for those who manage maintenances."`
}

// UpdateChange edits an update; nil fields stay.
type UpdateChange note.UpdateChange

// Closing is the input for ending or cancelling a maintenance.
type Closing struct {
	Message    string          `json:"message,omitempty" jsonschema:"maxLength=10000,description=A last update." doc:"A last update, at most 10,000 characters."`
	Visibility note.Visibility `json:"visibility,omitempty" enum:"public,logged_in,internal" jsonschema:"enum=public,enum=logged_in,enum=internal,description=public when left out." doc:"Who sees the update; public when absent."`
	All        bool            `json:"all,omitempty" jsonschema:"description=Ends a recurring maintenance with all that is to come." doc:"Ends a recurring maintenance with all that is to come, instead of the occurrence in progress."`
}

// Moved is a maintenance after a call that sets its state.
type Moved struct {
	Maintenance
	Changed bool `json:"changed" doc:"Whether this call did it; false when it was so before."`
}

// Filter narrows a list. Empty fields match all.
type Filter struct {
	Status   Status
	SystemID *uuid.UUID
	// State is open or over.
	State string
	// Query is searched in titles and descriptions.
	Query string
}

// Entry is an occurrence in a calendar, with its maintenance.
type Entry struct {
	MaintenanceID         uuid.UUID `json:"maintenanceId"`
	Title                 string    `json:"title"`
	Zone                  string    `json:"zone"`
	Recurring             bool      `json:"recurring"`
	SuppressNotifications bool      `json:"suppressNotifications"`
	Systems               []System  `json:"systems" nullable:"false"`
	Occurrence
}

// Calendar is what happens in a span of time.
type Calendar struct {
	Entries   []Entry `json:"entries" nullable:"false" doc:"By start."`
	Truncated bool    `json:"truncated" doc:"Whether there are more than are listed: ask for a shorter span or one system."`
}
