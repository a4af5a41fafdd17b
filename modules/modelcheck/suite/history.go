package suite

import (
	"encoding/json"
	"fmt"
	"strings"

	"countersign/chat/assistant"
	"countersign/chat/turn"
	"countersign/model"
)

// history is the earlier conversation with the message last, in the format of a prompt.
func (y *play) history(room int) ([]model.Message, error) {
	var messages []model.Message
	if y.s.Fill != nil {
		filled, err := fill(*y.s.Fill, room)
		if err != nil {
			return nil, err
		}
		messages = filled
	}
	for i, e := range y.s.History {
		switch {
		case e.User != "":
			messages = append(messages, model.Message{Role: model.RoleUser, Content: e.User})
		case e.Assistant != "":
			messages = append(messages, model.Message{Role: model.RoleAssistant, Content: e.Assistant})
		case e.Call != nil:
			called, err := y.earlier(*e.Call, i)
			if err != nil {
				return nil, err
			}
			messages = append(messages, called...)
		case e.Decision != nil:
			messages = append(messages, model.Message{Role: model.RoleUser, Content: e.Decision.Note()})
		}
	}
	if y.s.Message != "" {
		messages = append(messages, model.Message{Role: model.RoleUser, Content: y.s.Message})
	}
	last := &messages[len(messages)-1]
	last.Content = assistant.WithContext(last.Content, assistant.Context{Now: y.Now(), Memories: y.s.Memories}.String())
	return messages, nil
}

func (y *play) earlier(c Earlier, number int) ([]model.Message, error) {
	arguments, err := json.Marshal(c.Arguments)
	if err != nil {
		return nil, err
	}
	result := turn.ToolResult{Output: json.RawMessage(c.Returns)}
	for _, t := range y.tools {
		if t.Name == c.Tool {
			result.Untrusted, result.Trusted = t.Foreign, t.Trusted
		}
	}
	if c.Card {
		result = turn.ToolResult{Output: json.RawMessage(awaiting)}
	}
	id := fmt.Sprintf("earlier%02d", number)
	return []model.Message{
		{
			Role:      model.RoleAssistant,
			ToolCalls: []model.ToolCall{{ID: id, Name: strings.ReplaceAll(c.Tool, ".", "_"), Arguments: string(arguments)}},
		},
		{Role: model.RoleTool, ToolCallID: id, Content: result.ForModel()},
	}, nil
}

// fill is a history of exchanges that are alike and about nothing of importance, with the needle in one of them.
func fill(f Fill, room int) ([]model.Message, error) {
	// The rest is for the situation itself.
	const least, rest = 1_500, 0.7
	tokens := min(f.Tokens, int(float64(room)*rest))
	if tokens < least {
		return nil, errNoWindow
	}
	var messages []model.Message
	said := false
	for n, used := 1, 0; used < tokens; n++ {
		exchange := idle(n)
		if !said && float64(used) >= f.At*float64(tokens) {
			exchange = []model.Message{{Role: model.RoleUser, Content: f.Needle}, {Role: model.RoleAssistant, Content: "Noted."}}
			said = true
		}
		used += assistant.EstimateTokens(exchange)
		messages = append(messages, exchange...)
	}
	return messages, nil
}

// idle is an exchange like many others.
func idle(n int) []model.Message {
	names := []string{"Ledger", "Order Hub", "Search", "Mail Relay", "Image Store", "Rates", "Archive"}
	colors := []string{"calm", "busy", "slow in the morning", "quiet since the weekend", "fast again"}
	system, state := names[n%len(names)], colors[n%len(colors)]
	return []model.Message{
		{
			Role:    model.RoleUser,
			Content: fmt.Sprintf("Note %d for the shift log: %s was %s, %d requests a minute, nothing to do.", n, system, state, 200+(n*37)%900),
		},
		{
			Role: model.RoleAssistant,
			Content: fmt.Sprintf(
				"I have read note %d: %s was %s and nobody has to act. Tell me when you would like to look at something, for "+
					"example at the owners, the links or the environments of %s.",
				n,
				system,
				state,
				system,
			),
		},
	}
}

// Note is the decision in the wording of the prompt.
func (d Decided) Note() string {
	o := assistant.Outcome{Status: d.Status, Tool: d.Tool, Summary: d.Summary, Failure: d.Failure, Reason: d.Reason, Decider: "the person"}
	if d.Returns != "" {
		o.Result = json.RawMessage(d.Returns)
	}
	return assistant.DecisionNote(o)
}
