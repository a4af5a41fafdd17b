package activities

import (
	"slices"

	"countersign/chat/assistant"
	"countersign/model"
)

// frame is the part of a request around the conversation.
type frame struct {
	system model.Message
	offer  assistant.Offer
	// tokens are those of system.
	tokens int
	// room is the token budget of the conversation.
	room int
}

// frame builds the frame of the next step.
func (a *Turn) frame(s *session, sc scope) frame {
	known := a.measures(s, sc)
	p := a.prompt(s, sc, known.Estimates())
	offer := p.choice.Offer(func() []model.Message { return slices.Concat(s.History(), s.Messages()) })
	return frame{p.system, offer, p.tokens, assistant.Room(p.of.window, known.ThoughtRoom(), p.tokens, offer.Tokens)}
}

// prompt is what the frames of a turn have in common. It is made again when one of those changes that it is of.
type prompt struct {
	of     promptOf
	system model.Message
	// tokens are those of system.
	tokens int
	choice assistant.Choice
}

type promptOf struct {
	summary      string
	window, most int
}

func (a *Turn) prompt(s *session, sc scope, window int) prompt {
	of := promptOf{s.Summary(), window, a.maxTools(s, sc)}
	if made, ok := s.Memo.prompt.Get(); ok && made.of == of {
		return made
	}
	choice := assistant.ChooseTools(of.most, abilities(sc.tools), window)
	tools := promptTools(sc, choice, window)
	system := model.Message{Role: model.RoleSystem, Content: assistant.System(assistant.Prompt{
		Mode: s.PermissionMode, Family: sc.connection.Family, Skill: sc.skill, Summary: of.summary,
		Tools: tools, Searching: choice.Searching(), Playbooks: a.Registry.PlaybooksFor(tools),
	})}
	made := prompt{of, system, assistant.MessageTokens(system), choice}
	s.Memo.prompt.Put(made)
	return made
}
