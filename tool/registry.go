package tool

import (
	"cmp"
	"fmt"
	"slices"
	"strings"

	"countersign/principal"
	"countersign/problem"
)

// Registry holds every tool of the product. It is filled at start and only read afterwards.
type Registry struct {
	byName map[string]Tool
	byWire map[string]string
	sorted []Tool
	// governed are the operations that tools govern, by their keys.
	governed map[string]governed
}

// governed is who governs an operation. Of one that is not its own, the tool does the same in part.
type governed struct {
	tool string
	own  bool
}

// NewRegistry registers the tools; a bad or duplicate one is an error.
func NewRegistry(tools ...Tool) (*Registry, error) {
	r := &Registry{byName: map[string]Tool{}, byWire: map[string]string{}, governed: map[string]governed{}}
	return r, r.Add(tools...)
}

// Add registers more tools, while the product is put together.
func (r *Registry) Add(tools ...Tool) error {
	for _, t := range tools {
		if err := t.check(); err != nil {
			return err
		}
		if other, taken := r.byWire[t.WireName()]; taken {
			return fmt.Errorf("tool %s: its wire name is taken by %s", t.Name, other)
		}
		if err := r.govern(t); err != nil {
			return err
		}
		r.byName[t.Name] = t
		r.byWire[t.WireName()] = t.Name
	}
	if err := unusedTexts(tools); err != nil {
		return err
	}
	r.sorted = slices.SortedFunc(func(yield func(Tool) bool) {
		for _, t := range r.byName {
			if !yield(t) {
				return
			}
		}
	}, func(a, b Tool) int { return cmp.Compare(a.Name, b.Name) })
	return nil
}

func (r *Registry) govern(t Tool) error {
	for i, o := range append([]Operation{t.Operation}, t.Also...) {
		if o.Method == "" {
			continue
		}
		if other, taken := r.governed[o.key()]; taken {
			return fmt.Errorf("tool %s: its operation %s is that of %s", t.Name, o, other.tool)
		}
		r.governed[o.key()] = governed{t.Name, i == 0}
	}
	return nil
}

// Governs is the tool whose policy holds for an operation of the API. own says that the operation is what the tool does;
// otherwise it does a part of it and cannot be proposed.
func (r *Registry) Governs(o Operation) (t Tool, own, ok bool) {
	found, ok := r.governed[o.key()]
	return r.byName[found.tool], found.own, ok
}

// All lists every tool by name.
func (r *Registry) All() []Tool { return r.sorted }

// Resolve lists the tools that are offered to p, by name. Not offered means not callable by any name.
func (r *Registry) Resolve(p principal.Principal) []Tool {
	var offered []Tool
	for _, t := range r.sorted {
		if !t.Hidden && t.Authorize(p) == nil {
			offered = append(offered, t)
		}
	}
	return offered
}

// Lookup returns the tool with this dotted or wire name, whoever may use it.
func (r *Registry) Lookup(name string) (Tool, bool) {
	if dotted, ok := r.byWire[name]; ok {
		name = dotted
	}
	t, ok := r.byName[name]
	return t, ok
}

// Find returns the tool with this dotted or wire name, after checking that p may use it. A tool that does not exist
// is NotFound with the closest names p may use.
func (r *Registry) Find(p principal.Principal, name string) (Tool, error) {
	t, ok := r.Lookup(name)
	if !ok || t.Hidden {
		return Tool{}, problem.Errorf(problem.NotFound, "There is no tool %q.%s", clip(name, 80), r.suggest(p, name)).
			Show("The assistant asked for something that it cannot do, and was told so.")
	}
	if err := t.Authorize(p); err != nil {
		return Tool{}, err
	}
	return t, nil
}

// Decidable is the tool with this dotted name, after checking that p may decide about its proposals: the hidden ones too.
func (r *Registry) Decidable(p principal.Principal, name string) (Tool, error) {
	if t, ok := r.byName[name]; ok && t.Hidden {
		return t, t.Authorize(p)
	}
	return r.Find(p, name)
}

func (r *Registry) suggest(p principal.Principal, name string) string {
	name = strings.ToLower(clip(name, 80))
	module, _, _ := strings.Cut(strings.ReplaceAll(name, "_", "."), ".")
	var near []string
	for _, t := range r.Resolve(p) {
		if strings.HasPrefix(t.Name, module+".") && len(near) < 8 {
			near = append(near, t.Name)
		}
	}
	if len(near) == 0 {
		return " Use one of the offered tools."
	}
	return " Offered: " + strings.Join(near, ", ") + "."
}

func clip(s string, n int) string {
	if len(s) <= n {
		return s
	}
	return strings.ToValidUTF8(s[:n], "") + "…"
}
