package model

import (
	"encoding/json"

	"countersign/model/internal/jsonscan"
)

// appendRequest encodes a request whose history is valid. It copies the tools' schemas verbatim, so that encoding costs
// a tenth of encoding/json, and sends empty contents, which providers demand of tool messages. Sampling is left to the
// provider: reasoning models refuse temperatures and penalties.
func appendRequest(dst []byte, r *Request, d quirks, with extras) []byte {
	tools := offeredTools(r, d)
	if dst == nil {
		dst = make([]byte, 0, requestSize(r.Messages, tools))
	}
	dst = parametersOf(r, d, len(tools) > 0, with).append(dst)
	dst = append(dst, `,"messages":[`...)
	for i := range r.Messages {
		if i > 0 {
			dst = append(dst, ',')
		}
		dst = appendMessage(dst, &r.Messages[i], d, marked(r, i, d))
	}
	dst = append(dst, ']')
	if len(tools) > 0 {
		dst = append(dst, `,"tools":[`...)
		for i := range tools {
			if i > 0 {
				dst = append(dst, ',')
			}
			dst = appendTool(dst, &tools[i], d)
		}
		dst = append(dst, ']')
	}
	return append(append(dst, with.members...), '}')
}

// marked reports whether the prompt cache should keep everything up to this message: the instructions, with the tools
// before them, and the last two messages of the person. Anthropic accepts at most four marks.
func marked(r *Request, i int, d quirks) bool {
	m := &r.Messages[i]
	if !r.CacheMarks || d&withoutCacheMarks != 0 || m.Content == "" || m.Role != RoleSystem && m.Role != RoleUser {
		return false
	}
	later := 0
	for j := i + 1; j < len(r.Messages) && m.Role == RoleUser; j++ {
		if r.Messages[j].Role == RoleUser {
			later++
		}
	}
	return m.Role == RoleSystem && i == 0 || m.Role == RoleUser && later < 2
}

// placeholder is the tool offered where a history with calls is refused without any.
var placeholder = []Tool{
	{Name: "no_tool", Description: "Does nothing. Do not call it.", Parameters: json.RawMessage(`{"type":"object","properties":{}}`)},
}

// offeredTools returns the tools of the request.
func offeredTools(r *Request, d quirks) []Tool {
	tools := r.Tools
	if r.NoCalls && d&withoutLastTools != 0 {
		tools = nil
	}
	if len(tools) > 0 || d&withSomeTool == 0 {
		return tools
	}
	for i := range r.Messages {
		if len(r.Messages[i].ToolCalls) > 0 {
			return placeholder
		}
	}
	return nil
}

func requestSize(messages []Message, tools []Tool) int {
	const overhead = 160
	size := 2 * overhead
	for i := range messages {
		m := &messages[i]
		size += overhead + len(m.Content) + len(m.Content)/8 + m.ReplayData.Size()
		for j := range m.ToolCalls {
			size += overhead + len(m.ToolCalls[j].Arguments)
		}
	}
	for i := range tools {
		size += overhead + len(tools[i].Description) + len(tools[i].Parameters)
	}
	return size
}

func appendMessage(dst []byte, m *Message, d quirks, marked bool) []byte {
	role := m.Role
	if role == RoleSystem && d&withDeveloper != 0 {
		role = "developer"
	}
	dst = append(dst, `{"role":`...)
	dst = jsonscan.AppendQuoted(dst, role)
	switch {
	case m.ReplayData != nil && m.ReplayData.Field == partsField:
		dst = appendParts(dst, m.ReplayData.Text, m.Content)
	case marked:
		dst = append(dst, `,"content":[{"type":"text","text":`...)
		dst = jsonscan.AppendQuoted(dst, m.Content)
		dst = append(dst, `,"cache_control":{"type":"ephemeral"}}]`...)
	case m.Content == "" && len(m.ToolCalls) > 0 && d&withContent == 0:
		dst = append(dst, `,"content":null`...)
	default:
		dst = append(dst, `,"content":`...)
		dst = jsonscan.AppendQuoted(dst, m.Content)
	}
	if m.Role == RoleAssistant {
		dst = appendReasoning(dst, m, d)
	}
	if len(m.ToolCalls) > 0 {
		dst = append(dst, `,"tool_calls":[`...)
		for i := range m.ToolCalls {
			if i > 0 {
				dst = append(dst, ',')
			}
			dst = appendCall(dst, m, i, d)
		}
		dst = append(dst, ']')
	}
	if m.ToolCallID != "" {
		dst = append(dst, `,"tool_call_id":`...)
		dst = jsonscan.AppendQuoted(dst, m.ToolCallID)
	}
	return append(dst, '}')
}

