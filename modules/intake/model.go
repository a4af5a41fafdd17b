package intake

import (
	"time"

	"github.com/google/uuid"

	"countersign/internal/access"
	"countersign/internal/rest"
	"countersign/modules/intake/alert"
	"countersign/modules/intake/intakedb"
)

// Limits of sources. Lengths are in characters.
const (
	MaxSources  = 200
	MaxName     = 100
	MaxSystems  = 20
	MaxRules    = 50
	MaxReopen   = 24 * 60
	maxTopicARN = 300
	// maxAlerts bounds what is known of the alerts of one source.
	maxAlerts = 20000
)

// Ways to make incidents of alerts.
const (
	ByGroup = "group"
	ByAlert = "alert"
)

type (
	// SystemRule says which systems alerts with a label are about.
	SystemRule = intakedb.SystemRule
	// SeverityRule says how bad an alert with a label is.
	SeverityRule = intakedb.SeverityRule
)

// System is a system that a source names.
type System struct {
	ID   uuid.UUID `json:"id"`
	Name string    `json:"name,omitempty" doc:"Absent for one that is gone or that the caller may not see."`
}

// Source is a source of alerts, without its secrets.
type Source struct {
	ID       uuid.UUID  `json:"id"`
	Name     string     `json:"name"`
	Kind     alert.Kind `json:"kind" enum:"alertmanager,grafana,uptime-kuma,cloudwatch,webhook"`
	Enabled  bool       `json:"enabled"`
	TeamID   *uuid.UUID `json:"teamId,omitempty" doc:"The team whose members may change it."`
	TeamName string     `json:"teamName,omitempty"`
	Fields
	Named       []System     `json:"named" nullable:"false" doc:"The systems that it names, with their names."`
	Firing      int64        `json:"firing" doc:"How many of its alerts fire now."`
	Received    int64        `json:"received" doc:"How many payloads were taken."`
	ReceivedAt  *time.Time   `json:"receivedAt,omitempty" doc:"When the last one was taken."`
	RefusedAt   *time.Time   `json:"refusedAt,omitempty" doc:"When the last one was refused."`
	RefusedWhy  string       `json:"refusedReason,omitempty"`
	ConfirmedAt *time.Time   `json:"confirmedAt,omitempty" doc:"When its subscription to an SNS topic was confirmed."`
	FormerUntil *time.Time   `json:"formerUntil,omitempty" doc:"Until when the secret before counts too."`
	Access      access.Level `json:"access" enum:"viewer,owner"`
	rest.Revised
	CreatedAt time.Time `json:"createdAt"`
	UpdatedAt time.Time `json:"updatedAt"`
}

// Fields are the rules of a source.
type Fields struct {
	SystemIDs    []uuid.UUID    `json:"systemIds" minItems:"1" maxItems:"20" nullable:"false" doc:"The systems of alerts to which no rule of systems fits."`
	Systems      []SystemRule   `json:"systems,omitempty" maxItems:"50" nullable:"false" doc:"Systems by labels: an alert is about those of every rule that fits."`
	Severity     string         `json:"severity,omitempty" enum:"minor,major,critical" doc:"Of alerts to which no rule of severities fits; major when absent."`
	Severities   []SeverityRule `json:"severities,omitempty" maxItems:"50" nullable:"false" doc:"Severities by labels: the first rule that fits counts. When absent at the creation: the label severity with critical, error and warning."`
	GroupBy      string         `json:"groupBy,omitempty" enum:"group,alert" doc:"Whether alerts that the sender groups become one incident, or each one of its own. group when absent, for Alertmanager and Grafana alone."`
	ReopenWithin *int           `json:"reopenWithinMinutes,omitempty" minimum:"0" maximum:"1440" doc:"An alert that fires again within this time after the end reopens its incident; later it opens another one. 60 when absent, 0 for always another one."`
	TopicARN     string         `json:"topicArn,omitempty" maxLength:"300" doc:"For CloudWatch: the ARN of the SNS topic, the only one whose messages are taken."`
}

// NewSource is the input for creating a source.
type NewSource struct {
	Name     string     `json:"name" minLength:"1" doc:"1 to 100 characters on one line."`
	Kind     alert.Kind `json:"kind" enum:"alertmanager,grafana,uptime-kuma,cloudwatch,webhook"`
	TeamID   *uuid.UUID `json:"teamId,omitempty" nullable:"true" doc:"The team whose members may change it too."`
	Disabled bool       `json:"disabled,omitempty" doc:"Refuse what it sends."`
	Fields
}

