package chat

import (
	"encoding/json"
	"fmt"
	"slices"
	"strings"

	"github.com/google/uuid"

	"countersign/chat/conversation"
	"countersign/internal/problem"
)

// maxCompletionMessages bounds the length of a history.
const maxCompletionMessages = 2000

// completionRequest is the body of POST /v1/chat/completions as far as the server reads it. Model parameters
// (temperature, max_tokens and the like), instructions and tools of the client are ignored: the assistant has its own.
type completionRequest struct {
	_ struct{} `additionalProperties:"true"`

	Model         string              `json:"model" doc:"One of GET /v1/models"`
	Messages      []completionMessage `json:"messages" minItems:"1" doc:"Of which the last one, of the user, is what is asked. The others tell the conversation; those that it does not hold are shown to the model as data"`
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

// completionAsk is a validated completionRequest.
type completionAsk struct {
	model        string
	stream       bool
	includeUsage bool
	history      conversation.ClientInput
	// text is the new message as it is stored.
	text string
	// task is the prompt of a background request of a chat program, "" for a message of the person; limit is its token
	// limit, 0 for none.
	task  string
	limit int
}

// unsupported are parameters that cannot be honoured; ignoring them silently would mislead the client.
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
	var messages, tools []json.RawMessage
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
	checkModel(in.model, &issues)
	if len(messages) == 0 || len(messages) > maxCompletionMessages {
		issues.Report("messages", "must have 1 to %d messages", maxCompletionMessages)
		return in, issues.Err()
	}
	sent := sentMessages(messages, &issues)
	if err := issues.Err(); err != nil {
		return in, err
	}
	hasTools := decodeMember(members["tools"], &tools) != nil || len(tools) > 0 || has(members, "functions")
	if in.task = taskOf(sent, in.stream || hasTools); in.task != "" {
		// A malformed limit is ignored, as the product has its own.
		_ = decodeMember(members["max_tokens"], &in.limit)
		return in, nil
	}
	in.read(sent, "messages[%d]", &issues)
	return in, issues.Err()
}

func checkModel(model string, issues *problem.Issues) {
	if model == "" || len(model) > 200 {
		issues.Report("model", "must be one of GET /v1/models")
	}
}

// sentMessage is a client's message as far as the server reads it.
type sentMessage struct {
	role, text string
	// file reports content other than text.
	file bool
	// turn is the turn that the message's id names.
	turn uuid.UUID
}

// sentMessages decodes the messages of a request, with the one to answer last.
func sentMessages(messages []json.RawMessage, issues *problem.Issues) []sentMessage {
	sent := make([]sentMessage, 0, len(messages))
	for i, raw := range messages {
		m := map[string]json.RawMessage{}
		var one sentMessage
		if json.Unmarshal(raw, &m) != nil || json.Unmarshal(m["role"], &one.role) != nil {
			issues.Report(fmt.Sprintf("messages[%d]", i), "must have a role and a content")
			return nil
		}
		one.text, one.file = contentText(m["content"])
		if has(m, "tool_calls") && strings.TrimSpace(one.text) == "" && string(m["tool_calls"]) != "null" &&
			string(m["tool_calls"]) != "[]" {
			// The results of calls of the client's own tools follow as messages.
			one.file = true
		}
		sent = append(sent, one)
	}
	return endsWithQuestion(sent)
}

// endsWithQuestion drops empty answers at the end of a request, and moves trailing instructions before the message to
// answer.
func endsWithQuestion(sent []sentMessage) []sentMessage {
	return withoutPlaceholders(instructionsFirst(withoutPlaceholders(sent)))
}

// instructionsFirst moves instructions at the end of a request, which some clients repeat there, before the message to
// answer.
func instructionsFirst(sent []sentMessage) []sentMessage {
	end := len(sent)
	for end > 0 && (sent[end-1].role == "system" || sent[end-1].role == "developer") {
		end--
	}
	if end == 0 || end == len(sent) {
		return sent
	}
	answered := end - 1
	for answered > 0 && sent[answered].role == "assistant" && sent[answered].empty() {
		answered--
	}
	return slices.Concat(sent[:answered], sent[end:], sent[answered:end])
}

// empty reports whether an assistant message is a placeholder for the next answer.
func (m sentMessage) empty() bool {
	return !m.file && m.turn == uuid.Nil && strings.TrimSpace(m.text) == ""
}

func withoutPlaceholders(sent []sentMessage) []sentMessage {
	for len(sent) > 1 {
		last := sent[len(sent)-1]
		if last.role != "assistant" || !last.empty() {
			break
		}
		sent = sent[:len(sent)-1]
	}
	return sent
}

// read stores the history and the last message, which is the person's. path formats the path of a message by its index.
func (in *completionAsk) read(sent []sentMessage, path string, issues *problem.Issues) {
	at := path
	if strings.Contains(path, "%d") {
		at = fmt.Sprintf(path, len(sent)-1)
	}
	last := sent[len(sent)-1]
	if last.role != "user" {
		issues.Report(at+".role", `must be "user": the last message is what is answered`)
		return
	}
	if last.file {
		issues.Report(at+".content", "holds something else than text, and the assistant reads text alone")
	}
	in.history = historyOf(sent)
	checked := chatRequest{MessageID: "-", Message: messageText{Text: last.text}}
	checked.checkMessage(issues, "", at+".content")
	in.text = checked.Message.Text
}

// notText replaces content other than text in a history.
const notText = "[something else than text]"

// historyOf converts messages to a history; the last message is the new one.
func historyOf(sent []sentMessage) (said conversation.ClientInput) {
	open := false
	current := func() *conversation.Exchange {
		if !open {
			said.Exchanges, open = append(said.Exchanges, conversation.Exchange{}), true
		}
		return &said.Exchanges[len(said.Exchanges)-1]
	}
	for _, m := range sent[:len(sent)-1] {
		switch m.role {
		case "system", "developer":
			said.Instructions = append(said.Instructions, m.text)
		case "user":
			open = false
			current().Asked = m.text
			if m.file {
				// New messages cannot have files, so a message with one was answered elsewhere.
				current().Asked = strings.TrimSpace(m.text + "\n" + notText)
			}
		case "assistant":
			e := current()
			e.Answered += m.text
			if m.turn != uuid.Nil {
				e.Turn = m.turn
			}
		default:
			e := current()
			e.Results = append(e.Results, m.text)
		}
	}
	said.Message = sent[len(sent)-1].text
	return said
}

// contentText returns the text of a content, and whether it has anything else.
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
		case "text", "input_text", "output_text":
			text += part.Text
		case "refusal":
		default:
			other = true
		}
	}
	return text, other
}
