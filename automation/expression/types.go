package expression

import (
	"encoding/json"
	"maps"
	"slices"
	"strings"
)

// Kind is a kind of values.
type Kind string

// The kinds. Any is a value of which nothing is known.
const (
	KindAny      Kind = "any"
	KindNull     Kind = "null"
	KindBool     Kind = "bool"
	KindNumber   Kind = "number"
	KindText     Kind = "text"
	KindTime     Kind = "time"
	KindDuration Kind = "duration"
	KindList     Kind = "list"
	KindObject   Kind = "object"
)

// Type is the type of a value. The zero Type is that of any value.
type Type struct {
	Kind Kind
	// Fields are the members of an object.
	Fields map[string]Field
	// Rest is the type of further members; nil for none.
	Rest *Type
	// Item is the type of the elements of a list; nil for an empty one.
	Item *Type
	// Enum are the only values of a text; nil for any.
	Enum []string
}

// Field is a member of an object.
type Field struct {
	Type Type
	// Optional members may be missing: an expression should ask has() first.
	Optional bool
	// Missing says why a member is missing in some cases, as the end of a sentence. An expression has to ask has() first.
	Missing string
}

// Object is a type with the given members, all of them required.
func Object(fields map[string]Type) Type {
	t := Type{Kind: KindObject, Fields: map[string]Field{}}
	for name, of := range fields {
		t.Fields[name] = Field{Type: of}
	}
	return t
}

// Of is a type without members.
func Of(kind Kind) Type { return Type{Kind: kind} }

// ListOf is a list of elements of a type.
func ListOf(item Type) Type { return Type{Kind: KindList, Item: &item} }

// MapOf is an object with any members of a type.
func MapOf(rest Type) Type { return Type{Kind: KindObject, Rest: &rest} }

func (t Type) any() bool { return t.Kind == "" || t.Kind == KindAny }

// words name a type in a sentence.
func (t Type) words() string {
	switch t.Kind {
	case KindBool:
		return "true or false"
	case KindNumber, KindText, KindTime, KindDuration, KindList:
		return "a " + string(t.Kind)
	case KindObject:
		return "an object"
	case KindNull:
		return "null"
	default:
		return "any value"
	}
}

// maxSchemaDepth bounds how deep a schema is read: a schema that contains itself has any depth.
const maxSchemaDepth = 12

// FromSchema is the type that a JSON schema describes. Anything that a Type cannot say is any value.
func FromSchema(raw json.RawMessage) Type {
	var root map[string]any
	if json.Unmarshal(raw, &root) != nil {
		return Type{}
	}
	return schemaReader{root}.read(root, 0)
}

type schemaReader struct{ root map[string]any }

func (r schemaReader) read(value any, depth int) Type {
	s, ok := value.(map[string]any)
	if !ok || depth > maxSchemaDepth {
		return Type{}
	}
	if reference, ok := s["$ref"].(string); ok {
		return r.read(r.target(reference), depth+1)
	}
	for _, name := range []string{"anyOf", "oneOf", "allOf"} {
		if list, ok := s[name].([]any); ok && len(list) > 0 && s["properties"] == nil {
			joined := r.read(list[0], depth+1)
			for _, other := range list[1:] {
				joined = Union(joined, r.read(other, depth+1), "")
			}
			return joined
		}
	}
	if constant, ok := s["const"]; ok {
		return TypeOf(constant)
	}
	var joined *Type
	for _, name := range typeNames(s) {
		one := r.one(name, s, depth)
		if joined == nil {
			joined = &one
		} else if name != "null" {
			both := Union(*joined, one, "")
			joined = &both
		}
	}
	if joined == nil {
		return Type{}
	}
	return *joined
}

func typeNames(s map[string]any) []string {
	switch t := s["type"].(type) {
	case string:
		return []string{t}
	case []any:
		var names []string
		for _, name := range t {
			if text, ok := name.(string); ok {
				names = append(names, text)
			}
		}
		// A value that may be null is compared and read like one that may not.
		slices.SortStableFunc(names, func(a, b string) int { return strings.Compare(last(a), last(b)) })
		return names
	}
	if s["properties"] != nil {
		return []string{"object"}
	}
	if list, ok := s["enum"].([]any); ok && len(list) > 0 {
		if _, ok := list[0].(string); ok {
			return []string{"string"}
		}
	}
	return nil
}

func last(name string) string {
	if name == "null" {
		return "~"
	}
	return ""
}

