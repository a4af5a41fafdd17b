// Package expression evaluates the expressions and templates of automations, which are CEL.
package expression

import (
	"encoding/json"
	"time"
)

// Scope is what an expression sees. Each root is a JSON object; nil is an empty one.
type Scope struct {
	// Trigger is {event, payload, id, subject, time}, and Event the same of the event that a wait looks at.
	Trigger, Event json.RawMessage
	// Artifacts are values by step id and type.
	Artifacts json.RawMessage
	Var       json.RawMessage
	// Repeat is {index, item} of the innermost loop.
	Repeat json.RawMessage
	// Health is {system, systems}, and State {kind: {id: ...}}.
	Health, State json.RawMessage
	Now           time.Time
}
