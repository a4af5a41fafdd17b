package tool

import (
	"bytes"
	"encoding/json"
	"fmt"
	"maps"
	"slices"
	"strconv"
	"strings"

	"github.com/google/uuid"

	"countersign/problem"
)

// shape is the part of a schema that says which members an object has. The validator knows it too, but reports a
// missing or unknown member without its name, and a model that is to correct its input needs the name.
type shape struct {
	properties map[string]*shape
	required   []string
	// closed objects have no members beyond properties; otherwise each further one has the shape values, if any.
	closed bool
	values *shape
	items  *shape
	format string
}

func (s *shape) UnmarshalJSON(data []byte) error {
	switch string(bytes.TrimSpace(data)) {
	case "true":
		return nil
	case "false":
		return fmt.Errorf("a schema that fits nothing")
	}
	var fields struct {
		Properties           map[string]*shape `json:"properties"`
		Required             []string          `json:"required"`
		AdditionalProperties json.RawMessage   `json:"additionalProperties"`
		Items                *shape            `json:"items"`
		Format               string            `json:"format"`
	}
	if err := json.Unmarshal(data, &fields); err != nil {
		return err
	}
	*s = shape{properties: fields.Properties, required: fields.Required, items: fields.Items, format: fields.Format}
	switch string(fields.AdditionalProperties) {
	case "", "true":
	case "false":
		s.closed = true
	default:
		return json.Unmarshal(fields.AdditionalProperties, &s.values)
	}
	return nil
}

// issues lists the members of value that are missing, unknown, no id where one is expected, or hold a NUL character.
func (s *shape) issues(path string, value any) []problem.Issue {
	if s == nil {
		s = &shape{}
	}
	var found []problem.Issue
	switch v := value.(type) {
	case map[string]any:
		for _, name := range s.required {
			if _, ok := v[name]; !ok {
				found = append(found, problem.Issue{Path: join(path, name), Message: "is required"})
			}
		}
		for name, member := range v {
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
	case []any:
		for i, element := range v {
			found = append(found, s.items.issues(path+"["+strconv.Itoa(i)+"]", element)...)
		}
	case string:
		if s.format == "uuid" && !isUUID(v) {
			found = append(found, problem.Issue{Path: path, Message: "is not an id; ids look like 0199aa00-0000-7000-8000-000000000001"})
		}
		// JSON allows NUL, the database does not.
		if strings.ContainsRune(v, 0) {
			found = append(found, problem.Issue{Path: path, Message: "has a NUL character"})
		}
	}
	return found
}

// isUUID accepts the common form only; the parser knows others, which nobody should have to compare.
func isUUID(s string) bool {
	_, err := uuid.Parse(s)
	return err == nil && len(s) == 36
}