func (r schemaReader) one(name string, s map[string]any, depth int) Type {
	switch name {
	case "boolean":
		return Of(KindBool)
	case "integer", "number":
		return Of(KindNumber)
	case "null":
		return Of(KindNull)
	case "string":
		t := Of(KindText)
		if list, ok := s["enum"].([]any); ok {
			for _, value := range list {
				if text, ok := value.(string); ok {
					t.Enum = append(t.Enum, text)
				}
			}
		}
		return t
	case "array":
		item := r.read(s["items"], depth+1)
		return Type{Kind: KindList, Item: &item}
	case "object":
		return r.object(s, depth)
	default:
		return Type{}
	}
}

func (r schemaReader) object(s map[string]any, depth int) Type {
	t := Type{Kind: KindObject, Fields: map[string]Field{}}
	required, _ := s["required"].([]any)
	properties, _ := s["properties"].(map[string]any)
	for name, value := range properties {
		t.Fields[name] = Field{Type: r.read(value, depth+1), Optional: !slices.Contains(required, any(name))}
	}
	switch more := s["additionalProperties"].(type) {
	case map[string]any:
		rest := r.read(more, depth+1)
		t.Rest = &rest
	case bool:
		if more {
			t.Rest = &Type{}
		}
	default: // A schema that lists members means these.
		if len(properties) == 0 {
			t.Rest = &Type{}
		}
	}
	return t
}

func (r schemaReader) target(reference string) any {
	path, ok := strings.CutPrefix(reference, "#")
	if !ok {
		return nil
	}
	var value any = r.root
	for part := range strings.SplitSeq(strings.TrimPrefix(path, "/"), "/") {
		if part == "" {
			continue
		}
		object, _ := value.(map[string]any)
		value = object[strings.NewReplacer("~1", "/", "~0", "~").Replace(part)]
	}
	return value
}

// TypeOf is the type of a decoded JSON value.
func TypeOf(value any) Type {
	switch v := value.(type) {
	case nil:
		return Of(KindNull)
	case bool:
		return Of(KindBool)
	case string:
		return Type{Kind: KindText}
	case float64, int64, int, json.Number:
		return Of(KindNumber)
	case []any:
		t := Type{Kind: KindList}
		for _, element := range v {
			t.Item = joinItems(t.Item, TypeOf(element))
		}
		return t
	case map[string]any:
		t := Type{Kind: KindObject, Fields: map[string]Field{}}
		for name, member := range v {
			t.Fields[name] = Field{Type: TypeOf(member)}
		}
		return t
	default:
		return Type{}
	}
}

func joinItems(item *Type, other Type) *Type {
	if item == nil {
		return &other
	}
	both := Union(*item, other, "")
	return &both
}

// Union is the type of a value that has one of two types. A member that only one of them has is missing with the reason, or merely
// optional without one.
func Union(a, b Type, missing string) Type {
	switch {
	case a.Kind == KindNull:
		return b
	case b.Kind == KindNull:
		return a
	case a.Kind != b.Kind || a.any():
		return Type{}
	}
	joined := Type{Kind: a.Kind}
	switch a.Kind {
	case KindText:
		if a.Enum != nil && b.Enum != nil {
			joined.Enum = slices.Compact(slices.Sorted(slices.Values(slices.Concat(a.Enum, b.Enum))))
		}
	case KindList:
		joined.Item = a.Item
		if b.Item != nil {
			joined.Item = joinItems(a.Item, *b.Item)
		}
	case KindObject:
		joined.Fields = map[string]Field{}
		for _, name := range slices.Concat(slices.Collect(maps.Keys(a.Fields)), slices.Collect(maps.Keys(b.Fields))) {
			joined.Fields[name] = joinFields(a, b, name, missing)
		}
		if a.Rest != nil || b.Rest != nil {
			joined.Rest = &Type{}
		}
	}
	return joined
}

func joinFields(a, b Type, name, missing string) Field {
	f, ok := a.Fields[name]
	g, both := b.Fields[name]
	if ok && both {
		return Field{
			Type: Union(f.Type, g.Type, missing), Optional: f.Optional || g.Optional,
			Missing: strings.Join(slices.DeleteFunc([]string{f.Missing, g.Missing}, func(s string) bool { return s == "" }), ", "),
		}
	}
	if !ok {
		f = g
	}
	f.Optional = true
	if f.Missing == "" {
		f.Missing = missing
	}
	return f
}
