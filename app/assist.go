package app

import (
	"context"
	"slices"
	"strings"

	"countersign/api/chat"
	"countersign/chat/assistant"
	"countersign/internal/principal"
	"countersign/internal/rest"
	"countersign/modules/skill"
	"countersign/tool/disposition"
)

// detachedCalls bounds the small model calls, such as titles, that a process makes in parallel to its turns.
const detachedCalls = 16

// detach runs optional work in parallel to a turn until the process drains; beyond the limit the work is dropped.
func (a *App) detach(most int) func(func(context.Context)) {
	places := make(chan struct{}, most)
	return func(work func(context.Context)) {
		if a.background.Err() != nil {
			return
		}
		select {
		case places <- struct{}{}:
		default:
			return
		}
		a.running.Go(func() {
			defer func() { <-places }()
			work(a.background)
		})
	}
}

// chatSkills adapts skills and agents to the assistant's types: a chat can select either.
type chatSkills struct{ p *parts }

// models lists the chat models besides the assistant: skills, and agents with a tool that p can use.
func (s chatSkills) models(ctx context.Context, p principal.Principal) ([]chat.ChatSkill, error) {
	all, err := s.skills(ctx, p)
	if err != nil {
		return nil, err
	}
	offered, err := disposition.Offered(ctx, s.p.policies, s.p.registry, p)
	if err != nil {
		return nil, err
	}
	var agents []string
	for _, t := range offered {
		if slug, ok := assistant.AgentOf(t.Name); ok && t.Made() {
			agents = append(agents, slug)
		}
	}
	slices.Sort(agents)
	for _, slug := range slices.Compact(agents) {
		all = append(all, chat.ChatSkill{ID: assistant.AgentSkill + slug})
	}
	return all, nil
}

func (s chatSkills) skills(ctx context.Context, p principal.Principal) ([]chat.ChatSkill, error) {
	if !p.Has(skill.Read) {
		return nil, nil
	}
	var all []chat.ChatSkill
	page := rest.Page{Limit: 200}
	for {
		found, next, err := s.p.skills.List(ctx, skill.Filter{Target: skill.Chat}, page)
		if err != nil {
			return nil, err
		}
		for _, f := range found {
			one := chat.ChatSkill{ID: f.ID}
			if f.CreatedAt != nil {
				one.Made = *f.CreatedAt
			}
			all = append(all, one)
		}
		if page.Cursor = next.NextCursor; page.Cursor == "" {
			return all, nil
		}
	}
}

// Active implements activities.Skills and api.Skills.
func (s chatSkills) Active(ctx context.Context, p principal.Principal, id string) (assistant.Skill, error) {
	if slug, is := strings.CutPrefix(id, assistant.AgentSkill); is {
		found, err := s.p.agents.ForChat(ctx, p, slug)
		if err != nil {
			return assistant.Skill{}, err
		}
		// Several people may have written the live version.
		return assistant.Skill{
			Name: found.Name, Author: "the authors of the agent " + found.Slug, Foreign: true, Prompt: found.Instructions, Agent: found.Slug,
		}, nil
	}
	found, err := s.p.skills.ForChat(ctx, p, id)
	if err != nil {
		return assistant.Skill{}, err
	}
	return assistant.Skill{Name: found.Name, Author: found.Author, Foreign: !found.Builtin && !found.Own, Prompt: found.Prompt}, nil
}
