// Package template fills texts of a configuration with values of the environment, the check and the system of a run: {{
// environment.baseUrl }}, {{ check.name }}, {{ system.metadata.region }}. It is pure. A quoted text stands for itself,
// so {{ "{{" }} writes two braces.
package template

import (
	"encoding/json"
	"errors"
	"fmt"
	"regexp"
	"slices"
	"strconv"
	"strings"

	"countersign/internal/text/search"
)

const (
	open = "{{"
	shut = "}}"
	// maxParts bounds the references of one text.
	maxParts = 100
	maxKeys  = 8
)

// roots are the first parts of references, with the members of those that have fixed ones.
var roots = map[string][]string{
	"environment": nil,
	"check":       {"id", "name", "intervalSeconds"},
	"system":      {"id", "name", "metadata"},
}

// keyPattern is one key: a name, or a quoted text in brackets.
var keyPattern = regexp.MustCompile(`^(?:\.([A-Za-z_][A-Za-z0-9_-]{0,99})|\[("(?:[^"\\]|\\.){0,200}")\])`)

// looksLike finds references in texts that are no templates.
var looksLike = regexp.MustCompile(`\{\{\s*(environment|check|system)\s*[.\[]`)

// Template is a parsed text. It is safe for concurrent use.
type Template struct{ parts []part }

// part is a text, or a reference if keys is not empty.
type part struct {
	text string
	keys []string
}

// Holds reports whether a text contains a reference.
func Holds(text string) bool { return looksLike.MatchString(text) }

// Braces reports whether a text has to be parsed.
func Braces(text string) bool { return strings.Contains(text, open) }

// Parse parses a text. The error may be shown to people.
func Parse(text string) (*Template, error) {
	t := &Template{}
	for rest, at := text, 0; ; {
		before, inside, found := strings.Cut(rest, open)
		if before != "" {
			t.parts = append(t.parts, part{text: before})
		}
		if !found {
			return t, nil
		}
		at += len(before)
		p, length, err := parseReference(inside)
		if err != nil {
			return nil, fmt.Errorf("%w (at character %d)", err, len([]rune(text[:at]))+1)
		}
		if len(t.parts) >= maxParts {
			return nil, fmt.Errorf("has more than %d references", maxParts)
		}
		t.parts = append(t.parts, p)
		at += len(open) + length
		rest = inside[length:]
	}
}

// parseReference parses the text after {{ up to and including }}.
func parseReference(text string) (part, int, error) {
	rest := strings.TrimLeft(text, " \t")
	var p part
	switch {
	case strings.HasPrefix(rest, `"`):
		quoted, err := strconv.QuotedPrefix(rest)
		if err != nil {
			return p, 0, errors.New("has a quoted text that does not end")
		}
		if p.text, err = strconv.Unquote(quoted); err != nil {
			return p, 0, errors.New("has a quoted text that cannot be read")
		}
		rest = rest[len(quoted):]
	default:
		name := rest[:len(rest)-len(strings.TrimLeft(rest, "abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ0123456789_"))]
		if _, known := roots[name]; !known {
			return p, 0, fmt.Errorf(`has {{ without environment., check. or system. behind it.%s To write two braces, write {{ "{{" }}`,
				search.Hint(name, []string{"environment", "check", "system"}))
		}
		p.keys = []string{name}
		rest = rest[len(name):]
		for m := keyPattern.FindStringSubmatch(rest); m != nil; m = keyPattern.FindStringSubmatch(rest) {
			key := m[1]
			if m[2] != "" {
				var err error
				if key, err = strconv.Unquote(m[2]); err != nil {
					return p, 0, errors.New("has a quoted key that cannot be read")
				}
			}
			p.keys = append(p.keys, key)
			rest = rest[len(m[0]):]
		}
		if err := check(p.keys); err != nil {
			return p, 0, err
		}
	}
	rest = strings.TrimLeft(rest, " \t")
	if !strings.HasPrefix(rest, shut) {
		return p, 0, errors.New(
			"has a {{ whose }} is missing, or something between them that is not a reference such as {{ environment.baseUrl }}",
		)
	}
	return p, len(text) - len(rest) + len(shut), nil
}

func check(keys []string) error {
	fixed := roots[keys[0]]
	switch {
	case len(keys) == 1:
		return fmt.Errorf("names no value of %s, such as %s.name", keys[0], keys[0])
	case len(keys) > maxKeys:
		return fmt.Errorf("goes more than %d keys deep", maxKeys)
	case fixed != nil && !slices.Contains(fixed, keys[1]):
		return fmt.Errorf(
			"names %s.%s, which there is not.%s There are %s.%s",
			keys[0],
			keys[1],
			search.Hint(keys[1], fixed),
			keys[0],
			strings.Join(fixed, ", "+keys[0]+"."),
		)
	case keys[0] == "system" && keys[1] == "metadata" && len(keys) == 2:
		return errors.New("names no key of system.metadata, such as system.metadata.region")
	case fixed != nil && keys[1] != "metadata" && len(keys) > 2:
		return fmt.Errorf("names a member of %s.%s, which has none", keys[0], keys[1])
	default:
		return nil
	}
}

// Plain reports whether the text has no reference.
func (t *Template) Plain() bool {
	return !slices.ContainsFunc(t.parts, func(p part) bool { return len(p.keys) > 0 })
}

// References returns the distinct references in the text, such as environment.baseUrl.
func (t *Template) References() []string {
	var all []string
	for _, p := range t.parts {
		if name := strings.Join(p.keys, "."); name != "" && !slices.Contains(all, name) {
			all = append(all, name)
		}
	}
	return all
}

// MissingError reports a reference without a value.
type MissingError struct{ Reference, Why string }

func (m *MissingError) Error() string { return m.Reference + " " + m.Why }

// Render fills the text from an object of JSON with the members environment, check and system. A missing value is a
// *MissingError.
func (t *Template) Render(values map[string]any) (string, error) {
	var b strings.Builder
	for _, p := range t.parts {
		if len(p.keys) == 0 {
			b.WriteString(p.text)
			continue
		}
		text, err := lookUp(values, p.keys)
		if err != nil {
			return "", err
		}
		b.WriteString(text)
	}
	return b.String(), nil
}

func lookUp(values map[string]any, keys []string) (string, error) {
	var value any = values
	for i, key := range keys {
		object, ok := value.(map[string]any)
		if !ok || object[key] == nil {
			if i == 0 && key == "environment" {
				return "", &MissingError{strings.Join(keys, "."), "has no value: the check runs without an environment"}
			}
			return "", &MissingError{strings.Join(keys, "."), "has no value"}
		}
		value = object[key]
	}
	switch v := value.(type) {
	case string:
		return v, nil
	case map[string]any, []any:
		return "", &MissingError{strings.Join(keys, "."), "is neither a text nor a number"}
	default:
		raw, err := json.Marshal(v)
		if err != nil {
			return "", &MissingError{strings.Join(keys, "."), "is neither a text nor a number"}
		}
		return string(raw), nil
	}
}
