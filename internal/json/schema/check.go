package schema

import (
	"encoding/json"
	"fmt"
	"maps"
	"math/big"
	"net/mail"
	"net/netip"
	"net/url"
	"slices"
	"strconv"
	"strings"
	"time"
	"unicode/utf8"

	"github.com/google/uuid"

	"countersign/internal/text/rfc3339"
)

const (
	// maxChecks bounds the comparisons of a value with schemas: some schemas repeat them exponentially.
	maxChecks = 50_000
	maxIssues = 50
)

// Issue is a validation error. Path is dotted, as contacts[0].email; "" is the value itself.
type Issue struct{ Path, Message string }

// Check lists the issues of a value that was decoded with its numbers as json.Number, in the order of the value's
// members; nothing when it is valid.
func (d *Document) Check(value any) []Issue {
	c := checker{left: maxChecks}
	issues := c.check(d.root, value, "")
	if c.left <= 0 {
		return []Issue{{"", "takes too much work to check against this schema"}}
	}
	return issues[:min(len(issues), maxIssues)]
}

type checker struct{ left int }

func (c *checker) fits(n *node, value any) bool { return len(c.check(n, value, "")) == 0 }

func (c *checker) check(n *node, value any, path string) []Issue {
	if c.left--; c.left <= 0 {
		return nil
	}
	if n.never {
		return []Issue{{path, "is not allowed"}}
	}
	if len(n.types) > 0 && !slices.ContainsFunc(n.types, func(t string) bool { return isOf(t, value) }) {
		return []Issue{{path, "must be " + anyOfWords(n.types) + ", and is " + aWord(typeOf(value))}}
	}
	if n.enum != nil && !slices.Contains(n.enum, identityOf(value)) {
		if n.constant {
			return []Issue{{path, "must be " + n.shown[0]}}
		}
		const most = 20
		more := ""
		if len(n.shown) > most {
			more = fmt.Sprintf(" and %d more", len(n.shown)-most)
		}
		return []Issue{{path, "must be one of " + strings.Join(n.shown[:min(len(n.shown), most)], ", ") + more}}
	}
	var issues []Issue
	switch v := value.(type) {
	case map[string]any:
		issues = c.object(n, v, path)
	case []any:
		issues = c.array(n, v, path)
	case string:
		issues = c.text(n, v, path)
	case json.Number:
		issues = c.number(n, v, path)
	}
	return append(issues, c.inPlace(n, value, path)...)
}

