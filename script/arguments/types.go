package arguments

import (
	"encoding/json"
	"fmt"
	"maps"
	"slices"
	"strings"
)

// Open is the type for unconstrained values: "any" or "unknown".
type Open string

// Types for unconstrained values.
const (
	Any     Open = "any"
	Unknown Open = "unknown"
)

// Name is the type of the arguments in the declarations of Types.
const Name = "ArgsSchema"

// Types returns TypeScript declarations: the type ArgsSchema, and those of the definitions. The type admits each valid
// value; constraints beyond types, such as a minimum, are left out.
func (s Schema) Types(open Open) string {
	w := writer{s, open, map[*node]string{}}
	var b strings.Builder
	names := slices.Sorted(maps.Keys(s.defs))
	for i, name := range names {
		w.names[s.defs[name]] = fmt.Sprintf("Definition%d", i+1)
	}
	for i, name := range names {
		fmt.Fprintf(&b, "type Definition%d = %s;\n", i+1, w.of(s.defs[name], false))
	}
	root := string(open)
	if s.root != nil {
		w.names[s.root] = Name
		root = w.of(s.root, true)
	}
	b.WriteString("type " + Name + " = " + root + ";\n")
	return b.String()
}

type writer struct {
	schema Schema
	open   Open
	names  map[*node]string
}

// of returns the type of a schema.
func (w writer) of(n *node, root bool) string {
	if n.truth != nil {
		if *n.truth {
			return string(w.open)
		}
		return "never"
	}
	var parts []string
	add := func(t string) {
		if t != string(w.open) && !slices.Contains(parts, t) {
			parts = append(parts, t)
		}
	}
	if n.ref != "" {
		add(w.names[w.schema.target(n.ref)])
	}
	add(w.plain(n, root))
	for _, one := range n.lists["allOf"] {
		add(w.of(one, false))
	}
	for _, keyword := range []string{"anyOf", "oneOf"} {
		if alternatives := n.lists[keyword]; alternatives != nil {
			add(w.union(alternatives))
		}
	}
	switch len(parts) {
	case 0:
		return string(w.open)
	case 1:
		return parts[0]
	}
	return "(" + strings.Join(parts, " & ") + ")"
}

func (w writer) union(alternatives []*node) string {
	var types []string
	for _, one := range alternatives {
		t := w.of(one, false)
		if t == string(w.open) {
			return t
		}
		if !slices.Contains(types, t) {
			types = append(types, t)
		}
	}
	return alternative(types)
}

func alternative(types []string) string {
	if len(types) == 1 {
		return types[0]
	}
	return "(" + strings.Join(types, " | ") + ")"
}

// plain returns the type of one schema's own keywords, without those that combine schemas.
func (w writer) plain(n *node, root bool) string {
	if value, ok := n.members["const"]; ok {
		return literal(value)
	}
	if values, ok := n.members["enum"].([]any); ok {
		var types []string
		for _, v := range values {
			if t := literal(v); !slices.Contains(types, t) {
				types = append(types, t)
			}
		}
		return alternative(types)
	}
	types := n.types
	switch {
	case root:
		if !w.isObject(n) && len(types) == 0 {
			return string(w.open)
		}
		types = []string{"object"}
	case len(types) > 0:
	case w.isObject(n) && w.open == Any:
		types = []string{"object"}
	case w.isArray(n) && w.open == Any:
		types = []string{"array"}
	case w.isObject(n) || w.isArray(n):
		types = typeNames()
	default:
		return string(w.open)
	}
	var made []string
	for _, t := range types {
		if one := w.simple(n, t); !slices.Contains(made, one) {
			made = append(made, one)
		}
	}
	return alternative(made)
}

func (w writer) isObject(n *node) bool {
	_, additional := n.single["additionalProperties"]
	return len(n.properties) > 0 || len(n.required) > 0 || additional
}

func (w writer) isArray(n *node) bool { return n.single["items"] != nil || n.first() != nil }

// first returns the schemas of the first items, in the newer spelling or the older one.
func (n *node) first() []*node {
	if first := n.lists["prefixItems"]; first != nil {
		return first
	}
	return n.lists["items"]
}

func (w writer) simple(n *node, t string) string {
	switch t {
	case "object":
		return w.object(n)
	case "array":
		return w.array(n)
	case "integer":
		return "number"
	}
	return t
}

func (w writer) object(n *node) string {
	var b strings.Builder
	b.WriteString("{ ")
	for _, key := range slices.Sorted(maps.Keys(n.properties)) {
		optional := "?"
		if slices.Contains(n.required, key) {
			optional = ""
		}
		fmt.Fprintf(&b, "%s%s: %s; ", literal(key), optional, w.of(n.properties[key], false))
	}
	for _, key := range n.required {
		if n.properties[key] == nil {
			fmt.Fprintf(&b, "%s: %s; ", literal(key), w.open)
		}
	}
	b.WriteString("}")
	others := string(w.open)
	if additional := n.single["additionalProperties"]; additional != nil && n.named["patternProperties"] == nil {
		others = w.of(additional, false)
	}
	switch {
	case others == "never":
		return b.String()
	case len(n.properties) == 0 && len(n.required) == 0:
		return "{ [key: string]: " + others + " }"
	}
	return "(" + b.String() + " & { [key: string]: " + others + " })"
}

// maxWritten bounds the elements of a list that are written out.
const maxWritten = 8

func (w writer) array(n *node) string {
	least := 0
	if v, ok := n.members["minItems"].(json.Number); ok {
		f, _ := v.Float64()
		least = int(min(f, maxWritten))
	}
	fixed := n.first()
	element := string(w.open)
	switch {
	case n.single["items"] != nil:
		element = w.of(n.single["items"], false)
	case n.lists["items"] != nil && n.single["additionalItems"] != nil:
		element = w.of(n.single["additionalItems"], false)
	}
	if fixed == nil && least == 0 {
		return "Array<" + element + ">"
	}
	var parts []string
	for i, one := range fixed {
		part := w.of(one, false)
		if i >= least {
			part = "(" + part + ")?"
		}
		parts = append(parts, part)
	}
	for len(parts) < least {
		parts = append(parts, element)
	}
	if element != "never" {
		parts = append(parts, "...Array<"+element+">")
	}
	return "[" + strings.Join(parts, ", ") + "]"
}

// literal returns the type of one JSON value.
func literal(value any) string {
	switch v := value.(type) {
	case map[string]any:
		var b strings.Builder
		b.WriteString("{ ")
		for _, key := range slices.Sorted(maps.Keys(v)) {
			b.WriteString(literal(key) + ": " + literal(v[key]) + "; ")
		}
		return b.String() + "}"
	case []any:
		parts := make([]string, 0, len(v))
		for _, one := range v {
			parts = append(parts, literal(one))
		}
		return "[" + strings.Join(parts, ", ") + "]"
	}
	data, err := json.Marshal(value)
	if err != nil {
		return "never"
	}
	return string(data)
}
