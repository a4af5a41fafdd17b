package schema

import (
	"encoding/json"
	"fmt"
	"maps"
	"math/big"
	"regexp"
	"slices"
	"strconv"
	"strings"
)

// member is a keyword of a schema that is being read.
type member struct {
	*parser

	node   *Node
	object map[string]any
	path   string
	depth  int
	name   string
	value  any
}

// keywords are those that are read, and with nil those that say nothing about values. Functions of the table read schemas within
// schemas by it, so that it is no variable.
func keywords() map[string]func(*member) error {
	return map[string]func(*member) error{
		"$schema":           (*member).dialect,
		"$id":               (*member).identity,
		"$anchor":           (*member).anchor,
		"$ref":              (*member).refer,
		"$defs":             (*member).definitions,
		"definitions":       (*member).definitions,
		"$comment":          nil,
		"title":             nil,
		"description":       nil,
		"default":           (*member).fallback,
		"examples":          nil,
		"example":           nil,
		"deprecated":        nil,
		"readOnly":          nil,
		"writeOnly":         nil,
		"contentEncoding":   nil,
		"contentMediaType":  nil,
		"contentSchema":     nil,
		"$vocabulary":       nil,
		"type":              (*member).types,
		"enum":              (*member).enum,
		"const":             (*member).constant,
		"properties":        (*member).properties,
		"patternProperties": (*member).patternProperties,
		"required":          (*member).required,
		"dependentRequired": (*member).dependentRequired,
		"dependentSchemas":  (*member).dependentSchemas,
		"dependencies":      (*member).dependencies,
		"items":             (*member).items,
		"prefixItems":       (*member).prefixItems,
		"additionalItems":   (*member).additionalItems,
		"uniqueItems":       (*member).unique,
		"pattern":           (*member).pattern,
		"format":            (*member).format,
		"additionalProperties": one(
			func(n *Node) **Node { return &n.additional },
		),
		"propertyNames": one(func(n *Node) **Node { return &n.names }),
		"contains":      one(func(n *Node) **Node { return &n.contains }),
		"not":           one(func(n *Node) **Node { return &n.not }),
		"if": one(
			func(n *Node) **Node { return &n.when },
		),
		"then":  one(func(n *Node) **Node { return &n.then }),
		"else":  one(func(n *Node) **Node { return &n.elsewise }),
		"allOf": several(func(n *Node) *[]*Node { return &n.allOf }),
		"anyOf": several(func(n *Node) *[]*Node { return &n.anyOf }),
		"oneOf": several(func(n *Node) *[]*Node { return &n.oneOf }),
		"minProperties": count(
			func(n *Node) **int { return &n.minMembers },
		),
		"maxProperties": count(func(n *Node) **int { return &n.maxMembers }),
		"minItems":      count(func(n *Node) **int { return &n.minItems }),
		"maxItems":      count(func(n *Node) **int { return &n.maxItems }),
		"minContains":   count(func(n *Node) **int { return &n.minContains }),
		"maxContains":   count(func(n *Node) **int { return &n.maxContains }),
		"minLength":     count(func(n *Node) **int { return &n.minLength }),
		"maxLength":     count(func(n *Node) **int { return &n.maxLength }),
		"minimum":       bound(func(n *Node) **big.Rat { return &n.minimum }),
		"maximum":       bound(func(n *Node) **big.Rat { return &n.maximum }),
		"exclusiveMinimum": bound(
			func(n *Node) **big.Rat { return &n.above },
		),
		"exclusiveMaximum": bound(func(n *Node) **big.Rat { return &n.below }),
		"multipleOf":       (*member).multiple,
	}
}

func (m *member) at(parts ...string) string {
	var path strings.Builder
	path.WriteString(m.path + "/" + Escaped(m.name))
	for _, part := range parts {
		path.WriteString("/" + Escaped(part))
	}
	return path.String()
}

func (m *member) flaw(format string, args ...any) error {
	return &DocumentError{m.at(), fmt.Sprintf(format, args...)}
}

func (m *member) inner(value any, parts ...string) (*Node, error) {
	return m.schema(value, m.at(parts...), m.depth+1)
}

// one reads a keyword whose value is a schema, several one with a list of schemas.
func one(field func(*Node) **Node) func(*member) error {
	return func(m *member) (err error) {
		*field(m.node), err = m.inner(m.value)
		return err
	}
}

func several(field func(*Node) *[]*Node) func(*member) error {
	return func(m *member) (err error) {
		*field(m.node), err = m.schemas()
		return err
	}
}

