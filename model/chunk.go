package model

import (
	"bytes"
	"encoding/json"
	"slices"

	"countersign/model/internal/jsonscan"
)

// chunk is one event of a stream, or a whole answer that was not streamed: both have the same shape, with "delta" or
// "message", and some have both. Chunks are reused; their slices are valid until the next parse.
type chunk struct {
	id, model []byte
	content   []byte
	refusal   []byte
	reasoning []byte
	finish    []byte
	calls     []callPart
	usage     Usage
	thoughts  int // tokens
	// field is the member with plain reasoning; blocks is the array of blocksField.
	field, blocksField string
	blocks             []byte
	// hasDelta says that the choice has a "delta"; cumulative, that the delta was empty and the "message" beside it was
	// read.
	hasDelta, cumulative bool
	// fault is the raw "error" value, or a "base_resp" that reports a failure.
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
	// extra are the values of callMembers.
	extra [len(callMembers)][]byte
}

func (c *chunk) reset() {
	*c = chunk{
		id: c.id[:0], model: c.model[:0], content: c.content[:0], refusal: c.refusal[:0],
		reasoning: c.reasoning[:0], finish: c.finish[:0], calls: c.calls[:0],
	}
}

// size returns the number of bytes of content.
func (c *chunk) size() int {
	n := len(c.content) + len(c.refusal) + len(c.reasoning) + len(c.blocks)
	for i := range c.calls {
		n += len(c.calls[i].arguments)
	}
	return n
}

// parse reads one JSON object and reports whether it was well formed.
func (c *chunk) parse(data []byte) bool {
	c.reset()
	ok, inner := c.parseObject(data)
	if ok && !c.recognized && len(inner) > 0 {
		c.reset()
		unwrapped, _ := c.parseObject(inner)
		return unwrapped
	}
	return ok
}

// parseObject also returns an object in which a gateway may have wrapped the answer.
func (c *chunk) parseObject(data []byte) (ok bool, inner []byte) {
	s := jsonscan.New(data)
	if s.Peek() != '{' {
		return false, nil
	}
	s.Object(func(key []byte) {
		switch string(key) {
		case "id":
			c.id = s.AppendString(c.id[:0])
		case "model":
			c.model = s.AppendString(c.model[:0])
		case "error":
			c.parseFault(&s)
		case "base_resp":
			c.parseStatus(s.Raw())
		case "usage":
			c.parseUsage(&s)
		case "x_groq":
			s.Object(func(key []byte) {
				switch string(key) {
				case "usage":
					c.parseUsage(&s)
				case "error":
					c.parseFault(&s)
				default:
					s.Skip()
				}
			})
		case "choices":
			c.recognized = true
			s.Array(func(i int) {
				if i > 0 {
					c.parseFurtherChoice(&s)
					return
				}
				c.parseChoice(&s)
			})
		case "data", "result", "response", "body", "output", "completion":
			wrapped := s.Raw()
			if bytes.HasPrefix(wrapped, []byte(`"{`)) {
				text := jsonscan.New(wrapped)
				wrapped = text.AppendString(nil)
			}
			if bytes.HasPrefix(wrapped, []byte("{")) {
				inner = wrapped
			}
		default:
			s.Skip()
		}
	})
	return !s.Bad() && s.AtEnd(), inner
}

// parseFurtherChoice takes the calls of a choice behind the first one: nobody asks for alternatives, but some gateways put
// each part of one answer into a choice of its own. A repeated call is left out.
func (c *chunk) parseFurtherChoice(s *jsonscan.Scanner) {
	first := *c
	*c = chunk{}
	c.parseChoice(s)
	further, fault := c.calls, c.fault
	*c = first
	if c.fault == nil && fault != nil {
		c.fault = fault
	}
	for i := range further {
		same := func(own callPart) bool {
			return bytes.Equal(own.name, further[i].name) && bytes.Equal(own.arguments, further[i].arguments)
		}
		if !slices.ContainsFunc(c.calls, same) {
			*c.nextCall() = further[i]
		}
	}
}

// parseFault reads an "error" member. Some providers send an empty one with every answer.
func (c *chunk) parseFault(s *jsonscan.Scanner) {
	if raw := s.Raw(); !saysNothing(raw) {
		c.fault = raw
		c.recognized = true
	}
}

// saysNothing reports whether a value is empty, or an object of such values.
func saysNothing(raw []byte) bool {
	switch string(raw) {
	case "", "null", `""`, "{}", "[]", "false", "0", `"0"`:
		return true
	}
	var members map[string]json.RawMessage
	if json.Unmarshal(raw, &members) != nil {
		return false
	}
	for _, value := range members {
		if len(value) > 5 || !saysNothing(value) {
			return false
		}
	}
	return true
}

