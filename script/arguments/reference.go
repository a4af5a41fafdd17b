package arguments

import (
	"encoding/json"
	"errors"
	"fmt"
	"maps"
	"slices"
	"strings"

	kit "countersign/internal/json/schema"
	"countersign/internal/text/search"
)

const definitions = "#/$defs/"

// target resolves a reference; nil when its schema does not exist.
func (s Schema) target(ref string) *node {
	if ref == "#" {
		return s.root
	}
	name, ok := strings.CutPrefix(ref, definitions)
	if !ok {
		return nil
	}
	return s.defs[kit.Unescaped(name)]
}

// inPlace returns the subschemas that apply to the same value, as opposed to values in it.
func (s Schema) inPlace(n *node) (nodes []*node) {
	if n.ref != "" {
		if target := s.target(n.ref); target != nil {
			nodes = append(nodes, target)
		}
	}
	for _, keyword := range []string{"allOf", "anyOf", "oneOf"} {
		nodes = append(nodes, n.lists[keyword]...)
	}
	for _, keyword := range []string{"not", "if", "then", "else"} {
		if one := n.single[keyword]; one != nil {
			nodes = append(nodes, one)
		}
	}
	for _, key := range slices.Sorted(maps.Keys(n.named["dependentSchemas"])) {
		nodes = append(nodes, n.named["dependentSchemas"][key])
	}
	return nodes
}

// descent is a subschema for values in a value: below a name, or below any.
type descent struct {
	key  string
	node *node
}

const (
	anyName = "\x00name"
	anyItem = "\x00item"
)

func (s Schema) descents(n *node) (list []descent) {
	for _, key := range slices.Sorted(maps.Keys(n.properties)) {
		list = append(list, descent{key, n.properties[key]})
	}
	for _, key := range slices.Sorted(maps.Keys(n.named["patternProperties"])) {
		list = append(list, descent{anyName, n.named["patternProperties"][key]})
	}
	for _, keyword := range []string{"additionalProperties", "propertyNames"} {
		if one := n.single[keyword]; one != nil {
			list = append(list, descent{anyName, one})
		}
	}
	for _, keyword := range []string{"items", "additionalItems", "contains"} {
		if one := n.single[keyword]; one != nil {
			list = append(list, descent{anyItem, one})
		}
	}
	for _, one := range slices.Concat(n.lists["prefixItems"], n.lists["items"]) {
		list = append(list, descent{anyItem, one})
	}
	return list
}

// references checks the targets of references.
func (r *reader) references() {
	var all []*node
	r.schema.walk(r.schema.root, &all)
	for _, name := range slices.Sorted(maps.Keys(r.schema.defs)) {
		r.schema.walk(r.schema.defs[name], &all)
	}
	for _, n := range all {
		if n.ref != "" && r.schema.target(n.ref) == nil {
			r.missing(n)
		}
	}
	if r.broken() {
		return
	}
	if !slices.ContainsFunc(all, func(n *node) bool { return n.ref != "" }) {
		return
	}
	w := work{schema: r.schema, cost: map[*node]int{}, place: map[*node]int{}, left: new(int)}
	*w.left = maxSteps
	for _, n := range all {
		switch {
		case w.circle(n):
			r.fail(n.pointer, "This schema refers to itself without going deeper into the value.", "Refer to it below properties or items.")
			return
		case w.total(n) > maxWork:
			r.fail(n.pointer, "References multiply: checking one value would take too long.", "Refer to each definition once.")
			return
		case w.doubles(n):
			r.fail(n.pointer, "This schema refers to itself twice for the same part of a value: checking would take twice as long on each level.",
				"Put the alternatives where the reference is, and refer once.")
			return
		case *w.left <= 0:
			r.fail("", "There are too many references to find out where they lead.", "Refer to fewer definitions.")
			return
		}
	}
}

func (s Schema) walk(n *node, all *[]*node) {
	*all = append(*all, n)
	for _, d := range s.descents(n) {
		s.walk(d.node, all)
	}
	for _, below := range s.inPlace(n) {
		if below != s.target(n.ref) {
			s.walk(below, all)
		}
	}
}

