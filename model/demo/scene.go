package demo

import (
	"bytes"
	"embed"
	"encoding/json"
	"errors"
	"fmt"
	"io/fs"
	"maps"
	"regexp"
	"slices"
	"strings"
	"sync"
	"text/template"

	"go.yaml.in/yaml/v3"
)

//go:embed scenes/*.yaml
var sceneFiles embed.FS

// book is the content of the files in scenes/; scenes/words.yaml documents their form.
type book struct {
	Words    map[string]string `yaml:"words"`
	Slots    map[string]string `yaml:"slots"`
	Names    []string          `yaml:"names"`
	Reserved string            `yaml:"reserved"`
	Openings map[string]string `yaml:"openings"`
	Purposes []string          `yaml:"purposes"`
	// Installed matches questions about the records of the installation, General those of them that are about the
	// product all the same.
	Installed string          `yaml:"installed"`
	General   string          `yaml:"general"`
	Kinds     map[string]kind `yaml:"kinds"`
	Scenes    []*scene        `yaml:"scenes"`

	before, after, reserved, installed, general *regexp.Regexp
}

// kind is a type of named things, and the tool that lists them.
type kind struct {
	Tool string `yaml:"tool"`
	// Search is the member of the tool's input that looks for a name in a long list.
	Search string `yaml:"search"`
	// None are the words for the absence of such a thing.
	None string `yaml:"none"`

	none pattern
}

// scene is one scenario of the model.
type scene struct {
	Name    string `yaml:"scene"`
	Example string `yaml:"example"`
	// Purpose is what a person wants who writes the example.
	Purpose string   `yaml:"purpose"`
	Prompts []string `yaml:"prompts"`
	Details []string `yaml:"details"`
	// Alone stands beside no other request: its text is free.
	Alone bool `yaml:"alone"`
	// Aside is dropped where it stands beside other requests; Dismissal leaves a question open.
	Aside     bool    `yaml:"aside"`
	Dismissal bool    `yaml:"dismissal"`
	Steps     []*step `yaml:"steps"`
	Answer    text    `yaml:"answer"`

	patterns []pattern
}

// step is one action of a scene: it finds, asks, calls, says or quotes. A step that finds can ask when nothing is
// found.
type step struct {
	Find  string `yaml:"find"`
	Named string `yaml:"named"`
	Else  string `yaml:"else"`

	Ask     text    `yaml:"ask"`
	For     string  `yaml:"for"`
	Options []value `yaml:"options"`

	Call     callee   `yaml:"call"`
	Input    value    `yaml:"input"`
	As       string   `yaml:"as"`
	Each     string   `yaml:"each"`
	Intent   text     `yaml:"intent"`
	Done     text     `yaml:"done"`
	Optional []string `yaml:"optional"`
	MayFail  bool     `yaml:"mayFail"`
	Holds    string   `yaml:"holds"`

	Say   text `yaml:"say"`
	Quote bool `yaml:"quote"`

	When condition `yaml:"when"`
}

// scenes returns the book of the embedded files, which a test keeps valid.
var scenes = sync.OnceValue(func() *book {
	b, err := readBook(sceneFiles)
	if err != nil {
		panic(err)
	}
	return b
})

func readBook(files fs.FS) (*book, error) {
	paths, err := fs.Glob(files, "scenes/*.yaml")
	if err != nil {
		return nil, fmt.Errorf("list the scenes: %w", err)
	}
	b := &book{Words: map[string]string{}, Slots: map[string]string{}, Openings: map[string]string{}, Kinds: map[string]kind{}}
	for _, path := range paths {
		raw, err := fs.ReadFile(files, path)
		if err != nil {
			return nil, fmt.Errorf("read scenes: %w", err)
		}
		var part book
		decoder := yaml.NewDecoder(bytes.NewReader(raw))
		decoder.KnownFields(true)
		if err := decoder.Decode(&part); err != nil {
			return nil, fmt.Errorf("%s: %w", path, err)
		}
		maps.Copy(b.Words, part.Words)
		maps.Copy(b.Slots, part.Slots)
		maps.Copy(b.Openings, part.Openings)
		maps.Copy(b.Kinds, part.Kinds)
		b.Scenes = append(b.Scenes, part.Scenes...)
		b.Names = append(b.Names, part.Names...)
		b.Reserved += part.Reserved
		b.Purposes = append(b.Purposes, part.Purposes...)
		b.Installed += part.Installed
		b.General += part.General
	}
	if b.before, err = b.around(`^(?:%s)+( .*)$`, b.Words["before"]); err != nil {
		return nil, err
	}
	if b.after, err = b.around(`(?:,?(?:%s))+$`, b.Words["after"]); err != nil {
		return nil, err
	}
	if b.reserved, err = b.around(`,|[.;:!?]\s|(?:%s)(?:\W|$)`, b.Reserved); err != nil {
		return nil, err
	}
	if b.installed, err = regexp.Compile("(?i)" + b.Installed); err != nil {
		return nil, err
	}
	if b.general, err = regexp.Compile("(?i)" + b.General); err != nil {
		return nil, err
	}
	for name, k := range b.Kinds {
		if k.none, err = b.compile(k.None, nil); err != nil {
			return nil, fmt.Errorf("kind %q: %w", name, err)
		}
		b.Kinds[name] = k
	}
	for _, s := range b.Scenes {
		if err := s.check(b); err != nil {
			return nil, fmt.Errorf("scene %q: %w", s.Name, err)
		}
	}
	return b, nil
}

