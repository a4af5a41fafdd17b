package script

import (
	"bytes"
	"encoding/json"
	"errors"
	"maps"

	"countersign/problem"
	"countersign/sdk"
	"countersign/secret/reference"
)

// sample is what a script is told in a test.
type sample struct {
	// input is what TypeScript is called with, as JSON.
	input json.RawMessage
	env   map[string]string
	// warnings say what was left out.
	warnings []string
}

// told is a context that TypeScript gets as JSON and shell as variables.
type told interface{ Environ() sdk.Environ }

// sample makes what the script is told of what the tester has given and defaults.
func (in TestInput) sample() (sample, error) {
	var s sample
	c, err := in.context()
	if err != nil {
		return s, err
	}
	if s.input, err = json.Marshal(c); err != nil {
		return s, err
	}
	s.env = map[string]string{}
	if in.Context.Language() == sdk.Shell {
		environ := c.Environ()
		s.env, s.warnings = environ.Variables, environ.Warnings
	}
	if in.Config != nil && in.Context != sdk.HealthCheckScript {
		s.warnings = append(s.warnings, "config was left out: only health checks in TypeScript are told their configuration")
	}
	maps.Copy(s.env, in.Env)
	secrets, err := reference.ParseEnv(in.SecretEnv)
	maps.Copy(s.env, secrets.Placeholders(nil))
	return s, err
}

func (in TestInput) context() (told, error) {
	if in.Context == sdk.HealthCheckScript || in.Context == sdk.HealthCheckShell {
		return in.healthCheck()
	}
	return in.automation()
}

func (in TestInput) healthCheck() (told, error) {
	c := sdk.HealthCheckContext{
		Check:  sdk.Check{ID: "test-check", Name: "Test", IntervalSeconds: 60},
		System: sdk.System{ID: "test-system", Name: "Test system"},
	}
	if err := overlay(in.SampleContext, &c); err != nil {
		return nil, err
	}
	if e := c.Environment; e != nil {
		e.ID, e.Name = otherwise(e.ID, "test-environment"), otherwise(e.Name, "Test environment")
	}
	if config, given := in.Config.(map[string]any); given {
		c.Config = config
	}
	return c, nil
}

func (in TestInput) automation() (told, error) {
	c := sdk.AutomationContext{
		Trigger:    sdk.Trigger{Event: "test.event"},
		Automation: sdk.Automation{RunID: "test-run", AutomationID: "test-automation"},
	}
	return c, overlay(in.SampleContext, &c)
}

func otherwise(value, standard string) string {
	if value == "" {
		return standard
	}
	return value
}

// overlay replaces what is given. What the context does not know is left out, null is as if absent.
func overlay(given, context any) error {
	if given == nil {
		return nil
	}
	data, err := json.Marshal(given)
	if err != nil {
		return err
	}
	err = json.NewDecoder(bytes.NewReader(data)).Decode(context)
	if wrong, ok := errors.AsType[*json.UnmarshalTypeError](err); ok {
		return problem.InvalidInput("The sample context is not valid: "+wrong.Field+" must be "+kind(wrong)+".",
			problem.Issue{Path: "sampleContext." + wrong.Field, Message: "must be " + kind(wrong) + ", not a " + wrong.Value})
	}
	return err
}

func kind(wrong *json.UnmarshalTypeError) string {
	switch wrong.Type.Kind().String() {
	case "string":
		return "a string"
	case "int":
		return "a whole number"
	default:
		return "an object"
	}
}
