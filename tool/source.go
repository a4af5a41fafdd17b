package tool

import (
	"context"
	"fmt"
	"slices"

	"countersign/principal"
)

// Source has tools that people have made: they come and go while the product runs. A registry asks its sources after the
// tools of the product, whose names no tool of a source can take.
type Source interface {
	// Offered are those that p may use at this moment, by name.
	Offered(ctx context.Context, p principal.Principal) ([]Tool, error)
	// Known returns the tool with this dotted or wire name, without checking rights. A hidden one stands for several
	// others: it exists for a policy of all of them.
	Known(ctx context.Context, name string) (Tool, bool, error)
	// Usable is Known for p: a tool that p may use, also one that was left out of Offered, and a hidden one if p may see whose it is.
	Usable(ctx context.Context, p principal.Principal, name string) (Tool, bool, error)
}

// Governor is a Source whose tools share operations of the API: which of them governs a request follows from its path.
type Governor interface {
	Source
	// Shared are the operations.
	Shared() []Operation
	// Governing is the tool that a request with these parameters of its path calls; false when there is none.
	Governing(ctx context.Context, o Operation, parameters []string) (Tool, bool, error)
}

// AddSource adds a source, while the product is put together.
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

// Made lists the tools of sources that are offered to p, source by source. Where two have one name on the wire neither is offered:
// a model that calls one would get the other.
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

// one finds the tool that sources know by a dotted or wire name. A name that two sources know is ambiguous and finds
// none.
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

// Visible returns the tool with this dotted or wire name: one of the product, without checking rights, or one that
// people have made and whose owner p may see, including hidden ones.
func (r *Registry) Visible(ctx context.Context, p principal.Principal, name string) (Tool, bool, error) {
	if t, ok := r.Fixed(name); ok {
		return t, true, nil
	}
	return r.one(name, func(s Source) (Tool, bool, error) { return s.Usable(ctx, p, name) })
}
