package tool

import (
	"bytes"
	"encoding/json"
	"errors"
	"maps"
	"slices"
	"strconv"
	"strings"

	"github.com/google/uuid"

	"countersign/internal/json/schema"
	"countersign/internal/problem"
)

// shape is the part of a schema that declares object members. The validator reports a missing or unknown member without
// its name, and a model needs the name to correct its input.
type shape struct {
	properties map[string]*shape
	required   []string
	// closed objects have no members beyond properties; in others each further member has the shape values, if set.
	closed bool
	values *shape
	items  *shape
	format string
	// types are the accepted JSON types, any when empty.
	types []string
	// A value has one of the shapes anyOf, if there are some, and all of allOf.
	anyOf, allOf []*shape
}

func (s *shape) UnmarshalJSON(data []byte) error {
	switch string(bytes.TrimSpace(data)) {
	case "true":
		return nil
	case "false":
		return errors.New("a schema that fits nothing")
	}
	var fields struct {
		schema.Members[shape]
		AnyOf []*shape `json:"anyOf"`
		OneOf []*shape `json:"oneOf"`
		AllOf []*shape `json:"allOf"`
	}
	if err := json.Unmarshal(data, &fields); err != nil {
		return err
	}
	types, err := fields.Types()
	if err != nil {
		return err
	}
	closed, values, err := fields.Rest()
	if err != nil {
		return err
	}
	*s = shape{
		properties: fields.Properties,
		required:   fields.Required,
		closed:     closed,
		values:     values,
		items:      fields.Items,
		format:     fields.Format,
		types:      types,
		anyOf:      slices.Concat(fields.AnyOf, fields.OneOf),
		allOf:      fields.AllOf,
	}
	return nil
}

// issues lists the members of value that are missing or unknown, no id or date-time where one is expected, or hold a
// NUL character.
func (s *shape) issues(path string, value any) []problem.Issue {
	if s == nil {
		s = &shape{}
	}
	found := s.ownIssues(path, value)
	for _, inner := range s.allOf {
		found = append(found, inner.issues(path, value)...)
	}
	return append(found, s.alternativeIssues(path, value)...)
}

// alternativeIssues lists the issues of the first alternative for the type of value, unless one fits. The validator
// reports a missing alternative.
func (s *shape) alternativeIssues(path string, value any) []problem.Issue {
	var first []problem.Issue
	for _, a := range s.anyOf {
		if !a.takes(value) {
			continue
		}
		found := a.issues(path, value)
		if len(found) == 0 {
			return nil
		}
		if first == nil {
			first = found
		}
	}
	return first
}

// takes reports whether the shape accepts values of this type.
func (s *shape) takes(value any) bool {
	if s == nil || len(s.types) == 0 {
		return true
	}
	switch value.(type) {
	case string:
		return slices.Contains(s.types, "string")
	case map[string]any:
		return slices.Contains(s.types, "object")
	case []any:
		return slices.Contains(s.types, "array")
	case nil:
		return slices.Contains(s.types, "null")
	case bool:
		return slices.Contains(s.types, "boolean")
	default:
		return slices.Contains(s.types, "number") || slices.Contains(s.types, "integer")
	}
}

func (s *shape) ownIssues(path string, value any) []problem.Issue {
	switch v := value.(type) {
	case map[string]any:
		return s.memberIssues(path, v)
	case []any:
		var found []problem.Issue
		for i, element := range v {
			found = append(found, s.items.issues(path+"["+strconv.Itoa(i)+"]", element)...)
		}
		return found
	case string:
		return s.textIssues(path, v)
	default:
		return nil
	}
}

func (s *shape) memberIssues(path string, object map[string]any) []problem.Issue {
	var found []problem.Issue
	for _, name := range s.required {
		if _, ok := object[name]; !ok {
			found = append(found, problem.Issue{Path: join(path, name), Message: "is required"})
		}
	}
	for name, member := range object {
		known, ok := s.properties[name]
		if !ok && s.closed {
			allowed := strings.Join(slices.Sorted(maps.Keys(s.properties)), ", ")
			found = append(found, problem.Issue{Path: join(path, clip(name, 80)), Message: "is not a known member; known: " + allowed})
			continue
		}
		if !ok {
			known = s.values
		}
		if strings.ContainsRune(name, 0) {
			found = append(found, problem.Issue{Path: path, Message: "has a member with a NUL character in its name"})
		}
		found = append(found, known.issues(join(path, name), member)...)
	}
	return found
}

func (s *shape) textIssues(path, content string) []problem.Issue {
	var found []problem.Issue
	if s.format == "uuid" && !isUUID(content) {
		found = append(found, problem.Issue{Path: path, Message: "is not an id; ids look like 0199aa00-0000-7000-8000-000000000001"})
	}
	if s.format == formatDateTime {
		found = append(found, dateTimeIssues(path, content)...)
	}
	// JSON allows NUL, PostgreSQL does not.
	if strings.ContainsRune(content, 0) {
		found = append(found, problem.Issue{Path: path, Message: "has a NUL character"})
	}
	return found
}

// isUUID accepts the canonical form only; the parser accepts others, which would have to be normalised for comparison.
func isUUID(s string) bool {
	_, err := uuid.Parse(s)
	return err == nil && len(s) == 36
}
