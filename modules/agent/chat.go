package agent

import (
	"cmp"
	"context"
	"fmt"

	"countersign/internal/principal"
	"countersign/internal/problem"
	"countersign/internal/store"
	"countersign/modules/agent/agentdb"
)

// maxInstructions limits the characters of agent.md in a prompt, as for a skill.
const maxInstructions = 8_000

// Chattable is an agent for a chat: its live revision has tools that the person may use.
type Chattable struct {
	Slug string
	Name string
	// Instructions is agent.md of the live revision, written by its authors.
	Instructions string
}

// ForChat returns the agent with this slug, if p can chat with it; else problem.NotFound.
func (m *Module) ForChat(ctx context.Context, p principal.Principal, slug string) (Chattable, error) {
	s := m.service
	if !validID(slug) {
		return Chattable{}, chatUnavailable()
	}
	found, err := s.liveTools(ctx, p, agentdb.OfferedToolsParams{Slug: &slug})
	if err != nil {
		return Chattable{}, err
	}
	if len(found) == 0 {
		return Chattable{}, chatUnavailable()
	}
	row, err := s.queries(ctx).LiveInstructions(ctx, agentdb.LiveInstructionsParams{Most: maxInstructions, AgentID: found[0].AgentID})
	if store.NoRows(err) {
		return Chattable{}, chatUnavailable()
	}
	if err != nil {
		return Chattable{}, fmt.Errorf("read the instructions of an agent: %w", err)
	}
	return Chattable{Slug: row.Slug, Name: cmp.Or(row.Name, row.Slug), Instructions: row.AgentMd}, nil
}

func chatUnavailable() error {
	return problem.Errorf(problem.NotFound, "There is no such agent, or it has no live tool that you may use. Choose another one.")
}
