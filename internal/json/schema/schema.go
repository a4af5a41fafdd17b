// Package schema makes JSON schemas of Go structs, reads those of users and servers, and checks values against either: the
// one adapter around the library, with the positions, member names and bounds that it lacks.
package schema

import (
	"context"
	"encoding/json"
	"fmt"
	"reflect"
	"slices"
	"sync"

	generate "github.com/invopop/jsonschema"
	validate "github.com/qri-io/jsonschema"
)

// loadKeywords fills the validator's process-wide keyword table, which it otherwise does unguarded at the first schema.
var loadKeywords = sync.OnceFunc(func() {
	validate.LoadDraft2019_09()
	validate.RegisterKeyword("format", newFormat)
})

// Of is the schema of a struct: field names and optionality from json tags, rules and texts from jsonschema tags, no
// additional properties. describe answers the schemas of types that the generator would describe by their Go
// representation, else nil; refine changes the whole. A text with a comma stands in a tag jsonschema_description (see
// CutTag). It panics when the struct cannot be described.
func Of(t reflect.Type, describe func(reflect.Type) *generate.Schema, refine ...func(*generate.Schema)) *Document {
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
	document, used, err := parse(raw)
	if err != nil {
		panic(fmt.Sprintf("compile schema of %s: %v", t, err))
	}
	document.moments = slices.Contains(used, dateTime)
	document.library = &validate.Schema{}
	if err := json.Unmarshal(raw, document.library); err != nil {
		panic(fmt.Sprintf("compile schema of %s: %v", t, err))
	}
	// The validator finishes a schema when it is first used; concurrent first uses would race.
	document.library.Validate(context.Background(), map[string]any{})
	return document
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

// float is a number as the validator understands it. Values keep their exact text elsewhere; only the check against minimum and type
// sees the float.
func float(n json.Number) any {
	f, err := n.Float64()
	if err != nil {
		return n.String()
	}
	return f
}
