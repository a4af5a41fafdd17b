package foreign

import (
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"strconv"
	"strings"
	"unicode/utf8"

	"go.yaml.in/yaml/v3"

	"countersign/internal/text"
)

// Limits of a tree. Aliases of YAML can expand a short text exponentially, so values are counted after expansion.
const (
	maxDepth     = 40
	maxValues    = 200_000
	maxDocuments = 100
)

// kind is the kind of a value.
type kind int

const (
	null kind = iota
	scalar
	list
	mapping
	// opaque is a scalar whose tag is not read, such as !!binary.
	opaque
)

// value is a value of a YAML or JSON document with its line.
type value struct {
	kind kind
	line int
	// text is the text of a scalar, and number, boolean tell what it is besides a text.
	text            string
	number, boolean bool
	items           []*value
	keys            []string
	members         map[string]*value
}

// at returns a member of a mapping; nil for another value, and without the member.
func (v *value) at(key string) *value {
	if v == nil || v.kind != mapping {
		return nil
	}
	return v.members[key]
}

// parse reads all documents of a text.
func parse(content string) ([]*value, error) { return (&builder{}).parse(content) }

func (b *builder) parse(content string) ([]*value, error) {
	if len(content) > MaxBytes {
		return nil, fmt.Errorf("has %d bytes, at most %d are allowed", len(content), MaxBytes)
	}
	if !utf8.ValidString(content) {
		return nil, errors.New("is not UTF-8")
	}
	content = strings.TrimPrefix(content, "\ufeff")
	if trimmed := strings.TrimSpace(content); strings.HasPrefix(trimmed, "{") || strings.HasPrefix(trimmed, "[") {
		v, err := b.json(content)
		return []*value{v}, err
	}
	return b.yaml(content)
}

// builder builds trees within the limits.
type builder struct{ values int }

func (b *builder) count(line, depth int) error {
	b.values++
	if b.values > maxValues {
		return fmt.Errorf("has more than %d values at line %d, with its aliases expanded", maxValues, line)
	}
	if depth > maxDepth {
		return fmt.Errorf("is nested more than %d levels deep at line %d", maxDepth, line)
	}
	return nil
}

func (b *builder) yaml(content string) ([]*value, error) {
	decoder := yaml.NewDecoder(strings.NewReader(content))
	var documents []*value
	for {
		var node yaml.Node
		err := decoder.Decode(&node)
		if errors.Is(err, io.EOF) {
			break
		}
		if err != nil {
			return nil, fmt.Errorf("is not YAML and not JSON: %s", strings.TrimPrefix(err.Error(), "yaml: "))
		}
		if len(documents) == maxDocuments {
			return nil, fmt.Errorf("has more than %d documents", maxDocuments)
		}
		v, err := b.node(&node, 0)
		if err != nil {
			return nil, err
		}
		documents = append(documents, v)
	}
	if len(documents) == 0 {
		return nil, errors.New("is empty")
	}
	return documents, nil
}

func (b *builder) node(n *yaml.Node, depth int) (*value, error) {
	if err := b.count(n.Line, depth); err != nil {
		return nil, err
	}
	switch n.Kind {
	case yaml.DocumentNode:
		if len(n.Content) != 1 {
			return &value{line: n.Line}, nil
		}
		return b.node(n.Content[0], depth+1)
	case yaml.AliasNode:
		return b.node(n.Alias, depth+1)
	case yaml.SequenceNode:
		v := &value{kind: list, line: n.Line}
		for _, element := range n.Content {
			item, err := b.node(element, depth+1)
			if err != nil {
				return nil, err
			}
			v.items = append(v.items, item)
		}
		return v, nil
	case yaml.MappingNode:
		return b.mapping(n, depth)
	default:
		return yamlScalar(n), nil
	}
}

func (b *builder) mapping(n *yaml.Node, depth int) (*value, error) {
	v := &value{kind: mapping, line: n.Line, members: map[string]*value{}}
	var merged []*yaml.Node
	for i := 0; i+1 < len(n.Content); i += 2 {
		key, content := n.Content[i], n.Content[i+1]
		if key.Kind == yaml.AliasNode {
			key = key.Alias
		}
		switch {
		case key.Kind != yaml.ScalarNode:
			return nil, fmt.Errorf("has a member whose name is no text at line %d", key.Line)
		case key.Tag == "!!merge":
			merged = append(merged, content)
			continue
		}
		if _, twice := v.members[key.Value]; twice {
			return nil, fmt.Errorf("has the member %s a second time at line %d", text.Shown(key.Value, 60), key.Line)
		}
		member, err := b.node(content, depth+1)
		if err != nil {
			return nil, err
		}
		if content.Kind == yaml.ScalarNode {
			member.line = content.Line
		} else {
			member.line = key.Line
		}
		v.keys = append(v.keys, key.Value)
		v.members[key.Value] = member
	}
	for _, m := range merged {
		if err := b.merge(v, m, depth); err != nil {
			return nil, err
		}
	}
	return v, nil
}

