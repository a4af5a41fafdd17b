// Package arguments parses the JSON schemas of custom tools' arguments: it validates them and derives TypeScript types.
//
// A schema is untrusted input. This package bounds a validator's work: nothing is loaded from elsewhere, and references
// must not be circular or multiply the work.
package arguments

import (
	"bytes"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"maps"
	"slices"

	kit "countersign/internal/json/schema"
	"countersign/internal/text/strictjson"
)

// Limits of a schema.
const (
	MaxBytes = 64 << 10
	MaxDepth = 32
	maxNodes = 4_000
	maxWork  = 20_000
	// maxSteps bounds the examination of references: some hundred milliseconds.
	maxSteps = 1_000_000
	maxEnum  = 1_000
)

// Issue is a fault of a schema, or a part without effect.
type Issue struct {
	// Pointer is the location as a JSON pointer: "/properties/city/type".
	Pointer string
	Message string
	// Hint is the correction, "" when the message has it.
	Hint    string
	Warning bool
}

// Schema is a valid schema. The zero Schema accepts anything.
type Schema struct {
	root *node
	// defs are the definitions, by name.
	defs map[string]*node
}

// node is one schema within the schema.
type node struct {
	pointer string
	// truth is the schema true or false; nil for an object.
	truth   *bool
	members map[string]any

	ref        string
	types      []string
	properties map[string]*node
	required   []string
	// lists are the schemas below allOf, anyOf, oneOf, prefixItems and, when it is a list, items.
	lists map[string][]*node
	// single are the schemas below keywords that have one, such as not and additionalProperties, and items.
	single map[string]*node
	// named are the schemas below patternProperties and dependentSchemas.
	named map[string]map[string]*node
}

type reader struct {
	schema Schema
	issues []Issue
	nodes  int
}

// Parse parses a schema. It is usable when every issue is a warning.
func Parse(raw json.RawMessage) (Schema, []Issue) {
	r := &reader{schema: Schema{defs: map[string]*node{}}}
	value, err := decode(raw)
	if err != nil {
		r.fail("", "The schema cannot be read: "+err.Error()+".", "")
		return Schema{}, r.issues
	}
	if _, object := value.(map[string]any); !object {
		r.fail("", "The schema must be an object.", `Write {"type": "object", "properties": { ... }}.`)
		return Schema{}, r.issues
	}
	r.schema.root = r.read(value, "", 0)
	r.rootType()
	if r.broken() {
		return Schema{}, r.issues
	}
	r.references()
	if !r.broken() {
		r.compile(raw)
	}
	if r.broken() {
		return Schema{}, r.issues
	}
	return r.schema, r.issues
}

func decode(raw json.RawMessage) (value any, err error) {
	if len(raw) > MaxBytes {
		return nil, fmt.Errorf("it has %d bytes; at most %d are allowed", len(raw), MaxBytes)
	}
	if strictjson.Depth(raw) > 3*MaxDepth {
		return nil, errors.New("it is nested too deeply")
	}
	d := json.NewDecoder(bytes.NewReader(raw))
	d.UseNumber()
	if err := d.Decode(&value); err != nil {
		return nil, errors.New("it is not JSON: " + err.Error())
	}
	if _, err := d.Token(); !errors.Is(err, io.EOF) {
		return nil, errors.New("there is something else after it")
	}
	return value, nil
}

func (r *reader) broken() bool {
	return slices.ContainsFunc(r.issues, func(i Issue) bool { return !i.Warning })
}

func (r *reader) fail(pointer, message, hint string) {
	r.issues = append(r.issues, Issue{Pointer: pointer, Message: message, Hint: hint})
}

func (r *reader) warn(pointer, message, hint string) {
	r.issues = append(r.issues, Issue{Pointer: pointer, Message: message, Hint: hint, Warning: true})
}

// rootType checks that a tool's arguments are an object.
func (r *reader) rootType() {
	if types := r.schema.root.types; len(types) > 0 && !slices.Contains(types, "object") {
		r.fail("/type", "The arguments of a tool are an object.", `Write "type": "object", and the value as one of its properties.`)
	}
}

// read parses a schema into a node.
func (r *reader) read(value any, pointer string, depth int) *node {
	n := &node{
		pointer:    pointer,
		properties: map[string]*node{},
		lists:      map[string][]*node{},
		single:     map[string]*node{},
		named:      map[string]map[string]*node{},
	}
	r.nodes++
	switch v := value.(type) {
	case bool:
		n.truth = &v
		return n
	case map[string]any:
		n.members = v
	default:
		r.fail(pointer, "A schema is an object, true or false.", "")
		return n
	}
	if depth > MaxDepth || r.nodes > maxNodes {
		if r.nodes <= maxNodes+1 || depth == MaxDepth+1 {
			r.fail(
				pointer,
				fmt.Sprintf("The schema is too large: at most %d levels and %d schemas are allowed.", MaxDepth, maxNodes),
				"Simplify it.",
			)
		}
		return n
	}
	for _, name := range slices.Sorted(maps.Keys(n.members)) {
		r.keyword(n, name, n.members[name], pointer+"/"+kit.Escaped(name), depth)
	}
	return n
}
