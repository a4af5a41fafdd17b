package modeltest

import (
	"bytes"
	"encoding/json"
	"net/http"
)

// Groq is api.groq.com.
func Groq() Provider {
	return Provider{
		Name: "groq", Model: "openai/gpt-oss-120b", Path: "/openai/v1", Rules: []Rule{
			{
				Name:   "members of messages that it does not know",
				Source: "AstrBotDevs/AstrBot issue 5946, janhq/jan issue 8136",
				Status: http.StatusBadRequest,
				Body:   `{"error":{"message":"'messages.$1' : for 'role:assistant' the following must be satisfied[('messages.$1' : property '$2' is unsupported)]","type":"invalid_request_error"}}`,
				broken: eachMessage(func(i int, m Message) []string {
					return extraMember(i, m, "role", "content", "name", "tool_calls", "function_call", "reasoning")
				}),
			},
		},
		style: style{id: random("fc_", 36), thoughts: "reasoning", usageInGroq: true},
	}
}

// XAI is api.x.ai.
func XAI() Provider {
	return Provider{
		Name: "xai", Model: "grok-4-fast", Path: "/v1", Rules: []Rule{
			{
				// Absent content beside calls is taken: charmbracelet/fantasy
				// providertests/testdata/TestOpenAICompatibleCommon/xai-grok-4-fast/tool.yaml.
				Name:   "content without elements",
				Source: "AstrBotDevs/AstrBot issue 6447",
				Status: http.StatusBadRequest,
				Body:   `{"code":"Client specified an invalid argument","error":"Invalid request content: Each message must have at least one content element."}`,
				broken: eachMessage(func(_ int, m Message) []string {
					list := bytes.TrimSpace(m.Members["content"])
					if string(list) == "[]" || m.Absent && len(m.Calls) == 0 {
						return found
					}
					return nil
				}),
			},
		},
		style: style{id: random("call_", 8), thoughts: "reasoning_content", usageWithFinish: true},
	}
}

// OpenRouter is openrouter.ai with a model of Google behind it.
func OpenRouter() Provider {
	return Provider{
		Name: "openrouter", Model: "google/gemini-3-pro-preview", Path: "/api/v1", Rules: []Rule{
			{
				Name:   "reasoning details as they were",
				Source: "LibreChat-AI/agents issue 37",
				Status: http.StatusBadRequest,
				Body:   `{"error":{"message":"Provider returned error","code":400,"metadata":{"raw":"Gemini models require OpenRouter reasoning details to be preserved in each request. Please refer to our docs: https://openrouter.ai/docs/use-cases/reasoning-tokens#preserving-reasoning-blocks. Upstream error: {\n  \"error\": {\n    \"code\": 400,\n    \"message\": \"Function call is missing a thought_signature in functionCall parts. This is required for tools to work correctly, and missing thought_signature may lead to degraded model performance. Additional data, function call ` + "`default_api:$1`" + ` , position $2. Please refer to https://ai.google.dev/gemini-api/docs/thought-signatures for more details.\",\n    \"status\": \"INVALID_ARGUMENT\"\n  }\n}\n","provider_name":"Google AI Studio"}}}`,
				broken: unsigned(func(r *Request, m Message) bool {
					var details []struct {
						Type string `json:"type"`
						Data string `json:"data"`
						ID   string `json:"id"`
					}
					_ = json.Unmarshal(m.Members["reasoning_details"], &details)
					for _, d := range details {
						// A detail belongs to a call by its id: UKGovernmentBEIS/inspect_ai issue 3986.
						if d.Type == "reasoning.encrypted" && d.ID == m.Calls[0].ID && r.said(d.Data) {
							return true
						}
					}
					return false
				}),
			},
		},
		style: style{id: random("tool_call_", 20), thoughts: "reasoning_details", signature: "reasoning_details"},
	}
}