func (c *checker) inPlace(n *node, value any, path string) []Issue {
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

// any reports the issues of the only alternative for values of this type, if there is exactly one.
func (c *checker) any(alternatives []*node, value any, path string) []Issue {
	var near [][]Issue
	for _, a := range alternatives {
		found := c.check(a, value, path)
		if len(found) == 0 {
			return nil
		}
		if len(found) > 1 || found[0].Path != path {
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

func (c *checker) one(alternatives []*node, value any, path string) []Issue {
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

func (c *checker) object(n *node, object map[string]any, path string) []Issue {
	var issues []Issue
	for _, name := range n.required {
		if _, ok := object[name]; !ok {
			issues = append(issues, Issue{memberPath(path, name), "is required"})
		}
	}
	if n.minMembers != nil && len(object) < *n.minMembers {
		issues = append(issues, Issue{path, fmt.Sprintf("must have at least %d members", *n.minMembers)})
	}
	if n.maxMembers != nil && len(object) > *n.maxMembers {
		issues = append(issues, Issue{path, fmt.Sprintf("must have at most %d members", *n.maxMembers)})
	}
	for _, name := range slices.Sorted(maps.Keys(object)) {
		issues = append(issues, c.member(n, object, name, path)...)
		if len(issues) > maxIssues || c.left <= 0 {
			break
		}
	}
	return issues
}

func (c *checker) member(n *node, object map[string]any, name, path string) []Issue {
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
			known := "it has no members"
			if len(n.properties) > 0 {
				known = "known: " + strings.Join(slices.Sorted(maps.Keys(n.properties)), ", ")
			}
			return append(issues, Issue{at, "is not a known member; " + known})
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

func (c *checker) array(n *node, list []any, path string) []Issue {
	var issues []Issue
	if n.minItems != nil && len(list) < *n.minItems {
		issues = append(issues, Issue{path, fmt.Sprintf("must have at least %d items", *n.minItems)})
	}
	if n.maxItems != nil && len(list) > *n.maxItems {
		return append(issues, Issue{path, fmt.Sprintf("must have at most %d items", *n.maxItems)})
	}
	containing, seen := 0, map[string]bool{}
	for i, item := range list {
		at := path + "[" + strconv.Itoa(i) + "]"
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

func (c *checker) text(n *node, text, path string) []Issue {
	var issues []Issue
	length := utf8.RuneCountInString(text)
	if n.minLength != nil && length < *n.minLength {
		issues = append(issues, Issue{path, fmt.Sprintf("must have at least %d characters", *n.minLength)})
	}
	if n.maxLength != nil && length > *n.maxLength {
		issues = append(issues, Issue{path, fmt.Sprintf("must have at most %d characters", *n.maxLength)})
	}
	if n.pattern != nil && !n.pattern.MatchString(text) {
		issues = append(issues, Issue{path, "does not fit the pattern " + n.pattern.String()})
	}
	if known, ok := formats[n.format]; ok && !known(text) {
		issues = append(issues, Issue{path, "is not of the format " + n.format})
	}
	return issues
}

// formats are the validated formats; others are annotations.
var formats = map[string]func(string) bool{
	"date-time": func(s string) bool { _, err := rfc3339.Parse(s); return err == nil },
	"date":      func(s string) bool { _, err := time.Parse(time.DateOnly, s); return err == nil },
	"uuid":      func(s string) bool { _, err := uuid.Parse(s); return err == nil && len(s) == 36 },
	"email": func(s string) bool {
		address, err := mail.ParseAddress(s)
		return err == nil && address.Address == s
	},
	"ipv4": func(s string) bool { address, err := netip.ParseAddr(s); return err == nil && address.Is4() },
	"ipv6": func(s string) bool { address, err := netip.ParseAddr(s); return err == nil && address.Is6() },
	"uri": func(s string) bool {
		address, err := url.Parse(s)
		return err == nil && address.IsAbs()
	},
}

func (c *checker) number(n *node, number json.Number, path string) []Issue {
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
			return []Issue{{path, b.words + plainNumber(b.bound)}}
		}
	}
	return nil
}

func plainNumber(n *big.Rat) string {
	if n.IsInt() {
		return n.Num().String()
	}
	f, _ := n.Float64()
	return strconv.FormatFloat(f, 'g', -1, 64)
}

func typeOf(value any) string {
	switch value.(type) {
	case map[string]any:
		return "object"
	case []any:
		return "array"
	case string:
		return "string"
	case bool:
		return "boolean"
	case nil:
		return "null"
	}
	return "number"
}

func isOf(name string, value any) bool {
	if name != "integer" {
		return typeOf(value) == name
	}
	number, ok := value.(json.Number)
	if !ok {
		return false
	}
	exact, ok := rational(number)
	return ok && exact.IsInt()
}

func aWord(name string) string {
	switch name {
	case "null":
		return name
	case "object", "array", "integer":
		return "an " + name
	}
	return "a " + name
}

func anyOfWords(types []string) string {
	words := make([]string, len(types))
	for i, t := range types {
		words[i] = aWord(t)
	}
	return strings.Join(words, " or ")
}

// identityOf is equal for equal values, whatever the order of members and the spelling of numbers.
func identityOf(value any) string {
	var b strings.Builder
	identify(&b, value)
	return b.String()
}

func identify(b *strings.Builder, value any) {
	switch v := value.(type) {
	case map[string]any:
		b.WriteByte('{')
		for _, name := range slices.Sorted(maps.Keys(v)) {
			b.WriteString(strconv.Quote(name) + ":")
			identify(b, v[name])
			b.WriteByte(',')
		}
		b.WriteByte('}')
	case []any:
		b.WriteByte('[')
		for _, item := range v {
			identify(b, item)
			b.WriteByte(',')
		}
		b.WriteByte(']')
	case json.Number:
		if exact, ok := rational(v); ok {
			b.WriteString(exact.RatString())
			return
		}
		b.WriteString(string(v))
	case string:
		b.WriteString(strconv.Quote(v))
	default:
		fmt.Fprint(b, v)
	}
}

func shownValue(value any) string {
	raw, err := json.Marshal(value)
	if err != nil {
		return "a value"
	}
	return clipped(string(raw))
}

// memberPath returns the path of a member. A name that is no plain word is in brackets.
func memberPath(path, name string) string {
	name = clipped(name)
	plain := name != "" && !strings.ContainsFunc(name, func(r rune) bool {
		return (r < 'a' || r > 'z') && (r < 'A' || r > 'Z') && (r < '0' || r > '9') && r != '_' && r != '-'
	})
	switch {
	case !plain:
		return path + "[" + strconv.Quote(name) + "]"
	case path == "":
		return name
	}
	return path + "." + name
}
