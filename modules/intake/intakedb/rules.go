package intakedb

import "github.com/google/uuid"

// Rules say what a source of alerts does with them.
type Rules struct {
	SystemIDs    []uuid.UUID    `json:"systemIds"`
	Systems      []SystemRule   `json:"systems"`
	Severity     string         `json:"severity"`
	Severities   []SeverityRule `json:"severities"`
	GroupBy      string         `json:"groupBy"`
	ReopenWithin int            `json:"reopenWithinMinutes"`
	TopicARN     string         `json:"topicArn"`
}

// SystemRule says which systems alerts with a label are about.
type SystemRule struct {
	Label     string      `json:"label" doc:"The name of a label, at most 100 characters."`
	Value     string      `json:"value" doc:"Its whole value, at most 300 characters."`
	SystemIDs []uuid.UUID `json:"systemIds" minItems:"1" maxItems:"20" nullable:"false"`
}

// SeverityRule says how bad an alert with a label is.
type SeverityRule struct {
	Label    string `json:"label" doc:"The name of a label, at most 100 characters."`
	Value    string `json:"value" doc:"Its whole value, at most 300 characters."`
	Severity string `json:"severity" enum:"minor,major,critical"`
}
