package demo

import (
	"regexp"
	"slices"
	"strings"

	"countersign/model"
)

const (
	// shownNames is how many names an answer lists when it asks back.
	shownNames = 12
	// similarity is the shortest name of which a part is taken for the whole.
	similarity = 3
)

var (
	pronoun  = regexp.MustCompile(`(?i)^(?:it|its|this|that|this one|that one|(?:this|that|the) (?:system|service|group))$`)
	affix    = regexp.MustCompile(`(?i)^(?:the|our|my|a|an)\s+|\s+(?:team|group|system|service|environment)s?$|^(?:team|group|system|service|environment)\s+(?:called\s+|named\s+)?`)
	boldName = regexp.MustCompile(`\*\*((?:[^*\\]|\\.)+)\*\*`)
)

// find looks a name up as a person would: letter case and words such as "the"
// and "team" do not matter, and a part is enough when it fits one name only.
func find(among []entry, name string) (entry, bool) {
	for _, same := range []func(string) bool{
		func(s string) bool { return s == name },
		func(s string) bool { return strings.EqualFold(s, name) },
		func(s string) bool { return fold(s) == fold(name) },
	} {
		for _, e := range among {
			if same(e.text("name", "title")) {
				return e, true
			}
		}
	}
	if fit := fitting(among, name); len(fit) == 1 {
		return fit[0], true
	}
	return nil, false
}

// fitting returns the entries whose name has this one as a part.
func fitting(among []entry, name string) []entry {
	part := fold(name)
	if len(part) < similarity {
		return nil
	}
	var fit []entry
	for _, e := range among {
		if strings.Contains(fold(e.text("name", "title")), part) {
			fit = append(fit, e)
		}
	}
	return fit
}

// fold reduces a name to what people remember of it.
func fold(name string) string {
	return strings.Map(func(r rune) rune {
		if r == '-' || r == '_' || r == ' ' || r == '.' {
			return -1
		}
		return r
	}, strings.ToLower(bare(name)))
}

// bare removes the words around a name: "the platform team" is "platform".
func bare(name string) string {
	for {
		shorter := affix.ReplaceAllString(strings.TrimSpace(name), "")
		if shorter == name || shorter == "" {
			return name
		}
		name = shorter
	}
}

// lookUp resolves a name to an entry of a list tool's result, or says that it
// does not exist and what does.
func (t *turn) lookUp(tool, kind, name string) (entry, bool) {
	name, ok := t.meant(kind, name)
	if !ok {
		return nil, false
	}
	r, ok := t.read(tool, nil)
	if !ok {
		return nil, false
	}
	all := r.list(kind + "s")
	if e, ok := find(all, name); ok {
		return e, true
	}
	if tool == listSystems {
		found, done := t.searched(r, name)
		if !done {
			return nil, false
		}
		if e, ok := find(found.list("systems"), name); ok {
			return e, true
		}
		if r := found.list("systems"); len(r) > 0 {
			all = r
		}
	}
	if fit := fitting(all, name); len(fit) > 1 {
		t.which(kind, name, fit)
		return nil, false
	}
	t.say("There is no " + kind + " called " + bold(name) + "." + existing(kind, all, r.truncated()))
	return nil, false
}

// searched looks for a system in a catalog of which the list shows only a part.
func (t *turn) searched(list result, name string) (found result, done bool) {
	const longestQuery = 200
	query := []rune(bare(name))
	if !list.truncated() || len(query) == 0 {
		return result{}, true
	}
	return t.tryRead(listSystems, object{"query": string(query[:min(len(query), longestQuery)])})
}

// meant replaces "it" by the name that was talked about last.
func (t *turn) meant(kind, name string) (string, bool) {
	if !pronoun.MatchString(name) {
		return name, true
	}
	for _, m := range slices.Backward(t.earlier) {
		if m.Role != model.RoleAssistant {
			continue
		}
		if found := boldName.FindStringSubmatch(m.Content); found != nil {
			return unescape.Replace(found[1]), true
		}
	}
	t.say("Which " + kind + " do you mean? Tell me its name.")
	return "", false
}

var unescape = strings.NewReplacer(`\|`, "|", `\*`, "*", `\_`, "_", "\\`", "`", `\[`, "[", "&lt;", "<")

// existing lists what there is, to be said after what there is not.
func existing(kind string, all []entry, more bool) string {
	var names []string
	for _, e := range all {
		if n := e.text("name", "title"); n != "" && len(names) < shownNames {
			names = append(names, clean(n))
		}
	}
	switch {
	case len(names) == 0:
		return " There are no " + kind + "s yet."
	case len(names) < len(all) || more:
		return " Among the " + kind + "s are " + strings.Join(names, ", ") + "."
	case len(names) == 1:
		return " The only " + kind + " is " + names[0] + "."
	default:
		return " The " + kind + "s are " + join(names, "and") + "."
	}
}
