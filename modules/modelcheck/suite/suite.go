// Package suite holds the situations of a model check, plays them to a model and judges what it did.
//
// A situation is data: what is said, what the tools answer, and what a good model does. Played, it is the real system
// prompt, the real definitions of tools and a real model call; but what tools answer is written down beforehand. A Tool of
// this package has no way to run, so that nothing is executed and nothing is proposed, whatever the model wants.
package suite

import (
	"embed"
	"encoding/json"
	"fmt"
	"io/fs"
	"regexp"
	"slices"
	"strings"
	"sync"

	"go.yaml.in/yaml/v3"
)

//go:embed situations/*.yaml
var files embed.FS

// Situation is one thing that happens to a model.
type Situation struct {
	Name string `yaml:"name"`
	// About describes in a sentence what a good model does.
	About string `yaml:"about"`
	// Kind is the kind of the situation's file.
	Kind string `yaml:"-"`

	// Small is the small call that is made instead of a turn: "topic" or "title".
	Small    string   `yaml:"small"`
	Message  string   `yaml:"message"`
	History  []Entry  `yaml:"history"`
	Memories []string `yaml:"memories"`
	// Also are tools that only situations have, Without those of the product that are left out.
	Also    []string `yaml:"also"`
	Without []string `yaml:"without"`
	Results []Result `yaml:"results"`
	// Fill puts a long history before everything else.
	Fill   *Fill  `yaml:"fill"`
	Expect Expect `yaml:"expect"`

	// Example is a good model's behaviour, Lure the behaviour that the situation tempts to. They prove that the
	// situation can be passed, and failed.
	Example []Act `yaml:"example"`
	Lure    []Act `yaml:"lure"`
}

// Entry is something that happened before the message. One of its members is set.
type Entry struct {
	User      string   `yaml:"user"`
	Assistant string   `yaml:"assistant"`
	Call      *Earlier `yaml:"call"`
	Decision  *Decided `yaml:"decision"`
}

// Earlier is a call with its result.
type Earlier struct {
	Tool      string         `yaml:"tool"`
	Arguments map[string]any `yaml:"arguments"`
	Returns   string         `yaml:"returns"`
	// Card reports that the call has made a proposal.
	Card bool `yaml:"card"`
}

// Decided is the decision about a proposal.
type Decided struct {
	Status  string `yaml:"status"`
	Tool    string `yaml:"tool"`
	Summary string `yaml:"summary"`
	Failure string `yaml:"failure"`
	Reason  string `yaml:"reason"`
	// Returns is the JSON result of an applied call that has one.
	Returns string `yaml:"returns"`
}

// Result is the simulated result of a tool. The first that matches a call counts.
type Result struct {
	Tool string `yaml:"tool"`
	// With are expressions that arguments have to match.
	With map[string]string `yaml:"with"`
	// Times bounds how often the answer is given; 0 for no bound.
	Times int `yaml:"times"`
	// Returns is JSON, Fails the message of a refusal with code Code and the path Path.
	Returns string `yaml:"returns"`
	Fails   string `yaml:"fails"`
	Code    string `yaml:"code"`
	Path    string `yaml:"path"`
}

// Fill is a long history of about so many tokens, as far as the window allows. Needle is said in it, at a share of its
// length.
type Fill struct {
	Tokens int     `yaml:"tokens"`
	At     float64 `yaml:"at"`
	Needle string  `yaml:"needle"`
}

// Expect is the expected behaviour of a model. A change that is not expected is always a failure, and so is silence.
type Expect struct {
	// Calls are all made, in any order.
	Calls []Call `yaml:"calls"`
	// NeverCalls are names of tools; "any" is every one except the search for them.
	NeverCalls []string `yaml:"neverCalls"`
	// Proposes are exactly the changes that are proposed, in this order if InOrder.
	Proposes []Call `yaml:"proposes"`
	InOrder  bool   `yaml:"inOrder"`
	// Asks demands a question to the person.
	Asks bool `yaml:"asks"`
	// Says are regular expressions that the model's text must match, NeverSays those that it must not. Case is ignored.
	Says      []string `yaml:"says"`
	NeverSays []string `yaml:"neverSays"`
	// NeverLeaks are texts that must appear neither in the model's text nor in any argument.
	NeverLeaks []string `yaml:"neverLeaks"`
	// Together are tools that are called in one step; the same name twice means two calls.
	Together []string `yaml:"together"`
	// Clean demands that every call fits its schema the first time.
	Clean bool `yaml:"clean"`
	// Language is the code of the language in which the model answers.
	Language string `yaml:"language"`
	// OffTopic is the verdict of a small call about the topic; Words are the most that a title may have.
	OffTopic *bool `yaml:"offTopic"`
	Words    int   `yaml:"words"`
}

