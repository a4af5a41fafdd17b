package demo

import (
	"encoding/json"
	"strings"

	"countersign/model"
	"countersign/model/internal/jsonscan"
)

// chatRequest is the part of a request that the server reads. Of the tools, the rules use only the names.
type chatRequest struct {
	model.Request
	stream, usage bool
}

// parseRequest reads the body of a chat request and reports whether it is one.
func parseRequest(body []byte) (chatRequest, bool) {
	var r chatRequest
	s := jsonscan.New(body)
	if s.Peek() != '{' {
		return r, false
	}
	s.Object(func(key []byte) {
		switch string(key) {
		case "model":
			r.Model = readString(&s)
		case "user":
			r.User = readString(&s)
		case "stream":
			r.stream = s.Bool()
		case "stream_options":
			s.Object(func(key []byte) {
				if string(key) == "include_usage" {
					r.usage = s.Bool()
					return
				}
				s.Skip()
			})
		case "messages":
			s.Array(func(int) { r.Messages = append(r.Messages, parseMessage(&s)) })
		case "tools":
			s.Array(func(int) { r.Tools = append(r.Tools, model.Tool{Name: parseFunction(&s).Name}) })
		default:
			s.Skip()
		}
	})
	return r, !s.Bad() && s.AtEnd() && len(r.Messages) > 0
}

func parseMessage(s *jsonscan.Scanner) model.Message {
	var m model.Message
	s.Object(func(key []byte) {
		switch string(key) {
		case "role":
			m.Role = readString(s)
		case "content":
			m.Content = parseContent(s)
		case "tool_call_id":
			m.ToolCallID = readString(s)
		case "tool_calls":
			s.Array(func(int) { m.ToolCalls = append(m.ToolCalls, parseFunction(s)) })
		default:
			s.Skip()
		}
	})
	m.Content, _, _ = strings.Cut(m.Content, contextMark)
	return m
}

// contextMark separates a person's words from the product's additions.
const contextMark = "\n\n<context>\n"

// parseContent reads a string or the texts of content parts.
func parseContent(s *jsonscan.Scanner) string {
	if s.Peek() != '[' {
		return readString(s)
	}
	var text []byte
	s.Array(func(int) {
		s.Object(func(key []byte) {
			if string(key) == "text" {
				text = s.AppendString(text)
				return
			}
			s.Skip()
		})
	})
	return string(text)
}

// parseFunction reads a tool call, or the name of a tool definition.
func parseFunction(s *jsonscan.Scanner) model.ToolCall {
	var call model.ToolCall
	s.Object(func(key []byte) {
		switch string(key) {
		case "id":
			call.ID = readString(s)
		case "function":
			s.Object(func(key []byte) {
				switch string(key) {
				case "name":
					call.Name = readString(s)
				case "arguments":
					call.Arguments = readString(s)
				default:
					s.Skip()
				}
			})
		default:
			s.Skip()
		}
	})
	return call
}

func readString(s *jsonscan.Scanner) string { return string(s.AppendString(nil)) }

// inputText is the arguments of a call as the model writes them.
func inputText(input object) string {
	if len(input) == 0 {
		return "{}"
	}
	text, err := json.Marshal(input)
	if err != nil {
		return "{}"
	}
	return string(text)
}
