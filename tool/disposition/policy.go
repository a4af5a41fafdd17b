package disposition

import (
	"context"

	"countersign/internal/principal"
	"countersign/tool"
)

// Policy is what administrators configured for a tool.
type Policy struct {
	Enabled bool `json:"enabled" doc:"A tool that is not enabled is offered to nobody and cannot be called"`
	// AlwaysConfirm excludes the tool's changes from auto mode.
	AlwaysConfirm bool `json:"alwaysConfirm" doc:"Its changes are never applied automatically"`
	// TwoPerson requires a decider other than the proposer.
	TwoPerson bool `json:"twoPerson" doc:"Another person than the proposer has to apply its changes"`
	// ByHand holds for changes that only a person in a session makes, and Card for changes that need a card even then.
	// Both follow from the change and are never configured.
	ByHand bool `json:"-"`
	Card   bool `json:"-"`
}

// DefaultPolicy is the policy of a tool without configuration.
var DefaultPolicy = Policy{Enabled: true}

// Policies are the current policies.
type Policies interface {
	// Exceptions returns the policies that differ from the default, by the tool's dotted name.
	Exceptions(ctx context.Context) (map[string]Policy, error)
}

// ExceptionsOf returns the current exceptions; none without policies.
func ExceptionsOf(ctx context.Context, policies Policies) (map[string]Policy, error) {
	if policies == nil {
		return nil, nil
	}
	return policies.Exceptions(ctx)
}

// Offered returns the tools that p may use now, by name: without those disabled by their own policy or by that of a
// tool whose effect they have.
func Offered(ctx context.Context, policies Policies, registry *tool.Registry, p principal.Principal) ([]tool.Tool, error) {
	exceptions, err := ExceptionsOf(ctx, policies)
	if err != nil {
		return nil, err
	}
	tools, err := registry.Resolve(ctx, p)
	offered := make([]tool.Tool, 0, len(tools))
	for _, t := range tools {
		if BasePolicy(t, exceptions).Enabled {
			offered = append(offered, t)
		}
	}
	return offered, err
}
