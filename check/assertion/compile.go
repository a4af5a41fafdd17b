package assertion

import (
	"bytes"
	"encoding/json"
	"math"
	"regexp"
	"strconv"
	"strings"

	"countersign/internal/json/jsonpath"
	"countersign/internal/problem"
	"countersign/internal/text/search"
)

// Compiled is an assertion ready for evaluation. It is safe for concurrent use.
type Compiled struct {
	Source   Assertion
	field    Field
	kind     Type
	operator string
	path     *jsonpath.Path
	pattern  *regexp.Regexp
	scalar
	// scalars are the values of an operator that takes several: the ends of a range, or a list.
	scalars []scalar
}

// scalar is a value of an assertion.
type scalar struct {
	number float64
	// exact is the number without rounding.
	exact decimal
	text  string
	// isNumber reports that the value is a number, or a text that looks like one.
	isNumber bool
	// quoted reports that the value is a text. Two texts are compared as texts: version "1.10" is not "1.1".
	quoted bool
}

func scalarOf(text string, mayBeNumber, quoted bool) scalar {
	s := scalar{text: text, quoted: quoted}
	if n, err := strconv.ParseFloat(strings.TrimSpace(text), 64); mayBeNumber && err == nil {
		s.exact, s.isNumber = parseDecimal(text)
		s.number = n
	}
	return s
}

// Compile validates an assertion against the fields of a result. Its issues have the paths of the members of the assertion.
func Compile(a Assertion, fields []Field) (*Compiled, []problem.Issue) {
	c := &Compiled{Source: a}
	i := fieldIndex(fields, a.Field)
	if i < 0 {
		names := make([]string, len(fields))
		for i, f := range fields {
			names[i] = f.Name
		}
		return nil, issue("field", "is no field of the result."+search.Hint(a.Field, names)+" The fields are "+strings.Join(names, ", "))
	}
	c.field = fields[i]
	if a.JSONPath != "" {
		if !c.field.JSONPath {
			return nil, issue("jsonPath", "cannot be used with "+a.Field+", which is no document"+documents(fields))
		}
		text := a.JSONPath
		if c.field.LowerNames && !strings.Contains(text, "?") { // a filter has texts besides names
			text = strings.ToLower(text)
		}
		p, err := parsePath(text)
		if err != nil {
			return nil, issue("jsonPath", err.Error())
		}
		c.path = p
	}
	c.kind = c.field.judgedAs(c.path != nil)
	operators := table[c.kind]
	if len(operators) == 0 {
		return nil, issue("field", "is of type "+string(c.kind)+", for which there are no operators")
	}
	operator, ok := find(operators, a.Operator)
	if !ok {
		ids := make([]string, len(operators))
		for i, o := range operators {
			ids[i] = o.ID
		}
		return nil, issue("operator", "is no operator for "+c.named()+"."+search.Hint(a.Operator, ids)+" The operators are "+list(operators))
	}
	c.operator = operator.ID
	if message := c.take(operator, a.Value); message != "" {
		return nil, issue("value", message)
	}
	return c, nil
}

func issue(path, message string) []problem.Issue {
	return []problem.Issue{{Path: path, Message: message}}
}

func fieldIndex(fields []Field, name string) int {
	for i, f := range fields {
		if f.Name == name {
			return i
		}
	}
	return -1
}

// documents names the fields that support paths.
func documents(fields []Field) string {
	var names []string
	for _, f := range fields {
		if f.JSONPath {
			names = append(names, f.Name)
		}
	}
	if len(names) == 0 {
		return ""
	}
	return "; it can with " + strings.Join(names, ", ")
}

func (c *Compiled) named() string {
	switch c.kind {
	case Path:
		return "what a path finds"
	case Threshold:
		return c.field.Name + ", a time in milliseconds"
	default:
		return c.field.Name + ", which is of type " + string(c.kind)
	}
}

