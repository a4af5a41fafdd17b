package definition

import (
	"encoding/json"
	"fmt"
	"maps"
	"reflect"
	"regexp"
	"slices"
	"strconv"
	"strings"

	"go.yaml.in/yaml/v3"

	"countersign/internal/problem"
	"countersign/internal/text/strictjson"
)

// Edit changes the value at a path of a text.
type Edit struct {
	// Path is such as actions[2].config.title. "" is the whole. An index one behind the last appends.
	Path string `json:"path"`
	// Value is set there; nil removes the value. An object or a list that is there already is changed member by member.
	Value json.RawMessage `json:"value,omitempty"`
	// Insert puts the value before the element of a list at Path.
	Insert bool `json:"insert,omitempty"`
}

// maxRead bounds the bytes that are parsed again for the single changes that an edit amounts to.
const maxRead = 20 << 20

// Patch changes a text at the paths of the edits and leaves every other byte, such as comments and blank lines, as it is. The error is a
// *problem.Error, for a text that cannot be read and for a path that does not exist.
func Patch(text []byte, edits []Edit) ([]byte, error) {
	for _, e := range edits {
		var err error
		if text, err = patchOne(text, e); err != nil {
			return nil, err
		}
	}
	return text, nil
}

func patchOne(text []byte, e Edit) ([]byte, error) {
	p, err := newPatcher(text)
	if err != nil {
		return nil, err
	}
	want, err := changed(p.value(), e)
	if err != nil {
		return nil, err
	}
	for read := 0; read < maxRead; read += len(p.text) + 1000 {
		done, err := p.step(want)
		if err != nil {
			return nil, err
		}
		if done {
			return p.original(), nil
		}
	}
	return nil, problem.InvalidInput("The change is too large to be made in the text: replace the text.")
}

// changed is the value of the whole text with an edit.
func changed(tree any, e Edit) (any, error) {
	var value any
	if e.Value != nil {
		if err := strictjson.DecodeNumbers(e.Value, &value); err != nil {
			return nil, problem.InvalidInput("The value is no JSON.", problem.Issue{Path: e.Path, Message: "is no JSON"})
		}
	}
	keys, err := pathKeys(e.Path)
	if err != nil {
		return nil, err
	}
	if len(keys) == 0 {
		return value, nil
	}
	return changeAt(tree, keys, value, e)
}

var pathPart = regexp.MustCompile(`^(?:\.?([^.\[\]]+)|\[(\d{1,6})\])`)

// pathKeys are the names and indexes of a path.
func pathKeys(path string) ([]any, error) {
	var keys []any
	for rest := path; rest != ""; {
		m := pathPart.FindStringSubmatch(rest)
		if m == nil {
			return nil, problem.InvalidInput(fmt.Sprintf("The path %q is none such as actions[0].config.title.", clip(path)))
		}
		if m[2] != "" {
			i, _ := strconv.Atoi(m[2])
			keys = append(keys, i)
		} else {
			keys = append(keys, m[1])
		}
		rest = rest[len(m[0]):]
	}
	return keys, nil
}

func missing(e Edit) error {
	return problem.InvalidInput(fmt.Sprintf("The text has nothing at the path %q.", clip(e.Path)))
}

func changeAt(tree any, keys []any, value any, e Edit) (any, error) {
	switch key := keys[0].(type) {
	case string:
		list, isList := tree.([]any)
		if isList && key == "branches" && len(keys) > 1 {
			return changeAt(list, keys[1:], value, e) // parallel without its longer form
		}
		object, ok := tree.(map[string]any)
		if !ok && (tree != nil || e.Value == nil) {
			return nil, missing(e)
		}
		if object = maps.Clone(object); object == nil {
			object = map[string]any{}
		}
		return changeMember(object, key, keys, value, e)
	default:
		i, _ := key.(int)
		list, ok := tree.([]any)
		if !ok && (tree != nil || e.Value == nil) || i > len(list) || i == len(list) && e.Value == nil {
			return nil, missing(e)
		}
		return changeElement(slices.Clone(list), i, keys, value, e)
	}
}