func (r *reader) missing(n *node) {
	pointer := n.pointer + "/$ref"
	name, local := strings.CutPrefix(n.ref, definitions)
	names := slices.Sorted(maps.Keys(r.schema.defs))
	switch {
	case !strings.HasPrefix(n.ref, "#"):
		r.fail(pointer, fmt.Sprintf("Nothing is loaded from %q.", n.ref), `Put the definition into "$defs", and refer to it with "#/$defs/name".`)
	case !local:
		r.fail(pointer, fmt.Sprintf("A reference to %q is not allowed.", n.ref), `Refer to "#" or to "#/$defs/name".`)
	default:
		hint := `Add it to "$defs".`
		if meant := search.Nearest(name, names); meant != "" {
			hint = fmt.Sprintf("Did you mean %q?", definitions+meant)
		}
		r.fail(pointer, fmt.Sprintf("There is no definition %q.", name), hint)
	}
}

// work computes the cost of checking a value against a schema.
type work struct {
	schema Schema
	// cost is -1 during its computation.
	cost  map[*node]int
	place map[*node]int
	// left is the remaining number of schemas to examine.
	left *int
}

// circle reports whether a schema applies to the same value as a schema that contains it.
func (w work) circle(n *node) bool {
	switch w.place[n] {
	case 1:
		return true
	case 2:
		return false
	}
	w.place[n] = 1
	if slices.ContainsFunc(w.schema.inPlace(n), w.circle) {
		return true
	}
	w.place[n] = 2
	return false
}

// total returns the number of schemas after the expansion of references, with one round of recursion.
func (w work) total(n *node) int {
	if cost, ok := w.cost[n]; ok {
		return max(cost, 1)
	}
	w.cost[n] = -1
	sum := 1
	for _, below := range w.schema.inPlace(n) {
		sum = min(sum+w.total(below), 2*maxWork)
	}
	for _, d := range w.schema.descents(n) {
		sum = min(sum+w.total(d.node), 2*maxWork)
	}
	w.cost[n] = sum
	return sum
}

// doubles reports whether a schema leads back to itself by more than one way for the same part of a value.
func (w work) doubles(n *node) bool {
	if n.ref != "" || len(n.members) == 0 {
		return false
	}
	var places []*node
	w.expand(n, &places)
	ways := map[string]int{}
	for _, p := range places {
		for _, d := range w.schema.descents(p) {
			if w.leads(d.node, n, map[*node]bool{}) {
				ways[d.key]++
			}
		}
	}
	named := 0
	for key, count := range ways {
		if key == anyItem && count > 1 {
			return true
		}
		if key != anyItem && key != anyName {
			named = max(named, count)
		}
	}
	return named+ways[anyName] > 1
}

// expand collects the schemas that apply to the same value.
func (w work) expand(n *node, places *[]*node) {
	if *w.left--; len(*places) > maxWork || *w.left <= 0 {
		return
	}
	*places = append(*places, n)
	for _, below := range w.schema.inPlace(n) {
		w.expand(below, places)
	}
}

func (w work) leads(from, to *node, seen map[*node]bool) bool {
	if from == to {
		return true
	}
	if *w.left--; seen[from] || *w.left <= 0 {
		return false
	}
	seen[from] = true
	for _, below := range w.schema.inPlace(from) {
		if w.leads(below, to, seen) {
			return true
		}
	}
	for _, d := range w.schema.descents(from) {
		if w.leads(d.node, to, seen) {
			return true
		}
	}
	return false
}

// compile compiles the schema as for calls of the tool. A schema that fails there is refused, since every stored tool
// has to be usable.
func (r *reader) compile(raw json.RawMessage) {
	_, err := kit.Parse(raw)
	if flaw, ok := errors.AsType[*kit.DocumentError](err); ok {
		r.fail(flaw.Path, "The schema "+flaw.Message+".", "")
	} else if err != nil {
		r.fail("", "The schema cannot be used.", "Simplify it.")
	}
}
