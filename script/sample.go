package script

import (
	"bytes"
	"encoding/json"
	"errors"
	"fmt"
	"maps"
	"reflect"
	"slices"
	"strings"

	"countersign/internal/problem"
	"countersign/internal/secret/reference"
	"countersign/script/sdk"
)

// sample is the context of a script in a test.
type sample struct {
	// input is the argument of TypeScript, as JSON.
	input json.RawMessage
	env   map[string]string
	// warnings list the omissions.
	warnings []string
}

// scriptContext is a context that TypeScript gets as JSON and shell as variables.
type scriptContext interface{ Environ() sdk.Environ }

// sample merges the tester's context with the defaults.
func (in TestInput) sample() (sample, error) {
	s := sample{env: map[string]string{}}
	secrets, err := reference.ParseEnv(in.SecretEnv)
	if err != nil {
		return s, err
	}
	maps.Copy(s.env, in.Env)
	maps.Copy(s.env, secrets.Placeholders(in.overrides()))
	c, err := s.context(in)
	if err != nil {
		return s, err
	}
	if s.input, err = json.Marshal(c); err != nil {
		return s, err
	}
	if in.Context.Language() == sdk.Shell {
		environ := c.Environ()
		maps.Copy(environ.Variables, s.env)
		s.env, s.warnings = environ.Variables, append(s.warnings, environ.Warnings...)
	}
	if in.Config != nil && in.Context != sdk.HealthCheckScript {
		s.warnings = append(s.warnings, "config was left out: only health checks in TypeScript are scriptContext their configuration")
	}
	return s, nil
}

func (s *sample) context(in TestInput) (scriptContext, error) {
	if in.Context == sdk.HealthCheckScript || in.Context == sdk.HealthCheckShell {
		return s.healthCheck(in)
	}
	return s.automation(in)
}

func (s *sample) healthCheck(in TestInput) (scriptContext, error) {
	c := sdk.HealthCheckContext{
		Check:  sdk.Check{ID: "test-check", Name: "Test", IntervalSeconds: 60},
		System: sdk.System{ID: "test-system", Name: "Test system"},
	}
	if err := s.overlay(in.SampleContext, &c); err != nil {
		return nil, err
	}
	c.Env = s.env
	if e := c.Environment; e != nil {
		e.ID, e.Name = otherwise(e.ID, "test-environment"), otherwise(e.Name, "Test environment")
	}
	if config, given := in.Config.(map[string]any); given {
		c.Config = config
	}
	return c, nil
}

func (s *sample) automation(in TestInput) (scriptContext, error) {
	c := sdk.AutomationContext{
		Trigger:    sdk.Trigger{Event: "test.event"},
		Automation: sdk.Automation{RunID: "test-run", AutomationID: "test-automation"},
	}
	err := s.overlay(in.SampleContext, &c)
	c.Env = s.env
	return c, err
}

func otherwise(value, standard string) string {
	if value == "" {
		return standard
	}
	return value
}

// overlay replaces the given members. Unknown members are dropped with a warning; null counts as absent.
func (s *sample) overlay(given, context any) error {
	if given == nil {
		return nil
	}
	data, err := json.Marshal(s.known(given, reflect.TypeOf(context).Elem(), "sampleContext"))
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

// known drops the members that the context does not have. The variables are not part of the sample.
func (s *sample) known(given any, context reflect.Type, path string) any {
	members, object := given.(map[string]any)
	if context.Kind() == reflect.Pointer {
		context = context.Elem()
	}
	if !object || context.Kind() != reflect.Struct {
		return given
	}
	fields := map[string]reflect.Type{}
	for field := range context.Fields() {
		name, _, _ := strings.Cut(field.Tag.Get("json"), ",")
		fields[name] = field.Type
	}
	kept := make(map[string]any, len(members))
	for _, name := range slices.Sorted(maps.Keys(members)) {
		switch field, ok := fields[name]; {
		case path == "sampleContext" && name == "env":
			s.warn("sampleContext.env was left out: the variables of a test are in env and secretEnv")
		case ok:
			kept[name] = s.known(members[name], field, path+"."+name)
		default:
			s.warn(fmt.Sprintf("%s.%.100s was left out: the context has no such member", path, name))
		}
	}
	return kept
}

// maxWarnings bounds the list of warnings.
const maxWarnings = 20

func (s *sample) warn(text string) {
	if len(s.warnings) < maxWarnings {
		s.warnings = append(s.warnings, text)
	}
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
