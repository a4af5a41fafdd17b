package definition

import (
	"encoding/json"
	"fmt"
	"regexp"
	"slices"
	"strconv"
	"strings"
	"unicode/utf8"

	"go.yaml.in/yaml/v3"

	"countersign/internal/text/search"
)

// Limits of reading.
const (
	// maxIssues bounds the issues of an answer.
	maxIssues = 200
	// maxNesting bounds the nesting of the YAML.
	maxNesting = 100
)

// reader turns the tree of a YAML text into values and notes the place of each.
type reader struct {
	places map[string]*yaml.Node
	lines  []string
	issues []Issue
}

// add notes an issue at a path, at the place of the value there or of the nearest one around it.
func (r *reader) add(path, format string, args ...any) *Issue {
	return r.addAt(r.place(path), path, format, args...)
}

func (r *reader) addAt(n *yaml.Node, path, format string, args ...any) *Issue {
	i := Issue{Path: path, Message: fmt.Sprintf(format, args...)}
	if n != nil {
		i.Line, i.Column = n.Line, n.Column
	}
	if len(r.issues) < maxIssues {
		r.issues = append(r.issues, i)
		return &r.issues[len(r.issues)-1]
	}
	return &i
}

func (r *reader) place(path string) *yaml.Node {
	for {
		if n := r.places[path]; n != nil || path == "" {
			return n
		}
		path = path[:max(0, strings.LastIndexAny(path, ".["))]
	}
}

func join(path, name string) string {
	if path == "" {
		return name
	}
	return path + "." + name
}

func element(path string, i int) string { return path + "[" + strconv.Itoa(i) + "]" }

// object is a mapping whose members are read one after another.
type object struct {
	*reader
	path    string
	node    *yaml.Node
	keys    map[string]*yaml.Node
	members map[string]*yaml.Node
	names   []string
}

// object reads a mapping with the known members. It answers nil for another value.
func (r *reader) object(n *yaml.Node, path string, known ...string) *object {
	r.places[path] = n
	if n.Kind != yaml.MappingNode {
		r.wrongKind(n, path, "an object")
		return nil
	}
	o := &object{reader: r, path: path, node: n, keys: map[string]*yaml.Node{}, members: map[string]*yaml.Node{}}
	for i := 0; i+1 < len(n.Content); i += 2 {
		key, value := n.Content[i], n.Content[i+1]
		name, ok := r.key(key, path)
		if !ok {
			continue
		}
		if first := o.keys[name]; first != nil {
			r.addAt(key, join(path, name), "%s stands twice: the first is in line %d.", name, first.Line)
			continue
		}
		o.keys[name], o.members[name], o.names = key, value, append(o.names, name)
		if len(known) > 0 && !slices.Contains(known, name) {
			r.unknown(key, path, name, known)
		}
	}
	return o
}

// key reads the name of a member.
func (r *reader) key(key *yaml.Node, path string) (string, bool) {
	switch {
	case key.Kind == yaml.MappingNode:
		r.addAt(key, path, "A text that begins with {{ needs quotes: write \"{{ … }}\".")
	case key.Kind != yaml.ScalarNode:
		r.addAt(key, path, "The name of a member has to be a text.")
	case key.Tag == "!!merge" || key.Value == "<<" && key.Style == 0:
		r.addAt(key, path, "Merge keys (<<) are not supported: repeat the members.")
	default:
		return key.Value, true
	}
	return "", false
}

func (r *reader) unknown(key *yaml.Node, path, name string, known []string) {
	i := r.addAt(key, join(path, name), "%s is not known here.", name)
	if why := elsewhere[name]; why != "" && path == "" {
		i.Message = why
		return
	}
	if i.Nearest = search.Nearest(name, known); i.Nearest != "" {
		i.Message += " Did you mean " + i.Nearest + "?"
		return
	}
	i.Message += " Known are " + strings.Join(known, ", ") + "."
}

