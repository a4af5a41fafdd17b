package check

import (
	"bytes"
	"encoding/json"
	"errors"
	"fmt"
	"math"
	"reflect"
	"strings"

	"countersign/check/template"
	"countersign/internal/json/schema"
	"countersign/internal/problem"
	"countersign/internal/text/strictjson"
)

// MaxConfigBytes bounds one config; the largest legitimate ones are script sources.
const MaxConfigBytes = 256 << 10

// Checker is a config with rules beyond its schema. Check runs when a configuration is saved, with unfilled templates and
// references to secrets, and again when these are filled. Paths are those of the config, such as headers[0].name. Issues at the
// path of an unfilled template are ignored, so an error in a text must be reported at its path. An unfilled secret must pass.
type Checker interface{ Check() []problem.Issue }

// parse decodes a config with its defaults, and lists its errors.
func (s *Schema) parse(config json.RawMessage) (any, []problem.Issue) {
	if len(bytes.TrimSpace(config)) == 0 || string(config) == "null" {
		config = json.RawMessage("{}")
	}
	if len(config) > MaxConfigBytes {
		return nil, []problem.Issue{{Message: fmt.Sprintf("has %d bytes; the limit is %d", len(config), MaxConfigBytes)}}
	}
	if err := strictjson.CheckFolded(config); err != nil {
		return nil, []problem.Issue{{Message: "is not valid JSON: " + err.Error()}}
	}
	tree, err := decodeTree(config)
	if err != nil {
		return nil, []problem.Issue{{Message: "is not valid JSON"}}
	}
	if issues := s.issues(tree, unfilled); len(issues) > 0 {
		return nil, issues
	}
	s.document.SetDefaults(tree)
	return tree, nil
}

// decodeTree decodes JSON and keeps every digit of numbers.
func decodeTree(raw json.RawMessage) (tree any, err error) {
	decoder := json.NewDecoder(bytes.NewReader(raw))
	decoder.UseNumber()
	err = decoder.Decode(&tree)
	return tree, err
}

// unfilled reports whether a text has a template or secret to fill, so that limits on its value are checked later.
func unfilled(n *schema.Node, text string) bool {
	return n.Has(xTemplate) && template.Braces(text) || unfilledSecret(n, text)
}

func unfilledSecret(n *schema.Node, text string) bool {
	return n.Has(xSecret) && strings.Contains(text, secretMark)
}

// issues lists the schema errors of a tree. Limits on texts for which exempt holds are skipped.
func (s *Schema) issues(tree any, exempt func(*schema.Node, string) bool) []problem.Issue {
	var found []problem.Issue
	for _, i := range s.document.CheckExcept(tree, exempt) {
		found = append(found, problem.Issue{Path: i.Path, Message: i.Message})
	}
	return found
}

// decode decodes a valid tree to its struct.
func (s *Schema) decode(tree any) (any, []problem.Issue) {
	raw, err := json.Marshal(schema.Numbers(tree, func(n json.Number) any {
		// 1e2 is an integer by the schema, but not for encoding/json.
		if f, err := n.Float64(); err == nil && f == math.Trunc(f) && math.Abs(f) <= schema.MaxWhole {
			return int64(f)
		}
		return n
	}))
	if err != nil {
		return nil, []problem.Issue{{Message: "cannot be read"}}
	}
	into := reflect.New(s.of)
	decoder := json.NewDecoder(bytes.NewReader(raw))
	decoder.DisallowUnknownFields()
	if err := decoder.Decode(into.Interface()); err != nil {
		if wrong, ok := errors.AsType[*json.UnmarshalTypeError](err); ok {
			return nil, []problem.Issue{{Path: wrong.Field, Message: "cannot be " + wrong.Value}}
		}
		return nil, []problem.Issue{{Message: "cannot be read: " + strings.TrimPrefix(err.Error(), "json: ")}}
	}
	return into.Interface(), nil
}

func join(path, name string) string {
	if path == "" || strings.HasPrefix(name, "[") {
		return path + name
	}
	return path + "." + name
}

// copied returns a deep copy of a tree.
func copied(tree any) any {
	return schema.Numbers(tree, func(n json.Number) any { return n })
}

// under prefixes issues with a path.
func under(path string, issues []problem.Issue) []problem.Issue {
	for i := range issues {
		if inner := issues[i].Path; inner == "" {
			issues[i].Path = path
		} else {
			issues[i].Path = join(path, inner)
		}
	}
	return issues
}
