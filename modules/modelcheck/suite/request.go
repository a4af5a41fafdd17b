package suite

import (
	"context"
	"encoding/json"
	"errors"
	"slices"

	"countersign/chat/assistant"
	"countersign/chat/turn"
	"countersign/model"
	"countersign/tool"
	"countersign/tool/disposition"
)

// frame is the part of a request around the conversation, as a turn makes it.
type frame struct {
	system model.Message
	offer  assistant.Offer
	// room is the token budget of the conversation.
	room int
}

// frame offers the tools that a conversation with these messages would.
func (y *play) frame(messages []model.Message) frame {
	window := y.known.Estimates()
	choice := assistant.ChooseTools(y.maxTools, y.abilities(), window)
	p := assistant.Prompt{Mode: disposition.Approve, Family: y.Family, Searching: choice.Searching()}
	for _, t := range y.tools {
		if choice.InPrompt(t.wireName(), window) {
			p.Tools = append(p.Tools, t.Name)
		}
	}
	if y.Playbooks != nil {
		p.Playbooks = y.Playbooks(p.Tools)
	}
	f := frame{
		system: model.Message{Role: model.RoleSystem, Content: assistant.System(p)},
		offer:  choice.Offer(func() []model.Message { return messages }),
	}
	f.room = assistant.Room(window, y.known.ThoughtRoom(), assistant.MessageTokens(f.system), f.offer.Tokens)
	return f
}

// abilities are the tools of the situation for a model. Without a search all of them are offered, as far as there is room.
func (y *play) abilities() []assistant.Ability {
	var all []assistant.Ability
	for _, t := range y.tools {
		if t.Name != searchTool || y.Search != nil {
			all = append(all, t.ability())
		}
	}
	return all
}

// ask makes the request of a step, again with fewer tools or as a shorter one where a refusal teaches that, as in a turn.
func (y *play) ask(ctx context.Context, running []model.Message) (model.Response, assistant.Offer, error) {
	for trims, refusals := 0, 0; ; {
		request, offer, estimate, err := y.request(running)
		if err != nil {
			return model.Response{}, offer, err
		}
		response, err := y.call(ctx, request, request.MaxTokens, func(ctx context.Context, r model.Request) (model.Response, error) {
			return y.Client.Stream(ctx, r, nil)
		})
		failure, failed := errors.AsType[*model.Error](err)
		switch {
		case failed && failure.Reason == model.TooManyTools && failure.MaxTools > 0 && refusals < assistant.MaxToolRefusals:
			refusals++
			y.learn(ctx, model.Figures{MaxTools: failure.MaxTools})
		case failed && failure.Class == model.ContextLength && trims < assistant.MaxTrims:
			trims++
			refusal := assistant.ReadRefusal(failure.Reported())
			shown := y.known.Refused(refusal, estimate)
			if !y.known.Teaches(shown) {
				return response, offer, err
			}
			if refusal.Window > 0 {
				y.learn(ctx, shown)
			} else {
				y.assume(shown)
			}
		default:
			return response, offer, err
		}
	}
}

// learn applies what a refusal has shown to the rest of the situation, and to later ones.
func (y *play) learn(ctx context.Context, shown model.Figures) {
	y.assume(shown)
	if y.Learn != nil {
		y.Learn(ctx, shown)
	}
}

// assume applies what a refusal has shown to the rest of the situation alone, as turns do with a guessed window.
func (y *play) assume(shown model.Figures) {
	y.past = nil
	y.maxTools = assistant.MostTools(y.maxTools, shown.MaxTools)
	if shown.WindowTokens > 0 {
		y.known.Window = shown.WindowTokens
	}
	if shown.TokensPerEstimate > 0 {
		y.known.Calibration = assistant.Calibration(shown.TokensPerEstimate)
	}
}

// request is the next one of a turn.
func (y *play) request(running []model.Message) (request model.Request, offer assistant.Offer, estimate int, err error) {
	if y.past == nil {
		if y.past, err = y.history(y.frame(nil).room); err != nil {
			return request, offer, 0, err
		}
	}
	f := y.frame(slices.Concat(y.past, running))
	request = model.Request{Model: y.Model, Tools: f.offer.Tools}
	request.Messages = append([]model.Message{f.system}, assistant.Fit(y.past, running, f.room)...)
	estimate = assistant.EstimateTokens(request.Messages) + f.offer.Tokens
	sent := y.known.Calibration.Tokens(estimate)
	request.MaxTokens = assistant.ReplyTokens(y.known.Window) + y.known.ThoughtTokens(sent, false)
	return request, f.offer, estimate, nil
}

// search is the result of the search for tools, which are offered from the next step on.
func (y *play) search(arguments json.RawMessage, offer assistant.Offer) turn.ToolResult {
	var in struct {
		Query string `json:"query"`
	}
	var all []assistant.Ability
	var others []Tool
	for _, t := range y.tools {
		if t.Name != searchTool {
			all, others = append(all, t.ability()), append(others, t)
		}
	}
	err := json.Unmarshal(arguments, &in)
	if err == nil {
		var found json.RawMessage
		room := tool.Room{Schemas: offer.Free, Costs: offer.Costs(all, y.known.Estimates())}
		if found, err = json.Marshal(y.Search(others, in.Query, room)); err == nil {
			return turn.ToolResult{Output: found, Trusted: true}
		}
	}
	return turn.ToolResult{Error: turn.FailureOf(err)}
}
