package arguments

import (
	"cmp"
	"encoding/json"
	"fmt"
	"maps"
	"math"
	"regexp"
	"slices"
	"strings"

	kit "countersign/internal/json/schema"
	"countersign/internal/text/search"
)

// kind is the required type of a keyword's value.
type kind int

const (
	text kind = iota
	flag
	anything
	number
	positive
	count
	list
	pattern
	schema
	schemas
	schemaMap
)

// keywords are the supported keywords. The validator of calls knows more: older spellings, for which this list has the
// current one.
func keywords() map[string]kind {
	return map[string]kind{
		"$schema": text, "$comment": text, "title": text, "description": text, "format": text, "$ref": text,
		"readOnly": flag, "writeOnly": flag, "uniqueItems": flag, "deprecated": flag,
		"default": anything, "const": anything, "examples": list, "enum": list, "required": list, "type": anything, "dependentRequired": anything,
		"maximum": number, "minimum": number, "exclusiveMaximum": number, "exclusiveMinimum": number, "multipleOf": positive,
		"maxLength": count, "minLength": count, "maxItems": count, "minItems": count, "maxContains": count, "minContains": count,
		"maxProperties": count, "minProperties": count, "pattern": pattern,
		"not": schema, "if": schema, "then": schema, "else": schema, "additionalProperties": schema,
		"propertyNames": schema, "contains": schema, "additionalItems": schema, "items": schema,
		"allOf": schemas, "anyOf": schemas, "oneOf": schemas, "prefixItems": schemas, "contentEncoding": text, "contentMediaType": text,
		"properties": schemaMap, "patternProperties": schemaMap, "dependentSchemas": schemaMap, "$defs": schemaMap,
	}
}

// instead returns the replacement for a keyword of another version or dialect.
func instead() map[string]string {
	return map[string]string{
		"nullable":              `Write "type": ["string", "null"].`,
		"definitions":           `Write "$defs".`,
		"dependencies":          `Write "dependentRequired" or "dependentSchemas".`,
		"divisibleBy":           `Write "multipleOf".`,
		"optional":              `A property is optional unless "required" of its object names it.`,
		"extends":               `Write "allOf".`,
		"unevaluatedProperties": `Write "additionalProperties" where the properties are.`,
		"unevaluatedItems":      `Write "items" beside "prefixItems".`,
		"contentSchema":         `What a text holds is not checked: say it in "description".`,
		"discriminator":         `Write "oneOf", and "const" in each alternative.`,
		"xml":                   `Leave it out: arguments are JSON.`,
	}
}

// foreign are keywords that would give schemas names beyond this one.
func foreign() []string {
	return []string{"$id", "id", "$anchor", "$recursiveRef", "$recursiveAnchor", "$dynamicRef", "$dynamicAnchor", "$vocabulary"}
}

func (r *reader) keyword(n *node, name string, value any, pointer string, depth int) {
	wanted, known := keywords()[name]
	switch {
	case known:
	case slices.Contains(foreign(), name):
		r.fail(pointer, name+" is not allowed: a schema stands alone.", `Refer to definitions with {"$ref": "#/$defs/name"}.`)
		return
	case strings.HasPrefix(name, "x-"):
		return
	case name == "example":
		r.warn(pointer, `"example" has no effect.`, `Write "examples" with a list.`)
		return
	default:
		hint := instead()[name]
		if meant := search.Nearest(name, slices.Sorted(maps.Keys(keywords()))); hint == "" && meant != "" {
			hint = fmt.Sprintf("Did you mean %q?", meant)
		}
		r.fail(pointer, fmt.Sprintf("%q is no keyword here.", name), cmp.Or(hint, `Leave it out, or begin its name with "x-" if it is a note.`))
		return
	}
	expect := func(ok bool, what string) bool {
		if !ok {
			r.fail(pointer, name+" must be "+what+".", "")
		}
		return ok
	}
	switch wanted {
	case text:
		said, ok := value.(string)
		if expect(ok, "a text") && name == "$ref" {
			n.ref = said
		}
	case flag:
		_, ok := value.(bool)
		expect(ok, "true or false")
	case number, positive:
		v, ok := value.(json.Number)
		f, err := v.Float64()
		expect(
			ok && err == nil && !math.IsInf(f, 0) && (wanted == number || f > 0),
			map[kind]string{number: "a number", positive: "a number above 0"}[wanted],
		)
	case count:
		v, ok := value.(json.Number)
		f, err := v.Float64()
		expect(ok && err == nil && f >= 0 && f == math.Trunc(f) && f < 1<<31, "a whole number from 0")
	case list, anything:
		r.values(n, name, value, expect)
	case pattern:
		said, ok := value.(string)
		if expect(ok, "a text") {
			r.expression(pointer, said)
		}
	case schema:
		if many, ok := value.([]any); ok && name == "items" {
			n.lists[name] = r.readAll(many, pointer, depth)
			return
		}
		n.single[name] = r.read(value, pointer, depth+1)
	case schemas:
		many, ok := value.([]any)
		if expect(ok && len(many) > 0, "a list of schemas that is not empty") {
			n.lists[name] = r.readAll(many, pointer, depth)
		}
	case schemaMap:
		members, ok := value.(map[string]any)
		if expect(ok, "an object of schemas") {
			r.below(n, name, members, pointer, depth)
		}
	}
}

