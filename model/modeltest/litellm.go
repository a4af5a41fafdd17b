package modeltest

import (
	"encoding/json"
	"net/http"
)

// thoughtsBefore finds results whose calls lack their preceding thoughts with unchanged signatures.
func thoughtsBefore(r *Request) []string {
	last := -1
	for i := r.current(); i < len(r.Messages); i++ {
		if len(r.Messages[i].Calls) > 0 {
			last = i
		}
	}
	if last < 0 {
		return nil
	}
	blocks := thoughtsOf(r.Messages[last])
	if len(blocks) == 0 || blocks[0].Type != "thinking" {
		return []string{place("%d", last)}
	}
	return nil
}

// thought is a block of Claude's thoughts.
type thought struct {
	Type      string `json:"type"`
	Thinking  string `json:"thinking"`
	Signature string `json:"signature"`
}

func thoughtsOf(m Message) []thought {
	var blocks []thought
	_ = json.Unmarshal(m.Members["thinking_blocks"], &blocks)
	return blocks
}

// LiteLLM is a proxy of LiteLLM with a model of Anthropic behind it that thinks.
func LiteLLM() Provider {
	const litellm = "litellm.BadRequestError: AnthropicException - "
	return Provider{
		Name: "litellm", Model: "claude-sonnet-4-6", Path: "/v1", Rules: []Rule{
			{
				Name:   "calls without tools",
				Source: "camel-ai/owl issue 532",
				Status: http.StatusBadRequest,
				Body: "{\"error\":{\"message\":\"litellm.UnsupportedParamsError: Anthropic doesn't support tool calling " +
					"without `tools=` param specified. Pass `tools=` param OR set `litellm.modify_params = True` // " +
					"`litellm_settings::modify_params: True` to add dummy tool to the request.. Received Model " +
					"Group=claude-sonnet-4-6\\nAvailable Model Group Fallbacks=None\",\"type\":\"None\",\"param\":null,\"code\":\"400\"}}",
				broken: func(r *Request) []string {
					if len(r.Tools) > 0 {
						return nil
					}
					return eachMessage(func(_ int, m Message) []string {
						if len(m.Calls) > 0 || m.Role == "tool" {
							return found
						}
						return nil
					})(r)
				},
			},
			{
				Name:   "id of a call",
				Source: "maximhq/bifrost issue 5097, CommandCodeAI/command-code issue 323",
				Status: http.StatusBadRequest,
				Body:   `{"error":{"message":"` + litellm + `{\"type\":\"error\",\"error\":{\"type\":\"invalid_request_error\",\"message\":\"messages.1.content.0.tool_use.id: String should match pattern '^[a-zA-Z0-9_-]+$'\"}}","type":"None","param":null,"code":"400"}}`,
				broken: eachCall(func(_ string, c Call) []string {
					if functionName.MatchString(c.ID) {
						return nil
					}
					return found
				}),
			},
			{
				Name:   "results directly behind calls",
				Source: "anthropics/claude-code issue 12526",
				Status: http.StatusBadRequest,
				Body:   "{\"error\":{\"message\":\"" + litellm + "{\\\"type\\\":\\\"error\\\",\\\"error\\\":{\\\"type\\\":\\\"invalid_request_error\\\",\\\"message\\\":\\\"messages.$3: `tool_use` ids were found without `tool_result` blocks immediately after: $1. Each `tool_use` block must have a corresponding `tool_result` block in the next message.\\\"}}\",\"type\":\"None\",\"param\":null,\"code\":\"400\"}}",
				broken: unanswered,
			},
			{
				Name:   "ends with a person",
				Source: "smallmain/vscode-unify-chat-provider issue 249",
				Status: http.StatusBadRequest,
				Body:   `{"error":{"message":"` + litellm + `{\"type\":\"error\",\"error\":{\"type\":\"invalid_request_error\",\"message\":\"This model does not support assistant message prefill. The conversation must end with a user message.\"}}","type":"None","param":null,"code":"400"}}`,
				broken: endsWithAssistant,
			},
			{
				Name:   "thoughts before calls",
				Source: "Kilo-Org/kilocode issue 5219, openai/openai-agents-python issue 678",
				Status: http.StatusBadRequest,
				//nolint:misspell // their spelling
				Body:   "{\"error\":{\"message\":\"" + litellm + "{\\\"type\\\":\\\"error\\\",\\\"error\\\":{\\\"type\\\":\\\"invalid_request_error\\\",\\\"message\\\":\\\"messages.$1.content.0.type: Expected `thinking` or `redacted_thinking`, but found `tool_use`. When `thinking` is enabled, a final `assistant` message must start with a thinking block (preceeding the lastmost set of `tool_use` and `tool_result` blocks). We recommend you include thinking blocks from previous turns. To avoid this requirement, disable `thinking`.\\\"}}\",\"type\":\"None\",\"param\":null,\"code\":\"400\"}}",
				broken: thoughtsBefore,
			},
			{
				Name:   "signature of thoughts",
				Source: "microsoft/vscode issue 322138",
				Status: http.StatusBadRequest,
				Body:   "{\"error\":{\"message\":\"" + litellm + "{\\\"type\\\":\\\"error\\\",\\\"error\\\":{\\\"type\\\":\\\"invalid_request_error\\\",\\\"message\\\":\\\"messages.$1.content.0: Invalid `signature` in `thinking` block\\\"}}\",\"type\":\"None\",\"param\":null,\"code\":\"400\"}}",
				broken: func(r *Request) []string {
					return eachMessage(func(i int, m Message) []string {
						for _, b := range thoughtsOf(m) {
							if b.Type == "thinking" && !r.said(b.Thinking+b.Signature) {
								return []string{place("%d", i)}
							}
						}
						return nil
					})(r)
				},
			},
			{
				Name: "empty text", Source: "vercel/ai pull request 14618", Status: http.StatusBadRequest,
				Body: `{"error":{"message":"` + litellm + `messages: text content blocks must be non-empty","type":"None","param":null,"code":"400"}}`,
				broken: eachMessage(func(_ int, m Message) []string {
					if len(m.Calls) > 0 && !m.Absent && m.Text == "" {
						return found
					}
					return nil
				}),
			},
		},
		style: style{id: random("toolu_01", 22), thoughts: "thinking_blocks", signature: "thinking_blocks", pieces: true},
	}
}