// elsewhere are members that people expect in a definition.
var elsewhere = map[string]string{
	"runAs":     "runAs belongs to the automation and not to its definition: give it beside the definition.",
	"managedBy": "managedBy belongs to the automation and not to its definition.",
	"status":    "Whether the automation is enabled belongs to the automation and not to its definition.",
	"enabled":   "Whether the automation is enabled belongs to the automation and not to its definition.",
}

func (r *reader) wrongKind(n *yaml.Node, path, want string) {
	r.addAt(n, path, "This has to be %s, and is %s.", want, nodeWords(n))
}

func nodeWords(n *yaml.Node) string {
	switch n.Kind {
	case yaml.MappingNode:
		return "an object"
	case yaml.SequenceNode:
		return "a list"
	default:
		switch v, _ := scalar(n); v.(type) {
		case nil:
			return "empty"
		case bool:
			return "true or false"
		case json.Number:
			return "a number"
		default:
			return "a text"
		}
	}
}

var (
	jsonNumber = regexp.MustCompile(`^-?(?:0|[1-9][0-9]*)(?:\.[0-9]+)?(?:[eE][-+]?[0-9]+)?$`)
	oldNumber  = regexp.MustCompile(`^[-+]?(?:0[0-9]+|0[xo][0-9a-fA-F]+|[0-9][0-9_]*_[0-9_]*|\.(?i:inf)|\.(?i:nan)|[0-9]+\.|\.[0-9]+)$`)
	oldBool    = regexp.MustCompile(`^(?i:y|n|yes|no|on|off)$`)
)

// scalar is the value of a scalar; the text is a warning about one that YAML versions read differently.
func scalar(n *yaml.Node) (any, string) {
	text := n.Value
	if n.Style&(yaml.DoubleQuotedStyle|yaml.SingleQuotedStyle|yaml.LiteralStyle|yaml.FoldedStyle) != 0 {
		return text, ""
	}
	switch text {
	case "", "~", "null", "Null", "NULL":
		return nil, ""
	case "true", "True", "TRUE":
		return true, ""
	case "false", "False", "FALSE":
		return false, ""
	}
	switch {
	case jsonNumber.MatchString(text):
		return json.Number(text), ""
	case oldBool.MatchString(text):
		return text, fmt.Sprintf("Older YAML reads %s as true or false: write true or false, or quotes around a text.", text)
	case oldNumber.MatchString(text):
		return text, fmt.Sprintf("YAML versions read %s as different numbers: write a plain decimal number, or quotes around a text.", text)
	}
	return text, ""
}

// scalar reads a scalar and reports what versions of YAML read differently.
func (r *reader) scalar(n *yaml.Node, path, want string) (any, bool) {
	r.places[path] = n
	if n.Kind != yaml.ScalarNode {
		r.wrongKind(n, path, want)
		return nil, false
	}
	v, trap := scalar(n)
	if trap != "" {
		r.addAt(n, path, "%s", trap)
		return nil, false
	}
	return v, true
}

// text reads a text of at most limit characters; 0 is no limit.
func (r *reader) text(n *yaml.Node, path string, limit int) string {
	v, ok := r.scalar(n, path, "a text")
	if !ok {
		return ""
	}
	s, ok := v.(string)
	if !ok {
		if v == nil {
			r.addAt(n, path, "This has to be a text, and is empty.")
			return ""
		}
		r.addAt(n, path, "This has to be a text, and is %s: write quotes around it.", nodeWords(n))
		return ""
	}
	if count := utf8.RuneCountInString(s); limit > 0 && count > limit {
		r.addAt(n, path, "This text has at most %d characters, and has %d.", limit, count)
	}
	if strings.ContainsRune(s, 0) {
		r.addAt(n, path, "A text cannot hold the character U+0000.")
		return ""
	}
	return s
}

func (o *object) text(name string, limit int) string {
	if n := o.members[name]; n != nil {
		return o.reader.text(n, join(o.path, name), limit)
	}
	return ""
}

func (o *object) bool(name string, fallback bool) bool {
	n := o.members[name]
	if n == nil {
		return fallback
	}
	path := join(o.path, name)
	v, ok := o.scalar(n, path, "true or false")
	if !ok {
		return fallback
	}
	b, ok := v.(bool)
	if !ok {
		o.wrongKind(n, path, "true or false")
		return fallback
	}
	return b
}

