package assertion

import (
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"strings"

	"countersign/internal/json/jsonpath"
	"countersign/internal/text/strictjson"
)

// Limits of documents and queries. A document beyond them has no values.
const (
	maxDocument = 1 << 20
	maxDepth    = 100
	// maxWork bounds the nodes that one query may visit, approximately.
	maxWork = 1_000_000
)

func parsePath(text string) (*jsonpath.Path, error) {
	if len(text) > MaxPath {
		return nil, fmt.Errorf("has more than %d characters", MaxPath)
	}
	p, err := jsonpath.Parse(text)
	if err != nil {
		return nil, fmt.Errorf("is no JSONPath such as $.items[0].status: %w", err)
	}
	return p, nil
}

// document is a text that is parsed once for all paths of a run.
type document struct {
	root    any
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
	text = strings.TrimPrefix(text, "\ufeff") // a byte order mark, which RFC 8259, section 8.1, lets parsers ignore
	switch {
	case len(text) > maxDocument:
		return &document{problem: "is too large for a path"}
	case strings.TrimSpace(text) == "":
		return &document{problem: "is empty"}
	case strictjson.Depth(text) > maxDepth:
		return &document{problem: "is nested too deep for a path"}
	}
	d := &document{}
	decoder := json.NewDecoder(strings.NewReader(text))
	decoder.UseNumber()
	if err := decoder.Decode(&d.root); err != nil {
		return &document{problem: "is not JSON"}
	}
	if _, err := decoder.Token(); !errors.Is(err, io.EOF) {
		return &document{problem: "is not one JSON value"}
	}
	return d
}
