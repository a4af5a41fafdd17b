package tool

import (
	"encoding/json"
	"fmt"

	"github.com/google/uuid"

	"countersign/access"
)

// Target is a record that a proposal changes, with the level that its change needs there. Other principals see the
// proposal only if the REST API returns each of its targets to them.
type Target struct {
	// Path is where the record is read.
	Path string
	// Level is what the change needs of those who decide.
	Level access.Level
}

// Targeted is implemented by the input of a write: the records that a call with it is about, none where it makes one.
// Proposals of a write whose input does not say are seen by their proposers alone.
type Targeted interface {
	Targets() []Target
}

// Target is a record of the collection as what a proposal is about.
func (c Collection[T]) Target(id uuid.UUID, level access.Level) Target {
	return Target{Path: c.At(id), Level: level}
}

// ViewOf says of whatever payload that it is about the record at path, and needs no more than to be seen there.
func ViewOf(path string) func(payload json.RawMessage) ([]Target, error) {
	return func(json.RawMessage) ([]Target, error) {
		return []Target{{Path: path, Level: access.View}}, nil
	}
}

// targetsOf reads the targets of payloads of the type In; nil when it does not say.
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
