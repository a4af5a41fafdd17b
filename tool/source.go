package tool

import (
	"context"
	"fmt"
	"slices"

	"countersign/internal/principal"
)

// Source has custom tools, which change while the product runs. A registry searches its sources after the built-in
// tools, whose names no custom tool can take.
type Source interface {
	// Offered returns the tools that p may use now, by name.
	Offered(ctx context.Context, p principal.Principal) ([]Tool, error)
	// Known returns the tool with this dotted or wire name, without checking rights. A hidden tool stands for several
	// others, for a policy of all of them.
	Known(ctx context.Context, name string) (Tool, bool, error)
	// Usable is Known for p: a tool that p may use, even one omitted from Offered, and a hidden one if p may see its
	// owner.
	Usable(ctx context.Context, p principal.Principal, name string) (Tool, bool, error)
}

// Governor is a Source whose tools share operations of the API: the request's path selects the tool.
type Governor interface {
	Source
	// Shared returns the shared operations.
	Shared() []Operation
	// Governing returns the tool for a request with these path parameters; false when there is none.
	Governing(ctx context.Context, o Operation, parameters []string) (Tool, bool, error)
}

// AddSource adds a source during wiring.
func (r *Registry) AddSource(s Source) error {
	if governor, ok := s.(Governor); ok {
		for _, o := range governor.Shared() {
			if other, taken := r.governed[o.key()]; taken {
				return fmt.Errorf("operation %s is that of %s", o, other.tool)
			}
			if _, taken := r.shared[o.key()]; taken {
				return fmt.Errorf("operation %s has a source already", o)
			}
			r.shared[o.key()] = governor
		}
	}
	r.sources = append(r.sources, s)
	return nil
}

// Made lists the custom tools that are offered to p, source by source. Two tools with the same wire name are both
// omitted: a model could not choose between them.
func (r *Registry) Made(ctx context.Context, p principal.Principal) ([]Tool, error) {
	var all []Tool
	wires := map[string]int{}
	for _, s := range r.sources {
		offered, err := s.Offered(ctx, p)
		if err != nil {
			return nil, fmt.Errorf("offer made tools: %w", err)
		}
		for _, t := range offered {
			wires[t.WireName()]++
			all = append(all, t)
		}
	}
	return slices.DeleteFunc(all, func(t Tool) bool {
		_, taken := r.Fixed(t.WireName())
		return taken || wires[t.WireName()] > 1 || t.Effect != Read && p.ReadOnly()
	}), nil
}

// one finds the custom tool with a dotted or wire name. A name in two sources is ambiguous and finds none.
func (r *Registry) one(name string, find func(Source) (Tool, bool, error)) (Tool, bool, error) {
	var found Tool
	n := 0
	for _, s := range r.sources {
		t, ok, err := find(s)
		if err != nil {
			return Tool{}, false, err
		}
		if !ok || t.Name != name && t.WireName() != name {
			continue
		}
		if _, taken := r.Fixed(t.WireName()); taken {
			continue
		}
		found, n = t, n+1
	}
	if n != 1 {
		return Tool{}, false, nil
	}
	return found, true, nil
}

// Visible returns the tool with this dotted or wire name: a built-in one, without checking rights, or a custom one,
// hidden ones included, if p may see its owner.
func (r *Registry) Visible(ctx context.Context, p principal.Principal, name string) (Tool, bool, error) {
	if t, ok := r.Fixed(name); ok {
		return t, true, nil
	}
	return r.one(name, func(s Source) (Tool, bool, error) { return s.Usable(ctx, p, name) })
}
