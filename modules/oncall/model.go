// Package oncall manages who is on call and who is called: schedules with rotations, overrides and imported calendars, and
// escalation policies, whose steps call people about an incident one after another until one of them takes it on.
//
// Everybody with oncall.schedule.read sees schedules and policies. Holders of oncall.schedule.manage change all of them, and
// members of a team those that the team owns. Times of rotations are computed by package rota, due times of steps by package escalation.
//
// Users, teams and systems belong to other modules, reached through interfaces.
package oncall

import (
	"time"

	"github.com/google/uuid"

	"countersign/internal/access"
	"countersign/internal/rest"
	"countersign/modules/oncall/escalation"
	"countersign/modules/oncall/rota"
)

// Limits of schedules and policies. Lengths are in characters.
const (
	MaxName        = 120
	MaxDescription = 2000
	MaxLayers      = 10
	MaxOverrides   = 500
	MaxFeedURL     = 2000
	// maxRange bounds the time for which shifts are listed.
	maxRange = 100 * 24 * time.Hour
	// maxYears is how far from now people may ask who is on call.
	maxYears = 10
)

// Named is a person or a team. Name is absent when it is gone.
type Named struct {
	ID   uuid.UUID `json:"id"`
	Name string    `json:"name,omitempty" doc:"Absent when it is gone."`
}

// Warning says what of a schedule or policy will not do what it looks like.
type Warning struct {
	Path    string `json:"path,omitempty" doc:"The member that it is about."`
	Message string `json:"message"`
}

// Calendar describes the imported calendar of a schedule. Its address is not shown, since it often holds a token.
type Calendar struct {
	Host     string     `json:"host,omitempty" doc:"The host of its feed; absent for an uploaded file."`
	Events   int        `json:"events"`
	ReadAt   *time.Time `json:"readAt,omitempty" doc:"When it was last read."`
	Error    string     `json:"error,omitempty" doc:"Why the last attempt to read it failed; what was read before counts on."`
	Unknown  []string   `json:"unknown,omitempty" doc:"Names in it that fit no member of the owning team and nobody whom the schedule names; for those who may change the schedule."`
	Warnings []string   `json:"warnings,omitempty" doc:"Events that were left out, and why; for those who may change the schedule."`
}

// Schedule says who is on call when.
type Schedule struct {
	ID          uuid.UUID       `json:"id"`
	Name        string          `json:"name"`
	Description string          `json:"description"`
	Team        *Named          `json:"team,omitempty" doc:"The team that owns it."`
	Zone        string          `json:"zone"`
	Layers      []rota.Rotation `json:"layers" nullable:"false" doc:"Later ones take the place of those before them."`
	Calendar    *Calendar       `json:"calendar,omitempty" doc:"The imported calendar; layers take its place."`
	OnCall      []Named         `json:"onCall" nullable:"false" doc:"Who is on call now."`
	People      []Named         `json:"people" nullable:"false" doc:"Everybody whom it names."`
	Access      access.Level    `json:"access" enum:"viewer,owner"`
	rest.Revised
	CreatedAt time.Time `json:"createdAt"`
	UpdatedAt time.Time `json:"updatedAt"`
}

// NewSchedule is the input for creating a schedule.
type NewSchedule struct {
	Name        string          `json:"name" minLength:"1" maxLength:"120"`
	Description string          `json:"description,omitempty" maxLength:"2000"`
	TeamID      *uuid.UUID      `json:"teamId,omitempty" nullable:"true" doc:"The team that owns it; its members may change it."`
	Zone        string          `json:"zone" minLength:"1" maxLength:"64" doc:"A time zone such as Europe/Berlin."`
	Layers      []rota.Rotation `json:"layers,omitempty" maxItems:"10"`
}

// ScheduleChange changes a schedule; nil fields stay.
type ScheduleChange struct {
	Name        *string          `json:"name,omitempty" minLength:"1" maxLength:"120"`
	Description *string          `json:"description,omitempty" nullable:"true" maxLength:"2000"`
	TeamID      *uuid.UUID       `json:"teamId,omitempty" nullable:"true" doc:"null takes the owner away."`
	Zone        *string          `json:"zone,omitempty" minLength:"1" maxLength:"64"`
	Layers      *[]rota.Rotation `json:"layers,omitempty" nullable:"true" maxItems:"10" doc:"Replaces all layers."`
}

// over returns the fields after the change.
func (c ScheduleChange) over(f NewSchedule) NewSchedule {
	rest.Replace(&f.Name, c.Name)
	rest.Replace(&f.Description, c.Description)
	rest.Replace(&f.Zone, c.Zone)
	rest.Replace(&f.Layers, c.Layers)
	if c.TeamID != nil {
		f.TeamID = c.TeamID
	}
	return f
}

// Import is the input for setting the calendar of a schedule. Without both the calendar is removed.
type Import struct {
	URL  string `json:"url,omitempty" maxLength:"2000" doc:"The https address of an iCal feed, which is read again every quarter of an hour."`
	File string `json:"file,omitempty" maxLength:"1048576" doc:"The text of an iCalendar file."`
}

// NewOverride is the input for an override.
type NewOverride struct {
	PersonID   uuid.UUID  `json:"personId" doc:"Who is on call."`
	ReplacesID *uuid.UUID `json:"replacesId,omitempty" nullable:"true" doc:"In whose place; everybody's when absent."`
	Start      time.Time  `json:"start" doc:"With an offset."`
	End        time.Time  `json:"end" doc:"With an offset."`
}

