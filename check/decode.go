package check

import (
	"bytes"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"math"
	"reflect"
	"slices"
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
	s.shape.withDefaults(tree)
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
func unfilled(s *shape, text string) bool {
	return s.Template && template.Braces(text) || s.Secret && strings.Contains(text, secretMark)
}

// issues lists the schema errors of a tree. Limits on texts for which exempt holds are skipped. Errors that only the
// validator finds get a generic message that quotes nothing.
func (s *Schema) issues(tree any, exempt func(*shape, string) bool) []problem.Issue {
	found := s.shape.issues("", tree, exempt)
	if len(found) > 0 {
		return found
	}
	exempted := map[string]bool{}
	s.shape.texts("", tree, func(path string, at *shape, text string) string {
		exempted[path] = exempt(at, text)
		return text
	})
	for _, e := range *s.compiled.Validate(context.Background(), schema.Numbers(tree, schema.Float)).Errs {
		if path := schema.Dotted(e.PropertyPath); !exempted[path] {
			rule, _, _ := strings.Cut(e.Message, ":")
			found = append(found, problem.Issue{Path: path, Message: "does not fit the schema: " + clip(rule, 200)})
		}
	}
	slices.SortFunc(found, func(a, b problem.Issue) int { return strings.Compare(a.Path+"\x00"+a.Message, b.Path+"\x00"+b.Message) })
	return slices.Compact(found)
}

// decode decodes a valid tree to its struct.
func (s *Schema) decode(tree any) (any, []problem.Issue) {
	raw, err := json.Marshal(schema.Numbers(tree, func(n json.Number) any {
		// 1e2 is an integer by the schema, but not for encoding/json.
		if f, err := n.Float64(); err == nil && f == math.Trunc(f) && math.Abs(f) <= maxWhole {
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

// rules runs the Check method of a config.
func rules(config any) []problem.Issue {
	if c, ok := config.(Checker); ok {
		return c.Check()
	}
	return nil
}

// copied returns a deep copy of a tree.
func copied(tree any) any {
	return schema.Numbers(tree, func(n json.Number) any { return n })
}

// under prefixes issues with a path.
func under(path string, issues []problem.Issue) []problem.Issue {
	for i := range issues {
		if inner := issues[i].Path; inner == "" || strings.HasPrefix(inner, "[") {
			issues[i].Path = path + inner
		} else {
			issues[i].Path = join(path, inner)
		}
	}
	return issues
}