// merge adds the members of another mapping, or of each in a list, that v does not have.
func (b *builder) merge(v *value, n *yaml.Node, depth int) error {
	from, err := b.node(n, depth+1)
	if err != nil {
		return err
	}
	sources := []*value{from}
	if from.kind == list {
		sources = from.items
	}
	for _, source := range sources {
		if source.kind != mapping {
			return fmt.Errorf("merges what has no members at line %d", n.Line)
		}
		for _, key := range source.keys {
			if v.members[key] == nil {
				v.keys = append(v.keys, key)
				v.members[key] = source.members[key]
			}
		}
	}
	return nil
}

func yamlScalar(n *yaml.Node) *value {
	v := &value{kind: scalar, line: n.Line, text: n.Value}
	switch n.Tag {
	case "!!null":
		v.kind = null
	case "!!bool":
		v.boolean = true
	case "!!int", "!!float":
		v.number = true
	case "!!str", "!!timestamp":
	default:
		v.kind = opaque
	}
	return v
}

// json reads one JSON document. It finds the line of a value from its offset.
func (b *builder) json(content string) (*value, error) {
	j := &jsonReader{builder: b, content: content, decoder: json.NewDecoder(strings.NewReader(content)), line: 1}
	j.decoder.UseNumber()
	v, err := j.value(0)
	if err != nil {
		if syntax, ok := errors.AsType[*json.SyntaxError](err); ok {
			return nil, fmt.Errorf("is not JSON at line %d: %w", 1+strings.Count(content[:min(int(syntax.Offset), len(content))], "\n"), syntax)
		}
		if errors.Is(err, io.EOF) || errors.Is(err, io.ErrUnexpectedEOF) {
			return nil, errors.New("is JSON that ends too early")
		}
		return nil, err
	}
	if _, err := j.decoder.Token(); !errors.Is(err, io.EOF) {
		return nil, errors.New("has more text after its JSON")
	}
	return v, nil
}

type jsonReader struct {
	*builder
	content string
	decoder *json.Decoder
	// line is the line at offset.
	line, offset int
}

// token reads a token and counts lines up to its end.
func (j *jsonReader) token() (json.Token, error) {
	t, err := j.decoder.Token()
	end := int(j.decoder.InputOffset())
	j.line += strings.Count(j.content[j.offset:end], "\n")
	j.offset = end
	return t, err
}

func (j *jsonReader) value(depth int) (*value, error) {
	t, err := j.token()
	if err != nil {
		return nil, err
	}
	return j.rest(t, depth)
}

// rest reads the value that begins with a token.
func (j *jsonReader) rest(t json.Token, depth int) (*value, error) {
	if err := j.count(j.line, depth); err != nil {
		return nil, err
	}
	v := &value{kind: scalar, line: j.line}
	switch t := t.(type) {
	case nil:
		v.kind = null
	case bool:
		v.boolean, v.text = true, strconv.FormatBool(t)
	case json.Number:
		v.number, v.text = true, t.String()
	case string:
		v.text = t
	case json.Delim:
		if t == '[' {
			return v, j.list(v, depth)
		}
		return v, j.mapping(v, depth)
	}
	return v, nil
}

func (j *jsonReader) list(v *value, depth int) error {
	v.kind = list
	for j.decoder.More() {
		item, err := j.value(depth + 1)
		if err != nil {
			return err
		}
		v.items = append(v.items, item)
	}
	_, err := j.token()
	return err
}

func (j *jsonReader) mapping(v *value, depth int) error {
	v.kind, v.members = mapping, map[string]*value{}
	for j.decoder.More() {
		t, err := j.token()
		if err != nil {
			return err
		}
		key, ok := t.(string)
		if !ok {
			return fmt.Errorf("has a member whose name is no text at line %d", j.line)
		}
		if _, twice := v.members[key]; twice {
			return fmt.Errorf("has the member %s a second time at line %d", text.Shown(key, 60), j.line)
		}
		member, err := j.value(depth + 1)
		if err != nil {
			return err
		}
		v.keys = append(v.keys, key)
		v.members[key] = member
	}
	_, err := j.token()
	return err
}
