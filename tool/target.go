package tool

import (
	"encoding/json"
	"fmt"

	"github.com/google/uuid"

	"countersign/internal/access"
)

// Target is a record that a proposal changes, with the access level that the change needs. Other principals see the
// proposal only if the REST API returns each of its targets to them.
type Target struct {
	// Path is the path of the record.
	Path string
	// Level is the level that deciders need.
	Level access.Level
}

// Targeted is implemented by the input of a write that names its records; none for a creation. Proposals of other
// writes are visible to their proposers only.
type Targeted interface {
	Targets() []Target
}

// Target makes the target for a record of the collection.
func (c Collection[T]) Target(id uuid.UUID, level access.Level) Target {
	return Target{Path: c.At(id), Level: level}
}

// ViewOf returns the record at path, at view level, as the target of every payload.
func ViewOf(path string) func(payload json.RawMessage) ([]Target, error) {
	return func(json.RawMessage) ([]Target, error) {
		return []Target{{Path: path, Level: access.View}}, nil
	}
}

// targetsOf reads the targets of payloads of type In; nil when In is not Targeted.
func targetsOf[In any]() func(payload json.RawMessage) ([]Target, error) {
	var none In
	if _, ok := any(none).(Targeted); !ok {
		return nil
	}
	return func(payload json.RawMessage) ([]Target, error) {
		in, err := decode[In](payload)
		if err != nil {
			return nil, err
		}
		targeted, ok := any(in).(Targeted)
		if !ok {
			return nil, fmt.Errorf("%T does not say what it is about", in)
		}
		return targeted.Targets(), nil
	}
}
