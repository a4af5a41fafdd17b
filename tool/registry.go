package tool

import (
	"cmp"
	"context"
	"fmt"
	"io/fs"
	"slices"
	"strings"

	"countersign/internal/principal"
	"countersign/internal/problem"
	"countersign/internal/text"
)

// Registry holds all built-in tools, and finds custom tools in its sources. It is filled at start and read-only
// afterwards.
type Registry struct {
	byName map[string]Tool
	byWire map[string]string
	sorted []Tool
	// governed are the operations that built-in tools govern, by key.
	governed map[string]governed
	sources  []Source
	// shared are the operations that the tools of a source share, by key.
	shared map[string]Governor
	// playbooks are sorted by name.
	playbooks []Playbook
}

// governed is the tool that governs an operation; own is false where the tool does only a part of it.
type governed struct {
	tool string
	own  bool
}

// NewRegistry registers the tools; an invalid or duplicate one is an error.
func NewRegistry(tools ...Tool) (*Registry, error) {
	r := &Registry{byName: map[string]Tool{}, byWire: map[string]string{}, governed: map[string]governed{}, shared: map[string]Governor{}}
	return r, r.Add(tools...)
}

// Add registers more tools during wiring.
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

// unusedTexts reports texts that a module of these tools embeds and no tool uses.
func unusedTexts(tools []Tool) error {
	used := map[fs.FS][]string{}
	for _, t := range tools {
		if t.Text.Files != nil {
			used[t.Text.Files] = append(used[t.Text.Files], t.Text.Name)
		}
	}
	for texts, files := range used {
		all, err := fs.Glob(texts, "*.md")
		if err != nil {
			return fmt.Errorf("list the texts of tools: %w", err)
		}
		for _, file := range all {
			if !slices.Contains(files, file) {
				return fmt.Errorf("no tool has the text %s, which lies beside %s", file, files[0])
			}
		}
	}
	return nil
}

func (r *Registry) govern(t Tool) error {
	for i, o := range slices.Concat([]Operation{t.Operations.Write}, t.Operations.RelatedOperations, t.Operations.PreviewOperations) {
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

// Governs returns the tool whose policy applies to a request to an operation of the API, with the values of its path
// parameters. own reports that the operation is the tool's own; otherwise it is related and cannot be proposed.
func (r *Registry) Governs(ctx context.Context, o Operation, parameters []string) (t Tool, own, ok bool, err error) {
	if governor, shared := r.shared[o.key()]; shared {
		t, ok, err = governor.Governing(ctx, o, parameters)
		return t, ok, ok, err
	}
	found, ok := r.governed[o.key()]
	return r.byName[found.tool], found.own, ok, nil
}

// Governed is Governs for built-in tools, which do not depend on the request. shared reports that they do depend on it.
func (r *Registry) Governed(o Operation) (t Tool, own, shared, ok bool) {
	if _, shared = r.shared[o.key()]; shared {
		return Tool{}, true, true, true
	}
	found, ok := r.governed[o.key()]
	return r.byName[found.tool], found.own, false, ok
}

// All lists the built-in tools by name.
func (r *Registry) All() []Tool { return r.sorted }

// Resolve lists the tools that are offered to p, built-in ones first, each part by name. A tool that is not offered
// cannot be called by any name.
func (r *Registry) Resolve(ctx context.Context, p principal.Principal) ([]Tool, error) {
	var offered []Tool
	for _, t := range r.sorted {
		if !t.Access.Hidden && t.called().opens(p) {
			offered = append(offered, t)
		}
	}
	made, err := r.Made(ctx, p)
	return append(offered, made...), err
}

// Fixed returns the built-in tool with this dotted or wire name, without checking rights.
func (r *Registry) Fixed(name string) (Tool, bool) {
	if dotted, ok := r.byWire[name]; ok {
		name = dotted
	}
	t, ok := r.byName[name]
	return t, ok
}

// Lookup returns the tool with this dotted or wire name, without checking rights.
func (r *Registry) Lookup(ctx context.Context, name string) (Tool, bool, error) {
	if t, ok := r.Fixed(name); ok {
		return t, true, nil
	}
	return r.one(name, func(s Source) (Tool, bool, error) { return s.Known(ctx, name) })
}

// Find returns the tool with this dotted or wire name, after checking that p may call it; a read-only program may call
// only what reads, of an EffectByInput tool too. A missing tool is NotFound with the closest names that p may use.
func (r *Registry) Find(ctx context.Context, p principal.Principal, name string) (Tool, error) {
	if t, ok := r.Fixed(name); ok && !t.Access.Hidden {
		return t, t.called().Authorize(p)
	}
	t, ok, err := r.one(name, func(s Source) (Tool, bool, error) { return s.Usable(ctx, p, name) })
	if ok && err == nil && t.Effect != Read && p.ReadOnly() {
		return t, ReadOnly(t.Name)
	}
	if ok && !t.Access.Hidden || err != nil {
		return t, err
	}
	near, err := r.suggest(ctx, p, name)
	if err != nil {
		return Tool{}, err
	}
	return Tool{}, problem.Errorf(problem.NotFound, "There is no tool %q.%s", text.Clip(name, 80), near).
		Show("The assistant asked for something that it cannot do, and was told so.")
}

// Decidable returns the tool with this dotted name, hidden ones included, after checking that p may decide about its
// proposals.
func (r *Registry) Decidable(ctx context.Context, p principal.Principal, name string) (Tool, error) {
	if t, ok := r.byName[name]; ok && (t.Access.Hidden || t.Impact.EffectByInput) {
		return t, t.Authorize(p)
	}
	return r.Find(ctx, p, name)
}

func (r *Registry) suggest(ctx context.Context, p principal.Principal, name string) (string, error) {
	name = strings.ToLower(text.Clip(name, 80))
	module, _, _ := strings.Cut(strings.ReplaceAll(name, "_", "."), ".")
	offered, err := r.Resolve(ctx, p)
	if err != nil {
		return "", err
	}
	var near []string
	for _, t := range offered {
		if strings.HasPrefix(t.Name, module+".") && len(near) < 8 {
			near = append(near, t.Name)
		}
	}
	if len(near) == 0 {
		return " Use one of the offered tools.", nil
	}
	return " Offered: " + strings.Join(near, ", ") + ".", nil
}
