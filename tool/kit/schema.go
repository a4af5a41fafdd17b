package kit

import (
	"bytes"
	"cmp"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"reflect"
	"slices"
	"strings"
	"sync"
	"time"

	"github.com/google/uuid"
	generate "github.com/invopop/jsonschema"

	"countersign/internal/json/schema"
	"countersign/internal/problem"
	"countersign/internal/text"
	"countersign/internal/text/strictjson"
)

// MaxInputBytes bounds a tool input; the largest legitimate ones are script sources.
const MaxInputBytes = 256 << 10

// Schema is a compiled JSON schema: a closed one generated from a Go struct, or a user-defined one (see ParseSchema).
type Schema struct {
	// raw is the form for models and clients, which may hide members of the document or say less than it.
	raw      json.RawMessage
	document *schema.Document
}

// SchemaOf generates the schema of T: field names and optionality from json tags, rules and texts from jsonschema tags,
// no additional properties; refine adapts it to one tool. It panics for a type without a schema, which a test over all
// tools would show. An unrefined one is made once in a process: tools share types, and a test starts many installations.
func SchemaOf[T any](refine ...func(*generate.Schema)) *Schema {
	t := reflect.TypeFor[T]()
	if len(refine) > 0 {
		return schemaOf(t, refine...)
	}
	if known, ok := unrefined.Load(t); ok {
		s, _ := known.(*Schema)
		return s
	}
	s := schemaOf(t)
	unrefined.Store(t, s)
	return s
}

// unrefined are the schemas that nothing has refined, by type.
var unrefined sync.Map

func schemaOf(t reflect.Type, refine ...func(*generate.Schema)) *Schema {
	document := schema.Of(t, describeType, refine...)
	return &Schema{raw: document.JSON(), document: document}
}

// inputSchema generates the schema of In without the hidden members.
func inputSchema[In any](hidden []string) *Schema {
	s := SchemaOf[In]()
	if len(hidden) == 0 {
		return s
	}
	shown := SchemaOf[In](func(told *generate.Schema) {
		for _, name := range hidden {
			told.Properties.Delete(name)
		}
	})
	return &Schema{raw: shown.raw, document: s.document}
}

// describeType corrects types that the generator would describe by their Go representation.
func describeType(t reflect.Type) *generate.Schema {
	if t == reflect.TypeFor[uuid.UUID]() {
		return &generate.Schema{Type: "string", Format: "uuid"}
	}
	if t == reflect.TypeFor[time.Time]() {
		return &generate.Schema{Type: "string", Format: "date-time"}
	}
	return nil
}

// JSON returns the schema as sent to models and clients.
func (s *Schema) JSON() json.RawMessage { return s.raw }

// Declares reports whether the schema has this member at the top level.
func (s *Schema) Declares(member string) bool { return s.document.Root().Property(member) != nil }

// Validate checks an input and reports every issue with its path, in path order.
func (s *Schema) Validate(_ context.Context, input json.RawMessage) error {
	if len(input) > MaxInputBytes {
		return problem.Errorf(problem.TooLarge, "The input has %d bytes, the limit is %d. Send less.", len(input), MaxInputBytes).
			Show("The call was too large and went back to the assistant.")
	}
	if err := strictjson.Check(input); err != nil {
		return problem.InvalidInput("The input is not valid JSON: " + err.Error() + ". Send one JSON object.")
	}
	var value any
	if err := strictjson.DecodeNumbers(input, &value); err != nil {
		return problem.InvalidInput("The input is not valid JSON: " + err.Error() + ". Send one JSON object.")
	}
	if _, ok := value.(map[string]any); !ok {
		return problem.InvalidInput("The input must be a JSON object.", problem.Issue{Message: "must be an object"})
	}
	var issues []problem.Issue
	for _, i := range s.document.Check(value) {
		issues = append(issues, problem.Issue{Path: i.Path, Message: text.Clip(i.Message, 300)})
	}
	return unfit(issues)
}

// unfit returns the refusal of an input with these issues, nil without any.
func unfit(issues []problem.Issue) error {
	if len(issues) == 0 {
		return nil
	}
	slices.SortFunc(issues, func(a, b problem.Issue) int {
		return cmp.Or(cmp.Compare(a.Path, b.Path), cmp.Compare(a.Message, b.Message))
	})
	return problem.InvalidInput("The input does not fit the tool's schema: "+describe(issues), issues...)
}

func describe(issues []problem.Issue) string {
	var b strings.Builder
	for i, issue := range issues {
		if i == 5 {
			fmt.Fprintf(&b, "; and %d more", len(issues)-i)
			break
		}
		if i > 0 {
			b.WriteString("; ")
		}
		if issue.Path != "" {
			b.WriteString(issue.Path + ": ")
		}
		b.WriteString(issue.Message)
	}
	return b.String() + "."
}

// Normalize writes the moments of a valid input in the form that every JSON reader parses.
func (s *Schema) Normalize(input json.RawMessage) (json.RawMessage, error) {
	if !s.document.HasMoments() {
		return input, nil
	}
	var value any
	if err := strictjson.DecodeNumbers(input, &value); err != nil {
		return input, err
	}
	value, changed := s.document.Normalize(value)
	if !changed {
		return input, nil
	}
	var b bytes.Buffer
	encoder := json.NewEncoder(&b)
	encoder.SetEscapeHTML(false)
	if err := encoder.Encode(value); err != nil {
		return input, err
	}
	return bytes.TrimSpace(b.Bytes()), nil
}

// decode decodes a valid input.
func decode[In any](input json.RawMessage) (In, error) {
	var in In
	decoder := json.NewDecoder(bytes.NewReader(input))
	decoder.DisallowUnknownFields()
	decoder.UseNumber()
	err := decoder.Decode(&in)
	if err == nil {
		return in, nil
	}
	if e, ok := errors.AsType[*json.UnmarshalTypeError](err); ok {
		issue := problem.Issue{Path: e.Field, Message: "cannot be a " + e.Value}
		return in, problem.InvalidInput("The input does not fit the tool's schema: "+describe([]problem.Issue{issue}), issue)
	}
	return in, problem.InvalidInput("The input does not fit the tool's schema: " + strings.TrimPrefix(err.Error(), "json: ") + ".")
}
