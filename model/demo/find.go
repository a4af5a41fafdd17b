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
	affix = regexp.MustCompile(
		`(?i)^(?:the|our|my|a|an)\s+|\s+(?:team|group|system|service|environment|agent)s?$|^(?:team|group|system|service|environment|agent)\s+(?:called\s+|named\s+)?`,
	)
	boldName = regexp.MustCompile(`\*\*((?:[^*\\]|\\.)+)\*\*`)
)

// pick looks a name up as a person would: letter case and words such as "the"
// and "team" do not matter, and a part is enough when it fits one name only.
func pick(among []entry, name string) (entry, bool) {
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

// fold normalizes a name for comparison.
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

// find looks up the value of a step's slot. other says that it does not exist and that another scene continues.
func (t *turn) find(w wish, s *step, in object) (found, other bool, err error) {
	kind := t.book.Kinds[s.Find]
	wanted := in[s.slot()]
	if text, ok := wanted.(string); wanted == nil || ok && kind.none.MatchString(" "+text) {
		delete(in, s.Find)
		return true, false, nil
	}
	if s.Else != "" && !t.offered[kind.Tool] && !t.called(kind.Tool, nil) {
		return false, true, nil
	}
	several, isList := wanted.(names)
	if !isList {
		several = names{plainText(wanted)}
	}
	several = slices.Clone(several)
	for i, name := range several {
		if several[i] = t.meant(name); several[i] == "" {
			t.say("Which " + s.Find + " do you mean? Tell me its name.")
			return false, false, nil
		}
	}
	r, ok := t.read(kind.Tool, nil)
	if !ok {
		return false, false, nil
	}
	all := r.list(s.Find + "s")
	in[s.Find+"s"] = objects(all)
	if isList {
		if e, ok := pick(all, w.whole[s.slot()]); ok {
			in[s.Find] = []any{object(e)}
			return true, false, nil
		}
	}
	var entries []any
	for _, name := range several {
		e, known, missing := t.lookUp(s.Find, kind, r, name)
		switch {
		case known:
			entries = append(entries, object(e))
		case missing == "":
		case s.Else != "":
			return false, true, nil
		case s.Ask.is():
			return false, false, t.put(s, in)
		default:
			t.say(missing)
		}
	}
	if len(entries) == 0 {
		return false, false, nil
	}
	in[s.Find] = entries[0]
	if isList {
		in[s.Find] = entries
	}
	return true, false, nil
}

func objects(entries []entry) []any {
	all := make([]any, len(entries))
	for i, e := range entries {
		all[i] = object(e)
	}
	return all
}

// lookUp resolves a name to an entry of a list tool's result. missing says that it does not exist and lists existing
// ones; it is empty while that is unknown, and when a question goes to the person.
func (t *turn) lookUp(noun string, kind kind, r result, name string) (e entry, known bool, missing string) {
	all := r.list(noun + "s")
	if e, ok := pick(all, name); ok {
		return e, true, ""
	}
	if kind.Search != "" {
		found, done := t.searched(r, kind, name)
		if !done {
			return nil, false, ""
		}
		if some := found.list(noun + "s"); len(some) > 0 {
			all = some
		}
		if e, ok := pick(all, name); ok {
			return e, true, ""
		}
	}
	if fit := fitting(all, name); len(fit) > 1 {
		t.ask(which(noun, name), texts(objects(fit)))
		return nil, false, ""
	}
	return nil, false, "There is no " + noun + " called " + bold(name) + "." + existing(noun, all, r.truncated())
}

// searched searches for a name beyond a truncated list.
func (t *turn) searched(list result, kind kind, name string) (found result, done bool) {
	const longestQuery = 200
	query := []rune(bare(name))
	if !list.truncated() || len(query) == 0 {
		return result{}, true
	}
	return t.tryRead(kind.Tool, object{kind.Search: string(query[:min(len(query), longestQuery)])})
}

// meant replaces "it" by the last name of the conversation; it is empty when there was none.
func (t *turn) meant(name string) string {
	if !pronoun.MatchString(name) {
		return name
	}
	for _, m := range slices.Backward(t.earlier) {
		if m.Role != model.RoleAssistant {
			continue
		}
		if found := boldName.FindStringSubmatch(m.Content); found != nil {
			return unescape.Replace(found[1])
		}
	}
	return ""
}

var unescape = strings.NewReplacer(`\|`, "|", `\*`, "*", `\_`, "_", "\\`", "`", `\[`, "[", "&lt;", "<")

// existing lists the existing names, for a message that one is missing.
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
