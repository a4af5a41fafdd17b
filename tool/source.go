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
	// Known is the tool with this dotted or wire name, whoever may use it. A hidden one stands for several others: it exists for
	// a policy that holds for all of them.
	Known(ctx context.Context, name string) (Tool, bool, error)
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

// Made lists the tools of sources that are offered to p, source by source.
func (r *Registry) Made(ctx context.Context, p principal.Principal) ([]Tool, error) {
	var all []Tool
	wires := map[string]bool{}
	for _, s := range r.sources {
		offered, err := s.Offered(ctx, p)
		if err != nil {
			return nil, fmt.Errorf("offer made tools: %w", err)
		}
		for _, t := range offered {
			if _, taken := r.Fixed(t.WireName()); taken || wires[t.WireName()] {
				continue
			}
			wires[t.WireName()] = true
			all = append(all, t)
		}
	}
	return all, nil
}

// made is one of Made by its dotted or wire name.
func (r *Registry) made(ctx context.Context, p principal.Principal, name string) (Tool, bool, error) {
	all, err := r.Made(ctx, p)
	if err != nil {
		return Tool{}, false, err
	}
	i := slices.IndexFunc(all, func(t Tool) bool { return t.Name == name || t.WireName() == name })
	if i < 0 {
		return Tool{}, false, nil
	}
	return all[i], true, nil
}