// take parses the value of an assertion, and returns its problem or "".
func (c *Compiled) take(o Operator, raw json.RawMessage) string {
	raw = bytes.TrimSpace(raw)
	if o.Takes == Nothing {
		if len(raw) > 0 && string(raw) != "null" {
			return "must be left out: " + o.ID + " takes none"
		}
		return ""
	}
	if len(raw) == 0 {
		return "is missing: " + o.ID + " needs " + example(o.Takes)
	}
	if len(raw) > MaxValue {
		return "has more than " + strconv.Itoa(MaxValue) + " bytes"
	}
	var value any
	if err := json.Unmarshal(raw, &value); err != nil {
		return "is not valid JSON"
	}
	if o.Takes == ARange || o.Takes == AList {
		return c.takeSeveral(o, raw)
	}
	switch v := value.(type) {
	case float64:
		whole := v >= 0 && v == math.Trunc(v)
		if o.Takes == ANumber || o.Takes == AScalar || o.Takes == ACount && whole {
			c.scalar = scalarOf(string(raw), true, false)
			return ""
		}
	case string:
		return c.takeText(o, v)
	case bool, nil:
		if o.Takes == AScalar {
			c.text = string(raw)
			return ""
		}
	}
	return "must be " + example(o.Takes)
}

func (c *Compiled) takeText(o Operator, text string) string {
	switch o.Takes {
	case APattern:
		return c.compilePattern(text)
	case AText, AScalar:
		c.scalar = scalarOf(text, o.Takes == AScalar, true)
		return ""
	case ANumber:
		// Selected values are compared by the type of the assertion's value.
		if c.scalar = scalarOf(text, true, true); c.kind == Path && c.isNumber {
			return ""
		}
		return "must be " + example(o.Takes) + ", not a text"
	default:
		return "must be " + example(o.Takes)
	}
}

// maxList bounds the values of an operator that takes a list.
const maxList = 100

// takeSeveral reads a list of scalars, or the two numbers of a range.
func (c *Compiled) takeSeveral(o Operator, raw json.RawMessage) string {
	var elements []json.RawMessage
	if json.Unmarshal(raw, &elements) != nil || len(elements) == 0 {
		return "must be " + example(o.Takes)
	}
	if len(elements) > maxList {
		return "must have at most " + strconv.Itoa(maxList) + " values"
	}
	for _, element := range elements {
		var text string
		isText := json.Unmarshal(element, &text) == nil && element[0] == '"'
		switch {
		case isText && c.kind == Number:
			return "must be a list of numbers, such as [200, 204]"
		case isText:
			c.scalars = append(c.scalars, scalarOf(text, c.kind == Path, true))
		case element[0] == '[' || element[0] == '{':
			return "must be " + example(o.Takes)
		default:
			c.scalars = append(c.scalars, scalarOf(string(element), true, false))
		}
		if s := c.scalars[len(c.scalars)-1]; (o.Takes == ARange || c.kind == Number) && !s.isNumber {
			return "must be " + example(o.Takes)
		}
	}
	if o.Takes == ARange && (len(c.scalars) != 2 || c.scalars[0].exact.compare(c.scalars[1].exact) > 0) {
		return "must be " + example(o.Takes)
	}
	return ""
}

func (c *Compiled) compilePattern(pattern string) string {
	if len(pattern) > MaxPattern {
		return "has more than " + strconv.Itoa(MaxPattern) + " characters"
	}
	compiled, err := regexp.Compile(pattern)
	if err != nil {
		return "is not a regular expression (RE2): " + strings.TrimPrefix(err.Error(), "error parsing regexp: ")
	}
	c.pattern = compiled
	return ""
}

func example(t Takes) string {
	switch t {
	case ANumber:
		return "a number, such as 200"
	case AText:
		return `a text, such as "ok"`
	case APattern:
		return `a regular expression in a text, such as "^v[0-9]+"`
	case ACount:
		return "a whole number, such as 3"
	case ARange:
		return "a list of two numbers, the smaller one first, such as [200, 299]"
	case AList:
		return `a list, such as [200, 204] or ["ok", "degraded"]`
	default:
		return `a text, a number, true, false or null`
	}
}
