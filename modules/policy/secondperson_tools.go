package policy

import (
	"context"
	"slices"
	"strconv"
	"strings"

	"countersign/internal/problem"
	"countersign/internal/store"
	"countersign/tool"
)

// SecondPerson is the input to require a second person for several tools.
type SecondPerson struct {
	Tools []SeenPolicy `json:"tools" nullable:"false" minItems:"1" maxItems:"1000"`
	// Anyway is Change.Anyway.
	Anyway bool `json:"anyway,omitempty" doc:"Ask for a second person although fewer than two people could apply such a change, or could take the policy back"`
}

// SeenPolicy is a tool with the policy revision that the caller saw.
type SeenPolicy struct {
	Tool     string `json:"tool" minLength:"1" maxLength:"160"`
	Revision int64  `json:"revision" minimum:"1" doc:"The revision that the change is based on"`
}

// RequireSecond requires a second person for all of the tools in one transaction, or for none, and returns the
// changed policies by name. Each change is one audit event.
func (m *Module) RequireSecond(ctx context.Context, s SecondPerson) ([]ToolPolicy, error) {
	type seen struct {
		tool.Tool
		revision int64
	}
	tools := make([]seen, 0, len(s.Tools))
	change := Change{TwoPerson: new(true), Anyway: &s.Anyway}
	for i, one := range s.Tools {
		t, err := m.find(ctx, one.Tool)
		if err != nil {
			return nil, err
		}
		if slices.ContainsFunc(tools, func(other seen) bool { return other.Name == t.Name }) {
			return nil, problem.InvalidInput(
				"The tool "+t.Name+" is there twice.",
				problem.Issue{Path: "tools[" + strconv.Itoa(i) + "].tool", Message: "must not be there twice"},
			)
		}
		if err := change.fits(t); err != nil {
			return nil, err
		}
		tools = append(tools, seen{t, one.Revision})
	}
	// Sorted locking prevents deadlocks between concurrent requests.
	slices.SortFunc(tools, func(a, b seen) int { return strings.Compare(a.Name, b.Name) })
	return store.InTx(ctx, m.db, func(ctx context.Context) ([]ToolPolicy, error) {
		policies := []ToolPolicy{}
		for _, t := range tools {
			now, changed, err := m.savePolicy(ctx, t.Tool, change, &t.revision)
			if err != nil {
				return nil, err
			}
			if changed {
				policies = append(policies, now)
			}
		}
		return policies, nil
	})
}