func changeMember(object map[string]any, name string, keys []any, value any, e Edit) (any, error) {
	if len(keys) > 1 {
		inner, err := changeAt(object[name], keys[1:], value, e)
		object[name] = inner
		return object, err
	}
	if e.Value != nil {
		object[name] = value
		return object, nil
	}
	if _, ok := object[name]; !ok {
		return nil, missing(e)
	}
	delete(object, name)
	return object, nil
}

func changeElement(list []any, i int, keys []any, value any, e Edit) (any, error) {
	if len(keys) > 1 {
		if i == len(list) {
			list = append(list, nil)
		}
		inner, err := changeAt(list[i], keys[1:], value, e)
		list[i] = inner
		return list, err
	}
	switch {
	case e.Value == nil:
		return slices.Delete(list, i, i+1), nil
	case e.Insert || i == len(list):
		return slices.Insert(list, i, value), nil
	default:
		list[i] = value
		return list, nil
	}
}

// patcher changes a text with LF line ends piece by piece.
type patcher struct {
	text   string
	root   *yaml.Node
	starts []int
	// mark and newline restore the byte order mark and the line ends of the author.
	mark    bool
	newline string
}

func newPatcher(text []byte) (*patcher, error) {
	if len(text) > MaxBytes {
		return nil, problem.InvalidInput(fmt.Sprintf("A definition has at most %d bytes.", MaxBytes))
	}
	plain, wrong := normalize(text)
	if wrong == nil {
		wrong = nesting(plain)
	}
	if wrong != nil {
		return nil, problem.InvalidInput(wrong.Message)
	}
	p := &patcher{mark: strings.HasPrefix(string(text), byteOrderMark), newline: "\n"}
	returns, feeds := strings.Count(string(text), "\r\n"), strings.Count(plain, "\n")
	switch {
	case returns > 0 && returns == feeds:
		p.newline = "\r\n"
	case returns > 0:
		return nil, problem.InvalidInput("Some lines of the text end with CRLF and some with LF: save it with one of them.")
	}
	return p, p.read(plain)
}

// read parses the text again.
func (p *patcher) read(text string) error {
	root, wrong := tree(text)
	if wrong == nil {
		r := &reader{places: map[string]*yaml.Node{}}
		if r.refuse(root, 0); len(r.issues) > 0 {
			wrong = &r.issues[0]
		}
	}
	if wrong != nil {
		return problem.InvalidInput(wrong.Message)
	}
	p.text, p.root, p.starts = text, root, []int{0}
	for i := range len(text) {
		if text[i] == '\n' {
			p.starts = append(p.starts, i+1)
		}
	}
	return nil
}

func (p *patcher) original() []byte {
	text := strings.ReplaceAll(p.text, "\n", p.newline)
	if p.mark {
		text = byteOrderMark + text
	}
	return []byte(text)
}

func (p *patcher) value() any {
	r := &reader{places: map[string]*yaml.Node{}}
	return r.json(p.root, "")
}

// step makes the first change that brings the text nearer to a value; done says that there is none left to make.
func (p *patcher) step(want any) (done bool, err error) {
	c := p.difference(p.root, want, frame{keyEnd: -1})
	if c == nil {
		return true, nil
	}
	next := p.text[:c.from] + c.text + p.text[c.to:]
	if next == p.text {
		return false, problem.InvalidInput(unpatchable)
	}
	if err := p.read(next); err != nil {
		return false, problem.InvalidInput(unpatchable).WithCause(err)
	}
	return false, nil
}

const unpatchable = "The change cannot be made in the text: change the text itself."

// same compares values of a text and of JSON.
func same(a, b any) bool {
	if x, ok := a.(json.Number); ok {
		if y, ok := b.(json.Number); ok {
			f, err1 := x.Float64()
			g, err2 := y.Float64()
			return x == y || err1 == nil && err2 == nil && f == g
		}
	}
	switch x := a.(type) {
	case map[string]any:
		y, ok := b.(map[string]any)
		if !ok || len(x) != len(y) {
			return false
		}
		for name, v := range x {
			w, ok := y[name]
			if !ok || !same(v, w) {
				return false
			}
		}
		return true
	case []any:
		y, ok := b.([]any)
		return ok && slices.EqualFunc(x, y, same)
	default:
		return reflect.DeepEqual(a, b)
	}
}
