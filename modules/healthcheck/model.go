package healthcheck

import (
	"encoding/json"
	"slices"
	"time"

	"github.com/danielgtaylor/huma/v2"
	"github.com/google/uuid"

	"countersign/internal/access"
	"countersign/internal/rest"
)

// Limits of checks. Lengths count characters.
const (
	MaxName            = 120
	MaxDescription     = 2000
	MaxDefinitionBytes = 256 << 10
	maxConfigDepth     = 12
	maxID              = 100
	maxPath            = 400
)

// Settings are the config of a strategy or of a collector: a JSON object whose members depend on its kind. Numbers keep
// their digits.
type Settings map[string]any

// UnmarshalJSON reads an object without rounding its numbers.
func (s *Settings) UnmarshalJSON(data []byte) error { return (*rest.Object)(s).UnmarshalJSON(data) }

// MarshalJSON encodes nil as the empty object.
func (s Settings) MarshalJSON() ([]byte, error) { return rest.Object(s).MarshalJSON() }

// Schema describes Settings in the OpenAPI document.
func (Settings) Schema(huma.Registry) *huma.Schema {
	return &huma.Schema{Type: huma.TypeObject, AdditionalProperties: true, Description: "A JSON object that fits the schema of its kind."}
}

// Assertion is a condition on the result of a collector.
type Assertion struct {
	Field    string          `json:"field" maxLength:"100" jsonschema:"minLength=1,maxLength=100,description=A member of the collector's resultSchema." doc:"A member of the result of the collector."`
	JSONPath string          `json:"jsonPath,omitempty" maxLength:"400" jsonschema:"maxLength=400,description=An RFC 9535 path into the field where it holds JSON." doc:"Where in the field, by RFC 9535."`
	Operator string          `json:"operator" maxLength:"40" jsonschema:"minLength=1,maxLength=40,description=One of assertionOperators for the type of the field."`
	Value    json.RawMessage `json:"value,omitempty" jsonschema:"description=What to compare with; left out where the operator takes none." doc:"What to compare with; absent where the operator takes none."`
}

// Collector is a configured collector of a check.
type Collector struct {
	ID          uuid.UUID   `json:"id,omitempty" required:"false" jsonschema:"description=Left out for a new collector; of one that is there its id." doc:"Given to a new one; say it again for one that stays."`
	CollectorID string      `json:"collectorId" maxLength:"100" jsonschema:"minLength=1,maxLength=100,description=The kind; such as healthcheck-http.request."`
	Version     int         `json:"configVersion,omitempty" minimum:"0" maximum:"1000" jsonschema:"-" doc:"The version of the config; that of today when absent. Older ones are migrated."`
	Config      Settings    `json:"config,omitempty" jsonschema:"description=By the configSchema of the kind."`
	Assertions  []Assertion `json:"assertions,omitzero" required:"false" maxItems:"64" nullable:"false" jsonschema:"maxItems=64,description=All of them have to hold. Left out: those that a stored collector has or the defaultAssertions of a new one. Empty: none." doc:"All of them have to hold. Absent: those of the collector that is there, or the defaultAssertions of a new one; a kind with needsAssertions refuses that. Empty: none, by choice."`
	// inherits is set when the assertions are those of the stored collector, as the change does not name any.
	inherits bool
}

// Definition is the executed part of a check.
type Definition struct {
	StrategyID string      `json:"strategyId" maxLength:"100" jsonschema:"minLength=1,maxLength=100,description=The kind; such as healthcheck-http.http."`
	Version    int         `json:"configVersion,omitempty" minimum:"0" maximum:"1000" jsonschema:"-" doc:"The version of the config; that of today when absent. Older ones are migrated."`
	Config     Settings    `json:"config,omitempty" jsonschema:"description=By the configSchema of the strategy."`
	Interval   int         `json:"intervalSeconds" minimum:"1" maximum:"86400" jsonschema:"minimum=1,maximum=86400,description=Seconds from one run to the next."`
	Collectors []Collector `json:"collectors" minItems:"1" maxItems:"20" nullable:"false" jsonschema:"minItems=1,maxItems=20,description=What to find out and what has to be true of it."`
	// Locations and LocationRule are empty for a check that runs in the main location alone.
	Locations    []string `json:"locations,omitempty" maxItems:"20" nullable:"false" jsonschema:"maxItems=20,description=Where it runs from; names of healthcheck_listLocations or labels such as region=eu for all locations with it. Left out: from main alone." doc:"Names of the locations from which it runs, and labels such as region=eu, which stand for every location with that label, later ones too. Absent: from main alone."`
	LocationRule string   `json:"locationRule,omitempty" enum:"any,majority,all" jsonschema:"enum=any,enum=majority,enum=all,description=From how many of its locations it has to be down to be unhealthy: majority when left out. Down from fewer it is degraded." doc:"From how many of its locations it has to be down to be unhealthy; majority by default. Down from fewer it is degraded. Locations of which nothing is known do not count."`
	Kept         []string `json:"keptFields,omitempty" maxItems:"8" nullable:"false" jsonschema:"maxItems=8,description=Fields to keep of every run for charts as collector id.field; left out: those that the kinds keep." doc:"Fields that are kept of every run for charts, as collector id, dot, field. Absent: those that the kinds keep."`
}

// StatusCounts counts the targets of a check by status, on systems that the reader may see.
type StatusCounts struct {
	Healthy   int `json:"healthy"`
	Degraded  int `json:"degraded"`
	Unhealthy int `json:"unhealthy"`
	Unknown   int `json:"unknown"`
}

