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

	validate "github.com/qri-io/jsonschema"

	"countersign/internal/text/strictjson"
)

// Limits of a schema document.
const (
	MaxDocument = 64 << 10
	maxSchemas  = 5_000
	maxNested   = 64
	maxPattern  = 1_000
)

// Document is a compiled JSON schema, of a struct (Of) or from a user or a server (Parse): the keywords of draft 2020-12 with the older
// spellings of their kind, and references within the document. It is safe for concurrent use.
//
// Not supported: references to other documents, unevaluatedProperties and unevaluatedItems, dynamic references, and
// keywords that no draft knows, which are slips more often than notes (those that begin with "x-" are notes).
type Document struct {
	raw  json.RawMessage
	root *Node
	// library validates as well, nil for a document from a user or a server (docs/decisions/079-one-schema-checker.md).
	library *validate.Schema
	// moments reports whether a text of a struct may have to be a date-time.
	moments bool
}

// JSON is the original document.
func (d *Document) JSON() json.RawMessage { return d.raw }

// DocumentError is an error in a schema. Path is a JSON pointer into it.
type DocumentError struct{ Path, Message string }

func (f *DocumentError) Error() string {
	if f.Path == "" {
		return "the schema " + f.Message
	}
	return "the schema at " + f.Path + " " + f.Message
}

// Node is one schema in a document. A nil one accepts anything.
type Node struct {
	// never fits nothing.
	never    bool
	types    []string
	enum     []string
	shown    []string
	constant bool

	properties        map[string]*Node
	patterns          []patterned
	additional, names *Node
	required          []string
	minMembers        *int
	maxMembers        *int
	needs             map[string][]string
	dependent         map[string]*Node

	prefix                   []*Node
	items, contains          *Node
	minContains, maxContains *int
	minItems, maxItems       *int
	unique                   bool

	minLength, maxLength *int
	pattern              *regexp.Regexp
	format               string

	minimum, maximum, above, below, multiple *big.Rat

	allOf, anyOf, oneOf       []*Node
	not, when, then, elsewise *Node
	ref                       *Node
	reference                 string

	// fallback is the default of a member that is left out, nil without one; notes are the keywords that begin with "x-".
	fallback any
	notes    map[string]any
}

type patterned struct {
	name *regexp.Regexp
	node *Node
}

// Parse compiles a schema. The error is a *DocumentError.
func Parse(raw json.RawMessage) (*Document, error) {
	if len(raw) > MaxDocument {
		return nil, &DocumentError{Message: fmt.Sprintf("has %d bytes; at most %d are allowed", len(raw), MaxDocument)}
	}
	d, _, err := parse(raw)
	return d, err
}

// parse returns the document and the formats in it.
func parse(raw json.RawMessage) (*Document, []string, error) {
	if err := strictjson.Check(raw); err != nil {
		return nil, nil, &DocumentError{Message: "is not valid JSON: " + err.Error()}
	}
	var tree any
	if err := strictjson.DecodeNumbers(raw, &tree); err != nil {
		return nil, nil, &DocumentError{Message: "is not valid JSON"}
	}
	if _, ok := tree.(map[string]any); !ok {
		return nil, nil, &DocumentError{Message: "must be a JSON object"}
	}
	p := parser{tree: tree, keywords: keywords(), made: map[string]*Node{}, anchors: map[string]string{}}
	root, err := p.schema(tree, "", 0)
	if err != nil {
		return nil, nil, err
	}
	if err := p.resolve(); err != nil {
		return nil, nil, err
	}
	if err := p.acyclic(); err != nil {
		return nil, nil, err
	}
	var used []string
	for _, n := range p.made {
		used = append(used, n.format)
	}
	return &Document{raw: raw, root: root}, used, nil
}

type parser struct {
	tree     any
	keywords map[string]func(*member) error
	// made are the schemas by their pointers, anchors the pointers by names.
	made    map[string]*Node
	anchors map[string]string
	pending []pendingRef
}

type pendingRef struct {
	node *Node
	path string
}

func (p *parser) schema(value any, path string, depth int) (*Node, error) {
	if known, ok := p.made[path]; ok {
		return known, nil
	}
	if depth > maxNested {
		return nil, &DocumentError{path, fmt.Sprintf("is nested more than %d levels deep", maxNested)}
	}
	if len(p.made) == maxSchemas {
		return nil, &DocumentError{path, fmt.Sprintf("is one of more than %d", maxSchemas)}
	}
	n := &Node{}
	p.made[path] = n
	if fits, ok := value.(bool); ok {
		n.never = !fits
		return n, nil
	}
	object, ok := value.(map[string]any)
	if !ok {
		return nil, &DocumentError{path, "must be an object, true or false"}
	}
	m := member{parser: p, node: n, object: object, path: path, depth: depth}
	for _, name := range slices.Sorted(maps.Keys(object)) {
		read, known := p.keywords[name]
		switch {
		case known:
			if read == nil {
				continue
			}
			m.name, m.value = name, object[name]
			if err := read(&m); err != nil {
				return nil, err
			}
		case strings.HasPrefix(name, "x-"):
			if n.notes == nil {
				n.notes = map[string]any{}
			}
			n.notes[name] = object[name]
		default:
			return nil, &DocumentError{path, "has a keyword that is not known: " + strconv.Quote(clipped(name))}
		}
	}
	return n, nil
}

func clipped(text string) string {
	const most = 60
	if len(text) <= most {
		return text
	}
	if runes := []rune(text); len(runes) > most {
		return string(runes[:most]) + "…"
	}
	return text
}

// resolve finds what references lead to. A schema that only a reference leads to is compiled then.
func (p *parser) resolve() error {
	for len(p.pending) > 0 {
		next := p.pending[0]
		p.pending = p.pending[1:]
		pointer, ok := strings.CutPrefix(next.node.reference, "#")
		if !ok {
			return &DocumentError{next.path, "refers to another document; only references that begin with # are followed"}
		}
		if pointer != "" && !strings.HasPrefix(pointer, "/") {
			at, known := p.anchors[pointer]
			if !known {
				return &DocumentError{next.path, "refers to " + strconv.Quote(clipped(pointer)) + ", which is no $anchor of the document"}
			}
			pointer = at
		}
		target, found := at(p.tree, pointer)
		if !found {
			return &DocumentError{next.path, "refers to " + strconv.Quote(clipped("#"+pointer)) + ", where nothing is"}
		}
		made, err := p.schema(target, pointer, strings.Count(pointer, "/"))
		if err != nil {
			return err
		}
		next.node.ref = made
	}
	return nil
}

// acyclic refuses schemas that have to fit themselves before it is known whether they fit.
func (p *parser) acyclic() error {
	const open, closed = 1, 2
	state := map[*Node]int{}
	var visit func(n *Node) bool
	visit = func(n *Node) bool {
		switch state[n] {
		case open:
			return false
		case closed:
			return true
		}
		state[n] = open
		for _, inner := range n.inPlace() {
			if inner != nil && !visit(inner) {
				return false
			}
		}
		state[n] = closed
		return true
	}
	for _, path := range slices.Sorted(maps.Keys(p.made)) {
		if !visit(p.made[path]) {
			return &DocumentError{path, "refers to itself without a member or an item between, so nothing could be checked against it"}
		}
	}
	return nil
}

// inPlace are the schemas that the same value has to do with.
func (n *Node) inPlace() []*Node {
	all := slices.Concat(n.allOf, n.anyOf, n.oneOf, []*Node{n.ref, n.not, n.when, n.then, n.elsewise})
	for _, d := range n.dependent {
		all = append(all, d)
	}
	return all
}
