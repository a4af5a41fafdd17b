package definition

import (
	"encoding/json"

	"countersign/automation/action"
)

// Catalog is what a definition may name.
type Catalog struct {
	// Events are the event types by id, built-in triggers among them.
	Events map[string]Event
	// Actions are by id.
	Actions map[string]action.Action
	// DefaultZone is the time zone of schedules without one; "" refuses them.
	DefaultZone string
}

// Event is a type of events as definitions see it.
type Event struct {
	// Schema is the JSON schema of trigger.payload.
	Schema json.RawMessage
	// Subject is the kind of record that the event is about, such as catalog.system.
	Subject string
	// Opposites are the events that end the state which this one announces; without any, `for` is refused.
	Opposites []string
	// Config is the JSON schema of the trigger's config; nil for events of modules, which have none.
	Config json.RawMessage
}

// Issue is something that the author has to know, at its place in the text.
type Issue struct {
	// Path is such as actions[2].choose[0].when.
	Path string `json:"path"`
	// Line and Column begin at 1; 0 where the text has no such place.
	Line    int    `json:"line,omitempty"`
	Column  int    `json:"column,omitempty"`
	Message string `json:"message"`
	// Nearest is the existing name that is most like an unknown one.
	Nearest string `json:"nearest,omitempty"`
	// Warning does not prevent saving.
	Warning bool `json:"warning,omitempty"`
}
