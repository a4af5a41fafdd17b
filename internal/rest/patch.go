package rest

import (
	"bytes"
	"encoding/json"
	"reflect"
	"strings"

	"github.com/danielgtaylor/huma/v2"

	"countersign/internal/problem"
)

// Patch is the body of a PATCH. T is a struct of pointers, one for each member that can change, each with a json name:
// absent leaves a pointer nil and so keeps the value, null points to the zero value, which clears it, and anything else
// replaces it. Only members with the tag nullable:"true", or clears:"true" where they are objects, can be cleared; Err
// refuses null for the others.
type Patch[T any] struct {
	Change T
	kept   []string
}

// UnmarshalJSON implements json.Unmarshaler.
func (p *Patch[T]) UnmarshalJSON(data []byte) error {
	kept, err := DecodePatch(data, &p.Change)
	p.kept = kept
	return err
}

// DecodePatch decodes the body of a PATCH into a struct, as Patch does, and returns the null members that cannot be
// cleared.
func DecodePatch(data []byte, into any) (kept []string, err error) {
	if err := json.Unmarshal(data, into); err != nil {
		return nil, err
	}
	null, err := nulls(data)
	if err != nil {
		return nil, err
	}
	change := reflect.ValueOf(into).Elem()
	for _, member := range members(change.Type()) {
		switch {
		case !null[strings.ToLower(member.name)]:
		case member.clears:
			change.FieldByIndex(member.Index).Set(reflect.New(member.Type.Elem()))
		default:
			kept = append(kept, member.name)
		}
	}
	return kept, nil
}

// nulls returns the null members of an object, by lower-case name. As in encoding/json, names match in any case, and
// the last of repeated members counts.
func nulls(data []byte) (map[string]bool, error) {
	decoder := json.NewDecoder(bytes.NewReader(data))
	if start, err := decoder.Token(); err != nil || start != json.Delim('{') {
		return nil, err
	}
	null := map[string]bool{}
	for decoder.More() {
		name, err := decoder.Token()
		if err != nil {
			return nil, err
		}
		var value json.RawMessage
		if err := decoder.Decode(&value); err != nil {
			return nil, err
		}
		if key, ok := name.(string); ok {
			null[strings.ToLower(key)] = bytes.Equal(value, []byte("null"))
		}
	}
	return null, nil
}

// Err refuses null for members that cannot be cleared.
func (p *Patch[T]) Err() error {
	if len(p.kept) == 0 {
		return nil
	}
	issues := make([]problem.Issue, 0, len(p.kept))
	for _, path := range p.kept {
		issues = append(issues, problem.Issue{Path: path, Message: "must not be null"})
	}
	return problem.InvalidInput("The "+strings.Join(p.kept, " and the ")+" cannot be cleared. Leave it out to keep it.", issues...)
}

// Schema describes the body in the OpenAPI document as a T.
func (Patch[T]) Schema(r huma.Registry) *huma.Schema {
	reference := r.Schema(reflect.TypeFor[T](), true, "")
	body := r.SchemaFromRef(reference.Ref)
	for _, member := range members(reflect.TypeFor[T]()) {
		property := body.Properties[member.name]
		switch {
		case member.clears && property.Ref != "":
			// A shared schema must not become nullable, so the member gets a copy.
			object := *r.SchemaFromRef(property.Ref)
			object.Nullable, object.Description = true, property.Description
			body.Properties[member.name] = &object
		case member.clears:
			property.Nullable = true
		case !member.clears && !property.Nullable && property.Ref == "":
			// The schema allows only what is accepted; null reaches Err, which explains the refusal.
			property.Extensions = map[string]any{"type": property.Type}
			property.Nullable = true
		}
	}
	return reference
}

// member is a field of a T.
type member struct {
	reflect.StructField
	name   string
	clears bool
}

func members(t reflect.Type) []member {
	var list []member
	for _, field := range reflect.VisibleFields(t) {
		if name, _, _ := strings.Cut(field.Tag.Get("json"), ","); name != "" && field.Type.Kind() == reflect.Pointer {
			list = append(list, member{field, name, field.Tag.Get("nullable") == "true" || field.Tag.Get("clears") == "true"})
		}
	}
	return list
}

// Replace replaces a field with a value of a T, unless the value is nil.
func Replace[T any](field, value *T) {
	if value != nil {
		*field = *value
	}
}