func (m *member) schemas() ([]*Node, error) {
	values, ok := m.value.([]any)
	if !ok || len(values) == 0 {
		return nil, m.flaw("must be a list of schemas with one at least")
	}
	made := make([]*Node, len(values))
	for i, value := range values {
		var err error
		if made[i], err = m.inner(value, strconv.Itoa(i)); err != nil {
			return nil, err
		}
	}
	return made, nil
}

func (m *member) named() (map[string]*Node, error) {
	values, ok := m.value.(map[string]any)
	if !ok {
		return nil, m.flaw("must be an object of schemas")
	}
	made := make(map[string]*Node, len(values))
	for _, name := range slices.Sorted(maps.Keys(values)) {
		var err error
		if made[name], err = m.inner(values[name], name); err != nil {
			return nil, err
		}
	}
	return made, nil
}

// count reads a number of things, bound a number that values are compared with.
func count(field func(*Node) **int) func(*member) error {
	return func(m *member) error {
		n, err := strconv.ParseFloat(fmt.Sprint(m.value), 64)
		if _, isNumber := m.value.(json.Number); !isNumber || err != nil || n < 0 || n > 1<<31 || n != float64(int(n)) {
			return m.flaw("must be a whole number that is not negative")
		}
		whole := int(n)
		*field(m.node) = &whole
		return nil
	}
}

func bound(field func(*Node) **big.Rat) func(*member) error {
	return func(m *member) error {
		n, ok := rational(m.value)
		if !ok {
			return m.flaw("must be a number")
		}
		*field(m.node) = n
		return nil
	}
}

func (m *member) multiple() error {
	n, ok := rational(m.value)
	if !ok || n.Sign() <= 0 {
		return m.flaw("must be a number above 0")
	}
	m.node.multiple = n
	return nil
}

// maxExponent bounds numbers that are computed with exactly.
const maxExponent = 400

func rational(value any) (*big.Rat, bool) {
	number, ok := value.(json.Number)
	if !ok || len(number) > 2*maxExponent {
		return nil, false
	}
	if _, exponent, has := strings.Cut(strings.ToLower(string(number)), "e"); has {
		if n, err := strconv.Atoi(exponent); err != nil || n > maxExponent || n < -maxExponent {
			return nil, false
		}
	}
	return new(big.Rat).SetString(string(number))
}

func (m *member) text() (string, error) {
	text, ok := m.value.(string)
	if !ok {
		return "", m.flaw("must be a text")
	}
	return text, nil
}

func (m *member) texts(value any) ([]string, error) {
	values, ok := value.([]any)
	if !ok {
		return nil, m.flaw("must be a list of texts")
	}
	var texts []string
	for _, v := range values {
		text, ok := v.(string)
		if !ok || slices.Contains(texts, text) {
			return nil, m.flaw("must be a list of texts, each once")
		}
		texts = append(texts, text)
	}
	return texts, nil
}

func (m *member) dialect() error {
	text, err := m.text()
	if err != nil {
		return err
	}
	switch strings.TrimSuffix(strings.Replace(text, "http://", "https://", 1), "#") {
	case "https://json-schema.org/draft/2020-12/schema", "https://json-schema.org/draft/2019-09/schema",
		"https://json-schema.org/draft-07/schema", "https://json-schema.org/draft-06/schema":
		return nil
	}
	return m.flaw("names a dialect that is not known; leave it out, or write https://json-schema.org/draft/2020-12/schema")
}

func (m *member) identity() error {
	if _, err := m.text(); err != nil || m.path != "" {
		return m.flaw("can only be a text at the top, because there is one document")
	}
	return nil
}

func (m *member) anchor() error {
	text, err := m.text()
	if err != nil {
		return err
	}
	if _, taken := m.anchors[text]; taken {
		return m.flaw("is one of two with this name")
	}
	m.anchors[text] = m.path
	return nil
}

func (m *member) refer() error {
	text, err := m.text()
	if err != nil {
		return err
	}
	m.node.reference = text
	m.pending = append(m.pending, pendingRef{m.node, m.at()})
	return nil
}

func (m *member) definitions() error {
	_, err := m.named()
	return err
}

var typeNames = []string{"object", "array", "string", "number", "integer", "boolean", "null"}

func (m *member) types() error {
	if text, ok := m.value.(string); ok {
		m.value = []any{text}
	}
	types, err := m.texts(m.value)
	if err != nil || len(types) == 0 || slices.ContainsFunc(types, func(t string) bool { return !slices.Contains(typeNames, t) }) {
		return m.flaw("must be one of %s, or a list of them", strings.Join(typeNames, ", "))
	}
	m.node.types = types
	return nil
}