func (r *reader) readAll(many []any, pointer string, depth int) []*node {
	nodes := make([]*node, 0, len(many))
	for i, one := range many {
		nodes = append(nodes, r.read(one, fmt.Sprintf("%s/%d", pointer, i), depth+1))
	}
	return nodes
}

func (r *reader) below(n *node, name string, members map[string]any, pointer string, depth int) {
	if name == "$defs" && n.pointer != "" {
		r.fail(pointer, "Definitions belong at the top of the schema.", `Move "$defs" there.`)
		return
	}
	for _, key := range slices.Sorted(maps.Keys(members)) {
		if name == "patternProperties" {
			r.expression(pointer, key)
		}
		below := r.read(members[key], pointer+"/"+kit.Escaped(key), depth+1)
		switch name {
		case "properties":
			n.properties[key] = below
		case "$defs":
			r.schema.defs[key] = below
		default:
			if n.named[name] == nil {
				n.named[name] = map[string]*node{}
			}
			n.named[name][key] = below
		}
	}
}

func (r *reader) expression(pointer, said string) {
	if len(said) > 1_000 {
		r.fail(pointer, "This pattern is longer than 1000 bytes.", "")
		return
	}
	if _, err := regexp.Compile(said); err != nil {
		r.fail(pointer, "This pattern cannot be used: "+strings.TrimPrefix(err.Error(), "error parsing regexp: ")+".",
			"Patterns are those of RE2: without look-ahead, look-behind and back-references.")
	}
}

func typeNames() []string {
	return []string{"object", "array", "string", "number", "integer", "boolean", "null"}
}

// values checks keywords whose values are not schemas.
func (r *reader) values(n *node, name string, value any, expect func(ok bool, what string) bool) {
	many, isList := value.([]any)
	switch name {
	case "examples":
		expect(isList, "a list")
	case "enum":
		expect(isList && len(many) > 0 && len(many) <= maxEnum, fmt.Sprintf("a list of 1 to %d values", maxEnum))
	case "required":
		names, ok := texts(many)
		if expect(isList && ok, "a list of names, each once") {
			n.required = names
		}
	case "type":
		if one, ok := value.(string); ok {
			many = []any{one}
		}
		names, ok := texts(many)
		if !expect(ok && len(names) > 0, "a type or a list of types, each once") {
			return
		}
		for _, t := range names {
			if !slices.Contains(typeNames(), t) {
				hint := "The types are " + strings.Join(typeNames(), ", ") + "."
				if meant := search.Nearest(t, typeNames()); meant != "" {
					hint = fmt.Sprintf("Did you mean %q?", meant)
				}
				r.fail(n.pointer+"/type", fmt.Sprintf("There is no type %q.", t), hint)
			}
		}
		n.types = names
	case "dependentRequired":
		members, ok := value.(map[string]any)
		for _, names := range members {
			l, isList := names.([]any)
			_, fine := texts(l)
			ok = ok && isList && fine
		}
		expect(ok, "an object of lists of names")
	}
}

// texts returns the distinct strings of a list.
func texts(many []any) ([]string, bool) {
	names := make([]string, 0, len(many))
	for _, one := range many {
		name, ok := one.(string)
		if !ok || slices.Contains(names, name) {
			return nil, false
		}
		names = append(names, name)
	}
	return names, true
}
