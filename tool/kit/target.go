package kit

import (
	"encoding/json"
	"fmt"

	"github.com/google/uuid"

	"countersign/internal/access"
	"countersign/tool"
)

// Target makes the target for a record of the collection.
func (c Collection[T]) Target(id uuid.UUID, level access.Level) tool.Target {
	return tool.Target{Path: c.At(id), Level: level}
}

// Targets are several records of the collection, each at a level.
func (c Collection[T]) Targets(ids []uuid.UUID, level access.Level) []tool.Target {
	targets := make([]tool.Target, len(ids))
	for i, id := range ids {
		targets[i] = c.Target(id, level)
	}
	return targets
}

// ViewOf returns the record at path, at view level, as the target of every payload.
func ViewOf(path string) func(payload json.RawMessage) ([]tool.Target, error) {
	return func(json.RawMessage) ([]tool.Target, error) {
		return []tool.Target{{Path: path, Level: access.View}}, nil
	}
}

// targetsOf reads the targets of payloads of type In; nil when In is not Targeted.
func targetsOf[In any]() func(payload json.RawMessage) ([]tool.Target, error) {
	var none In
	if _, ok := any(none).(tool.Targeted); !ok {
		return nil
	}
	return func(payload json.RawMessage) ([]tool.Target, error) {
		in, err := decode[In](payload)
		if err != nil {
			return nil, err
		}
		targeted, ok := any(in).(tool.Targeted)
		if !ok {
			return nil, fmt.Errorf("%T does not say what it is about", in)
		}
		return targeted.Targets(), nil
	}
}
