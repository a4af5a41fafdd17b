package agent

import (
	"cmp"
	"context"
	"fmt"

	"countersign/modules/agent/agentdb"
	"countersign/principal"
	"countersign/problem"
	"countersign/store"
)

// mostInstructions is how much of agent.md a model is told, in characters: as much as of a skill.
const mostInstructions = 8_000

// Chattable is an agent that somebody can chat with: its live revision has tools that they may use.
type Chattable struct {
	Slug string
	Name string
	// Instructions are agent.md of the live revision. Its authors have written it.
	Instructions string
}

// ForChat is the agent with this slug, if p can chat with it; problem.NotFound otherwise.
func (m *Module) ForChat(ctx context.Context, p principal.Principal, slug string) (Chattable, error) {
	s := m.service
	if !validID(slug) {
		return Chattable{}, unchattable()
	}
	found, err := s.tools(ctx, p, agentdb.OfferedToolsParams{Slug: &slug})
	if err != nil {
		return Chattable{}, err
	}
	if len(found) == 0 {
		return Chattable{}, unchattable()
	}
	row, err := s.queries(ctx).LiveInstructions(ctx, agentdb.LiveInstructionsParams{Most: mostInstructions, AgentID: found[0].AgentID})
	if store.NoRows(err) {
		return Chattable{}, unchattable()
	}
	if err != nil {
		return Chattable{}, fmt.Errorf("read the instructions of an agent: %w", err)
	}
	return Chattable{Slug: row.Slug, Name: cmp.Or(row.Name, row.Slug), Instructions: row.AgentMd}, nil
}

func unchattable() error {
	return problem.Errorf(problem.NotFound, "There is no such agent, or it has no live tool that you may use. Choose another one.")
}
