package chat

import (
	"encoding/json"
	"fmt"
	"slices"
	"strings"

	"github.com/google/uuid"

	"countersign/internal/problem"
)

// responseRequest is the body of POST /v1/responses as far as the server reads it: POST /v1/chat/completions in another
// form.
type responseRequest struct {
	_ struct{} `additionalProperties:"true"`

	Model              string `json:"model" doc:"One of GET /v1/models"`
	Input              any    `json:"input" doc:"The message of the user, or a list of items of which the last one is that. The others tell the conversation; those that it does not hold are shown to the model as data"`
	Instructions       string `json:"instructions,omitempty" doc:"Shown to the model as data with the first message of a conversation"`
	PreviousResponseID string `json:"previous_response_id,omitempty" doc:"A response of the same client, whose conversation continues after it"`
	Stream             bool   `json:"stream,omitempty"`
	Store              *bool  `json:"store,omitempty" doc:"Read by nobody: responses cannot be looked up again; what was said stays in the conversation"`
}

// unsupportedResponses is unsupported for the members of responses.
var unsupportedResponses = map[string]struct {
	fine    func(json.RawMessage) bool
	message string
}{
	"background": {is("false"), "is not possible: the answer comes with the request"},
	"conversation": {is(), "is not possible here: name the conversation in the header Countersign-Conversation, or " +
		"send previous_response_id"},
	"prompt":      {is(), "is not possible: there are no stored prompts. Send input"},
	"tool_choice": {autoChoice, "cannot ask for a tool: the assistant has its own"},
	"text":        {plainFormat, `must have {"format": {"type": "text"}}: the assistant answers in words`},
}

var autoChoice = is(`"auto"`, `"none"`)

func plainFormat(raw json.RawMessage) bool {
	var text struct {
		Format json.RawMessage `json:"format"`
	}
	return string(raw) == "null" || json.Unmarshal(raw, &text) == nil && (len(text.Format) == 0 || ofType("text")(text.Format))
}

// Prefixes of ids that are derived from a turn's.
const (
	responsePrefix   = "resp_"
	messagePrefix    = "msg_"
	completionPrefix = "chatcmpl-"
)

// turnOfID returns the turn from which an id of ours was derived.
func turnOfID(id string) (uuid.UUID, bool) {
	for _, prefix := range []string{responsePrefix, messagePrefix, completionPrefix} {
		if rest, is := strings.CutPrefix(id, prefix); is {
			turn, err := uuid.Parse(rest)
			return turn, err == nil && turn != uuid.Nil
		}
	}
	return uuid.Nil, false
}

func readResponse(body []byte) (in completionAsk, previous uuid.UUID, err error) {
	members, err := membersOf(body)
	if err != nil {
		return in, previous, err
	}
	var issues problem.Issues
	var instructions, previousID string
	for name, into := range map[string]any{
		"model": &in.model, "stream": &in.stream, "instructions": &instructions,
		"previous_response_id": &previousID,
	} {
		if err := decodeMember(members[name], into); err != nil {
			issues.Report(name, "cannot be read: %s", decodeError(err))
		}
	}
	for name, rule := range unsupportedResponses {
		if raw, asked := members[name]; asked && !rule.fine(raw) {
			issues.Report(name, "%s", rule.message)
		}
	}
	checkModel(in.model, &issues)
	if previousID != "" {
		var ok bool
		if previous, ok = turnOfID(previousID); !ok {
			issues.Report("previous_response_id", "must be the id of a response from here")
		}
	}
	sent := inputMessages(members["input"], &issues)
	if err := issues.Err(); err != nil {
		return in, previous, err
	}
	before := []sentMessage{}
	if instructions != "" {
		before = append(before, sentMessage{role: "system", text: instructions})
	}
	if previous != uuid.Nil {
		before = append(before, sentMessage{role: "assistant", turn: previous})
	}
	sent = endsWithQuestion(sent)
	var tools []json.RawMessage
	hasTools := decodeMember(members["tools"], &tools) != nil || len(tools) > 0
	if in.task = taskOf(slices.Concat(before, sent), in.stream || hasTools || previous != uuid.Nil); in.task != "" {
		_ = decodeMember(members["max_output_tokens"], &in.limit)
		return in, previous, nil
	}
	if len(sent) > 0 {
		in.read(slices.Concat(before, sent), "input", &issues)
	}
	return in, previous, issues.Err()
}

// inputItem has the members of input items that the server reads.
type inputItem struct {
	Type    string          `json:"type"`
	ID      string          `json:"id"`
	Role    string          `json:"role"`
	Content json.RawMessage `json:"content"`
	// Members of calls of the client's own tools.
	Name      string          `json:"name"`
	Arguments string          `json:"arguments"`
	Output    json.RawMessage `json:"output"`
}

// inputMessages converts an input, a text or a list of items, to messages. Items of unknown kinds are skipped.
func inputMessages(raw json.RawMessage, issues *problem.Issues) (sent []sentMessage) {
	var text string
	if len(raw) > 0 && json.Unmarshal(raw, &text) == nil && string(raw) != "null" {
		return []sentMessage{{role: "user", text: text}}
	}
	var items []json.RawMessage
	if json.Unmarshal(raw, &items) != nil || len(items) == 0 || len(items) > maxCompletionMessages {
		issues.Report("input", "must be a text, or 1 to %d items of which the last one is a message of the user", maxCompletionMessages)
		return nil
	}
	for i, raw := range items {
		var item inputItem
		if json.Unmarshal(raw, &item) != nil {
			issues.Report(fmt.Sprintf("input[%d]", i), "must be an item, such as a message with a role and a content")
			return nil
		}
		m := sentMessage{role: item.Role}
		switch item.Type {
		case "", "message":
			m.text, m.file = contentText(item.Content)
			if turn, ours := turnOfID(item.ID); ours && m.role == "assistant" {
				m.turn = turn
			}
		case "item_reference":
			turn, ours := turnOfID(item.ID)
			if !ours {
				continue
			}
			m.role, m.turn = "assistant", turn
		case "function_call", "custom_tool_call":
			m.role, m.text = "tool", item.Name+" "+item.Arguments
		case "function_call_output", "custom_tool_call_output":
			m.role = "tool"
			if m.text, m.file = contentText(item.Output); m.text == "" {
				m.text = string(item.Output)
			}
		default:
			// For example a model's reasoning.
			continue
		}
		if m.role == "" {
			issues.Report(fmt.Sprintf("input[%d]", i), "must have a role and a content")
			return nil
		}
		sent = append(sent, m)
	}
	if len(sent) == 0 {
		issues.Report("input", "must end with a message of the user")
	}
	return sent
}