func (o *object) number(name string) *float64 {
	n := o.members[name]
	if n == nil {
		return nil
	}
	path := join(o.path, name)
	v, ok := o.scalar(n, path, "a number")
	if !ok {
		return nil
	}
	number, ok := v.(json.Number)
	f, err := number.Float64()
	if !ok || err != nil {
		o.wrongKind(n, path, "a number")
		return nil
	}
	return &f
}

func (o *object) int(name string, low, high, fallback int) int {
	f := o.number(name)
	if f == nil {
		return fallback
	}
	if *f != float64(int(*f)) || int(*f) < low || int(*f) > high {
		o.add(join(o.path, name), "This has to be a whole number from %d to %d.", low, high)
		return fallback
	}
	return int(*f)
}

func oneOf[T ~string](o *object, name string, fallback T, values ...T) T {
	if o.members[name] == nil {
		return fallback
	}
	path := join(o.path, name)
	text := T(o.text(name, 0))
	if text == "" || slices.Contains(values, text) {
		return text
	}
	var names []string
	for _, v := range values {
		names = append(names, string(v))
	}
	i := o.add(path, "%s is none of %s.", strconv.Quote(string(text)), strings.Join(names, ", "))
	if i.Nearest = search.Nearest(string(text), names); i.Nearest != "" {
		i.Message += " Did you mean " + i.Nearest + "?"
	}
	return fallback
}

// list reads the elements of a list. Each is read at its path.
func (r *reader) list(n *yaml.Node, path string, read func(n *yaml.Node, path string)) {
	r.places[path] = n
	if n.Kind != yaml.SequenceNode {
		r.wrongKind(n, path, "a list")
		return
	}
	for i, e := range n.Content {
		at := element(path, i)
		r.places[at] = e
		read(e, at)
	}
}

// duration reads a duration of at most the given length.
func (o *object) duration(name string, low, high, fallback Duration) Duration {
	n := o.members[name]
	if n == nil {
		return fallback
	}
	return o.reader.duration(n, join(o.path, name), low, high, fallback)
}

func (r *reader) duration(n *yaml.Node, path string, low, high, fallback Duration) Duration {
	r.places[path] = n
	var ok bool
	d := fallback
	if n.Kind == yaml.MappingNode {
		units := []string{"seconds", "minutes", "hours", "days"}
		o := r.object(n, path, units...)
		total := 0.0
		for i, unit := range units {
			if f := o.number(unit); f != nil {
				total += *f * []float64{1, 60, 3600, 86400}[i]
			}
		}
		if len(o.names) == 0 {
			r.addAt(n, path, "The duration is empty: write one such as 5m.")
			return fallback
		}
		d, ok = r.parsed(n, path, strconv.FormatFloat(total, 'f', -1, 64))
	} else {
		var v any
		if v, ok = r.scalar(n, path, "a duration"); ok {
			d, ok = r.parsed(n, path, fmt.Sprint(v))
		}
	}
	if ok && (d < low || d > high) {
		r.addAt(n, path, "This duration has to be from %s to %s.", low, high)
	}
	return d
}

func (r *reader) parsed(n *yaml.Node, path, text string) (Duration, bool) {
	d, err := ParseDuration(text)
	if err != nil {
		r.addAt(n, path, "%q %s.", text, err)
		return 0, false
	}
	return d, true
}

// json reads any value as JSON.
func (r *reader) json(n *yaml.Node, path string) any {
	r.places[path] = n
	switch n.Kind {
	case yaml.MappingNode:
		o := r.object(n, path)
		m := map[string]any{}
		for _, name := range o.names {
			m[name] = r.json(o.members[name], join(path, name))
		}
		return m
	case yaml.SequenceNode:
		l := make([]any, 0, len(n.Content))
		r.list(n, path, func(e *yaml.Node, at string) { l = append(l, r.json(e, at)) })
		return l
	default:
		v, _ := r.scalar(n, path, "a value")
		return v
	}
}