// parseStatus reads the status that some providers add to answers, or send in their place with HTTP status 200.
func (c *chunk) parseStatus(raw []byte) {
	s := jsonscan.New(raw)
	s.Object(func(key []byte) {
		if string(key) != "status_code" {
			s.Skip()
			return
		}
		if code, ok := s.Integer(); ok && code != 0 {
			c.fault = raw
			c.recognized = true
		}
	})
}

func (c *chunk) parseUsage(s *jsonscan.Scanner) {
	if s.Peek() != '{' {
		s.Skip()
		return
	}
	own := false
	apart := 0
	s.Object(func(key []byte) {
		switch string(key) {
		case "prompt_tokens", "input_tokens":
			own = readTokens(s, &c.usage.InputTokens) || own
		case "completion_tokens", "output_tokens":
			own = readTokens(s, &c.usage.OutputTokens) || own
		case "prompt_tokens_details", "input_tokens_details":
			parseCounts(s, "cached_tokens", &c.usage.CachedTokens)
		case "completion_tokens_details", "output_tokens_details":
			parseCounts(s, "reasoning_tokens", &c.thoughts)
		case "prompt_cache_hit_tokens", "cached_tokens", "cache_read_input_tokens":
			readTokens(s, &c.usage.CachedTokens)
		case "cache_creation_input_tokens":
			readTokens(s, &apart)
		case "reasoning_tokens":
			readTokens(s, &c.thoughts)
		default:
			s.Skip()
		}
	})
	c.usage.Reported = c.usage.Reported || own
	if c.usage.CachedTokens > c.usage.InputTokens && own {
		// Anthropic's own form counts tokens read from and written to the cache separately.
		c.usage.InputTokens += c.usage.CachedTokens + apart
	}
	c.recognized = true
}

// maxTokens is larger than any answer and small enough to be summed.
const maxTokens = 1 << 40

// readTokens reads a token count and reports whether there is one. Of several forms of one count the largest wins.
func readTokens(s *jsonscan.Scanner, into *int) bool {
	n, ok := s.Integer()
	if ok {
		*into = max(*into, min(n, maxTokens))
	}
	return ok
}

// parseCounts reads one count of an object of counts.
func parseCounts(s *jsonscan.Scanner, name string, into *int) {
	if s.Peek() != '{' {
		s.Skip()
		return
	}
	s.Object(func(key []byte) {
		if string(key) == name {
			readTokens(s, into)
			return
		}
		s.Skip()
	})
}

// parseChoice reads the answer from "delta", or from "message" when the delta is empty: some providers send the piece
// in one and the accumulated answer in the other.
func (c *chunk) parseChoice(s *jsonscan.Scanner) {
	var whole, legacy []byte
	s.Object(func(key []byte) {
		switch string(key) {
		case "text":
			legacy = s.Raw()
		case "delta":
			c.hasDelta = s.Peek() == '{'
			c.parseMessage(s)
		case "message":
			whole = s.Raw()
		case "finish_reason":
			c.finish = s.AppendString(c.finish[:0])
		case "usage":
			c.parseUsage(s)
		case "error":
			c.parseFault(s)
		default:
			s.Skip()
		}
	})
	if !c.hasDelta || c.silent() {
		c.cumulative = c.hasDelta
		message := jsonscan.New(whole)
		if message.Peek() == '{' {
			c.parseMessage(&message)
		}
	}
	// The member of completions, before there were chats.
	if text := jsonscan.New(legacy); !c.hasDelta && len(whole) == 0 && text.Peek() == '"' {
		c.content = text.AppendPiece(c.content)
	}
}

// silent reports whether no part of the answer has been found yet.
func (c *chunk) silent() bool {
	return len(c.content)+len(c.refusal)+len(c.reasoning)+len(c.blocks)+len(c.calls) == 0
}

func (c *chunk) parseMessage(s *jsonscan.Scanner) {
	var legacy []byte
	s.Object(func(key []byte) {
		switch string(key) {
		case "content":
			c.parseContent(s)
		case "refusal":
			c.refusal = s.AppendString(c.refusal)
		case "reasoning_content", "reasoning", "reasoning_text", "thinking", "thoughts", "thought":
			value := s.Raw()
			if field := plainField(key); field != "" && len(value) > 2 && value[0] == '"' && (c.field == "" || field == plainFields[0]) {
				c.field = field
			}
			c.parseReasoning(value)
		case "reasoning_details", "thinking_blocks":
			array := s.Raw()
			if len(array) < 3 || array[0] != '[' {
				return
			}
			c.blocksField, c.blocks = "reasoning_details", array
			if key[0] == 't' {
				c.blocksField = "thinking_blocks"
			}
			c.parseReasoning(array)
		case "tool_calls":
			if s.Peek() == '{' {
				c.parseCall(s) // the only one
				return
			}
			s.Array(func(int) { c.parseCall(s) })
		case "function_call":
			legacy = s.Raw()
		default:
			s.Skip()
		}
	})
	// The member that preceded "tool_calls"; some servers send both.
	if function := jsonscan.New(legacy); len(c.calls) == 0 && function.Peek() == '{' {
		part := c.nextCall()
		part.index, part.hasIndex = legacyIndex, true
		part.parseFunction(&function)
	}
}

