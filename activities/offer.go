package activities

import (
	"context"

	"countersign/chat/assistant"
	"countersign/internal/principal"
	"countersign/model"
	"countersign/tool"
	"countersign/tool/disposition"
)

// offered returns the tools that the person may use. A tool that is disabled later is refused at its call.
func (a *Turn) offered(ctx context.Context, p principal.Principal) ([]tool.Tool, error) {
	return disposition.Offered(ctx, a.Policies, a.Registry, p)
}

// abilities describes tools for a model.
func abilities(tools []tool.Tool) []assistant.Ability {
	known := make([]assistant.Ability, len(tools))
	for i, t := range tools {
		known[i] = assistant.Ability{
			Tool:  model.Tool{Name: t.WireName(), Description: t.Description, Parameters: t.Input.JSON()},
			Reads: t.Effect == tool.Read,
		}
	}
	return known
}

// promptTools are the dotted names of the tools that the prompt mentions.
func promptTools(sc scope, choice assistant.Choice, window int) []string {
	var names []string
	for _, t := range sc.tools {
		if choice.InPrompt(t.WireName(), window) {
			names = append(names, t.Name)
		}
	}
	return names
}

// resultRoom is the size limit for the result of one of the calls of a step.
func (c *toolCall) resultRoom() tool.Room {
	frame := c.frame(c.session, c.scope)
	calls := c.session.Step(c.at.Step).Model.Calls
	searches := 0
	for _, call := range calls {
		if call.WireName == assistant.SearchTool {
			searches++
		}
	}
	window := c.estimates(c.session, c.scope)
	r := tool.Room{Chars: assistant.ResultChars(window, frame.room, len(calls))}
	if offer := frame.offer; offer.Searching && c.call.WireName == assistant.SearchTool {
		r.Schemas, r.Costs = offer.Free/max(searches, 1), offer.Costs(abilities(c.scope.tools), window)
	}
	return r
}