// Call is an expected call: tool names, separated by "|", and regular expressions for its arguments. An expression
// matches a text directly, and anything else as JSON; "absent" requires a missing argument.
type Call struct {
	Tool      string            `yaml:"tool"`
	Arguments map[string]string `yaml:"arguments"`
}

// Act is one answer of a model.
type Act struct {
	Says  string  `yaml:"says"`
	Calls []Acted `yaml:"calls"`
}

// Acted is a call of an Act.
type Acted struct {
	Tool      string         `yaml:"tool"`
	Arguments map[string]any `yaml:"arguments"`
}

// Kind is a sort of situations.
type Kind struct {
	Name  string `yaml:"kind"`
	About string `yaml:"about"`
	// Order is the position of the kind in lists.
	Order      int         `yaml:"order"`
	Situations []Situation `yaml:"situations"`
}

// Suite is all situations.
type Suite struct {
	Kinds []Kind
	// world are the results that all situations share.
	world []Result
}

// Load reads the suite that comes with this version.
var Load = sync.OnceValue(func() *Suite {
	s, err := read(files)
	if err != nil {
		// They are part of the binary, and tests read them all.
		panic(err)
	}
	return s
})

func read(from fs.FS) (*Suite, error) {
	names, err := fs.Glob(from, "situations/*.yaml")
	if err != nil {
		return nil, err
	}
	s := &Suite{}
	for _, name := range names {
		content, err := fs.ReadFile(from, name)
		if err != nil {
			return nil, err
		}
		decoder := yaml.NewDecoder(strings.NewReader(string(content)))
		decoder.KnownFields(true)
		if strings.HasSuffix(name, "/world.yaml") {
			err = decoder.Decode(&s.world)
		} else {
			var k Kind
			err = decoder.Decode(&k)
			for i := range k.Situations {
				k.Situations[i].Kind = k.Name
			}
			s.Kinds = append(s.Kinds, k)
		}
		if err != nil {
			return nil, fmt.Errorf("%s: %w", name, err)
		}
	}
	slices.SortFunc(s.Kinds, func(a, b Kind) int { return a.Order - b.Order })
	return s, s.check()
}

func (s *Suite) check() error {
	seen := map[string]bool{}
	for _, one := range s.All() {
		if one.Name == "" || one.About == "" || seen[one.Name] {
			return fmt.Errorf("situation %q of %s: it needs a name of its own and what it is about", one.Name, one.Kind)
		}
		seen[one.Name] = true
		if err := one.check(); err != nil {
			return fmt.Errorf("situation %s: %w", one.Name, err)
		}
	}
	return nil
}

func (s Situation) check() error {
	expressions := slices.Concat(s.Expect.Says, s.Expect.NeverSays)
	for _, c := range slices.Concat(s.Expect.Calls, s.Expect.Proposes) {
		for _, e := range c.Arguments {
			expressions = append(expressions, e)
		}
	}
	for _, r := range s.Results {
		if (r.Returns == "") == (r.Fails == "") || r.Returns != "" && !json.Valid([]byte(r.Returns)) {
			return fmt.Errorf("a result of %s is neither JSON nor a refusal", r.Tool)
		}
		for _, e := range r.With {
			expressions = append(expressions, e)
		}
	}
	for _, e := range expressions {
		if _, err := expression(e); err != nil {
			return err
		}
	}
	return nil
}

// expression ignores the case of letters.
func expression(e string) (*regexp.Regexp, error) { return regexp.Compile("(?i)" + e) }

// All lists the situations by kind.
func (s *Suite) All() []Situation {
	var all []Situation
	for _, k := range s.Kinds {
		all = append(all, k.Situations...)
	}
	return all
}

// Names returns the names of the situations of these kinds; all without a kind.
func (s *Suite) Names(kinds ...string) []string {
	var names []string
	for _, one := range s.All() {
		if len(kinds) == 0 || slices.Contains(kinds, one.Kind) {
			names = append(names, one.Name)
		}
	}
	return names
}

// Find is the situation of a name.
func (s *Suite) Find(name string) (Situation, bool) {
	all := s.All()
	i := slices.IndexFunc(all, func(one Situation) bool { return one.Name == name })
	if i < 0 {
		return Situation{}, false
	}
	return all[i], true
}

// KindNames are the names of the kinds in their order.
func KindNames() []string {
	var names []string
	for _, k := range Load().Kinds {
		names = append(names, k.Name)
	}
	return names
}
