package schema

import (
	"context"
	"encoding/json"
	"fmt"
	"maps"
	"math"
	"math/big"
	"slices"
	"strings"
	"unicode/utf8"
)

const (
	// maxChecks bounds the comparisons of a value with the schemas of a user or a server: some repeat them exponentially.
	maxChecks = 50_000
	maxIssues = 50
	// MaxWhole is the largest integer that every JSON reader represents exactly.
	MaxWhole = 1 << 53
)

// Issue is a validation error. Path is dotted, as contacts[0].email; "" is the value itself. No message quotes a text.
type Issue struct{ Path, Message string }

// Check lists the issues of a value that was decoded with its numbers as json.Number, in the order of the value's
// members; nothing when it is valid.
func (d *Document) Check(value any) []Issue {
	return d.CheckExcept(value, func(*Node, string) bool { return false })
}

// CheckExcept is Check without the limits on texts for which exempt holds.
func (d *Document) CheckExcept(value any, exempt func(*Node, string) bool) []Issue {
	c := checker{left: maxChecks, exempt: exempt, generated: d.library != nil}
	if c.generated {
		c.left = math.MaxInt
	}
	issues := c.check(d.root, value, "")
	if c.left <= 0 {
		return []Issue{{"", "takes too much work to check against this schema"}}
	}
	issues = nulIssues(issues, value, "")
	if len(issues) == 0 && d.library != nil {
		issues = d.libraryIssues(value, exempt)
	}
	return issues[:min(len(issues), maxIssues)]
}

// libraryIssues are the errors that only the library finds, in its words without the value that it quotes.
func (d *Document) libraryIssues(value any, exempt func(*Node, string) bool) []Issue {
	errs := *d.library.Validate(context.Background(), Numbers(value, float)).Errs
	if len(errs) == 0 {
		return nil
	}
	exempted := map[string]bool{}
	d.Texts(value, func(path string, n *Node, text string) string {
		exempted[path] = exempt(n, text)
		return text
	})
	var issues []Issue
	for _, e := range errs {
		if path := dotted(e.PropertyPath); !exempted[path] {
			rule, _, _ := strings.Cut(e.Message, ":")
			issues = append(issues, Issue{path, "does not fit the schema: " + clipped(rule)})
		}
	}
	return issues
}

type checker struct {
	left   int
	exempt func(*Node, string) bool
	// generated schemas are those of structs, whose numbers have the bounds of Go and of JSON readers.
	generated bool
}

func (c *checker) fits(n *Node, value any) bool { return len(c.check(n, value, "")) == 0 }

func (c *checker) check(n *Node, value any, path string) []Issue {
	if c.left--; c.left <= 0 {
		return nil
	}
	if n.never {
		return []Issue{{path, "is not allowed"}}
	}
	if !n.takes(value) {
		return []Issue{{path, wrongType(n.types, value)}}
	}
	text, isText := value.(string)
	exempt := isText && c.exempt(n, text)
	if n.enum != nil && !exempt && !slices.Contains(n.enum, identityOf(value)) {
		return []Issue{{path, n.permitted(text)}}
	}
	var issues []Issue
	switch v := value.(type) {
	case map[string]any:
		issues = c.object(n, v, path)
	case []any:
		issues = c.array(n, v, path)
	case string:
		if !exempt {
			issues = c.text(n, v, path)
		}
	case json.Number:
		issues = c.number(n, v, path)
	}
	return append(issues, c.inPlace(n, value, path)...)
}

func (c *checker) inPlace(n *Node, value any, path string) []Issue {
	var issues []Issue
	if n.ref != nil {
		issues = c.check(n.ref, value, path)
	}
	for _, part := range n.allOf {
		issues = append(issues, c.check(part, value, path)...)
	}
	if len(n.anyOf) > 0 {
		issues = append(issues, c.any(n.anyOf, value, path)...)
	}
	if len(n.oneOf) > 0 {
		issues = append(issues, c.one(n.oneOf, value, path)...)
	}
	if n.not != nil && c.fits(n.not, value) {
		issues = append(issues, Issue{path, "is what the schema excludes"})
	}
	if n.when != nil {
		branch := n.elsewise
		if c.fits(n.when, value) {
			branch = n.then
		}
		if branch != nil {
			issues = append(issues, c.check(branch, value, path)...)
		}
	}
	return issues
}

// any reports the issues of the only alternative that is meant: the one for values of this type.
func (c *checker) any(alternatives []*Node, value any, path string) []Issue {
	var near [][]Issue
	for _, a := range alternatives {
		found := c.check(a, value, path)
		if len(found) == 0 {
			return nil
		}
		if len(a.types) > 0 && a.takes(value) || len(found) > 1 || found[0].Path != path {
			near = append(near, found)
		}
	}
	if len(near) == 1 {
		return near[0]
	}
	if len(alternatives) == 1 {
		return c.check(alternatives[0], value, path)
	}
	return []Issue{{path, fmt.Sprintf("fits none of the %d alternatives", len(alternatives))}}
}