// Check is a health check. Systems and Statuses count those that the reader may see; Statuses are absent without the right to
// status.
type Check struct {
	ID          uuid.UUID `json:"id"`
	Name        string    `json:"name"`
	Description string    `json:"description"`
	Definition
	Paused   bool          `json:"paused"`
	Secrets  []string      `json:"secrets" nullable:"false" doc:"Names of the secrets that it refers to."`
	Warnings []string      `json:"warnings,omitempty" doc:"What is wrong with it although it runs, such as a timeout that is longer than the interval."`
	Systems  int           `json:"systems" doc:"How many systems it is assigned to, of those that you may see."`
	Statuses *StatusCounts `json:"statuses,omitempty"`
	Schedule *Schedule     `json:"schedule,omitempty" doc:"When its job is due; of a heartbeat check with a cron schedule."`
	Access   access.Level  `json:"access" enum:"viewer,editor,owner"`
	rest.Revised
	CreatedAt time.Time `json:"createdAt"`
	UpdatedAt time.Time `json:"updatedAt"`
}

// NewCheck is the input of a new check.
type NewCheck struct {
	Name        string `json:"name" jsonschema:"minLength=1,maxLength=120,description=Unique whatever its case." doc:"1 to 120 characters, unique whatever the case."`
	Description string `json:"description,omitempty" jsonschema:"maxLength=2000" doc:"At most 2,000 characters."`
	Definition
	Paused           bool       `json:"paused,omitempty" jsonschema:"description=Whether it is not to run yet."`
	AssignToSystemID *uuid.UUID `json:"assignToSystemId,omitempty" nullable:"true" jsonschema:"description=The system to check at once; in all of its environments. Without one the check does nothing until it is assigned." doc:"Assigns it to this system, in all of its environments."`
}

// CheckChange is a partial update of a check; nil members stay unchanged. Config, collectors and kept fields are replaced as a whole.
type CheckChange struct {
	Name        *string      `json:"name,omitempty" jsonschema:"minLength=1,maxLength=120" doc:"1 to 120 characters, unique whatever the case."`
	Description *string      `json:"description,omitempty" nullable:"true" jsonschema:"maxLength=2000,description=An empty text clears it." doc:"At most 2,000 characters."`
	StrategyID  *string      `json:"strategyId,omitempty" maxLength:"100" jsonschema:"minLength=1,maxLength=100"`
	Version     *int         `json:"configVersion,omitempty" minimum:"0" maximum:"1000" jsonschema:"-" doc:"That of a config that is given; absent for that of today."`
	Config      *Settings    `json:"config,omitempty" jsonschema:"description=Replaces the whole config of the strategy; include what is to stay."`
	Interval    *int         `json:"intervalSeconds,omitempty" minimum:"1" maximum:"86400" jsonschema:"minimum=1,maximum=86400"`
	Collectors  *[]Collector `json:"collectors,omitempty" minItems:"1" maxItems:"20" jsonschema:"minItems=1,maxItems=20,description=Replaces all collectors with their assertions; include those that are to stay."`
	Kept        *[]string    `json:"keptFields,omitempty" maxItems:"8" nullable:"true" jsonschema:"maxItems=8,description=Replaces the kept fields; an empty list keeps what the kinds keep."`
	Paused      *bool        `json:"paused,omitempty" jsonschema:"description=Whether it does not run."`

	Locations    *[]string `json:"locations,omitempty" maxItems:"20" nullable:"true" jsonschema:"maxItems=20,description=Replaces the locations; names of healthcheck_listLocations or labels such as region=eu. An empty list runs it from main alone." doc:"Replaces the locations, names or labels such as region=eu; an empty list runs it from main alone."`
	LocationRule *string   `json:"locationRule,omitempty" enum:"any,majority,all" jsonschema:"enum=any,enum=majority,enum=all,description=From how many of its locations it has to be down to be unhealthy."`
}

// over returns a check after the change.
func (c CheckChange) over(n NewCheck) NewCheck {
	rest.Replace(&n.Name, c.Name)
	rest.Replace(&n.Description, c.Description)
	rest.Replace(&n.StrategyID, c.StrategyID)
	if c.Config != nil || c.StrategyID != nil {
		n.Version = 0
	}
	rest.Replace(&n.Version, c.Version)
	rest.Replace(&n.Config, c.Config)
	rest.Replace(&n.Interval, c.Interval)
	if c.Collectors != nil {
		n.Collectors = sameCollectors(n.Collectors, *c.Collectors)
	}
	rest.Replace(&n.Kept, c.Kept)
	rest.Replace(&n.Paused, c.Paused)
	rest.Replace(&n.Locations, c.Locations)
	rest.Replace(&n.LocationRule, c.LocationRule)
	if len(n.Locations) == 0 && c.LocationRule == nil {
		n.LocationRule = ""
	}
	return n
}

// sameCollectors gives collectors without an id that of the former one at their index, if it is of the same kind, and those without
// assertions the assertions of the former one with their id.
func sameCollectors(before, after []Collector) []Collector {
	after = append([]Collector{}, after...)
	for i := range after {
		if after[i].ID == uuid.Nil && i < len(before) && before[i].CollectorID == after[i].CollectorID {
			after[i].ID = before[i].ID
		}
		if after[i].Assertions != nil {
			continue
		}
		at := slices.IndexFunc(before, func(c Collector) bool { return c.ID == after[i].ID && c.CollectorID == after[i].CollectorID })
		if at >= 0 && after[i].ID != uuid.Nil {
			after[i].Assertions, after[i].inherits = before[at].Assertions, true
		}
	}
	return after
}
