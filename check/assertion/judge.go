package assertion

import (
	"encoding/json"
	"math"
	"reflect"
	"slices"
	"strconv"
	"strings"
	"unicode/utf8"
)

// Equivalence is a result with texts that can be written in several ways, such as names of the DNS, which have no case.
type Equivalence interface {
	// Equivalent reports whether a text of the field is the expected one.
	Equivalent(field, text, expected string) bool
}

// Subject is a result under evaluation. It is not safe for concurrent use.
type Subject struct {
	value     reflect.Value
	documents map[string]*document
	// equivalence is nil for a result whose texts are compared as they are.
	equivalence Equivalence
}

// NewSubject makes a Subject from a pointer to a result struct.
func NewSubject(result any) Subject {
	v := reflect.ValueOf(result)
	for v.Kind() == reflect.Pointer && !v.IsNil() {
		v = v.Elem()
	}
	equivalence, _ := result.(Equivalence)
	return Subject{value: v, equivalence: equivalence}
}

// SubjectOf makes a Subject from a result struct.
func SubjectOf(v reflect.Value) Subject { return Subject{value: v} }

// Field returns a member of the result by its index; the zero Value for a missing one.
func (s *Subject) Field(index []int) reflect.Value {
	v, there := s.field(index)
	if !there {
		return reflect.Value{}
	}
	return v
}

// Judgement is the outcome of an assertion. Observed is the value in the result, a RawMessage for null; nil without
// one.
type Judgement struct {
	Held     bool
	Observed any
	// Problem explains why the assertion could not be evaluated.
	Problem string
}

// Held reports whether the assertion is true of a result.
func (c *Compiled) Held(s *Subject) bool {
	if c.path == nil {
		v, there := s.field(c.field.Index)
		return c.holds(s, v, there)
	}
	return c.Judge(s).Held
}

// NeedsWhole reports whether the assertion can be true of the beginning of a value and false of the whole, such as that a
// text does not contain another. A value that a path selects is whole where it is there; a path that can select several may
// miss some.
func (c *Compiled) NeedsWhole(s *Subject) bool {
	if c.path != nil {
		return c.operator == "notExists" || c.operator != "exists" && !c.path.OneOfBeginning()
	}
	switch c.operator {
	case "greaterThan", "greaterThanOrEqual", "lengthGreaterThan", "contains", "startsWith", "matches", "isNotEmpty", "exists", "includes":
		return false
	case "notEquals":
		if c.kind != Number {
			return false
		}
		v, there := s.field(c.field.Index)
		n, ok := numberOf(v)
		return !there || !ok || n.compare(c.scalar) <= 0 // the whole count is not less
	default:
		return true
	}
}

// Judge is Held with the observed value.
func (c *Compiled) Judge(s *Subject) Judgement {
	v, there := s.field(c.field.Index)
	if c.path != nil {
		return c.judgePath(s, v, there)
	}
	j := Judgement{Held: c.holds(s, v, there)}
	if there && v.CanInterface() {
		j.Observed = v.Interface()
	}
	if !there && c.operator != "notExists" && c.operator != "exists" {
		j.Problem = "the result has no " + c.field.Name + " this time"
	}
	return j
}

// field returns a member of the result; false when it is a nil pointer or list.
func (s *Subject) field(index []int) (reflect.Value, bool) {
	v := s.value
	if v.Kind() != reflect.Struct {
		return reflect.Value{}, false
	}
	for _, i := range index {
		if v.Kind() == reflect.Pointer {
			if v.IsNil() {
				return reflect.Value{}, false
			}
			v = v.Elem()
		}
		v = v.Field(i)
	}
	switch v.Kind() {
	case reflect.Pointer, reflect.Interface:
		if v.IsNil() {
			return reflect.Value{}, false
		}
		return v.Elem(), true
	case reflect.Slice, reflect.Map:
		return v, !v.IsNil()
	default:
		return v, true
	}
}

func (c *Compiled) holds(s *Subject, v reflect.Value, there bool) bool {
	if c.operator == "notExists" {
		return !there
	}
	if !there {
		return false
	}
	switch c.kind {
	case Number, Threshold:
		n, ok := numberOf(v)
		return ok && c.compare(n)
	case String:
		return v.Kind() == reflect.String && c.judgeText(s, v.String())
	case Boolean:
		return v.Kind() == reflect.Bool && v.Bool() == (c.operator == "isTrue")
	case Array:
		return c.judgeList(s, v)
	default:
		return false
	}
}