// legacyIndex is the index of the only call that "function_call" can hold.
const legacyIndex = -1

// plainFields are the members for plain reasoning. A server that accepts several accepts the first.
var plainFields = [...]string{"reasoning_content", "reasoning", "reasoning_text"}

func plainField(key []byte) string {
	for _, name := range plainFields {
		if string(key) == name {
			return name
		}
	}
	return ""
}

// parseReasoning keeps the first copy of the thoughts: some gateways send the same text under several names.
func (c *chunk) parseReasoning(value []byte) {
	if len(c.reasoning) == 0 {
		s := jsonscan.New(value)
		c.parseThoughts(&s, 0)
	}
}

// parseContent reads a string, a part, or an array of parts, and separates text from thoughts.
func (c *chunk) parseContent(s *jsonscan.Scanner) {
	switch s.Peek() {
	case '[':
		s.Array(func(int) { c.parsePart(s) })
	default:
		c.parsePart(s)
	}
}

// parsePart reads a part of a content. Its type may stand behind its text.
func (c *chunk) parsePart(s *jsonscan.Scanner) {
	if s.Peek() != '{' {
		c.content = s.AppendPiece(c.content)
		return
	}
	raw := s.Raw()
	kind, part := jsonscan.New(raw), jsonscan.New(raw)
	thought := false
	kind.Object(func(key []byte) {
		if string(key) != "type" {
			kind.Skip()
			return
		}
		switch string(kind.AppendString(nil)) {
		case "reasoning", "reasoning_text", "thinking", "thought":
			thought = true
		}
	})
	part.Object(func(key []byte) {
		switch string(key) {
		case "text":
			if thought {
				c.parseThoughts(&part, 0)
				return
			}
			c.content = part.AppendPiece(c.content)
		case "thinking":
			if c.field == "" {
				c.field = partsField
			}
			c.parseThoughts(&part, 0)
		case "reasoning", "summary":
			c.parseThoughts(&part, 0)
		default:
			part.Skip()
		}
	})
}

// maxThoughtDepth bounds the nesting of thoughts: a list of parts whose text is a list of parts.
const maxThoughtDepth = 4

// parseThoughts reads thoughts: a string, a part, or a list of either.
func (c *chunk) parseThoughts(s *jsonscan.Scanner, depth int) {
	switch next := s.Peek(); {
	case next == '"':
		c.reasoning = s.AppendPiece(c.reasoning)
	case depth == maxThoughtDepth:
		s.Skip()
	case next == '[':
		s.Array(func(int) { c.parseThoughts(s, depth+1) })
	case next == '{':
		s.Object(func(key []byte) {
			switch string(key) {
			case "text", "thinking", "summary", "content", "reasoning":
				c.parseThoughts(s, depth+1)
			default:
				s.Skip()
			}
		})
	default:
		s.Skip()
	}
}

func (c *chunk) parseCall(s *jsonscan.Scanner) {
	if s.Peek() != '{' {
		s.Skip()
		return
	}
	part := c.nextCall()
	var flatName, flatArguments []byte
	s.Object(func(key []byte) {
		switch string(key) {
		case "name":
			flatName = s.Raw()
		case "arguments":
			flatArguments = s.Raw()
		case "index":
			part.index, part.hasIndex = s.Integer()
		case "id":
			part.id = s.AppendString(part.id)
		case callMembers[0]:
			part.extra[0] = s.Raw()
		case callMembers[1]:
			part.extra[1] = s.Raw()
		case "function":
			part.parseFunction(s)
		default:
			s.Skip()
		}
	})
	// Some gateways leave "function" out.
	if name := jsonscan.New(flatName); len(part.name) == 0 && name.Peek() == '"' {
		part.name = name.AppendString(part.name)
	}
	if arguments := jsonscan.New(flatArguments); len(part.arguments) == 0 && arguments.Peek() != 0 {
		part.parseArguments(&arguments)
	}
}

func (p *callPart) parseFunction(s *jsonscan.Scanner) {
	s.Object(func(key []byte) {
		switch string(key) {
		case "name":
			p.name = s.AppendString(p.name)
		case "arguments":
			p.parseArguments(s)
		default:
			s.Skip()
		}
	})
}

// nextCall appends an empty part that reuses earlier buffers.
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

// parseArguments reads the JSON text of the arguments: a string by the protocol, the object itself from some providers.
func (p *callPart) parseArguments(s *jsonscan.Scanner) {
	if s.Peek() == '"' {
		p.arguments = s.AppendPiece(p.arguments)
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
