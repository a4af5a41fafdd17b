package check

import (
	"bytes"
	"encoding/json"
	"errors"
	"maps"
	"slices"
	"strconv"
	"strings"

	"github.com/google/uuid"

	"countersign/problem"
	"countersign/text/nearest"
)

// shape is the part of a schema that says which members an object has and what they are for. The validator knows the first too,
// but reports a missing or unknown member without its name.
type shape struct {
	properties map[string]*shape
	required   []string
	closed     bool
	values     *shape
	items      *shape
	format     string
	types      []string
	fallback   any

	Secret    bool
	Literal   bool
	Template  bool
	Unit      string
	Label     string
	Chart     string
	Keep      bool
	Ephemeral bool
	JSONPath  bool
}

func (s *shape) UnmarshalJSON(data []byte) error {
	switch string(bytes.TrimSpace(data)) {
	case "true":
		return nil
	case "false":
		return errors.New("a schema that fits nothing")
	}
	var in struct {
		Properties           map[string]*shape `json:"properties"`
		Required             []string          `json:"required"`
		AdditionalProperties json.RawMessage   `json:"additionalProperties"`
		Items                *shape            `json:"items"`
		Format               string            `json:"format"`
		Type                 json.RawMessage   `json:"type"`
		Default              any               `json:"default"`
		Secret               bool              `json:"x-secret"`
		Literal              bool              `json:"x-literal"`
		Template             bool              `json:"x-template"`
		Unit                 string            `json:"x-unit"`
		Label                string            `json:"x-label"`
		Chart                string            `json:"x-chart"`
		Keep                 bool              `json:"x-keep"`
		Ephemeral            bool              `json:"x-ephemeral"`
		JSONPath             bool              `json:"x-jsonpath"`
	}
	if err := json.Unmarshal(data, &in); err != nil {
		return err
	}
	*s = shape{
		properties: in.Properties, required: in.Required, items: in.Items, format: in.Format, fallback: in.Default,
		Secret: in.Secret, Literal: in.Literal, Template: in.Template, Unit: in.Unit, Label: in.Label, Chart: in.Chart, Keep: in.Keep,
		Ephemeral: in.Ephemeral, JSONPath: in.JSONPath,
	}
	var one string
	if json.Unmarshal(in.Type, &one) == nil {
		s.types = []string{one}
	} else if len(in.Type) > 0 {
		if err := json.Unmarshal(in.Type, &s.types); err != nil {
			return err
		}
	}
	switch string(in.AdditionalProperties) {
	case "", "true":
	case "false":
		s.closed = true
	default:
		if err := json.Unmarshal(in.AdditionalProperties, &s.values); err != nil {
			return err
		}
	}
	s.inherit()
	return nil
}

// inherit gives the annotations of a list or an object of texts to the texts.
func (s *shape) inherit() {
	for _, inner := range []*shape{s.items, s.values} {
		if inner == nil {
			continue
		}
		inner.Secret = inner.Secret || s.Secret
		inner.Literal = inner.Literal || s.Literal
		inner.Template = inner.Template || s.Template
		inner.inherit()
	}
}

// withDefaults puts what was left out into an object, and into the objects in it.
func (s *shape) withDefaults(value any) {
	if s == nil {
		return
	}
	switch v := value.(type) {
	case map[string]any:
		for name, p := range s.properties {
			if member, ok := v[name]; ok {
				p.withDefaults(member)
			} else if p != nil && p.fallback != nil {
				v[name] = p.fallback
			}
		}
		for name, member := range v {
			if s.properties[name] == nil {
				s.values.withDefaults(member)
			}
		}
	case []any:
		for _, element := range v {
			s.items.withDefaults(element)
		}
	}
}

