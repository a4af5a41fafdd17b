package model

import (
	"bytes"

	"countersign/model/internal/jsonscan"
)

// chunk is one event of a stream, or a whole answer that was not streamed:
// both have the same shape, the one with "delta" where the other has
// "message". A chunk is reused, its slices are valid until the next parse.
type chunk struct {
	id, model []byte
	content   []byte
	refusal   []byte
	reasoning []byte
	finish    []byte
	calls     []callPart
	usage     Usage
	// fault is the raw "error" value.
	fault []byte
	// recognized is false for JSON that has none of the fields above.
	recognized bool
}

// callPart is a piece of a tool call as the provider sent it.
type callPart struct {
	index     int
	hasIndex  bool
	id, name  []byte
	arguments []byte
}

func (c *chunk) reset() {
	*c = chunk{
		id: c.id[:0], model: c.model[:0], content: c.content[:0], refusal: c.refusal[:0],
		reasoning: c.reasoning[:0], finish: c.finish[:0], calls: c.calls[:0],
	}
}

// parse reads one JSON object and reports whether it was well formed.
func (c *chunk) parse(data []byte) bool {
	c.reset()
	s := jsonscan.New(data)
	if s.Peek() != '{' {
		return false
	}
	s.Object(func(key []byte) {
		switch string(key) {
		case "id":
			c.id = s.AppendString(c.id[:0])
		case "model":
			c.model = s.AppendString(c.model[:0])
		case "error":
			if raw := s.Raw(); !isNull(raw) {
				c.fault = raw
				c.recognized = true
			}
		case "usage":
			c.parseUsage(&s)
		case "choices":
			c.recognized = true
			s.Array(func(i int) {
				if i > 0 {
					s.Skip()
					return
				}
				c.parseChoice(&s)
			})
		default:
			s.Skip()
		}
	})
	return !s.Bad() && s.AtEnd()
}

func (c *chunk) parseUsage(s *jsonscan.Scanner) {
	if s.Peek() != '{' {
		s.Skip()
		return
	}
	s.Object(func(key []byte) {
		switch string(key) {
		case "prompt_tokens":
			if n, ok := s.Integer(); ok {
				c.usage.InputTokens = max(n, 0)
				c.usage.Reported = true
			}
		case "completion_tokens":
			if n, ok := s.Integer(); ok {
				c.usage.OutputTokens = max(n, 0)
				c.usage.Reported = true
			}
		default:
			s.Skip()
		}
	})
	c.recognized = true
}

func (c *chunk) parseChoice(s *jsonscan.Scanner) {
	s.Object(func(key []byte) {
		switch string(key) {
		case "delta", "message":
			c.parseMessage(s)
		case "finish_reason":
			c.finish = s.AppendString(c.finish[:0])
		default:
			s.Skip()
		}
	})
}

func (c *chunk) parseMessage(s *jsonscan.Scanner) {
	s.Object(func(key []byte) {
		switch string(key) {
		case "content":
			c.parseContent(s)
		case "refusal":
			c.refusal = s.AppendString(c.refusal)
		case "reasoning_content", "reasoning":
			// Some gateways send the same text under both names.
			if len(c.reasoning) > 0 {
				s.Skip()
				return
			}
			c.reasoning = s.AppendString(c.reasoning)
		case "tool_calls":
			s.Array(func(int) { c.parseCall(s) })
		default:
			s.Skip()
		}
	})
}

// parseContent reads a string, or an array of parts of which it keeps the
// text.
func (c *chunk) parseContent(s *jsonscan.Scanner) {
	if s.Peek() != '[' {
		c.content = s.AppendString(c.content)
		return
	}
	s.Array(func(int) {
		s.Object(func(key []byte) {
			if string(key) == "text" {
				c.content = s.AppendString(c.content)
				return
			}
			s.Skip()
		})
	})
}

func (c *chunk) parseCall(s *jsonscan.Scanner) {
	if s.Peek() != '{' {
		s.Skip()
		return
	}
	part := c.nextCall()
	s.Object(func(key []byte) {
		switch string(key) {
		case "index":
			part.index, part.hasIndex = s.Integer()
		case "id":
			part.id = s.AppendString(part.id)
		case "function":
			s.Object(func(key []byte) {
				switch string(key) {
				case "name":
					part.name = s.AppendString(part.name)
				case "arguments":
					part.parseArguments(s)
				default:
					s.Skip()
				}
			})
		default:
			s.Skip()
		}
	})
}

// nextCall extends calls by an empty part that keeps earlier buffers.
func (c *chunk) nextCall() *callPart {
	if len(c.calls) < cap(c.calls) {
		c.calls = c.calls[:len(c.calls)+1]
	} else {
		c.calls = append(c.calls, callPart{})
	}
	part := &c.calls[len(c.calls)-1]
	*part = callPart{id: part.id[:0], name: part.name[:0], arguments: part.arguments[:0]}
	return part
}

// parseArguments reads the JSON text of the arguments. It should come as a
// string; providers that send the object itself are understood as well.
func (p *callPart) parseArguments(s *jsonscan.Scanner) {
	if s.Peek() == '"' {
		p.arguments = s.AppendString(p.arguments)
		return
	}
	if raw := s.Raw(); !isNull(raw) {
		p.arguments = append(p.arguments, cleanText(raw)...)
	}
}

// cleanText returns raw as valid UTF-8 without NUL.
func cleanText(raw []byte) []byte {
	if bytes.IndexByte(raw, 0) >= 0 {
		raw = bytes.ReplaceAll(raw, []byte{0}, nil)
	}
	return bytes.ToValidUTF8(raw, []byte("\uFFFD"))
}

func isNull(raw []byte) bool { return len(raw) == 0 || bytes.Equal(raw, []byte("null")) }
