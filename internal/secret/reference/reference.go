// Package reference parses references to secrets of the vault: ${{ secrets.NAME }}. It is pure; the values come from
// the vault, and only for a real run.
package reference

import (
	"fmt"
	"maps"
	"regexp"
	"slices"
	"strings"

	"countersign/internal/problem"
	"countersign/internal/secret"
)

const (
	// MaxEnv bounds how many environment variables a script declares.
	MaxEnv = 50
	open   = "${{"
	shut   = "}}"
)

var (
	namePattern     = regexp.MustCompile(`^[A-Z][A-Z0-9_]{0,63}$`)
	variablePattern = regexp.MustCompile(`^[A-Za-z_][A-Za-z0-9_]{0,127}$`)
	// Spaces and tabs only, and no more than a person writes.
	insidePattern = regexp.MustCompile(`^[ \t]{0,8}secrets\.([A-Z][A-Z0-9_]{0,63})[ \t]{0,8}$`)
)

// ValidName reports whether a secret can have this name.
func ValidName(name string) bool { return namePattern.MatchString(name) }

// Placeholder replaces the value of a secret in a test.
func Placeholder(name string) string { return "__SECRET_" + name + "__" }

// part is a piece of a text: literal, or the name of a secret.
type part struct{ text, name string }

// split parses a text. Everything that begins like a reference must be one: a typo must not become literal text where a
// secret was meant.
func split(text string) ([]part, error) {
	var parts []part
	for offset := 0; ; {
		start := strings.Index(text[offset:], open)
		if start < 0 {
			return append(parts, part{text: text[offset:]}), nil
		}
		start += offset
		length := strings.Index(text[start:], shut)
		var name []string
		if length >= 0 {
			name = insidePattern.FindStringSubmatch(text[start+len(open) : start+length])
		}
		if name == nil {
			return nil, problem.InvalidInput(
				fmt.Sprintf(
					"What begins at character %d is not a reference to a secret. Write ${{ secrets.NAME }}, where NAME has capital "+
						"letters, digits and underscores.",
					len([]rune(text[:start]))+1,
				),
			)
		}
		parts = append(parts, part{text: text[offset:start]}, part{name: name[1]})
		offset = start + length + len(shut)
	}
}

// References returns the names of the secrets that a text refers to, without duplicates, in order. An invalid reference
// is a problem.
func References(text string) ([]string, error) {
	parts, err := split(text)
	if err != nil {
		return nil, err
	}
	names := []string{}
	for _, p := range parts {
		if p.name != "" && !slices.Contains(names, p.name) {
			names = append(names, p.name)
		}
	}
	return names, nil
}

// Fill replaces references with values. A name without a value is a problem. Values are not parsed, so a value that
// looks like a reference stays literal.
func Fill(text string, values map[string]secret.Value) (string, error) {
	parts, err := split(text)
	if err != nil {
		return "", err
	}
	var filled strings.Builder
	for _, p := range parts {
		filled.WriteString(p.text)
		if p.name == "" {
			continue
		}
		value, ok := values[p.name]
		if !ok {
			return "", problem.InvalidInput("The secret " + p.name + " is not declared.")
		}
		filled.WriteString(value.Reveal())
	}
	return filled.String(), nil
}

// Env maps environment variables that a script declares to names of secrets.
type Env map[string]string

// ParseEnv reads declarations such as {"TOKEN": "${{ secrets.API_TOKEN }}"}: each value is exactly one reference. The
// problem lists everything that is wrong, under the path of the variable.
func ParseEnv(declared map[string]string) (Env, error) {
	var issues []problem.Issue
	reject := func(variable, message string) {
		issues = append(issues, problem.Issue{Path: "secretEnv." + variable, Message: message})
	}
	if len(declared) > MaxEnv {
		return nil, problem.InvalidInput(
			fmt.Sprintf("A script can declare at most %d secrets.", MaxEnv),
			problem.Issue{Path: "secretEnv", Message: "has too many entries"},
		)
	}
	env := make(Env, len(declared))
	for _, variable := range slices.Sorted(maps.Keys(declared)) {
		if !variablePattern.MatchString(variable) {
			reject(variable, "must be a name of letters, digits and underscores that does not begin with a digit")
			continue
		}
		inside, isReference := strings.CutPrefix(declared[variable], open)
		inside, closed := strings.CutSuffix(inside, shut)
		name := insidePattern.FindStringSubmatch(inside)
		if !isReference || !closed || name == nil {
			reject(variable, "must be exactly one reference, ${{ secrets.NAME }}")
			continue
		}
		env[variable] = name[1]
	}
	if len(issues) > 0 {
		return nil, problem.InvalidInput(
			"The secrets of the script are not declared correctly: "+issues[0].Path+" "+issues[0].Message+".",
			issues...)
	}
	return env, nil
}

// Names returns the needed secrets, sorted, without duplicates.
func (e Env) Names() []string { return slices.Compact(slices.Sorted(maps.Values(e))) }

// Placeholders returns the variables of a test: no value of the vault, with overrides by the tester.
func (e Env) Placeholders(overrides map[string]secret.Value) map[string]string {
	variables := make(map[string]string, len(e))
	for variable, name := range e {
		variables[variable] = Placeholder(name)
		if override, ok := overrides[variable]; ok {
			variables[variable] = override.Reveal()
		}
	}
	return variables
}

// Fill returns the variables of a real run. A secret without a value is a problem.
func (e Env) Fill(values map[string]secret.Value) (map[string]string, error) {
	variables := make(map[string]string, len(e))
	for variable, name := range e {
		value, ok := values[name]
		if !ok {
			return nil, problem.InvalidInput(
				"The secret "+name+" was not resolved.",
				problem.Issue{Path: "secretEnv." + variable, Message: "has no value"},
			)
		}
		variables[variable] = value.Reveal()
	}
	return variables, nil
}
