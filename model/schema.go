package model

import (
	"bytes"
	"encoding/json"
	"fmt"
	"maps"
	"slices"
	"sync"

	kit "countersign/internal/json/schema"
)

// plain is a schema in the subset that every family supports: the one that Google documents for Gemini.
// https://ai.google.dev/api/caching#Schema
type plain struct {
	Type        string            `json:"type,omitempty"`
	Nullable    bool              `json:"nullable,omitempty"`
	Description string            `json:"description,omitempty"`
	Format      string            `json:"format,omitempty"`
	Enum        []string          `json:"enum,omitempty"`
	Properties  map[string]*plain `json:"properties,omitempty"`
	Required    []string          `json:"required,omitempty"`
	Items       *plain            `json:"items,omitempty"`
	AnyOf       []*plain          `json:"anyOf,omitempty"`
}

// plainSchemas caches simplified schemas: every request repeats the same ones.
var plainSchemas = struct {
	sync.Mutex

	made map[string]json.RawMessage
}{made: map[string]json.RawMessage{}}

// maxPlainSchemas bounds the cache.
const maxPlainSchemas = 2048

// plainSchema simplifies a tool's schema. It is empty for a tool without parameters, for which Gemini accepts no
// schema. Constraints that the subset lacks go into the descriptions.
func plainSchema(schema json.RawMessage) json.RawMessage {
	plainSchemas.Lock()
	defer plainSchemas.Unlock()
	if made, ok := plainSchemas.made[string(schema)]; ok {
		return made
	}
	if len(plainSchemas.made) == maxPlainSchemas {
		clear(plainSchemas.made)
	}
	made := simplify(schema)
	plainSchemas.made[string(schema)] = made
	return made
}

func simplify(schema json.RawMessage) json.RawMessage {
	decoder := json.NewDecoder(bytes.NewReader(schema))
	decoder.UseNumber()
	var root map[string]any
	if decoder.Decode(&root) != nil {
		return nil
	}
	s := simplifier{root: root}
	made := s.schema(root, 0)
	if made.Type != "object" || len(properties(root)) == 0 && len(list(root, "allOf")) == 0 {
		return nil
	}
	var text bytes.Buffer
	encoder := json.NewEncoder(&text)
	encoder.SetEscapeHTML(false)
	if encoder.Encode(made) != nil {
		return nil
	}
	return bytes.TrimSpace(text.Bytes())
}

// deepestSchema and largestSchema bound schemas that refer to themselves.
const (
	deepestSchema = 16
	largestSchema = 4096
)

type simplifier struct {
	root  map[string]any
	nodes int
}

func (s *simplifier) schema(from any, depth int) *plain {
	node, _ := from.(map[string]any)
	if s.nodes++; depth >= deepestSchema || s.nodes > largestSchema || node == nil {
		return &plain{Type: "string", Description: "JSON."}
	}
	node = s.resolved(node, depth)
	types, nullable := typesOf(node)
	options := list(node, "anyOf")
	if len(options) == 0 {
		options = list(node, "oneOf")
	}
	if len(options) > 0 && len(properties(node)) == 0 {
		return s.choice(node, options, nullable, depth)
	}
	if len(types) > 1 {
		options = nil
		for _, t := range types {
			one := maps.Clone(node)
			one["type"] = t
			options = append(options, one)
		}
		return s.choice(node, options, nullable, depth)
	}
	made := &plain{Type: types[0], Nullable: nullable, Description: text(node, "description")}
	switch made.Type {
	case "object":
		s.object(made, node, depth)
	case "array":
		s.array(made, node, depth)
	case "string":
		s.words(made, node)
	}
	made.remark(node)
	return made
}

// resolved returns a node with its references resolved and its allOf merged.
func (s *simplifier) resolved(node map[string]any, depth int) map[string]any {
	for ; depth < deepestSchema; depth++ {
		reference := text(node, "$ref")
		if reference == "" {
			break
		}
		target, _ := s.at(reference).(map[string]any)
		merged := maps.Clone(target)
		if merged == nil {
			merged = map[string]any{}
		}
		for key, value := range node {
			if key != "$ref" {
				merged[key] = value
			}
		}
		node = merged
	}
	for _, part := range list(node, "allOf") {
		inner, _ := part.(map[string]any)
		if s.nodes++; inner == nil || depth >= deepestSchema || s.nodes > largestSchema {
			continue
		}
		node = joined(node, s.resolved(inner, depth+1))
	}
	return node
}

// joined returns a node that satisfies both.
func joined(a, b map[string]any) map[string]any {
	both := maps.Clone(b)
	maps.Copy(both, a)
	delete(both, "allOf")
	inner := maps.Clone(properties(b))
	if inner == nil {
		inner = map[string]any{}
	}
	maps.Copy(inner, properties(a))
	if len(inner) > 0 {
		both["properties"] = inner
	}
	if required := slices.Concat(list(a, "required"), list(b, "required")); len(required) > 0 {
		both["required"] = required
	}
	if rest := list(a, "allOf"); len(rest) > 0 {
		both["allOf"] = rest
	}
	return both
}

