package skill

import (
	"context"
	"slices"

	"countersign/principal"
	"countersign/problem"
)

// ForChat is the skill that p wants a turn to follow. It is problem.Forbidden without the rule Read, problem.NotFound
// when there is no such skill, and problem.Invalid when it is not made for chats.
func (m *Module) ForChat(ctx context.Context, p principal.Principal, id string) (Active, error) {
	s, err := m.use(ctx, p, id, Chat)
	if err != nil {
		return Active{}, err
	}
	author := s.OwnerName
	if author == "" && s.Source != Builtin {
		// A text of somebody unknown must not pass for one of the product.
		author = "somebody who has left"
	}
	return Active{
		ID: s.ID, Name: s.Name, Author: author, Builtin: s.Source == Builtin, Own: s.OwnerID == p.ID.String(), Prompt: s.SystemPrompt,
	}, nil
}

// ForAnalysis is the skill that an analysis step follows where its own settings say nothing. The errors are those of
// ForChat.
func (m *Module) ForAnalysis(ctx context.Context, p principal.Principal, id string) (Skill, error) {
	return m.use(ctx, p, id, Analyze)
}

func (m *Module) use(ctx context.Context, p principal.Principal, id, target string) (Skill, error) {
	if !p.Has(Read) {
		return Skill{}, problem.MissingRule("use a skill", Read)
	}
	s, err := m.get(ctx, p, id)
	if err != nil {
		return Skill{}, err
	}
	if !slices.Contains(s.Targets, target) {
		return Skill{}, problem.InvalidInput(
			"The skill "+s.Name+" is not made for this: it targets other uses than "+target+". Choose another one.",
			problem.Issue{Path: "skillId", Message: "does not target " + target},
		)
	}
	return s, nil
}
