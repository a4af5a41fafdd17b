package schema

import (
	"encoding/json"
	"maps"
	"slices"
	"strings"

	"countersign/internal/text/rfc3339"
)

// Root is the schema of the whole value.
func (d *Document) Root() *Node { return d.root }

// Types are the permitted JSON types, any when empty.
func (n *Node) Types() []string { return n.types }

// Property is the schema of a declared member, nil for others.
func (n *Node) Property(name string) *Node { return n.properties[name] }

// Has reports whether a keyword that begins with "x-" is true.
func (n *Node) Has(note string) bool { return n != nil && n.notes[note] == true }

// Note is the text of a keyword that begins with "x-", "" without one.
func (n *Node) Note(note string) string {
	text, _ := n.notes[note].(string)
	return text
}

// member is the schema of a member by its name, nil when it accepts anything.
func (n *Node) member(name string) *Node {
	if n == nil {
		return nil
	}
	if known, ok := n.properties[name]; ok {
		return known
	}
	return n.additional
}

func (n *Node) item() *Node {
	if n == nil {
		return nil
	}
	return n.items
}

// Texts calls visit for every text in a value, with its path and its schema, and replaces the text with the result.
func (d *Document) Texts(value any, visit func(path string, n *Node, text string) string) any {
	return texts(d.root, value, "", visit)
}

func texts(n *Node, value any, path string, visit func(path string, n *Node, text string) string) any {
	switch v := value.(type) {
	case string:
		return visit(path, n, v)
	case map[string]any:
		for _, name := range slices.Sorted(maps.Keys(v)) {
			v[name] = texts(n.member(name), v[name], memberPath(path, name), visit)
		}
	case []any:
		for i, item := range v {
			v[i] = texts(n.item(), item, itemPath(path, i), visit)
		}
	}
	return value
}

// SetDefaults sets missing members to their defaults, in objects in the value too.
func (d *Document) SetDefaults(value any) { setDefaults(d.root, value) }

func setDefaults(n *Node, value any) {
	if n == nil {
		return
	}
	switch v := value.(type) {
	case map[string]any:
		for name, p := range n.properties {
			if _, ok := v[name]; !ok && p.fallback != nil {
				v[name] = Numbers(p.fallback, func(number json.Number) any { return number })
			}
		}
		for name, member := range v {
			setDefaults(n.member(name), member)
		}
	case []any:
		for _, item := range v {
			setDefaults(n.items, item)
		}
	}
}

// Inherit copies notes of lists and objects to what is in them.
func (d *Document) Inherit(notes ...string) { inherit(d.root, notes) }

func inherit(n *Node, notes []string) {
	if n == nil {
		return
	}
	for _, inner := range []*Node{n.items, n.additional} {
		for _, note := range notes {
			if inner != nil && n.Has(note) {
				if inner.notes == nil {
					inner.notes = map[string]any{}
				}
				inner.notes[note] = true
			}
		}
		inherit(inner, notes)
	}
	for _, p := range n.properties {
		inherit(p, notes)
	}
}

// Each calls visit for the schema of every possible value.
func (d *Document) Each(visit func(path string, n *Node)) { each(d.root, "", visit) }

func each(n *Node, path string, visit func(path string, n *Node)) {
	if n == nil || n.never {
		return
	}
	visit(path, n)
	for name, p := range n.properties {
		each(p, memberPath(path, name), visit)
	}
	each(n.items, path+"[]", visit)
	each(n.additional, path+".*", visit)
}

// Normalize writes the moments of a valid value in the form that every JSON reader parses, and reports whether it changed
// one: RFC 3339 allows lower case and leap seconds, Go does not. Values of a user's or a server's document stay.
func (d *Document) Normalize(value any) (any, bool) {
	changed := false
	if d.moments {
		value = normalized(d.root, value, &changed)
	}
	return value, changed
}

// HasMoments reports whether Normalize may change a value.
func (d *Document) HasMoments() bool { return d.moments }

func normalized(n *Node, value any, changed *bool) any {
	if n == nil {
		return value
	}
	switch v := value.(type) {
	case string:
		if t, err := rfc3339.Parse(v); err == nil && n.isMoment() && !isNormal(v) {
			*changed = true
			return rfc3339.Format(t)
		}
		return value
	case []any:
		for i := range v {
			v[i] = normalized(n.items, v[i], changed)
		}
	case map[string]any:
		for name, member := range v {
			v[name] = normalized(n.member(name), member, changed)
		}
	}
	for _, inner := range slices.Concat(n.anyOf, n.oneOf, n.allOf) {
		value = normalized(inner, value, changed)
	}
	return value
}

// isMoment reports whether a text must be a moment: by its format, or in every alternative that accepts texts.
func (n *Node) isMoment() bool {
	if n.format == dateTime || slices.ContainsFunc(n.allOf, (*Node).isMoment) {
		return true
	}
	takes := slices.DeleteFunc(slices.Concat(n.anyOf, n.oneOf), func(a *Node) bool { return !a.takes("") })
	return len(takes) > 0 && !slices.ContainsFunc(takes, func(a *Node) bool { return !a.isMoment() })
}

// isNormal reports whether a valid date-time is in upper case and has no leap second.
func isNormal(moment string) bool {
	return moment[10] == 'T' && moment[len(moment)-1] != 'z' && moment[17] != '6'
}

// takes reports whether the schema accepts values of this type.
func (n *Node) takes(value any) bool {
	return len(n.types) == 0 || slices.ContainsFunc(n.types, func(t string) bool { return isOf(t, value) })
}

// nulIssues adds the texts and names that have a NUL character, which JSON allows and PostgreSQL does not.
func nulIssues(issues []Issue, value any, path string) []Issue {
	switch v := value.(type) {
	case string:
		if strings.ContainsRune(v, 0) {
			issues = append(issues, Issue{path, "has a NUL character"})
		}
	case []any:
		for i, item := range v {
			if holdsNUL(item) {
				issues = nulIssues(issues, item, itemPath(path, i))
			}
		}
	case map[string]any:
		for _, name := range slices.Sorted(maps.Keys(v)) {
			if strings.ContainsRune(name, 0) {
				issues = append(issues, Issue{path, "has a member with a NUL character in its name"})
			}
			if holdsNUL(v[name]) {
				issues = nulIssues(issues, v[name], memberPath(path, name))
			}
		}
	}
	return issues
}

// holdsNUL is cheaper than paths.
func holdsNUL(value any) bool {
	switch v := value.(type) {
	case string:
		return strings.ContainsRune(v, 0)
	case []any:
		return slices.ContainsFunc(v, holdsNUL)
	case map[string]any:
		for name, member := range v {
			if strings.ContainsRune(name, 0) || holdsNUL(member) {
				return true
			}
		}
	}
	return false
}
