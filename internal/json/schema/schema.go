// Package schema makes JSON schemas of Go structs, and reads them for validators.
package schema

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"reflect"
	"sync"

	generate "github.com/invopop/jsonschema"
	validate "github.com/qri-io/jsonschema"
)

// loadKeywords fills the validator's process-wide keyword table, which it otherwise does unguarded at the first schema.
var loadKeywords = sync.OnceFunc(validate.LoadDraft2019_09)

// Load prepares the validator. It must precede the first use of a schema.
func Load() { loadKeywords() }

// Of is the schema of a struct and its validator: field names and optionality from json tags, rules and texts from jsonschema tags,
// no additional properties. describe answers the schemas of types that the generator would describe by their Go representation,
// else nil; refine changes the whole. outline, a pointer, reads the schema too. A text with a comma stands in a tag
// jsonschema_description (see CutTag). It panics when the struct cannot be described.
func Of(
	t reflect.Type,
	describe func(reflect.Type) *generate.Schema,
	outline any,
	refine ...func(*generate.Schema),
) (json.RawMessage, *validate.Schema) {
	loadKeywords()
	if err := checkTags(t, map[reflect.Type]bool{}); err != nil {
		panic(fmt.Sprintf("schema of %s: %v", t, err))
	}
	reflector := generate.Reflector{Anonymous: true, DoNotReference: true, ExpandedStruct: true, Mapper: describe}
	generated := reflector.ReflectFromType(t)
	for _, change := range refine {
		change(generated)
	}
	raw, err := plain(generated)
	if err != nil {
		panic(fmt.Sprintf("schema of %s: %v", t, err))
	}
	compiled := &validate.Schema{}
	if err := errors.Join(json.Unmarshal(raw, compiled), json.Unmarshal(raw, outline)); err != nil {
		panic(fmt.Sprintf("compile schema of %s: %v", t, err))
	}
	// The validator finishes a schema when it is first used; concurrent first uses would race.
	compiled.Validate(context.Background(), map[string]any{})
	return raw, compiled
}

// plain is an object schema without its dialect: providers accept that, and the member confuses some of them.
func plain(generated *generate.Schema) (json.RawMessage, error) {
	raw, err := json.Marshal(generated)
	if err != nil {
		return nil, err
	}
	var members map[string]json.RawMessage
	if err := json.Unmarshal(raw, &members); err != nil {
		return nil, err
	}
	delete(members, "$schema")
	if _, ok := members["properties"]; !ok {
		members["properties"] = json.RawMessage("{}")
	}
	return json.Marshal(members)
}

// Members are those parts of a schema that say which values fit, with the schemas in it read as S.
type Members[S any] struct {
	Properties map[string]*S   `json:"properties"`
	Required   []string        `json:"required"`
	Additional json.RawMessage `json:"additionalProperties"`
	Items      *S              `json:"items"`
	Format     string          `json:"format"`
	Type       json.RawMessage `json:"type"`
}

// Types are the permitted types of a value, any when empty.
func (m Members[S]) Types() (types []string, err error) {
	var one string
	if json.Unmarshal(m.Type, &one) == nil {
		return []string{one}, nil
	}
	if len(m.Type) > 0 {
		err = json.Unmarshal(m.Type, &types)
	}
	return types, err
}

// Rest returns the rule for further members of an object: none when it is closed, otherwise those that match values, if
// that is not nil.
func (m Members[S]) Rest() (closed bool, values *S, err error) {
	switch string(m.Additional) {
	case "", "true":
		return false, nil, nil
	case "false":
		return true, nil, nil
	default:
		err = json.Unmarshal(m.Additional, &values)
		return false, values, err
	}
}

// Numbers is a copy of a strictly decoded tree with other numbers.
func Numbers(value any, as func(json.Number) any) any {
	switch v := value.(type) {
	case json.Number:
		return as(v)
	case map[string]any:
		plain := make(map[string]any, len(v))
		for key, member := range v {
			plain[key] = Numbers(member, as)
		}
		return plain
	case []any:
		plain := make([]any, len(v))
		for i, element := range v {
			plain[i] = Numbers(element, as)
		}
		return plain
	default:
		return v
	}
}

// Float is a number as the validator understands it. Values keep their exact text elsewhere; only the check against minimum and type
// sees the float.
func Float(n json.Number) any {
	f, err := n.Float64()
	if err != nil {
		return n.String()
	}
	return f
}