func (m *member) enum() error {
	values, ok := m.value.([]any)
	if !ok || len(values) == 0 {
		return m.flaw("must be a list with one value at least")
	}
	enum := make([]string, len(values))
	for i, v := range values {
		enum[i] = identityOf(v)
	}
	if !m.node.constant {
		m.node.enum, m.node.shown = enum, shownValues(values)
		return nil
	}
	if !slices.Contains(enum, m.node.enum[0]) {
		return m.flaw("does not have the value of const")
	}
	return nil
}

// constant comes before enum.
func (m *member) constant() error {
	shown, err := json.Marshal(m.value)
	if err != nil {
		return m.flaw("must be a JSON value")
	}
	m.node.enum, m.node.shown, m.node.constant = []string{identityOf(m.value)}, []string{clipped(string(shown))}, true
	return nil
}

func (m *member) properties() (err error) {
	m.node.properties, err = m.named()
	return err
}

func (m *member) patternProperties() error {
	made, err := m.named()
	if err != nil {
		return err
	}
	for _, expression := range slices.Sorted(maps.Keys(made)) {
		name, err := m.expression(expression)
		if err != nil {
			return err
		}
		m.node.patterns = append(m.node.patterns, patterned{name, made[expression]})
	}
	return nil
}

// expression compiles a pattern. Those that look ahead or refer back are refused: they can take for ever.
func (m *member) expression(text string) (*regexp.Regexp, error) {
	if len(text) > maxPattern {
		return nil, m.flaw("has a pattern of more than %d bytes", maxPattern)
	}
	compiled, err := regexp.Compile(text)
	if err != nil {
		return nil, m.flaw(
			"has a pattern that cannot be used: %s. Patterns look neither ahead nor back",
			clipped(strings.TrimPrefix(err.Error(), "error parsing regexp: ")),
		)
	}
	return compiled, nil
}

func (m *member) pattern() error {
	text, err := m.text()
	if err != nil {
		return err
	}
	m.node.pattern, err = m.expression(text)
	return err
}

func (m *member) format() (err error) {
	m.node.format, err = m.text()
	return err
}

func (m *member) required() (err error) {
	m.node.required, err = m.texts(m.value)
	return err
}

func (m *member) dependentRequired() error {
	values, ok := m.value.(map[string]any)
	if !ok {
		return m.flaw("must be an object of lists")
	}
	for name, value := range values {
		needed, err := m.texts(value)
		if err != nil {
			return err
		}
		m.need(name, needed)
	}
	return nil
}

func (m *member) need(name string, needed []string) {
	if m.node.needs == nil {
		m.node.needs = map[string][]string{}
	}
	m.node.needs[name] = needed
}

func (m *member) dependentSchemas() error {
	made, err := m.named()
	if m.node.dependent == nil {
		m.node.dependent = map[string]*Node{}
	}
	maps.Copy(m.node.dependent, made)
	return err
}

// dependencies is the older spelling of both.
func (m *member) dependencies() error {
	values, ok := m.value.(map[string]any)
	if !ok {
		return m.flaw("must be an object")
	}
	if m.node.dependent == nil {
		m.node.dependent = map[string]*Node{}
	}
	for _, name := range slices.Sorted(maps.Keys(values)) {
		if _, isList := values[name].([]any); isList {
			needed, err := m.texts(values[name])
			if err != nil {
				return err
			}
			m.need(name, needed)
			continue
		}
		made, err := m.inner(values[name], name)
		if err != nil {
			return err
		}
		m.node.dependent[name] = made
	}
	return nil
}

// items is one schema for all items that prefixItems does not tell of, in older drafts also what prefixItems is.
func (m *member) items() (err error) {
	if _, isList := m.value.([]any); !isList {
		m.node.items, err = m.inner(m.value)
		return err
	}
	if _, both := m.object["prefixItems"]; both {
		return m.flaw("cannot be a list beside prefixItems")
	}
	m.node.prefix, err = m.schemas()
	return err
}

func (m *member) prefixItems() (err error) {
	m.node.prefix, err = m.schemas()
	return err
}

// additionalItems means something beside a list of items only.
func (m *member) additionalItems() error {
	made, err := m.inner(m.value)
	if _, isList := m.object["items"].([]any); isList && err == nil {
		m.node.items = made
	}
	return err
}

func (m *member) fallback() error {
	m.node.fallback = m.value
	return nil
}

func (m *member) unique() error {
	unique, ok := m.value.(bool)
	if !ok {
		return m.flaw("must be true or false")
	}
	m.node.unique = unique
	return nil
}