func (s *scene) check(b *book) error {
	if s.Example != "" && !slices.Contains(b.Purposes, s.Purpose) {
		return fmt.Errorf("an example has a purpose, and %q is none", s.Purpose)
	}
	for _, prompt := range s.Prompts {
		pattern, err := b.compile(prompt, s.Details)
		if err != nil {
			return err
		}
		s.patterns = append(s.patterns, pattern)
	}
	for i, st := range s.Steps {
		does := 0
		for _, is := range []bool{st.Find != "" || st.Ask.is(), st.Call.is(), st.Say.is(), st.Quote} {
			if is {
				does++
			}
		}
		_, known := b.Kinds[st.Find]
		var err error
		switch {
		case does != 1:
			err = errors.New("has to do exactly one thing")
		case st.Find != "" && !known:
			err = fmt.Errorf("finds the unknown kind %q", st.Find)
		case st.Else != "" && b.scene(st.Else) == nil:
			err = fmt.Errorf("continues with the unknown scene %q", st.Else)
		case st.Ask.is() && st.answers() == "":
			err = errors.New("asks for no slot")
		}
		if err != nil {
			return fmt.Errorf("step %d: %w", i+1, err)
		}
	}
	return nil
}

func (b *book) scene(name string) *scene {
	at := slices.IndexFunc(b.Scenes, func(s *scene) bool { return s.Name == name })
	if at < 0 {
		return nil
	}
	return b.Scenes[at]
}

// slot names the slot of the scene that the step looks up.
func (s *step) slot() string {
	if s.Named != "" {
		return s.Named
	}
	return s.Find
}

// answers is the slot that the answer to the step's question fills.
func (s *step) answers() string {
	if s.For != "" {
		return s.For
	}
	return s.slot()
}

// text is a template of the model's text.
type text struct{ template *template.Template }

func (t *text) UnmarshalYAML(node *yaml.Node) (err error) {
	t.template, err = template.New("").Funcs(phrases).Parse(strings.TrimSpace(node.Value))
	return err
}

func (t text) is() bool { return t.template != nil }

func (t text) fill(with object) (string, error) {
	if t.template == nil {
		return "", nil
	}
	var b strings.Builder
	err := t.template.Execute(&b, with)
	return b.String(), err
}

// callee is the wire name of a tool, or a template for that of a custom tool.
type callee struct {
	name string
	made text
}

func (c *callee) UnmarshalYAML(node *yaml.Node) error {
	if strings.Contains(node.Value, "{{") {
		return c.made.UnmarshalYAML(node)
	}
	c.name = node.Value
	return nil
}

func (c callee) is() bool { return c.name != "" || c.made.is() }

// condition is an expression of templates.
type condition struct{ text }

func (c *condition) UnmarshalYAML(node *yaml.Node) (err error) {
	c.template, err = template.New("").Funcs(phrases).Parse("{{if " + node.Value + "}}yes{{end}}")
	return err
}

func (c condition) holds(in object) (bool, error) {
	said, err := c.fill(in)
	return c.template == nil || said != "", err
}

// value is part of a tool's input: a literal, a template, or, after "=", an expression whose result it is. A member whose
// result is empty is left out.
type value struct {
	literal any
	text    *template.Template
	isJSON  bool
	members []member
}

type member struct{ name, value value }

func (v *value) UnmarshalYAML(node *yaml.Node) (err error) {
	if node.Kind == yaml.AliasNode {
		node = node.Alias
	}
	expression, isExpression := strings.CutPrefix(node.Value, "=")
	switch {
	case node.Kind == yaml.MappingNode:
		v.members = make([]member, len(node.Content)/2)
		for i := range v.members {
			if err := v.members[i].name.UnmarshalYAML(node.Content[2*i]); err != nil {
				return err
			}
			if err := v.members[i].value.UnmarshalYAML(node.Content[2*i+1]); err != nil {
				return err
			}
		}
	case isExpression:
		v.isJSON = true
		v.text, err = template.New("").Funcs(phrases).Parse("{{json (" + expression + ")}}")
	case strings.Contains(node.Value, "{{"):
		v.text, err = template.New("").Funcs(phrases).Parse(node.Value)
	default:
		err = node.Decode(&v.literal)
	}
	return err
}

func (v value) of(with object) (result any, err error) {
	switch {
	case v.members != nil:
		all := object{}
		for _, m := range v.members {
			name, err := m.name.of(with)
			if err != nil {
				return nil, err
			}
			if result, err = m.value.of(with); err != nil {
				return nil, err
			}
			if key, ok := name.(string); ok && key != "" && !empty(result) {
				all[key] = result
			}
		}
		return all, nil
	case v.text == nil:
		return v.literal, nil
	}
	said, err := text{v.text}.fill(with)
	if err != nil || !v.isJSON {
		return said, err
	}
	err = json.Unmarshal([]byte(said), &result)
	return result, err
}

func empty(v any) bool {
	switch v := v.(type) {
	case nil:
		return true
	case string:
		return v == ""
	case []any:
		return len(v) == 0
	case object:
		return len(v) == 0
	}
	return false
}