// appendParts encodes thoughts and text as the parts of a content.
func appendParts(dst []byte, thoughts, content string) []byte {
	dst = append(dst, `,"content":[{"type":"thinking","thinking":[{"type":"text","text":`...)
	dst = jsonscan.AppendQuoted(dst, thoughts)
	dst = append(dst, `}]}`...)
	if content != "" {
		dst = append(dst, `,{"type":"text","text":`...)
		dst = jsonscan.AppendQuoted(dst, content)
		dst = append(dst, '}')
	}
	return append(dst, ']')
}

// appendReasoning encodes the reasoning of an answer in the member that it came in. A provider that demands it of every
// answer gets a blank where there is none: DeepSeek and Kimi refuse a missing member, and Kimi an empty one.
func appendReasoning(dst []byte, m *Message, d quirks) []byte {
	field := ""
	if m.ReplayData != nil {
		field = m.ReplayData.Field
	}
	switch {
	case field == partsField:
	case field != "" && m.ReplayData.Blocks != "":
		dst = append(jsonscan.AppendQuoted(append(dst, ','), field), ':')
		dst = append(dst, m.ReplayData.Blocks...)
	case field != "":
		dst = append(jsonscan.AppendQuoted(append(dst, ','), field), ':')
		dst = jsonscan.AppendQuoted(dst, m.ReplayData.Text)
	}
	if d&withReasoning != 0 && field != "reasoning_content" {
		dst = append(dst, `,"reasoning_content":" "`...)
	}
	if d&withDetails != 0 && len(m.ToolCalls) > 0 && field != "reasoning_details" {
		dst = append(dst, `,"reasoning_details":[{"type":"reasoning.encrypted","data":"`+anySignature+`","id":`...)
		dst = jsonscan.AppendQuoted(dst, m.ToolCalls[0].ID)
		dst = append(dst, `,"format":"google-gemini-v1","index":0}]`...)
	}
	return dst
}

// anySignature is Google's documented value for calls that another model made.
const anySignature = "skip_thought_signature_validator"

func appendCall(dst []byte, m *Message, n int, d quirks) []byte {
	call := &m.ToolCalls[n]
	dst = append(dst, `{"id":`...)
	dst = jsonscan.AppendQuoted(dst, call.ID)
	dst = append(dst, `,"type":"function","function":{"name":`...)
	dst = jsonscan.AppendQuoted(dst, call.Name)
	dst = append(dst, `,"arguments":`...)
	dst = jsonscan.AppendQuoted(dst, call.Arguments)
	dst = append(dst, '}')
	if extra := m.ReplayData.call(n).Extra; extra != "" {
		dst = append(append(dst, ','), extra[1:len(extra)-1]...)
	} else if n == 0 && d&withSignatures != 0 {
		dst = append(dst, `,"extra_content":{"google":{"thought_signature":"`+anySignature+`"}}`...)
	}
	return append(dst, '}')
}

func appendTool(dst []byte, t *Tool, d quirks) []byte {
	dst = append(dst, `{"type":"function","function":{"name":`...)
	dst = jsonscan.AppendQuoted(dst, t.Name)
	if t.Description != "" {
		dst = append(dst, `,"description":`...)
		dst = jsonscan.AppendQuoted(dst, t.Description)
	}
	if schema := t.Parameters; len(schema) > 0 {
		if d&withPlainSchemas != 0 {
			schema = plainSchema(schema)
		}
		if len(schema) > 0 {
			dst = append(dst, `,"parameters":`...)
			dst = append(dst, schema...)
		}
	}
	return append(dst, `}}`...)
}