// at resolves a reference within the schema.
func (s *simplifier) at(reference string) any {
	if reference == "#" {
		return nil // a self-reference without end
	}
	node, _ := kit.At(s.root, reference)
	return node
}

// choice simplifies alternatives. A single alternative replaces the choice.
func (s *simplifier) choice(node map[string]any, options []any, nullable bool, depth int) *plain {
	var made []*plain
	for _, option := range options {
		inner, _ := option.(map[string]any)
		if inner != nil && text(inner, "type") == "null" {
			nullable = true
			continue
		}
		made = append(made, s.schema(option, depth+1))
	}
	if len(made) == 0 {
		return &plain{Type: "string", Nullable: nullable, Description: text(node, "description")}
	}
	if len(made) == 1 {
		made[0].Nullable = made[0].Nullable || nullable
		if said := text(node, "description"); said != "" {
			made[0].Description = said
		}
		return made[0]
	}
	// Gemini accepts no member beside anyOf.
	for _, m := range made {
		m.Nullable = m.Nullable || nullable
		if m.Description == "" {
			m.Description = text(node, "description")
		}
	}
	return &plain{AnyOf: made}
}

func (s *simplifier) object(made *plain, node map[string]any, depth int) {
	inner := properties(node)
	made.Properties = make(map[string]*plain, len(inner))
	for name, property := range inner {
		made.Properties[name] = s.schema(property, depth+1)
	}
	for _, name := range list(node, "required") {
		if name, ok := name.(string); ok && made.Properties[name] != nil && !slices.Contains(made.Required, name) {
			made.Required = append(made.Required, name)
		}
	}
	if len(inner) == 0 {
		// Gemini refuses an object without properties; free-form objects have none.
		value := &plain{Type: "string"}
		if inner, ok := node["additionalProperties"].(map[string]any); ok {
			value = s.schema(inner, depth+1)
		}
		made.Properties["name"] = value
		made.add("The members may have any names.")
	}
}

func (s *simplifier) array(made *plain, node map[string]any, depth int) {
	items := node["items"]
	if several := list(node, "prefixItems"); items == nil && len(several) > 0 {
		items = several[0]
	}
	made.Items = s.schema(items, depth+1)
}

func (s *simplifier) words(made *plain, node map[string]any) {
	values := list(node, "enum")
	if value, ok := node["const"]; ok {
		values = []any{value}
	}
	for _, value := range values {
		if value, ok := value.(string); ok && value != "" {
			made.Enum = append(made.Enum, value)
		}
	}
	if text(node, "format") == "date-time" {
		made.Format = "date-time"
	}
}

// described maps keywords to the words for the description, in this order.
var described = []struct{ keyword, words string }{
	{"format", "Format: %v."},
	{"pattern", "Pattern: %v."},
	{"const", "Always %v."},
	{"enum", "One of %v."},
	{"default", "Default: %v."},
	{"minimum", "At least %v."},
	{"exclusiveMinimum", "More than %v."},
	{"maximum", "At most %v."},
	{"exclusiveMaximum", "Less than %v."},
	{"minLength", "At least %v characters."},
	{"maxLength", "At most %v characters."},
	{"minItems", "At least %v items."},
	{"maxItems", "At most %v items."},
}

// remark describes constraints that the subset cannot express.
func (p *plain) remark(node map[string]any) {
	for _, t := range described {
		value, ok := node[t.keyword]
		said := t.keyword == "format" && p.Format != "" || (t.keyword == "enum" || t.keyword == "const") && len(p.Enum) > 0
		if !ok || value == nil || said {
			continue
		}
		word, isText := value.(string)
		if !isText {
			raw, err := json.Marshal(value)
			if err != nil {
				continue
			}
			word = string(raw)
		}
		p.add(fmt.Sprintf(t.words, word))
	}
}

func (p *plain) add(words string) {
	if p.Description != "" {
		p.Description += " "
	}
	p.Description += words
}

// typesOf returns the types of a node, without null, at least one.
func typesOf(node map[string]any) (types []string, nullable bool) {
	declared := list(node, "type")
	if one := text(node, "type"); one != "" {
		declared = []any{one}
	}
	for _, t := range declared {
		switch t, _ := t.(string); t {
		case "":
		case "null":
			nullable = true
		default:
			types = append(types, t)
		}
	}
	if node["nullable"] == true {
		nullable = true
	}
	switch {
	case len(types) > 0:
	case node["properties"] != nil || node["additionalProperties"] != nil:
		types = []string{"object"}
	case node["items"] != nil:
		types = []string{"array"}
	default:
		types = []string{"string"}
	}
	return types, nullable
}

func text(node map[string]any, name string) string {
	said, _ := node[name].(string)
	return said
}

func list(node map[string]any, name string) []any {
	values, _ := node[name].([]any)
	return values
}

func properties(node map[string]any) map[string]any {
	values, _ := node["properties"].(map[string]any)
	return values
}
