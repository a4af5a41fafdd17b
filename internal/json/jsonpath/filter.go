package jsonpath

import (
	"regexp"
	"strings"
	"unicode/utf8"
)

// logical is a condition of a filter.
type logical interface {
	holds(e *evaluation, current any) bool
}

type (
	either     []logical
	all        []logical
	not        struct{ inner logical }
	exists     struct{ query filterQuery }
	comparison struct {
		left, right operand
		operator    string
	}
	// matching is match() and search().
	matching struct {
		text, pattern operand
		// compiled is the pattern when it is a literal.
		compiled *regexp.Regexp
		literal  bool
		whole    bool
	}
)

// filterQuery is a path in a filter, from the root or from the current node.
type filterQuery struct {
	segments []segment
	absolute bool
}

func (q filterQuery) nodes(e *evaluation, current any) []any {
	if q.absolute {
		current = e.root
	}
	return e.query(q.segments, current)
}

// singular reports whether there can be one node at most.
func (q filterQuery) singular() bool {
	for _, s := range q.segments {
		if s.descends || len(s.selectors) != 1 {
			return false
		}
		switch s.selectors[0].(type) {
		case nameSelector, indexSelector:
		default:
			return false
		}
	}
	return true
}

// nothing is the value of a missing node.
type nothing struct{}

// operand is something that has a value.
type operand interface {
	value(e *evaluation, current any) any
}

type (
	literal   struct{ is any }
	length    struct{ of operand }
	counting  struct{ of filterQuery }
	singleton struct{ of filterQuery } // value() and queries of one node
)

func (l literal) value(*evaluation, any) any { return l.is }

func (s singleton) value(e *evaluation, current any) any {
	if nodes := s.of.nodes(e, current); len(nodes) == 1 {
		return nodes[0]
	}
	return nothing{}
}

func (c counting) value(e *evaluation, current any) any {
	return float64(len(c.of.nodes(e, current)))
}

func (l length) value(e *evaluation, current any) any {
	switch v := l.of.value(e, current).(type) {
	case string:
		e.spend(1 + len(v)/16)
		return float64(utf8.RuneCountInString(v))
	case []any:
		return float64(len(v))
	case map[string]any:
		return float64(len(v))
	default:
		return nothing{}
	}
}

func (c either) holds(e *evaluation, current any) bool {
	for _, inner := range c {
		if inner.holds(e, current) {
			return true
		}
	}
	return false
}

func (c all) holds(e *evaluation, current any) bool {
	for _, inner := range c {
		if !inner.holds(e, current) {
			return false
		}
	}
	return true
}

func (c not) holds(e *evaluation, current any) bool { return !c.inner.holds(e, current) }

func (c exists) holds(e *evaluation, current any) bool { return len(c.query.nodes(e, current)) > 0 }

func (c comparison) holds(e *evaluation, current any) bool {
	e.spend(1)
	left, right := c.left.value(e, current), c.right.value(e, current)
	switch c.operator {
	case "==":
		return same(e, left, right)
	case "!=":
		return !same(e, left, right)
	case "<":
		return less(e, left, right)
	case ">":
		return less(e, right, left)
	case "<=":
		return less(e, left, right) || same(e, left, right)
	default:
		return less(e, right, left) || same(e, left, right)
	}
}

func same(e *evaluation, a, b any) bool {
	e.spend(1)
	if x, ok := number(a); ok {
		y, ok := number(b)
		return ok && x == y
	}
	switch a := a.(type) {
	case []any:
		b, ok := b.([]any)
		if !ok || len(a) != len(b) {
			return false
		}
		for i := range a {
			if !same(e, a[i], b[i]) {
				return false
			}
		}
		return true
	case map[string]any:
		b, ok := b.(map[string]any)
		if !ok || len(a) != len(b) {
			return false
		}
		for name, v := range a {
			other, ok := b[name]
			if !ok || !same(e, v, other) {
				return false
			}
		}
		return true
	case string:
		e.spend(len(a) / 64)
		b, ok := b.(string)
		return ok && a == b
	case bool:
		b, ok := b.(bool)
		return ok && a == b
	case nil:
		return b == nil
	case nothing:
		_, ok := b.(nothing)
		return ok
	default:
		return false
	}
}

func less(e *evaluation, a, b any) bool {
	if x, ok := number(a); ok {
		y, ok := number(b)
		return ok && x < y
	}
	x, ok := a.(string)
	y, also := b.(string)
	e.spend(len(x) / 64)
	return ok && also && x < y
}

func (m matching) holds(e *evaluation, current any) bool {
	text, ok := m.text.value(e, current).(string)
	if !ok {
		return false
	}
	pattern := m.compiled
	if !m.literal {
		source, ok := m.pattern.value(e, current).(string)
		if !ok {
			return false
		}
		// To compile a pattern of the document is far more work than to look at a node.
		e.spend(1000 + 100*len(source))
		pattern = compile(source, m.whole)
	}
	e.spend(1 + len(text)/8)
	return pattern != nil && pattern.MatchString(text)
}

// maxPattern bounds a regular expression.
const maxPattern = 500

// compile compiles a pattern; nil, which matches nothing, for an invalid one. A dot matches any character but line
// ends, as in RFC 9485.
func compile(source string, whole bool) *regexp.Regexp {
	if len(source) > maxPattern {
		return nil
	}
	var b strings.Builder
	inClass, escaped := false, false
	for _, r := range source {
		switch {
		case escaped:
			escaped = false
		case r == '\\':
			escaped = true
		case r == '[':
			inClass = true
		case r == ']':
			inClass = false
		case r == '.' && !inClass:
			b.WriteString(`[^\n\r]`)
			continue
		}
		b.WriteRune(r)
	}
	text := "(?:" + b.String() + ")"
	if whole {
		text = `\A` + text + `\z`
	}
	compiled, err := regexp.Compile(text)
	if err != nil {
		return nil
	}
	return compiled
}
