package disposition

import (
	"context"

	"countersign/principal"
	"countersign/tool"
)

// Policy is what administrators have set about a tool.
type Policy struct {
	Enabled bool `json:"enabled" doc:"A tool that is not enabled is offered to nobody and cannot be called"`
	// AlwaysConfirm keeps auto mode from applying the tool's changes.
	AlwaysConfirm bool `json:"alwaysConfirm" doc:"Its changes are never applied automatically"`
	// TwoPerson asks for another person than the proposer.
	TwoPerson bool `json:"twoPerson" doc:"Another person than the proposer has to apply its changes"`
	// ByHand holds for changes that only a person in a session makes, and Card for those that are decided about by a
	// card even where that person asks by hand. Both follow from what a change does and are never set.
	ByHand bool `json:"-"`
	Card   bool `json:"-"`
}

// DefaultPolicy is that of a tool about which nobody has set anything.
var DefaultPolicy = Policy{Enabled: true}

// Policies are the policies as they are at this moment.
type Policies interface {
	// Exceptions are the policies that differ from the default, by the tool's dotted name.
	Exceptions(ctx context.Context) (map[string]Policy, error)
}

// ExceptionsOf are the exceptions as they are at this moment; none without policies.
func ExceptionsOf(ctx context.Context, policies Policies) (map[string]Policy, error) {
	if policies == nil {
		return nil, nil
	}
	return policies.Exceptions(ctx)
}

// Offered are the tools that p may use at this moment, by name: without those that are switched off, by their own policy or that of a
// tool whose effect they have.
func Offered(ctx context.Context, policies Policies, registry *tool.Registry, p principal.Principal) ([]tool.Tool, error) {
	exceptions, err := ExceptionsOf(ctx, policies)
	if err != nil {
		return nil, err
	}
	tools, err := registry.Resolve(ctx, p)
	offered := make([]tool.Tool, 0, len(tools))
	for _, t := range tools {
		if Standing(t, exceptions).Enabled {
			offered = append(offered, t)
		}
	}
	return offered, err
}
