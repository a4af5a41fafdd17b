package check

import (
	"bytes"
	"encoding/json"
	"errors"
	"maps"
	"slices"
	"strconv"
	"strings"

	"countersign/internal/json/schema"
)

// shape is the part of a schema that declares object members and annotations. The validator knows members too, but
// reports a missing or unknown one without its name.
type shape struct {
	properties map[string]*shape
	required   []string
	closed     bool
	values     *shape
	items      *shape
	format     string
	types      []string
	fallback   json.RawMessage
	bounds     bounds

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
		schema.Members[shape]
		Default json.RawMessage `json:"default"`
		bounds
		Secret    bool   `json:"x-secret"`
		Literal   bool   `json:"x-literal"`
		Template  bool   `json:"x-template"`
		Unit      string `json:"x-unit"`
		Label     string `json:"x-label"`
		Chart     string `json:"x-chart"`
		Keep      bool   `json:"x-keep"`
		Ephemeral bool   `json:"x-ephemeral"`
		JSONPath  bool   `json:"x-jsonpath"`
	}
	if err := json.Unmarshal(data, &in); err != nil {
		return err
	}
	types, err := in.Types()
	if err != nil {
		return err
	}
	closed, values, err := in.Rest()
	if err != nil {
		return err
	}
	*s = shape{
		properties: in.Properties, required: in.Required, closed: closed, values: values, items: in.Items, format: in.Format, types: types,
		fallback: in.Default, bounds: in.bounds,
		Secret: in.Secret, Literal: in.Literal, Template: in.Template, Unit: in.Unit, Label: in.Label, Chart: in.Chart, Keep: in.Keep,
		Ephemeral: in.Ephemeral, JSONPath: in.JSONPath,
	}
	s.inherit()
	return nil
}

// inherit copies the annotations of a list or an object of texts to the texts.
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

// withDefaults sets missing members of an object to their defaults, recursively.
func (s *shape) withDefaults(value any) {
	if s == nil {
		return
	}
	switch v := value.(type) {
	case map[string]any:
		for name, p := range s.properties {
			if member, ok := v[name]; ok {
				p.withDefaults(member)
			} else if p != nil && len(p.fallback) > 0 {
				// A schema's own default is JSON.
				v[name], _ = decodeTree(p.fallback)
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

// texts calls visit for every text in a value, with its path and shape, and replaces the text with the result.
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

// each calls visit for the shape of every possible value.
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
