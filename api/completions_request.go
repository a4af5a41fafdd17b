package api

import (
	"encoding/json"
	"fmt"
	"slices"
	"strings"

	"countersign/chat/conversation"
	"countersign/problem"
)

// maxCompletionMessages bounds how long a history is looked at.
const maxCompletionMessages = 2000

// completionRequest is the body of POST /v1/chat/completions as far as it is read. What tunes a model (temperature, max_tokens and
// the like), instructions and tools of the client are ignored: the assistant has its own.
type completionRequest struct {
	_ struct{} `additionalProperties:"true"`

	Model         string              `json:"model" doc:"One of GET /v1/models"`
	Messages      []completionMessage `json:"messages" minItems:"1" doc:"Of which the last one, of the user, is what is asked; the others only tell the conversation"`
	Stream        bool                `json:"stream,omitempty"`
	StreamOptions *streamOptions      `json:"stream_options,omitempty"`
}

type streamOptions struct {
	_ struct{} `additionalProperties:"true"`

	IncludeUsage bool `json:"include_usage,omitempty"`
}

type completionMessage struct {
	_ struct{} `additionalProperties:"true"`

	Role    string `json:"role" enum:"system,developer,user,assistant,tool,function"`
	Content any    `json:"content" doc:"A text, or a list of parts of type text"`
}

// completionAsk is a completionRequest that can be answered.
type completionAsk struct {
	model        string
	stream       bool
	includeUsage bool
	said         conversation.Said
}

// text is the new message.
func (in completionAsk) text() string { return in.said.Asked[len(in.said.Asked)-1] }

// unsupported are what a client may ask for that would silently not be so.
var unsupported = map[string]struct {
	fine    func(json.RawMessage) bool
	message string
}{
	"n":               {is("1"), "must be 1: there is one answer"},
	"response_format": {ofType("text"), `must be {"type": "text"}: the assistant answers in words`},
	"tool_choice":     {is(`"auto"`, `"none"`), "cannot ask for a tool: the assistant has its own"},
	"function_call":   {is(`"auto"`, `"none"`), "cannot ask for a function: the assistant has its own"},
	"audio":           {is(), "is not possible: the assistant answers in words"},
	"logprobs":        {is("false"), "is not possible"},
}

func is(values ...string) func(json.RawMessage) bool {
	return func(raw json.RawMessage) bool {
		return string(raw) == "null" || slices.Contains(values, string(raw))
	}
}

func ofType(kind string) func(json.RawMessage) bool {
	return func(raw json.RawMessage) bool {
		var format struct {
			Type string `json:"type"`
		}
		return string(raw) == "null" || json.Unmarshal(raw, &format) == nil && format.Type == kind
	}
}

func readCompletion(body []byte) (in completionAsk, err error) {
	members, err := membersOf(body)
	if err != nil {
		return in, err
	}
	var issues problem.Issues
	var messages []json.RawMessage
	var options map[string]json.RawMessage
	for name, into := range map[string]any{"model": &in.model, "messages": &messages, "stream": &in.stream, "stream_options": &options} {
		if err := decodeMember(members[name], into); err != nil {
			issues.Report(name, "cannot be read: %s", decodeError(err))
		}
	}
	if err := decodeMember(options["include_usage"], &in.includeUsage); err != nil {
		issues.Report("stream_options.include_usage", "cannot be read: %s", decodeError(err))
	}
	for name, rule := range unsupported {
		if raw, asked := members[name]; asked && !rule.fine(raw) {
			issues.Report(name, "%s", rule.message)
		}
	}
	if in.model == "" || len(in.model) > 200 {
		issues.Report("model", "must be one of GET /v1/models")
	}
	if len(messages) == 0 || len(messages) > maxCompletionMessages {
		issues.Report("messages", "must have 1 to %d messages", maxCompletionMessages)
		return in, issues.Err()
	}
	in.said = saidBy(messages, &issues)
	if err := issues.Err(); err != nil {
		return in, err
	}
	checked := chatRequest{MessageID: "-", Message: messageText{Text: in.text()}}
	checked.checkMessage(&issues, "", fmt.Sprintf("messages[%d].content", len(messages)-1))
	in.said.Asked[len(in.said.Asked)-1] = checked.Message.Text
	return in, issues.Err()
}

// saidBy is what the messages say that the person and the assistant have said. The last message is the person's.
func saidBy(messages []json.RawMessage, issues *problem.Issues) (said conversation.Said) {
	var answer strings.Builder
	for i, raw := range messages {
		m := map[string]json.RawMessage{}
		var role string
		if json.Unmarshal(raw, &m) != nil || json.Unmarshal(m["role"], &role) != nil {
			issues.Report(fmt.Sprintf("messages[%d]", i), "must have a role and a content")
			return said
		}
		last := i == len(messages)-1
		if last && role != "user" {
			issues.Report(fmt.Sprintf("messages[%d].role", i), `must be "user": the last message is what is answered`)
			return said
		}
		text, file := contentText(m["content"])
		if last && file {
			issues.Report(fmt.Sprintf("messages[%d].content", i), "holds something else than text, and the assistant reads text alone")
		}
		switch role {
		case "user":
			if len(said.Asked) > 0 {
				said.Answered = append(said.Answered, answer.String())
			}
			answer.Reset()
			said.Asked = append(said.Asked, text)
		case "assistant":
			if len(said.Asked) > 0 {
				answer.WriteString(text)
			}
		}
	}
	return said
}

// contentText is the text of a content, and whether it holds anything else.
func contentText(raw json.RawMessage) (text string, other bool) {
	if json.Unmarshal(raw, &text) == nil {
		return text, false
	}
	var parts []struct {
		Type string `json:"type"`
		Text string `json:"text"`
	}
	if json.Unmarshal(raw, &parts) != nil {
		return "", len(raw) > 0 && string(raw) != "null"
	}
	for _, part := range parts {
		switch part.Type {
		case "text":
			text += part.Text
		case "refusal":
		default:
			other = true
		}
	}
	return text, other
}
