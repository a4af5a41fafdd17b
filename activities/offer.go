package activities

import (
	"context"
	"slices"

	"countersign/chat/assistant"
	"countersign/model"
	"countersign/principal"
	"countersign/tool"
	"countersign/tool/disposition"
)

// offered are the tools that the person may use. A tool that is switched off later is refused when it is called.
func (a *Turn) offered(ctx context.Context, p principal.Principal) ([]tool.Tool, error) {
	return disposition.Offered(ctx, a.Policies, a.Registry, p)
}

// abilities are tools as a model is told of them.
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

// offer is what the model is told of the tools at this point of the turn. It follows from the records alone.
func (a *Turn) offer(s *session, sc scope) assistant.Offer {
	return assistant.OfferOf(abilities(sc.tools), slices.Concat(s.History(), s.Messages()), a.window(s, sc))
}

// playbookWindow is the window from which on the prompt tells how to work with tools that the model has still to find.
const playbookWindow = 32_000

// told are the dotted names of the tools that the prompt may speak of. They are the same from the beginning of a
// conversation to its end, so that requests begin alike.
func (a *Turn) told(s *session, sc scope, o assistant.Offer) []string {
	window := a.window(s, sc)
	always := o.Names()[:o.Always]
	var names []string
	for _, t := range sc.tools {
		if window <= 0 || window >= playbookWindow || slices.Contains(always, t.WireName()) {
			names = append(names, t.Name)
		}
	}
	return names
}

// space is what the model has left for one of the calls of a step.
func (c *toolCall) space() tool.Room {
	frame := c.frame(c.session, c.scope)
	calls := c.session.Step(c.at.Step).Model.Calls
	searches := 0
	for _, call := range calls {
		if call.WireName == assistant.SearchTool {
			searches++
		}
	}
	window := c.window(c.session, c.scope)
	r := tool.Room{Chars: assistant.ResultChars(window, frame.room, len(calls))}
	if offer := frame.offer; offer.Searching && c.call.WireName == assistant.SearchTool {
		r.Schemas, r.Costs = offer.Free/max(searches, 1), offer.Costs(abilities(c.scope.tools), window)
	}
	return r
}
