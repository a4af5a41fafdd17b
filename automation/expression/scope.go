// Package expression evaluates the expressions and templates of automations, which are CEL.
package expression

import (
	"encoding/json"
	"sync"
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
	// Automation is {id, runId}.
	Automation json.RawMessage
	Now        time.Time

	decoded *decoded
}

// decoded keeps decoded roots for the evaluations that share a scope.
type decoded struct {
	sync.Mutex
	roots map[string]any
}

// Prepare returns a scope that decodes each root once, for several evaluations. Its roots must not be changed afterwards.
func Prepare(s Scope) Scope {
	if s.decoded == nil {
		s.decoded = &decoded{roots: map[string]any{}}
	}
	return s
}

// root returns a decoded root; nil where it is empty.
func (s Scope) root(name string) (any, error) {
	if s.decoded == nil {
		return decode(s.raw(name))
	}
	s.decoded.Lock()
	defer s.decoded.Unlock()
	if v, ok := s.decoded.roots[name]; ok {
		return v, nil
	}
	v, err := decode(s.raw(name))
	if err == nil {
		s.decoded.roots[name] = v
	}
	return v, err
}

func (s Scope) raw(name string) json.RawMessage {
	switch name {
	case "trigger":
		return s.Trigger
	case "event":
		return s.Event
	case "artifacts":
		return s.Artifacts
	case "var":
		return s.Var
	case "repeat":
		return s.Repeat
	case "health":
		return s.Health
	case "state":
		return s.State
	default:
		return s.Automation
	}
}
