package modeltest

import (
	"encoding/json"
	"errors"
	"fmt"
	"net/http"
	"net/url"
	"slices"
	"strings"
)

// Request is a chat request as it came over the wire.
type Request struct {
	Header http.Header
	Query  url.Values
	// Members are the members of the body as they came.
	Members  map[string]json.RawMessage
	Model    string
	Messages []Message
	Tools    []Tool
	Stream   bool
	// Usage says that a stream has to end with what was used.
	Usage bool

	// said reports whether this server has sent a text that only it can make: a signature, or a signed block.
	said func(text string) bool
}

// Message is a message of a request.
type Message struct {
	Role    string
	Members map[string]json.RawMessage
	// Text is the content: a string, or the texts of its parts. Absent says that the content is missing or null.
	Text   string
	Absent bool
	Calls  []Call
	// CallID is the call that a tool message answers.
	CallID string
}

// Call is a tool call of an assistant message.
type Call struct {
	ID, Name, Arguments string
	Members             map[string]json.RawMessage
}

// Tool is an offered tool. Parameters are its schema.
type Tool struct {
	Name, Description string
	Parameters        any
}

// ParseRequest reads the body of a chat request.
func ParseRequest(body []byte) (*Request, error) {
	var wire struct {
		Model    string                       `json:"model"`
		Messages []map[string]json.RawMessage `json:"messages"`
		Stream   bool                         `json:"stream"`
		Options  struct {
			Usage bool `json:"include_usage"`
		} `json:"stream_options"`
		Tools []struct {
			Function struct {
				Name        string `json:"name"`
				Description string `json:"description"`
				Parameters  any    `json:"parameters"`
			} `json:"function"`
		} `json:"tools"`
	}
	r := &Request{said: func(string) bool { return true }}
	if err := errors.Join(json.Unmarshal(body, &wire), json.Unmarshal(body, &r.Members)); err != nil {
		return nil, fmt.Errorf("read chat request: %w", err)
	}
	r.Model, r.Stream, r.Usage = wire.Model, wire.Stream, wire.Options.Usage
	for _, t := range wire.Tools {
		r.Tools = append(r.Tools, Tool{t.Function.Name, t.Function.Description, t.Function.Parameters})
	}
	for i, members := range wire.Messages {
		m, err := message(members)
		if err != nil {
			return nil, fmt.Errorf("message %d: %w", i, err)
		}
		r.Messages = append(r.Messages, m)
	}
	return r, nil
}

func message(members map[string]json.RawMessage) (Message, error) {
	m := Message{Members: members, Absent: empty(members["content"])}
	var calls []map[string]json.RawMessage
	err := errors.Join(into(members["role"], &m.Role), into(members["tool_call_id"], &m.CallID), into(members["tool_calls"], &calls))
	m.Text = contentText(members["content"])
	for _, raw := range calls {
		call := Call{Members: raw}
		var function struct{ Name, Arguments string }
		err = errors.Join(err, into(raw["id"], &call.ID), into(raw["function"], &function))
		call.Name, call.Arguments = function.Name, function.Arguments
		m.Calls = append(m.Calls, call)
	}
	return m, err
}

// into reads a member that may be absent.
func into(raw json.RawMessage, value any) error {
	if empty(raw) {
		return nil
	}
	return json.Unmarshal(raw, value)
}

func empty(raw json.RawMessage) bool { return len(raw) == 0 || string(raw) == "null" }

func contentText(raw json.RawMessage) string {
	var text string
	if json.Unmarshal(raw, &text) == nil {
		return text
	}
	var parts []struct {
		Text string `json:"text"`
	}
	_ = json.Unmarshal(raw, &parts)
	texts := make([]string, len(parts))
	for i, p := range parts {
		texts[i] = p.Text
	}
	return strings.Join(texts, "")
}

// current returns the beginning of the current turn: behind the last message of a person.
func (r *Request) current() int {
	for i, m := range slices.Backward(r.Messages) {
		if m.Role == "user" {
			return i + 1
		}
	}
	return 0
}

// member is a member of a message as text, "" when it is absent.
func (m Message) member(name string) string {
	var text string
	_ = json.Unmarshal(m.Members[name], &text)
	return text
}
