package modeltest

import (
	"crypto/rand"
	"encoding/base64"
	"encoding/json"
	"fmt"
	"maps"
	"strings"
)

// style is a provider's form of answers.
type style struct {
	// id makes the id of a call; n counts the calls of the conversation.
	id func(n int, tool string) string
	// thoughts is the member for thoughts, "parts" for parts of the content; "" omits them.
	thoughts string
	// thoughtless leaves them empty now and then.
	thoughtless bool
	// signature is the place of signatures.
	signature string
	// pieces streams arguments in pieces.
	pieces bool
	// filtered begins a stream with a chunk that has no choice.
	filtered bool
	// Usage has a chunk of its own unless one of these is set.
	usageWithFinish, usageInChoice, usageInGroq bool
}

// random makes ids of one form.
func random(prefix string, length int) func(int, string) string {
	return func(int, string) string {
		id := prefix
		for len(id) < len(prefix)+length {
			id += strings.ToLower(rand.Text())
		}
		return id[:len(prefix)+length]
	}
}

// counted makes ids like Kimi's: https://github.com/MoonshotAI/Kimi-K2/blob/main/docs/tool_call_guidance.md.
func counted(n int, tool string) string { return fmt.Sprintf("functions.%s:%d", tool, n) }

// answer is the model's answer before it takes the form of a provider.
type answer struct {
	thought, text string
	calls         []Call
}

type object = map[string]any

// deltas returns the pieces of an answer. say records texts that only this server can have made.
func (s style) deltas(a answer, say func(string)) []object {
	deltas := []object{{"role": "assistant", "content": ""}}
	signature := ""
	if s.signature != "" {
		signature = base64.StdEncoding.EncodeToString([]byte("signed " + rand.Text() + " " + rand.Text()))
	}
	deltas = append(deltas, s.think(a, signature, say)...)
	for _, piece := range halves(a.text) {
		deltas = append(deltas, object{"content": piece})
	}
	for i, c := range a.calls {
		call := object{"index": i, "id": c.ID, "type": "function", "function": object{"name": c.Name, "arguments": c.Arguments}}
		if s.signature == "extra_content" && i == 0 {
			say(signature)
			call["extra_content"] = object{"google": object{"thought_signature": signature}}
		}
		if !s.pieces {
			deltas = append(deltas, object{"tool_calls": []object{call}})
			continue
		}
		call["function"] = object{"name": c.Name, "arguments": ""}
		deltas = append(deltas, object{"tool_calls": []object{call}})
		for _, piece := range halves(c.Arguments) {
			deltas = append(deltas, object{"tool_calls": []object{{"index": i, "function": object{"arguments": piece}}}})
		}
	}
	return deltas
}

// think returns the pieces of the thoughts.
func (s style) think(a answer, signature string, say func(string)) []object {
	var deltas []object
	for i, piece := range halves(a.thought) {
		switch s.thoughts {
		case "":
		case "parts":
			deltas = append(deltas, object{"content": []object{{"type": "thinking", "thinking": []object{{"type": "text", "text": piece}}}}})
		case "reasoning_details":
			deltas = append(
				deltas,
				object{"reasoning": piece, s.thoughts: []object{{"type": "reasoning.text", "text": piece, "format": "google-gemini-v1", "index": 0}}},
			)
		case "thinking_blocks":
			deltas = append(
				deltas,
				object{"reasoning_content": piece, s.thoughts: []object{{"type": "thinking", "thinking": piece, "signature": nil}}},
			)
		default:
			delta := object{s.thoughts: piece}
			if i == 0 {
				delta["content"] = nil
			}
			deltas = append(deltas, delta)
		}
	}
	switch s.signature {
	case "thinking_blocks":
		say(a.thought + signature)
		deltas = append(
			deltas,
			object{"reasoning_content": "", s.thoughts: []object{{"type": "thinking", "thinking": "", "signature": signature}}},
		)
	case "reasoning_details":
		for i, c := range a.calls {
			if i == 0 {
				say(signature)
				deltas = append(
					deltas,
					object{s.thoughts: []object{{"type": "reasoning.encrypted", "data": signature, "id": c.ID, "format": "google-gemini-v1", "index": 1}}},
				)
			}
		}
	}
	return deltas
}

func halves(text string) []string {
	if len(text) < 2 {
		return strings.Fields(text)
	}
	half := len(text) / 2
	for half < len(text) && text[half]&0xC0 == 0x80 {
		half++
	}
	return []string{text[:half], text[half:]}
}

// finish returns the finish reason.
func (a answer) finish() string {
	if len(a.calls) > 0 {
		return "tool_calls"
	}
	return "stop"
}

var usage = object{"prompt_tokens": 1200, "completion_tokens": 60, "total_tokens": 1260}

// chunks returns the events of a stream.
func (s style) chunks(a answer, model string, withUsage bool, say func(string)) []string {
	var chunks []string
	add := func(choices []object, more object) {
		chunk := object{"id": "chatcmpl-1", "object": "chat.completion.chunk", "created": 1, "model": model, "choices": choices}
		maps.Copy(chunk, more)
		chunks = append(chunks, encode(chunk))
	}
	if s.filtered {
		add([]object{}, object{"prompt_filter_results": []object{{"prompt_index": 0, "content_filter_results": object{}}}})
	}
	for _, delta := range s.deltas(a, say) {
		add([]object{{"index": 0, "delta": delta, "finish_reason": nil}}, nil)
	}
	last, more := object{"index": 0, "delta": object{}, "finish_reason": a.finish()}, object{}
	switch {
	case s.usageInChoice:
		last["usage"] = usage
	case s.usageInGroq:
		more["x_groq"] = object{"id": "req_1", "usage": usage}
	case s.usageWithFinish:
		more["usage"] = usage
	}
	add([]object{last}, more)
	if withUsage && !s.usageInChoice && !s.usageInGroq && !s.usageWithFinish {
		add([]object{}, object{"usage": usage})
	}
	return chunks
}

// whole returns an answer in one piece.
func (s style) whole(a answer, model string) string {
	message := object{"role": "assistant", "content": a.text}
	switch s.thoughts {
	case "", "parts":
	case "reasoning_details":
		message["reasoning"] = a.thought
	case "thinking_blocks":
		message["reasoning_content"] = a.thought
	default:
		message[s.thoughts] = a.thought
	}
	return encode(object{
		"id": "chatcmpl-1", "object": "chat.completion", "created": 1, "model": model, "usage": usage,
		"choices": []object{{"index": 0, "message": message, "finish_reason": a.finish()}},
	})
}

func encode(value any) string {
	raw, err := json.Marshal(value)
	if err != nil {
		panic(err) // marshalling these values cannot fail
	}
	return string(raw)
}
