package tool

import (
	"bytes"
	"encoding/json"
	"slices"

	"countersign/internal/problem"
	"countersign/internal/text/rfc3339"
)

// formatDateTime is the schema format of a moment.
const formatDateTime = "date-time"

func describeDateTime(moment string, err error) string {
	return err.Error() + "; write date, time and offset as in " + rfc3339.Suggest(clip(moment, 80))
}

func dateTimeIssues(path, moment string) []problem.Issue {
	if _, err := rfc3339.Parse(moment); err != nil {
		return []problem.Issue{{Path: path, Message: describeDateTime(moment, err)}}
	}
	return nil
}

// normalize writes the moments of a valid input in the form that every JSON reader parses: RFC 3339 allows lower case
// and leap seconds, Go does not.
func (s *Schema) normalize(input json.RawMessage) (json.RawMessage, error) {
	if !s.shape.hasDateTime() {
		return input, nil
	}
	var value any
	if err := decodeNumbers(input, &value); err != nil {
		return input, err
	}
	changed := false
	value = s.shape.canonical(value, &changed)
	if !changed {
		return input, nil
	}
	var b bytes.Buffer
	encoder := json.NewEncoder(&b)
	encoder.SetEscapeHTML(false)
	if err := encoder.Encode(value); err != nil {
		return input, err
	}
	return bytes.TrimSpace(b.Bytes()), nil
}

func (s *shape) hasDateTime() bool {
	if s == nil {
		return false
	}
	for _, p := range s.properties {
		if p.hasDateTime() {
			return true
		}
	}
	inner := slices.ContainsFunc(slices.Concat(s.anyOf, s.allOf), (*shape).hasDateTime)
	return s.format == formatDateTime || inner || s.items.hasDateTime() || s.values.hasDateTime()
}

// canonical returns value with its moments in canonical form.
func (s *shape) canonical(value any, changed *bool) any {
	if s == nil {
		return value
	}
	switch v := value.(type) {
	case string:
		if t, err := rfc3339.Parse(v); s.isDateTime() && err == nil && !isCanonical(v) {
			*changed = true
			return rfc3339.Format(t)
		}
	case []any:
		for i := range v {
			v[i] = s.items.canonical(v[i], changed)
		}
	case map[string]any:
		for name, member := range v {
			known, ok := s.properties[name]
			if !ok {
				known = s.values
			}
			v[name] = known.canonical(member, changed)
		}
	}
	if _, isText := value.(string); !isText {
		for _, inner := range slices.Concat(s.anyOf, s.allOf) {
			value = inner.canonical(value, changed)
		}
	}
	return value
}

// isDateTime reports whether a text must be a moment: by its format, or in every alternative that accepts texts.
func (s *shape) isDateTime() bool {
	if s.format == formatDateTime || slices.ContainsFunc(s.allOf, (*shape).isDateTime) {
		return true
	}
	takes := slices.DeleteFunc(slices.Clone(s.anyOf), func(a *shape) bool { return !a.takes("") })
	return len(takes) > 0 && !slices.ContainsFunc(takes, func(a *shape) bool { return !a.isDateTime() })
}

// isCanonical reports whether a valid date-time is in upper case and has no leap second.
func isCanonical(moment string) bool {
	return moment[10] == 'T' && moment[len(moment)-1] != 'z' && moment[17] != '6'
}
