package jsonpath

import (
	"regexp"
	"strconv"
	"strings"
)

// or is a condition: conditions with ||, which binds less than &&.
func (r *parser) or() logical {
	defer r.nest()()
	inner := r.joined("||", r.and)
	if len(inner) == 1 {
		return inner[0]
	}
	return either(inner)
}

func (r *parser) and() logical {
	inner := r.joined("&&", r.basic)
	if len(inner) == 1 {
		return inner[0]
	}
	return all(inner)
}

// joined are conditions with an operator between them, at least one.
func (r *parser) joined(operator string, next func() logical) (inner []logical) {
	for {
		inner = append(inner, next())
		before := r.at
		r.space()
		if !r.take(operator) {
			r.at = before
			return inner
		}
		r.space()
	}
}

// basic is a condition in parentheses, a comparison, or a test.
func (r *parser) basic() logical {
	negated := false
	if r.peek() == '!' {
		r.at++
		r.space()
		negated = true
	}
	var c logical
	if r.take("(") {
		r.space()
		c = r.or()
		r.space()
		r.expect(")")
	} else {
		c = r.comparisonOrTest(negated)
	}
	if negated {
		return not{c}
	}
	return c
}

// term is an operand of a comparison, or a test by itself; one of the members is set.
type term struct {
	value operand
	query *filterQuery
	test  logical
	// literal values and functions of a value are no test.
}

func (r *parser) comparisonOrTest(negated bool) logical {
	start := r.at
	left := r.term()
	before := r.at
	r.space()
	for _, operator := range []string{"==", "!=", "<=", ">=", "<", ">"} {
		if !r.take(operator) {
			continue
		}
		if negated {
			r.fail("! is about a test; put the comparison into parentheses: it ends")
		}
		r.space()
		l := r.comparable(left, start)
		at := r.at
		return comparison{l, r.comparable(r.term(), at), operator}
	}
	r.at = before
	switch {
	case left.test != nil:
		return left.test
	case left.query != nil:
		return exists{*left.query}
	default:
		r.at = start
		r.fail("a value is no condition: compare it, which is not done")
		return nil
	}
}

// comparable is the value of a term.
func (r *parser) comparable(t term, at int) operand {
	switch {
	case t.value != nil:
		return t.value
	case t.query != nil && t.query.singular():
		return singleton{*t.query}
	default:
		r.at = at
		r.fail("a comparison needs one value on each side, which this is not,")
		return nil
	}
}

func (r *parser) term() term {
	switch c := r.peek(); {
	case c == '$' || c == '@':
		return term{query: new(r.filterQuery())}
	case c == '\'' || c == '"':
		return term{value: literal{r.quoted()}}
	case c == '-' || c >= '0' && c <= '9':
		return term{value: literal{r.number()}}
	}
	word := functionName.FindString(r.rest())
	if word != "" && strings.HasPrefix(r.rest()[len(word):], "(") {
		return r.function(word)
	}
	for name, value := range map[string]any{"true": true, "false": false, "null": nil} {
		if word == name {
			r.at += len(word)
			return term{value: literal{value}}
		}
	}
	r.fail("a condition begins with @, $, a value or a function, which is missing")
	return term{}
}

var (
	functionName  = regexp.MustCompile(`^[a-z][a-z0-9_]*`)
	numberPattern = regexp.MustCompile(`^-?(?:0|[1-9][0-9]*)(?:\.[0-9]+)?(?:[eE][+-]?[0-9]+)?`)
)

func (r *parser) number() float64 {
	text := numberPattern.FindString(r.rest())
	n, err := strconv.ParseFloat(text, 64)
	if text == "" || err != nil {
		r.fail("a number is not written as in JSON")
	}
	r.at += len(text)
	return n
}

func (r *parser) filterQuery() filterQuery {
	defer r.nest()()
	absolute := r.peek() == '$'
	r.at++
	return filterQuery{r.segments(), absolute}
}

// function reads length, count, value, match or search.
func (r *parser) function(name string) term {
	defer r.nest()()
	start := r.at
	r.at += len(name) + 1
	var arguments []term
	var begins []int
	r.space()
	for r.peek() != ')' {
		if len(arguments) > 0 {
			r.expect(",")
			r.space()
		}
		begins = append(begins, r.at)
		arguments = append(arguments, r.term())
		r.space()
	}
	r.expect(")")
	needs := map[string]int{"length": 1, "count": 1, "value": 1, "match": 2, "search": 2}[name]
	if needs == 0 || len(arguments) != needs {
		r.at = start
		r.fail("there is no such function, or it has another number of arguments,")
	}
	switch name {
	case "length":
		return term{value: length{r.comparable(arguments[0], begins[0])}}
	case "count", "value":
		query := arguments[0].query
		if query == nil {
			r.at = begins[0]
			r.fail(name + "() needs a path, which is missing")
		}
		if name == "count" {
			return term{value: counting{*query}}
		}
		return term{value: singleton{*query}}
	default:
		m := matching{text: r.comparable(arguments[0], begins[0]), pattern: r.comparable(arguments[1], begins[1]), whole: name == "match"}
		if l, ok := m.pattern.(literal); ok {
			m.literal = true
			if source, ok := l.is.(string); ok {
				m.compiled = compile(source, m.whole)
			}
		}
		return term{test: m}
	}
}