// texts calls visit for every text in a value, with its path and shape, and puts what it answers into its place.
func (s *shape) texts(path string, value any, visit func(path string, s *shape, text string) string) any {
	if s == nil {
		s = &shape{}
	}
	switch v := value.(type) {
	case string:
		return visit(path, s, v)
	case map[string]any:
		for _, name := range slices.Sorted(maps.Keys(v)) {
			inner := s.properties[name]
			if inner == nil {
				inner = s.values
			}
			v[name] = inner.texts(join(path, name), v[name], visit)
		}
	case []any:
		for i, element := range v {
			v[i] = s.items.texts(path+"["+strconv.Itoa(i)+"]", element, visit)
		}
	}
	return value
}

// issues lists the members that are missing or unknown, values of another type, and texts that are no id or hold a NUL character.
func (s *shape) issues(path string, value any) []problem.Issue {
	if s == nil {
		s = &shape{}
	}
	if !s.takes(value) {
		return []problem.Issue{{Path: path, Message: "must be " + article(s.types) + ", not " + kindOf(value)}}
	}
	var found []problem.Issue
	switch v := value.(type) {
	case map[string]any:
		return s.memberIssues(path, v)
	case []any:
		for i, element := range v {
			found = append(found, s.items.issues(path+"["+strconv.Itoa(i)+"]", element)...)
		}
	case string:
		if _, err := uuid.Parse(v); s.format == "uuid" && (err != nil || len(v) != 36) {
			found = append(found, problem.Issue{Path: path, Message: "is not an id; ids look like 0199aa00-0000-7000-8000-000000000001"})
		}
		// JSON allows NUL, the database does not.
		if strings.ContainsRune(v, 0) {
			found = append(found, problem.Issue{Path: path, Message: "has a NUL character"})
		}
	}
	return found
}

func (s *shape) memberIssues(path string, object map[string]any) []problem.Issue {
	var found []problem.Issue
	for _, name := range s.required {
		if _, ok := object[name]; !ok {
			found = append(found, problem.Issue{Path: join(path, name), Message: "is required"})
		}
	}
	for _, name := range slices.Sorted(maps.Keys(object)) {
		known, ok := s.properties[name]
		if !ok && s.closed {
			names := slices.Sorted(maps.Keys(s.properties))
			message := "is not known here" + nearest.Hint(name, names)
			if len(names) > 0 {
				message += " Known: " + strings.Join(names, ", ")
			}
			found = append(found, problem.Issue{Path: join(path, clip(name, 80)), Message: message})
			continue
		}
		if !ok {
			known = s.values
		}
		found = append(found, known.issues(join(path, name), object[name])...)
	}
	return found
}

func (s *shape) takes(value any) bool {
	if len(s.types) == 0 {
		return true
	}
	kind := kindOf(value)
	for _, t := range s.types {
		switch {
		case words[t] == kind, t == "number" && kind == words["integer"]:
			return true
		}
	}
	return false
}

// words are the JSON types for people.
var words = map[string]string{
	"string": "a text", "object": "an object", "array": "a list", "null": "null", "boolean": "true or false",
	"integer": "a whole number", "number": "a number",
}

func kindOf(value any) string {
	switch v := value.(type) {
	case string:
		return words["string"]
	case map[string]any:
		return words["object"]
	case []any:
		return words["array"]
	case nil:
		return words["null"]
	case bool:
		return words["boolean"]
	case json.Number:
		if f, err := v.Float64(); err == nil && f == float64(int64(f)) {
			return words["integer"]
		}
	}
	return words["number"]
}

func article(types []string) string {
	names := make([]string, len(types))
	for i, t := range types {
		names[i] = words[t]
	}
	return strings.Join(names, " or ")
}

func join(path, name string) string {
	if path == "" {
		return name
	}
	return path + "." + name
}

func clip(text string, most int) string {
	if len(text) <= most {
		return text
	}
	return strings.ToValidUTF8(text[:most], "") + "…"
}

// each calls visit for the shape of every value that there can be.
func (s *shape) each(path string, visit func(path string, s *shape)) {
	if s == nil {
		return
	}
	visit(path, s)
	for name, p := range s.properties {
		p.each(join(path, name), visit)
	}
	s.items.each(path+"[]", visit)
	s.values.each(path+".*", visit)
}
