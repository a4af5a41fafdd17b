package kit

import (
	"bytes"
	"encoding/json"
	"maps"
	"slices"
	"strings"

	"countersign/internal/json/schema"
)

// parameters converts a schema to the subset that providers accept as function parameters.
// https://platform.openai.com/docs/guides/structured-outputs#supported-schemas (the root must be an object and have no
// anyOf), https://docs.anthropic.com/en/docs/build-with-claude/tool-use (no oneOf, allOf or anyOf at the top level).
type parameters struct {
	root  map[string]any
	nodes int
}

// object reports whether a schema accepts objects.
func (*parameters) object(node map[string]any) bool {
	switch t := node["type"].(type) {
	case nil:
		return true
	case string:
		return t == "object"
	case []any:
		return slices.Contains(t, any("object"))
	}
	return false
}

// topWords are keywords that a provider refuses at the top level.
var topWords = []string{
	"$ref",
	"allOf",
	"anyOf",
	"oneOf",
	"not",
	"if",
	"then",
	"else",
	"enum",
	"const",
	"dependentSchemas",
	"dependencies",
	"$schema",
	"$id",
	"$anchor",
	"$vocabulary",
}

func (p *parameters) plain() (json.RawMessage, error) {
	top := maps.Clone(p.root)
	members := map[string]any{}
	required := p.gather(p.root, members, 0)
	for _, word := range topWords {
		delete(top, word)
	}
	top["type"], top["properties"] = "object", members
	delete(top, "required")
	if len(required) > 0 {
		top["required"] = required
	}
	top = p.accepted(top, 0)
	var text bytes.Buffer
	encoder := json.NewEncoder(&text)
	encoder.SetEscapeHTML(false)
	if err := encoder.Encode(top); err != nil {
		return nil, err
	}
	return bytes.TrimSpace(text.Bytes()), nil
}

// gather collects the members that a schema declares at the top level, in any alternative, and returns those that every
// alternative requires.
func (p *parameters) gather(node map[string]any, members map[string]any, depth int) []string {
	const deepest = 16
	if depth > deepest {
		return nil
	}
	own, _ := node["properties"].(map[string]any)
	for name, member := range own {
		if _, known := members[name]; !known {
			members[name] = member
		}
	}
	required := textsOf(node["required"])
	if target := p.target(node); target != nil {
		required = append(required, p.gather(target, members, depth+1)...)
	}
	for _, part := range schemas(node["allOf"]) {
		required = append(required, p.gather(part, members, depth+1)...)
	}
	for _, word := range []string{"anyOf", "oneOf"} {
		alternatives := schemas(node[word])
		var always []string
		for i, part := range alternatives {
			needed := p.gather(part, members, depth+1)
			if i == 0 {
				always = needed
			}
			always = slices.DeleteFunc(always, func(name string) bool { return !slices.Contains(needed, name) })
		}
		required = append(required, always...)
	}
	for _, word := range []string{"then", "else"} {
		if part, ok := node[word].(map[string]any); ok {
			p.gather(part, members, depth+1)
		}
	}
	slices.Sort(required)
	// A required name without a schema is no parameter.
	return slices.DeleteFunc(slices.Compact(required), func(name string) bool { _, known := members[name]; return !known })
}

// target resolves a reference at the top level, nil without one.
func (p *parameters) target(node map[string]any) map[string]any {
	reference, _ := node["$ref"].(string)
	if reference == "" {
		return nil
	}
	found, _ := schema.At(p.root, reference)
	target, _ := found.(map[string]any)
	return target
}

func schemas(value any) []map[string]any {
	values, _ := value.([]any)
	var found []map[string]any
	for _, v := range values {
		if node, ok := v.(map[string]any); ok {
			found = append(found, node)
		}
	}
	return found
}

func textsOf(value any) []string {
	values, _ := value.([]any)
	var found []string
	for _, v := range values {
		if word, ok := v.(string); ok {
			found = append(found, word)
		}
	}
	slices.Sort(found)
	return found
}

// silent are keywords without effect on values that some provider rejects.
var silent = []string{"$schema", "$id", "$anchor", "$vocabulary", "$comment"}

const (
	deepestParameter = 12
	mostParameters   = 4096
)

// accepted converts a schema to the subset that all providers accept: schemas are objects, arrays have items, and
// references lead to definitions. A part that is too deep, or refers to itself without a definition, accepts any value:
// inputs are validated against the original.
func (p *parameters) accepted(node map[string]any, depth int) map[string]any {
	if p.nodes++; depth > deepestParameter || p.nodes > mostParameters {
		return map[string]any{}
	}
	made := maps.Clone(node)
	for _, word := range silent {
		delete(made, word)
	}
	if reference, ok := made["$ref"].(string); ok && !p.defined(reference) {
		delete(made, "$ref")
		for word, value := range p.target(node) {
			if _, own := made[word]; !own {
				made[word] = value
			}
		}
		return p.accepted(made, depth+1)
	}
	for word, value := range made {
		switch word {
		case "properties", "patternProperties", "$defs", "definitions", "dependentSchemas":
			made[word] = p.named(value, depth)
		case "allOf", "anyOf", "oneOf", "prefixItems":
			made[word] = p.listed(value, depth)
		case "items", "contains", "not", "if", "then", "else", "propertyNames":
			made[word] = p.one(value, depth)
		case "additionalProperties":
			if _, ok := value.(map[string]any); ok {
				made[word] = p.one(value, depth)
			}
		}
	}
	if _, ok := made["items"]; !ok && (made["type"] == "array" || slices.Contains(textsOf(made["type"]), "array")) {
		made["items"] = map[string]any{}
		if several := schemas(made["prefixItems"]); len(several) > 0 {
			made["items"] = map[string]any{"anyOf": several}
		}
	}
	return made
}

// defined reports whether a reference leads to a definition, which stays in place.
func (p *parameters) defined(reference string) bool {
	for _, prefix := range []string{"#/$defs/", "#/definitions/"} {
		if name, ok := strings.CutPrefix(reference, prefix); ok && !strings.Contains(name, "/") {
			found, _ := schema.At(p.root, reference)
			_, isObject := found.(map[string]any)
			return isObject
		}
	}
	return false
}

func (p *parameters) one(value any, depth int) any {
	switch v := value.(type) {
	case map[string]any:
		return p.accepted(v, depth+1)
	case []any:
		// Older drafts have one schema for each item.
		return map[string]any{"anyOf": p.listed(v, depth)}
	case bool:
		if !v {
			return map[string]any{"not": map[string]any{}}
		}
	}
	return map[string]any{}
}

func (p *parameters) listed(value any, depth int) []any {
	values, _ := value.([]any)
	made := make([]any, len(values))
	for i, v := range values {
		made[i] = p.one(v, depth)
	}
	return made
}

func (p *parameters) named(value any, depth int) map[string]any {
	values, _ := value.(map[string]any)
	made := make(map[string]any, len(values))
	for name, v := range values {
		if v != false {
			made[name] = p.one(v, depth)
		}
	}
	return made
}
