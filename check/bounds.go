package check

import (
	"encoding/json"
	"fmt"
	"maps"
	"math"
	"regexp"
	"slices"
	"strconv"
	"strings"
	"unicode/utf8"

	"github.com/google/uuid"

	"countersign/internal/problem"
	"countersign/internal/text/nearest"
)

// bounds are the limits of a schema on a value of the right type.
type bounds struct {
	Minimum          *float64 `json:"minimum"`
	Maximum          *float64 `json:"maximum"`
	ExclusiveMinimum *float64 `json:"exclusiveMinimum"`
	ExclusiveMaximum *float64 `json:"exclusiveMaximum"`
	MultipleOf       float64  `json:"multipleOf"`
	MinLength        int      `json:"minLength"`
	MaxLength        *int     `json:"maxLength"`
	MinItems         int      `json:"minItems"`
	MaxItems         *int     `json:"maxItems"`
	UniqueItems      bool     `json:"uniqueItems"`
	MinProperties    int      `json:"minProperties"`
	MaxProperties    *int     `json:"maxProperties"`
	Pattern          *pattern `json:"pattern"`
	Enum             []any    `json:"enum"`
}

type pattern struct{ *regexp.Regexp }

func (p *pattern) UnmarshalText(text []byte) (err error) {
	p.Regexp, err = regexp.Compile(string(text))
	return err
}

// maxWhole is the largest integer that every JSON reader represents exactly.
const maxWhole = 1 << 53

// issues lists missing and unknown members, and values of another type or out of bounds. No message quotes a text.
func (s *shape) issues(path string, value any, exempt func(*shape, string) bool) []problem.Issue {
	if s == nil {
		s = &shape{}
	}
	if !s.takes(value) {
		message := "must be " + article(s.types) + ", not " + kindOf(value)
		if value == nil {
			message += "; leave it out"
		}
		return []problem.Issue{{Path: path, Message: message}}
	}
	var found []problem.Issue
	report := func(message string) {
		if message != "" {
			found = append(found, problem.Issue{Path: path, Message: message})
		}
	}
	switch v := value.(type) {
	case map[string]any:
		report(amount(len(v), s.bounds.MinProperties, s.bounds.MaxProperties, "member"))
		found = append(found, s.memberIssues(path, v, exempt)...)
	case []any:
		report(amount(len(v), s.bounds.MinItems, s.bounds.MaxItems, "element"))
		report(s.bounds.twice(v))
		for i, element := range v {
			found = append(found, s.items.issues(path+"["+strconv.Itoa(i)+"]", element, exempt)...)
		}
	case string:
		if !exempt(s, v) {
			report(s.aboutText(v))
		}
		// JSON allows NUL, PostgreSQL does not.
		if strings.ContainsRune(v, 0) {
			report("has a NUL character")
		}
	case json.Number:
		report(s.aboutNumber(v))
	}
	return found
}

func (s *shape) memberIssues(path string, object map[string]any, exempt func(*shape, string) bool) []problem.Issue {
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
			message := "is not known here." + nearest.Hint(name, names)
			if len(names) > 0 {
				message += " Known are " + strings.Join(names, ", ")
			} else {
				message += " There is nothing to configure"
			}
			found = append(found, problem.Issue{Path: join(path, clip(name, 80)), Message: message})
			continue
		}
		if !ok {
			known = s.values
			if strings.ContainsRune(name, 0) {
				found = append(found, problem.Issue{Path: path, Message: "has a member with a NUL character in its name"})
			}
		}
		found = append(found, known.issues(join(path, clip(name, 80)), object[name], exempt)...)
	}
	return found
}

// amount reports a number of elements outside its bounds.
func amount(have, low int, high *int, noun string) string {
	switch {
	case have < low:
		return fmt.Sprintf("must have at least %s, not %d", plural(low, noun), have)
	case high != nil && have > *high:
		return fmt.Sprintf("must have at most %s, not %d", plural(*high, noun), have)
	default:
		return ""
	}
}

