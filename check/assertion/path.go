package assertion

import (
	"bytes"
	"encoding/json"
	"errors"
	"fmt"
	"strings"

	"github.com/speakeasy-api/jsonpath/pkg/jsonpath"
	"github.com/speakeasy-api/jsonpath/pkg/jsonpath/token"
	"gopkg.in/yaml.v3"
)

// Limits of what paths are searched in. A document over them has no values.
const (
	maxDocument = 1 << 20
	maxDepth    = 64
	// maxUnions is how many commas a path has: each can double the work.
	maxUnions = 8
	// maxMany is how many of its steps go to several values.
	maxMany = 6
)

// path is a query by RFC 9535, of those whose work is bounded by the size of the document.
type path struct{ query *jsonpath.JSONPath }

func parsePath(text string) (*path, error) {
	if len(text) > MaxPath {
		return nil, fmt.Errorf("has more than %d characters", MaxPath)
	}
	tokens := token.NewTokenizer(text).Tokenize()
	var descents, unions, many, roots, filters int
	for _, t := range tokens {
		switch t.Token {
		case token.RECURSIVE:
			descents++
		case token.COMMA:
			unions++
		case token.WILDCARD, token.ARRAY_SLICE:
			many++
		case token.ROOT:
			roots++
		case token.FILTER:
			filters++
		}
	}
	switch {
	case descents > 1:
		return nil, errors.New("descends (..) more than once: write the way to the value")
	case unions > maxUnions:
		return nil, fmt.Errorf("has more than %d commas", maxUnions)
	case many > maxMany:
		return nil, fmt.Errorf("has more than %d steps to several values", maxMany)
	case roots > 1:
		return nil, errors.New("begins again at $ inside a filter: compare with a value instead")
	case filters > 2:
		return nil, errors.New("has more than two filters")
	}
	query, err := jsonpath.NewPath(text)
	if err != nil {
		return nil, errors.New("is not a JSONPath (RFC 9535), such as $.items[0].status")
	}
	return &path{query}, nil
}

// document is a text that was parsed once for all paths of a run.
type document struct {
	root    *yaml.Node
	problem string
}

func (s *Subject) document(field, text string) *document {
	if d := s.documents[field]; d != nil {
		return d
	}
	if s.documents == nil {
		s.documents = map[string]*document{}
	}
	d := parseDocument(text)
	s.documents[field] = d
	return d
}

func parseDocument(text string) *document {
	if len(text) > maxDocument {
		return &document{problem: "is too large for a path"}
	}
	decoder := json.NewDecoder(strings.NewReader(text))
	decoder.UseNumber()
	root, err := parseNode(decoder, 0)
	if errors.Is(err, errDeep) {
		return &document{problem: "is nested too deep for a path"}
	}
	if err != nil || decoder.More() {
		return &document{problem: "is not JSON"}
	}
	return &document{root: root}
}

var errDeep = errors.New("nested too deep")

// parseNode makes the nodes that the library walks.
func parseNode(d *json.Decoder, depth int) (*yaml.Node, error) {
	if depth > maxDepth {
		return nil, errDeep
	}
	t, err := d.Token()
	if err != nil {
		return nil, err
	}
	switch v := t.(type) {
	case json.Delim:
		n := &yaml.Node{Kind: yaml.SequenceNode, Tag: "!!seq"}
		if v == '{' {
			n.Kind, n.Tag = yaml.MappingNode, "!!map"
		}
		for d.More() {
			if v == '{' {
				key, err := d.Token()
				if err != nil {
					return nil, err
				}
				n.Content = append(n.Content, &yaml.Node{Kind: yaml.ScalarNode, Tag: "!!str", Value: key.(string)})
			}
			child, err := parseNode(d, depth+1)
			if err != nil {
				return nil, err
			}
			n.Content = append(n.Content, child)
		}
		_, err := d.Token()
		return n, err
	case string:
		return &yaml.Node{Kind: yaml.ScalarNode, Tag: "!!str", Value: v}, nil
	case json.Number:
		tag := "!!int"
		if strings.ContainsAny(v.String(), ".eE") {
			tag = "!!float"
		}
		return &yaml.Node{Kind: yaml.ScalarNode, Tag: tag, Value: v.String()}, nil
	case bool:
		return &yaml.Node{Kind: yaml.ScalarNode, Tag: "!!bool", Value: fmt.Sprint(v)}, nil
	default:
		return &yaml.Node{Kind: yaml.ScalarNode, Tag: "!!null", Value: "null"}, nil
	}
}

type found struct{ node *yaml.Node }

func (p *path) find(d *document) []found {
	var all []found
	for _, n := range p.query.Query(d.root) {
		all = append(all, found{n})
	}
	return all
}

// value is what stands there, as encoding/json would give it.
func (f found) value() any {
	n := f.node
	switch n.Kind {
	case yaml.MappingNode:
		m := make(map[string]any, len(n.Content)/2)
		for i := 0; i+1 < len(n.Content); i += 2 {
			m[n.Content[i].Value] = found{n.Content[i+1]}.value()
		}
		return m
	case yaml.SequenceNode:
		list := make([]any, len(n.Content))
		for i, c := range n.Content {
			list[i] = found{c}.value()
		}
		return list
	}
	switch n.Tag {
	case "!!str":
		return n.Value
	case "!!bool":
		return n.Value == "true"
	case "!!null":
		return nil
	default:
		return json.Number(bytes.TrimSpace([]byte(n.Value)))
	}
}
