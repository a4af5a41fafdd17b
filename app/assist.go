package app

import (
	"context"

	"countersign/api"
	"countersign/chat/assistant"
	"countersign/modules/skill"
	"countersign/principal"
	"countersign/rest"
)

// detachedCalls is how many small model calls, such as titles, a process makes beside its turns.
const detachedCalls = 16

// detach runs work beside a turn until the process drains; with so many running already the work is dropped, for it is
// never needed.
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

// chatSkills speaks the assistant's types.
type chatSkills struct{ *skill.Module }

// chatSkillsOf are the skills that p can chat with.
func (s chatSkills) chatSkillsOf(ctx context.Context, p principal.Principal) ([]api.ChatSkill, error) {
	if !p.Has(skill.Read) {
		return nil, nil
	}
	var all []api.ChatSkill
	page := rest.Page{Limit: 200}
	for {
		found, next, err := s.List(ctx, skill.Filter{Target: skill.Chat}, page)
		if err != nil {
			return nil, err
		}
		for _, f := range found {
			one := api.ChatSkill{ID: f.ID}
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
	found, err := s.ForChat(ctx, p, id)
	if err != nil {
		return assistant.Skill{}, err
	}
	return assistant.Skill{Name: found.Name, Author: found.Author, Foreign: !found.Builtin && !found.Own, Prompt: found.Prompt}, nil
}
