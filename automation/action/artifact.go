package action

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"

	"countersign/internal/problem"
	"countersign/tool/kit"
)

// NewArtifactType makes the type of artifacts that are V, a struct whose jsonschema tags describe its members.
func NewArtifactType[V any](id, name, description string) ArtifactType {
	return ArtifactType{ID: id, Name: name, Description: description, Schema: kit.SchemaOf[V]().JSON()}
}

// Config is the schema of the config of an action that reads it as a C.
func Config[C any]() json.RawMessage { return kit.SchemaOf[C]().JSON() }

// Decode reads the config of a call as a C, whose schema it has to fit.
func Decode[C any](ctx context.Context, c Call) (C, error) {
	var config C
	if err := kit.SchemaOf[C]().Validate(ctx, c.Config); err != nil {
		return config, misfit(err)
	}
	if err := json.Unmarshal(c.Config, &config); err != nil {
		return config, problem.InvalidInput("The config does not fit the action: " + err.Error() + ".")
	}
	return config, nil
}

// misfit is a problem of a schema in the words of actions.
func misfit(err error) error {
	e, ok := errors.AsType[*problem.Error](err)
	if !ok || len(e.Issues) == 0 {
		return err
	}
	return problem.InvalidInput("The config does not fit the action: "+e.Issues[0].String()+".", e.Issues...)
}

// Made is the result of a call whose output is its only artifact.
func Made(t ArtifactType, value any, summary string) (Result, error) {
	raw, err := json.Marshal(value)
	if err != nil {
		return Result{}, fmt.Errorf("encode artifact %s: %w", t.ID, err)
	}
	return Result{Output: raw, Artifacts: map[string]json.RawMessage{t.ID: raw}, Summary: summary}, nil
}