// Override puts a person on call for a while.
type Override struct {
	ID       uuid.UUID `json:"id"`
	Person   Named     `json:"person"`
	Replaces *Named    `json:"replaces,omitempty" doc:"Absent when the person is on call in everybody's place."`
	Start    time.Time `json:"start"`
	End      time.Time `json:"end"`
}

// Shift is a time in which the same people are on call.
type Shift struct {
	Start      time.Time `json:"start"`
	End        time.Time `json:"end"`
	People     []Named   `json:"people" nullable:"false" doc:"Nobody in a gap."`
	Overridden bool      `json:"overridden,omitempty" doc:"An override decides."`
}

// Shifts are those of a schedule in a time.
type Shifts struct {
	Shifts    []Shift    `json:"shifts" nullable:"false" doc:"Without a gap between two of them."`
	Overrides []Override `json:"overrides" nullable:"false" doc:"Those in that time."`
}

// Policy says who is called about an incident, one step after another.
type Policy struct {
	ID             uuid.UUID         `json:"id"`
	Name           string            `json:"name"`
	Description    string            `json:"description"`
	Team           *Named            `json:"team,omitempty" doc:"The team that owns it: it is for incidents of the systems of that team."`
	Zone           string            `json:"zone"`
	Steps          []escalation.Step `json:"steps" nullable:"false"`
	Repeats        int               `json:"repeats" doc:"How often all steps are taken again."`
	BetweenSeconds int               `json:"betweenSeconds" doc:"How long after the last step they begin again."`
	Severities     []string          `json:"severities" nullable:"false" enum:"minor,major,critical" doc:"Those that it is for; all when empty."`
	Default        bool              `json:"default" doc:"It is for incidents that no other policy is for."`
	Enabled        bool              `json:"enabled"`
	Targets        []Named           `json:"targets" nullable:"false" doc:"The names of its people, teams and schedules."`
	Warnings       []Warning         `json:"warnings" nullable:"false" doc:"Steps that reach nobody, and why."`
	Access         access.Level      `json:"access" enum:"viewer,owner"`
	rest.Revised
	CreatedAt time.Time `json:"createdAt"`
	UpdatedAt time.Time `json:"updatedAt"`
}

// NewPolicy is the input for creating a policy.
type NewPolicy struct {
	Name           string            `json:"name" minLength:"1" maxLength:"120"`
	Description    string            `json:"description,omitempty" maxLength:"2000"`
	TeamID         *uuid.UUID        `json:"teamId,omitempty" nullable:"true" doc:"The team that owns it: it is for incidents of the systems of that team, whose members may change it."`
	Zone           string            `json:"zone,omitempty" maxLength:"64" doc:"The time zone of the hours of steps; UTC when absent."`
	Steps          []escalation.Step `json:"steps" minItems:"1" maxItems:"20" nullable:"false"`
	Repeats        int               `json:"repeats,omitempty" minimum:"0" maximum:"20" doc:"How often all steps are taken again."`
	BetweenSeconds int               `json:"betweenSeconds,omitempty" minimum:"1" maximum:"604800" doc:"How long after the last step they begin again; 300 when absent."`
	Severities     []string          `json:"severities,omitempty" maxItems:"3" enum:"minor,major,critical" doc:"Those that it is for; all when absent."`
	Default        bool              `json:"default,omitempty" doc:"It is for incidents that no other policy is for. One policy is the default."`
	Disabled       bool              `json:"disabled,omitempty"`
}

// PolicyChange changes a policy; nil fields stay.
type PolicyChange struct {
	Name           *string            `json:"name,omitempty" minLength:"1" maxLength:"120"`
	Description    *string            `json:"description,omitempty" nullable:"true" maxLength:"2000"`
	TeamID         *uuid.UUID         `json:"teamId,omitempty" nullable:"true" doc:"null takes the owner away. Another team is set by its members and administrators: the channels of the policy are sent what it may see."`
	Zone           *string            `json:"zone,omitempty" nullable:"true" maxLength:"64"`
	Steps          *[]escalation.Step `json:"steps,omitempty" minItems:"1" maxItems:"20" doc:"Replaces all steps."`
	Repeats        *int               `json:"repeats,omitempty" nullable:"true" minimum:"0" maximum:"20"`
	BetweenSeconds *int               `json:"betweenSeconds,omitempty" minimum:"1" maximum:"604800"`
	Severities     *[]string          `json:"severities,omitempty" nullable:"true" maxItems:"3" enum:"minor,major,critical"`
	Default        *bool              `json:"default,omitempty" nullable:"true"`
	Disabled       *bool              `json:"disabled,omitempty" nullable:"true"`
}

func (c PolicyChange) over(f NewPolicy) NewPolicy {
	rest.Replace(&f.Name, c.Name)
	rest.Replace(&f.Description, c.Description)
	rest.Replace(&f.Zone, c.Zone)
	rest.Replace(&f.Steps, c.Steps)
	rest.Replace(&f.Repeats, c.Repeats)
	rest.Replace(&f.BetweenSeconds, c.BetweenSeconds)
	rest.Replace(&f.Severities, c.Severities)
	rest.Replace(&f.Default, c.Default)
	rest.Replace(&f.Disabled, c.Disabled)
	if c.TeamID != nil {
		f.TeamID = c.TeamID
	}
	return f
}