func (c *Compiled) compare(n number) bool {
	if math.IsNaN(n.float) {
		return c.operator == "notEquals" || c.operator == "notOneOf"
	}
	equal := func(s scalar) bool { return s.isNumber && n.compare(s) == 0 }
	switch c.operator {
	case "equals":
		return equal(c.scalar)
	case "notEquals":
		return !equal(c.scalar)
	case "oneOf":
		return slices.ContainsFunc(c.scalars, equal)
	case "notOneOf":
		return !slices.ContainsFunc(c.scalars, equal)
	default:
		return c.ordered(n.compare)
	}
}

// compareExactly is compare for a number of a document, without rounding.
func (c *Compiled) compareExactly(text string) bool {
	d, ok := parseDecimal(text)
	return ok && c.ordered(number{exact: d, rounded: true}.compare)
}

// ordered judges the order of a number: to compares it with a value of the assertion, as cmp.Compare does.
func (c *Compiled) ordered(to func(scalar) int) bool {
	switch c.operator {
	case "lessThan":
		return to(c.scalar) < 0
	case "lessThanOrEqual":
		return to(c.scalar) <= 0
	case "greaterThan":
		return to(c.scalar) > 0
	case "greaterThanOrEqual":
		return to(c.scalar) >= 0
	case "between":
		return to(c.scalars[0]) >= 0 && to(c.scalars[1]) <= 0
	default:
		return false
	}
}

// judgeLength compares the number of elements, members or characters.
func (c *Compiled) judgeLength(n int) bool {
	switch c.operator {
	case "lengthEquals":
		return float64(n) == c.number
	case "lengthGreaterThan":
		return float64(n) > c.number
	case "lengthLessThan":
		return float64(n) < c.number
	default:
		return false
	}
}

// equal reports whether a text of the result is the expected one.
func (c *Compiled) equal(s *Subject, text, expected string) bool {
	return text == expected || s.equivalence != nil && c.path == nil && s.equivalence.Equivalent(c.field.Name, text, expected)
}

func (c *Compiled) judgeText(s *Subject, text string) bool {
	among := func() bool {
		return slices.ContainsFunc(c.scalars, func(expected scalar) bool { return c.equal(s, text, expected.text) })
	}
	switch c.operator {
	case "oneOf":
		return among()
	case "notOneOf":
		return !among()
	case "lengthEquals", "lengthGreaterThan", "lengthLessThan":
		return c.judgeLength(utf8.RuneCountInString(text))
	case "equals":
		return c.equal(s, text, c.text)
	case "notEquals":
		return !c.equal(s, text, c.text)
	case "contains":
		return strings.Contains(text, c.text)
	case "notContains":
		return !strings.Contains(text, c.text)
	case "startsWith":
		return strings.HasPrefix(text, c.text)
	case "endsWith":
		return strings.HasSuffix(text, c.text)
	case "matches":
		return c.pattern.MatchString(text)
	case "notMatches":
		return !c.pattern.MatchString(text)
	case "isEmpty":
		return text == ""
	default:
		return false
	}
}

func (c *Compiled) judgeList(s *Subject, v reflect.Value) bool {
	if v.Kind() != reflect.Slice && v.Kind() != reflect.Array {
		return false
	}
	n := v.Len()
	switch c.operator {
	case "includes":
		return c.included(s, v)
	case "notIncludes":
		return !c.included(s, v)
	case "lengthEquals", "lengthGreaterThan", "lengthLessThan":
		return c.judgeLength(n)
	case "isEmpty":
		return n == 0
	case "isNotEmpty":
		return n > 0
	case "exists":
		return true
	default:
		return false
	}
}

func (c *Compiled) included(s *Subject, v reflect.Value) bool {
	for i := range v.Len() {
		if c.same(s, v.Index(i)) {
			return true
		}
	}
	return false
}

