package model

import (
	"encoding/json"
	"strconv"
	"strings"

	openai "github.com/sashabaranov/go-openai"

	"countersign/model/internal/jsonscan"
)

// dialect is a set of deviations that a provider's refusals taught us.
type dialect uint32

const (
	withoutStreamOptions dialect = 1 << iota
	withoutUser
	// withCompletionTokens sends max_completion_tokens, which many servers do
	// not know, for max_tokens, which reasoning models refuse.
	withCompletionTokens
)

// maxAdaptations is how often one request is changed and sent again: once for
// each optional field.
const maxAdaptations = 3

// adapt returns the dialect to try after a refusal, and whether there is one.
func (d dialect) adapt(e *Error) (dialect, bool) {
	if e.Status != 400 && e.Status != 422 {
		return d, false
	}
	text := strings.ToLower(string(e.body))
	switch {
	case d&withoutStreamOptions == 0 && containsAny(text, "stream_options", "include_usage"):
		return d | withoutStreamOptions, true
	case d&withCompletionTokens == 0 && containsAny(text, "max_completion_tokens"):
		return d | withCompletionTokens, true
	case d&withoutUser == 0 && containsAny(text, `"user"`, `'user'`, "`user`") &&
		containsAny(text, "extra", "unknown", "unrecognized", "unexpected", "unsupported", "not permitted"):
		return d | withoutUser, true
	}
	return d, false
}

// wireRequest expresses a request in the types of the OpenAI API.
func wireRequest(req Request, stream bool) openai.ChatCompletionRequest {
	wire := openai.ChatCompletionRequest{
		Model:               req.Model,
		Messages:            make([]openai.ChatCompletionMessage, len(req.Messages)),
		MaxCompletionTokens: req.MaxTokens,
		User:                req.User,
		Stream:              stream,
	}
	if stream {
		wire.StreamOptions = &openai.StreamOptions{IncludeUsage: true}
	}
	for i, m := range req.Messages {
		wire.Messages[i] = openai.ChatCompletionMessage{Role: m.Role, Content: m.Content, ToolCallID: m.ToolCallID}
		for _, call := range m.ToolCalls {
			wire.Messages[i].ToolCalls = append(wire.Messages[i].ToolCalls, openai.ToolCall{
				ID: call.ID, Type: openai.ToolTypeFunction,
				Function: openai.FunctionCall{Name: call.Name, Arguments: call.Arguments},
			})
		}
	}
	for _, tool := range req.Tools {
		wire.Tools = append(wire.Tools, openai.Tool{Type: openai.ToolTypeFunction, Function: &openai.FunctionDefinition{
			Name: tool.Name, Description: tool.Description, Parameters: tool.Parameters,
		}})
	}
	return wire
}

// appendRequest encodes a request that wireRequest made. It differs from the
// encoding of go-openai in two ways: it copies the tools' schemas verbatim, so
// that encoding costs a tenth, and it sends empty contents, which providers
// demand of tool messages.
func appendRequest(dst []byte, r *openai.ChatCompletionRequest, d dialect) []byte {
	if dst == nil {
		dst = make([]byte, 0, requestSize(r))
	}
	dst = append(dst, `{"model":`...)
	dst = jsonscan.AppendQuoted(dst, r.Model)
	dst = append(dst, `,"messages":[`...)
	for i := range r.Messages {
		if i > 0 {
			dst = append(dst, ',')
		}
		dst = appendMessage(dst, &r.Messages[i])
	}
	dst = append(dst, ']')
	if len(r.Tools) > 0 {
		dst = append(dst, `,"tools":[`...)
		for i := range r.Tools {
			if i > 0 {
				dst = append(dst, ',')
			}
			dst = appendTool(dst, r.Tools[i].Function)
		}
		dst = append(dst, ']')
	}
	if r.MaxCompletionTokens > 0 {
		name := `,"max_tokens":`
		if d&withCompletionTokens != 0 {
			name = `,"max_completion_tokens":`
		}
		dst = append(dst, name...)
		dst = strconv.AppendInt(dst, int64(r.MaxCompletionTokens), 10)
	}
	if r.User != "" && d&withoutUser == 0 {
		dst = append(dst, `,"user":`...)
		dst = jsonscan.AppendQuoted(dst, r.User)
	}
	if r.Stream && d&withoutStreamOptions == 0 {
		dst = append(dst, `,"stream_options":{"include_usage":true}`...)
	}
	dst = append(dst, `,"stream":`...)
	dst = strconv.AppendBool(dst, r.Stream)
	return append(dst, '}')
}

func requestSize(r *openai.ChatCompletionRequest) int {
	const overhead = 160
	size := 2 * overhead
	for i := range r.Messages {
		m := &r.Messages[i]
		size += overhead + len(m.Content) + len(m.Content)/8
		for j := range m.ToolCalls {
			size += overhead + len(m.ToolCalls[j].Function.Arguments)
		}
	}
	for i := range r.Tools {
		f := r.Tools[i].Function
		schema, _ := f.Parameters.(json.RawMessage)
		size += overhead + len(f.Description) + len(schema)
	}
	return size
}

func appendMessage(dst []byte, m *openai.ChatCompletionMessage) []byte {
	dst = append(dst, `{"role":`...)
	dst = jsonscan.AppendQuoted(dst, m.Role)
	if m.Content != "" || len(m.ToolCalls) == 0 {
		dst = append(dst, `,"content":`...)
		dst = jsonscan.AppendQuoted(dst, m.Content)
	} else {
		dst = append(dst, `,"content":null`...)
	}
	if len(m.ToolCalls) > 0 {
		dst = append(dst, `,"tool_calls":[`...)
		for i := range m.ToolCalls {
			call := &m.ToolCalls[i]
			if i > 0 {
				dst = append(dst, ',')
			}
			dst = append(dst, `{"id":`...)
			dst = jsonscan.AppendQuoted(dst, call.ID)
			dst = append(dst, `,"type":"function","function":{"name":`...)
			dst = jsonscan.AppendQuoted(dst, call.Function.Name)
			dst = append(dst, `,"arguments":`...)
			dst = jsonscan.AppendQuoted(dst, call.Function.Arguments)
			dst = append(dst, `}}`...)
		}
		dst = append(dst, ']')
	}
	if m.ToolCallID != "" {
		dst = append(dst, `,"tool_call_id":`...)
		dst = jsonscan.AppendQuoted(dst, m.ToolCallID)
	}
	return append(dst, '}')
}

func appendTool(dst []byte, f *openai.FunctionDefinition) []byte {
	dst = append(dst, `{"type":"function","function":{"name":`...)
	dst = jsonscan.AppendQuoted(dst, f.Name)
	if f.Description != "" {
		dst = append(dst, `,"description":`...)
		dst = jsonscan.AppendQuoted(dst, f.Description)
	}
	if schema, _ := f.Parameters.(json.RawMessage); len(schema) > 0 {
		dst = append(dst, `,"parameters":`...)
		dst = append(dst, schema...)
	}
	return append(dst, `}}`...)
}