func (c *checker) one(alternatives []*Node, value any, path string) []Issue {
	fitting := 0
	for _, a := range alternatives {
		if c.fits(a, value) {
			fitting++
		}
	}
	switch fitting {
	case 1:
		return nil
	case 0:
		return c.any(alternatives, value, path)
	}
	return []Issue{{path, fmt.Sprintf("fits %d of the %d alternatives, and must fit exactly one", fitting, len(alternatives))}}
}

func (c *checker) object(n *Node, object map[string]any, path string) []Issue {
	var issues []Issue
	for _, name := range n.required {
		if _, ok := object[name]; !ok {
			issues = append(issues, Issue{memberPath(path, name), "is required"})
		}
	}
	if wrong := amount(len(object), n.minMembers, n.maxMembers, "member"); wrong != "" {
		issues = append(issues, Issue{path, wrong})
	}
	for _, name := range slices.Sorted(maps.Keys(object)) {
		issues = append(issues, c.member(n, object, name, path)...)
		if len(issues) > maxIssues || c.left <= 0 {
			break
		}
	}
	return issues
}

func (c *checker) member(n *Node, object map[string]any, name, path string) []Issue {
	var issues []Issue
	at, value := memberPath(path, name), object[name]
	if n.names != nil && !c.fits(n.names, name) {
		issues = append(issues, Issue{at, "has a name that is not allowed"})
	}
	told := false
	if inner, ok := n.properties[name]; ok {
		told = true
		issues = append(issues, c.check(inner, value, at)...)
	}
	for _, p := range n.patterns {
		if p.name.MatchString(name) {
			told = true
			issues = append(issues, c.check(p.node, value, at)...)
		}
	}
	if !told && n.additional != nil {
		if n.additional.never {
			return append(issues, Issue{at, n.unknown(name)})
		}
		issues = append(issues, c.check(n.additional, value, at)...)
	}
	for _, needed := range n.needs[name] {
		if _, ok := object[needed]; !ok {
			issues = append(issues, Issue{memberPath(path, needed), "is required beside " + name})
		}
	}
	if inner, ok := n.dependent[name]; ok {
		issues = append(issues, c.check(inner, object, path)...)
	}
	return issues
}

func (c *checker) array(n *Node, list []any, path string) []Issue {
	var issues []Issue
	if wrong := amount(len(list), n.minItems, n.maxItems, "item"); wrong != "" {
		issues = append(issues, Issue{path, wrong})
	}
	if n.maxItems != nil && len(list) > *n.maxItems {
		return issues
	}
	containing, seen := 0, map[string]bool{}
	for i, item := range list {
		at := itemPath(path, i)
		switch {
		case i < len(n.prefix):
			issues = append(issues, c.check(n.prefix[i], item, at)...)
		case n.items != nil:
			issues = append(issues, c.check(n.items, item, at)...)
		}
		if n.contains != nil && c.fits(n.contains, item) {
			containing++
		}
		if n.unique {
			key := identityOf(item)
			if seen[key] {
				issues = append(issues, Issue{at, "is there twice"})
			}
			seen[key] = true
		}
		if len(issues) > maxIssues || c.left <= 0 {
			return issues
		}
	}
	if n.contains != nil {
		least := 1
		if n.minContains != nil {
			least = *n.minContains
		}
		if containing < least || n.maxContains != nil && containing > *n.maxContains {
			issues = append(issues, Issue{path, fmt.Sprintf("has %d items of the kind that it must contain", containing)})
		}
	}
	return issues
}

func (c *checker) text(n *Node, text, path string) []Issue {
	var issues []Issue
	if wrong := amount(utf8.RuneCountInString(text), n.minLength, n.maxLength, "character"); wrong != "" {
		issues = append(issues, Issue{path, wrong})
	}
	if n.pattern != nil && !n.pattern.MatchString(text) {
		issues = append(issues, Issue{path, "does not fit the pattern " + n.pattern.String()})
	}
	if wrong := formatIssue(n.format, text); wrong != "" {
		issues = append(issues, Issue{path, wrong})
	}
	return issues
}

func (c *checker) number(n *Node, number json.Number, path string) []Issue {
	if f, err := number.Float64(); c.generated && len(n.types) > 0 &&
		(err != nil || math.Abs(f) > MaxWhole && !slices.Contains(n.types, "number")) {
		return []Issue{{path, "is too large"}}
	}
	if n.minimum == nil && n.maximum == nil && n.above == nil && n.below == nil && n.multiple == nil {
		return nil
	}
	value, ok := rational(number)
	if !ok {
		return []Issue{{path, "is a number with too many digits to compare"}}
	}
	for _, b := range []struct {
		bound *big.Rat
		fits  bool
		words string
	}{
		{n.minimum, n.minimum == nil || value.Cmp(n.minimum) >= 0, "must be at least "},
		{n.maximum, n.maximum == nil || value.Cmp(n.maximum) <= 0, "must be at most "},
		{n.above, n.above == nil || value.Cmp(n.above) > 0, "must be more than "},
		{n.below, n.below == nil || value.Cmp(n.below) < 0, "must be less than "},
		{n.multiple, n.multiple == nil || new(big.Rat).Quo(value, n.multiple).IsInt(), "must be a multiple of "},
	} {
		if !b.fits {
			return []Issue{{path, b.words + plainNumber(b.bound) + ", not " + clipped(number.String())}}
		}
	}
	return nil
}
