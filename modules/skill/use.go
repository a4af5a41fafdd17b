package skill

import (
	"context"
	"slices"

	"countersign/internal/principal"
	"countersign/internal/problem"
)

// ForChat returns the skill for a turn of p: problem.Forbidden without the rule Read, problem.NotFound for a missing
// skill, and problem.Invalid for one that is not for chats.
func (m *Module) ForChat(ctx context.Context, p principal.Principal, id string) (Active, error) {
	s, err := m.use(ctx, p, id, Chat)
	if err != nil {
		return Active{}, err
	}
	author := s.OwnerName
	if author == "" && s.Source != Builtin {
		// A text without a known author must not pass as one of the product.
		author = "somebody who has left"
	}
	return Active{
		ID: s.ID, Name: s.Name, Author: author, Builtin: s.Source == Builtin, Own: s.OwnerID == p.ID.String(), Prompt: s.SystemPrompt,
	}, nil
}

// ForAnalysis returns the skill of an analysis step, for settings that the step leaves out. The errors are those of
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