func plural(n int, noun string) string {
	if n == 1 {
		return "1 " + noun
	}
	return strconv.Itoa(n) + " " + noun + "s"
}

func (b *bounds) twice(list []any) string {
	if !b.UniqueItems {
		return ""
	}
	seen := map[string]bool{}
	for _, element := range list {
		raw, _ := json.Marshal(element)
		if seen[string(raw)] {
			return "has an element twice"
		}
		seen[string(raw)] = true
	}
	return ""
}

func (s *shape) aboutText(text string) string {
	b, n := s.bounds, utf8.RuneCountInString(text)
	switch {
	case len(b.Enum) > 0 && !slices.Contains(b.Enum, any(text)):
		names := make([]string, len(b.Enum))
		for i, e := range b.Enum {
			names[i] = fmt.Sprint(e)
		}
		return "must be one of " + strings.Join(names, ", ")
	case b.MinLength == 1 && n == 0:
		return "must not be empty"
	case n < b.MinLength:
		return fmt.Sprintf("must have at least %d characters", b.MinLength)
	case b.MaxLength != nil && n > *b.MaxLength:
		return fmt.Sprintf("must have at most %d characters, not %d", *b.MaxLength, n)
	case b.Pattern != nil && !b.Pattern.MatchString(text):
		return "does not have the form " + b.Pattern.String()
	case s.format == "uuid" && !isUUID(text):
		return "is not an id; ids look like 0199aa00-0000-7000-8000-000000000001"
	default:
		return ""
	}
}

// isUUID accepts the canonical form only; the parser accepts others.
func isUUID(text string) bool {
	_, err := uuid.Parse(text)
	return err == nil && len(text) == 36
}

func (s *shape) aboutNumber(number json.Number) string {
	n, err := number.Float64()
	b := s.bounds
	switch {
	case err != nil, slices.Contains(s.types, "integer") && math.Abs(n) > maxWhole:
		return "is too large"
	case b.Minimum != nil && n < *b.Minimum:
		return fmt.Sprintf("must be at least %v, not %v", *b.Minimum, number)
	case b.Maximum != nil && n > *b.Maximum:
		return fmt.Sprintf("must be at most %v, not %v", *b.Maximum, number)
	case b.ExclusiveMinimum != nil && n <= *b.ExclusiveMinimum:
		return fmt.Sprintf("must be more than %v, not %v", *b.ExclusiveMinimum, number)
	case b.ExclusiveMaximum != nil && n >= *b.ExclusiveMaximum:
		return fmt.Sprintf("must be less than %v, not %v", *b.ExclusiveMaximum, number)
	case b.MultipleOf > 0 && math.Mod(n, b.MultipleOf) != 0:
		return fmt.Sprintf("must be a multiple of %v, not %v", b.MultipleOf, number)
	case len(b.Enum) > 0 && !slices.Contains(b.Enum, any(n)):
		return "must be one of " + strings.Trim(fmt.Sprint(b.Enum), "[]")
	default:
		return ""
	}
}

func (s *shape) takes(value any) bool {
	if len(s.types) == 0 {
		return true
	}
	for _, t := range s.types {
		switch v := value.(type) {
		case json.Number:
			f, err := v.Float64()
			if t == "number" || t == "integer" && err == nil && f == math.Trunc(f) {
				return true
			}
		default:
			if words[t] == kindOf(value) {
				return true
			}
		}
	}
	return false
}

// words are the names of JSON types in messages.
var words = map[string]string{
	"string": "a text", "object": "an object", "array": "a list", "null": "null", "boolean": "true or false",
	"integer": "a whole number", "number": "a number",
}

// kindOf names the type of a value, or returns a number itself.
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
	default:
		return clip(fmt.Sprint(v), 30)
	}
}

func article(types []string) string {
	names := make([]string, len(types))
	for i, t := range types {
		names[i] = words[t]
	}
	return strings.Join(names, " or ")
}