// same reports whether a value equals that of the assertion, as a number or as a text.
func (c *Compiled) same(s *Subject, v reflect.Value) bool {
	for v.Kind() == reflect.Pointer || v.Kind() == reflect.Interface {
		if v.IsNil() {
			return c.text == "null"
		}
		v = v.Elem()
	}
	if n, ok := numberOf(v); ok {
		return c.isNumber && n.compare(c.scalar) == 0
	}
	switch v.Kind() {
	case reflect.String:
		return c.equal(s, v.String(), c.text)
	case reflect.Bool:
		return strconv.FormatBool(v.Bool()) == c.text
	default:
		return false
	}
}

// judgePath evaluates every value that the path selects.
func (c *Compiled) judgePath(s *Subject, v reflect.Value, there bool) Judgement {
	if !there || v.Kind() != reflect.String {
		return Judgement{Problem: "the result has no " + c.field.Name + " this time"}
	}
	doc := s.document(c.field.Name, v.String())
	if doc.problem != "" {
		return Judgement{Held: false, Problem: c.field.Name + " " + doc.problem}
	}
	found, err := c.path.Select(doc.root, maxWork)
	if err != nil {
		return Judgement{Problem: c.Source.JSONPath + " looks at too much of " + c.field.Name + ": write it more exactly"}
	}
	j := Judgement{}
	switch len(found) {
	case 0:
	case 1:
		if j.Observed = found[0]; j.Observed == nil {
			j.Observed = json.RawMessage("null")
		}
	default:
		j.Observed = found[:min(len(found), maxObserved)]
	}
	switch {
	case c.operator == "exists":
		j.Held = len(found) > 0
	case c.operator == "notExists":
		j.Held = len(found) == 0
	case len(found) == 0:
		j.Problem = c.Source.JSONPath + " finds nothing"
	default:
		j.Held = true
		for _, f := range found {
			j.Held = j.Held && c.judgeFound(s, f)
		}
		if i := slices.IndexFunc(found, func(f any) bool { return lengthOf(f) < 0 }); i >= 0 && strings.HasPrefix(c.operator, "length") {
			j.Problem = c.Source.JSONPath + " finds " + textOf(found[i]) + ", which has no length"
		}
	}
	return j
}

// lengthOf returns the number of elements, members or characters; -1 for a value without any.
func lengthOf(value any) int {
	switch v := value.(type) {
	case []any:
		return len(v)
	case map[string]any:
		return len(v)
	case string:
		return utf8.RuneCountInString(v)
	default:
		return -1
	}
}

// maxObserved bounds the shown values of a path.
const maxObserved = 10

func (c *Compiled) judgeFound(s *Subject, value any) bool {
	text := textOf(value)
	switch c.operator {
	case "equals":
		return c.sameFound(value, text)
	case "notEquals":
		return !c.sameFound(value, text)
	case "oneOf":
		return c.hasFound(value, text)
	case "notOneOf":
		return !c.hasFound(value, text)
	case "lengthEquals", "lengthGreaterThan", "lengthLessThan":
		n := lengthOf(value)
		return n >= 0 && c.judgeLength(n)
	case "contains":
		return c.containedIn(value, text)
	case "notContains":
		return !c.containedIn(value, text)
	case "lessThan", "lessThanOrEqual", "greaterThan", "greaterThanOrEqual", "between":
		return c.compareExactly(text)
	default:
		return c.judgeText(s, text)
	}
}

func (c *Compiled) hasFound(value any, text string) bool {
	return slices.ContainsFunc(c.scalars, func(s scalar) bool { return s.sameFound(value, text) })
}

// containedIn reports whether a list has the value of the assertion as an element, or the text of another value contains it.
func (c *Compiled) containedIn(value any, text string) bool {
	if elements, ok := value.([]any); ok {
		return slices.ContainsFunc(elements, func(e any) bool { return c.sameFound(e, textOf(e)) })
	}
	return strings.Contains(text, c.text)
}

// sameFound compares a found value, of which text is the text. It compares numbers exactly, because a float64 takes
// 12345678901234567890 and its neighbours for one.
func (s scalar) sameFound(value any, text string) bool {
	if text == s.text {
		return true
	}
	if _, isText := value.(string); !s.isNumber || isText && s.quoted {
		return false
	}
	d, ok := parseDecimal(text)
	return ok && d.compare(s.exact) == 0
}

// textOf returns the text of a string, and the JSON of other values.
func textOf(value any) string {
	if s, ok := value.(string); ok {
		return s
	}
	raw, err := json.Marshal(value)
	if err != nil {
		return ""
	}
	return string(raw)
}