// SourceChange changes a source; nil fields stay.
type SourceChange struct {
	Name         *string         `json:"name,omitempty"`
	TeamID       *uuid.UUID      `json:"teamId,omitempty" nullable:"true"`
	Enabled      *bool           `json:"enabled,omitempty"`
	SystemIDs    *[]uuid.UUID    `json:"systemIds,omitempty" minItems:"1" maxItems:"20"`
	Systems      *[]SystemRule   `json:"systems,omitempty" maxItems:"50"`
	Severity     *string         `json:"severity,omitempty" enum:"minor,major,critical"`
	Severities   *[]SeverityRule `json:"severities,omitempty" maxItems:"50"`
	GroupBy      *string         `json:"groupBy,omitempty" enum:"group,alert"`
	ReopenWithin *int            `json:"reopenWithinMinutes,omitempty" minimum:"0" maximum:"1440"`
	TopicARN     *string         `json:"topicArn,omitempty" maxLength:"300"`
}

// over returns the source after the change.
func (c SourceChange) over(n NewSource) NewSource {
	rest.Replace(&n.Name, c.Name)
	if c.TeamID != nil {
		n.TeamID = c.TeamID
	}
	if c.Enabled != nil {
		n.Disabled = !*c.Enabled
	}
	rest.Replace(&n.SystemIDs, c.SystemIDs)
	rest.Replace(&n.Systems, c.Systems)
	rest.Replace(&n.Severity, c.Severity)
	rest.Replace(&n.Severities, c.Severities)
	rest.Replace(&n.GroupBy, c.GroupBy)
	if c.ReopenWithin != nil {
		n.ReopenWithin = c.ReopenWithin
	}
	rest.Replace(&n.TopicARN, c.TopicARN)
	return n
}

// CreatedSource is a source with its address and its secret, which are shown once.
type CreatedSource struct {
	Source
	URL    string `json:"url,omitempty" doc:"What the sender posts to, shown this once. Absent where it stays."`
	Secret string `json:"secret,omitempty" doc:"What the sender signs or signs in with, shown this once. CloudWatch has none: AWS signs."`
}

// Rotation is the input for replacing the secret of a source.
type Rotation struct {
	AtOnce  bool `json:"atOnce,omitempty" doc:"Whether the secret before ends at once, as when a stranger knows it. It counts for 24 hours more otherwise."`
	Address bool `json:"address,omitempty" doc:"Whether to replace the address as well. The one before ends at once."`
}

// Received is the answer to a sender.
type Received struct {
	Alerts   int    `json:"alerts" doc:"How many alerts the payload had."`
	Repeated bool   `json:"repeated" doc:"Whether the same bytes came before."`
	Opened   int    `json:"opened"`
	Reopened int    `json:"reopened"`
	Updated  int    `json:"updated"`
	Resolved int    `json:"resolved"`
	Late     int    `json:"late" doc:"Alerts of which something newer is known; nothing follows from them."`
	Detail   string `json:"detail,omitempty"`
}

// Trial is the input for trying a payload.
type Trial struct {
	Payload string `json:"payload,omitempty" maxLength:"262144" doc:"A payload as the product sends it; an example of its kind when absent. For CloudWatch the message of the notification."`
}

// Tried is what would follow from a payload.
type Tried struct {
	Payload string       `json:"payload" doc:"What was read."`
	Note    string       `json:"note,omitempty"`
	Alerts  []TriedAlert `json:"alerts" nullable:"false"`
}

// TriedAlert is an alert of a tried payload.
type TriedAlert struct {
	Title    string            `json:"title"`
	Firing   bool              `json:"firing"`
	Severity string            `json:"severity" enum:"minor,major,critical"`
	Systems  []System          `json:"systems" nullable:"false"`
	Labels   map[string]string `json:"labels" nullable:"false"`
	Incident int               `json:"incident" doc:"Alerts with the same number share an incident."`
}

// Payload is a payload as it came, without its text.
type Payload struct {
	ID         uuid.UUID `json:"id"`
	Alerts     int       `json:"alerts"`
	Note       string    `json:"note,omitempty" doc:"Why nothing follows from it."`
	Bytes      int       `json:"bytes"`
	ReceivedAt time.Time `json:"receivedAt" doc:"When it came first."`
	LastAt     time.Time `json:"lastAt" doc:"When the same bytes came last."`
	Times      int64     `json:"times"`
}

// FullPayload is a payload with its text.
type FullPayload struct {
	Payload
	Body string `json:"body" doc:"As it came. The text comes from outside."`
}

// Alert is an alert of an incident. Its texts come from outside.
type Alert struct {
	SourceID    uuid.UUID         `json:"sourceId"`
	SourceName  string            `json:"sourceName"`
	SourceKind  alert.Kind        `json:"sourceKind" enum:"alertmanager,grafana,uptime-kuma,cloudwatch,webhook"`
	Title       string            `json:"title"`
	Description string            `json:"description,omitempty"`
	Firing      bool              `json:"firing"`
	Severity    string            `json:"severity" enum:"minor,major,critical"`
	Labels      map[string]string `json:"labels" nullable:"false"`
	URL         string            `json:"url,omitempty" doc:"Its page at the sender."`
	At          time.Time         `json:"at" doc:"When it began to fire, or when it last changed, as the sender says."`
	EndedAt     *time.Time        `json:"endedAt,omitempty"`
	SeenAt      time.Time         `json:"seenAt" doc:"When it was last received."`
}
