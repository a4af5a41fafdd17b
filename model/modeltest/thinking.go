package modeltest

import (
	"net/http"
	"regexp"
	"strconv"
)

// DeepSeek is api.deepseek.com in thinking mode.
func DeepSeek() Provider {
	return Provider{
		Name: "deepseek", Model: "deepseek-v4-pro", Path: "", Rules: []Rule{
			{
				// This includes an answer with calls that came without thoughts: deepseek-ai/deepseek-harness
				// discussion 739.
				Name:   "thoughts of an answer with calls",
				Source: "crewAIInc/crewAI issue 5878, anomalyco/opencode issue 24722",
				Status: http.StatusBadRequest,
				Body: "{\"error\":{\"message\":\"The `reasoning_content` in the thinking mode must be passed back to the " +
					"API.\",\"type\":\"invalid_request_error\",\"param\":null,\"code\":\"invalid_request_error\"}}",
				broken: eachMessage(func(_ int, m Message) []string {
					if len(m.Calls) > 0 && empty(m.Members["reasoning_content"]) {
						return found
					}
					return nil
				}),
			},
			{
				Name:   "calls without results",
				Source: "smallmain/vscode-unify-chat-provider issue 248",
				Status: http.StatusBadRequest,
				Body:   `{"error":{"message":"An assistant message with 'tool_calls' must be followed by tool messages responding to each 'tool_call_id'. (insufficient tool messages following tool_calls message)","type":"invalid_request_error","param":null,"code":"invalid_request_error"}}`,
				broken: unanswered,
			},
			{
				Name:   "results without calls",
				Source: "itmisx/deepx-code issue 94",
				Status: http.StatusBadRequest,
				Body:   `{"error":{"message":"Messages with role 'tool' must be a response to a preceding message with 'tool_calls'","type":"invalid_request_error","param":null,"code":"invalid_request_error"}}`,
				broken: orphaned,
			},
		},
		style: style{id: random("call_00_", 24), thoughts: "reasoning_content", thoughtless: true, pieces: true, usageWithFinish: true},
	}
}

// Kimi is api.moonshot.ai with a thinking model.
func Kimi() Provider {
	return Provider{
		Name: "kimi", Model: "kimi-k2.6", Path: "/v1", Rules: []Rule{
			{
				// An empty text counts as missing: theopenco/llmgateway pull request 2093.
				Name:   "thoughts of an answer with calls",
				Source: "bytedance/deer-flow issue 3043, theopenco/llmgateway pull request 2093",
				Status: http.StatusBadRequest,
				Body:   `{"error":{"message":"thinking is enabled but reasoning_content is missing in assistant tool call message at index $1","type":"invalid_request_error"}}`,
				broken: eachMessage(func(i int, m Message) []string {
					if len(m.Calls) > 0 && m.member("reasoning_content") == "" {
						return []string{strconv.Itoa(i)}
					}
					return nil
				}),
			},
			{
				Name: "empty part of text", Source: "BerriAI/litellm issue 42186", Status: http.StatusBadRequest,
				Body: `{"error":{"message":"Invalid request: text content is empty","type":"invalid_request_error"}}`,
				broken: eachMessage(func(_ int, m Message) []string {
					if content := m.Members["content"]; len(content) > 0 && content[0] == '[' && m.Text == "" {
						return found
					}
					return nil
				}),
			},
		},
		style: style{id: counted, thoughts: "reasoning_content", usageInChoice: true},
	}
}

var nineLetters = regexp.MustCompile(`^[a-zA-Z0-9]{9}$`)

// mistralID is Mistral's rule for ids, in the words of each server that has it.
var mistralID = eachCall(func(_ string, c Call) []string {
	if nineLetters.MatchString(c.ID) {
		return nil
	}
	return []string{c.ID}
})

// Mistral is api.mistral.ai with a model that thinks.
func Mistral() Provider {
	return Provider{
		Name: "mistral", Model: "magistral-medium-latest", Path: "/v1", Rules: []Rule{
			{
				Name:   "id of nine letters",
				Source: "nearai/ironclaw issue 1241, editor-code-assistant/eca issue 233",
				Status: http.StatusBadRequest,
				Body:   `{"object":"error","message":"Tool call id was $1 but must be a-z, A-Z, 0-9, with a length of 9.","type":"invalid_function_call","param":null,"code":"3280","raw_status_code":400}`,
				broken: mistralID,
			},
			{
				Name:   "a person behind a tool",
				Source: "datapizza-labs/datapizza-ai issue 98",
				Status: http.StatusBadRequest,
				Body:   `{"object":"error","message":"Unexpected role 'user' after role 'tool'","type":"invalid_request_message_order","param":null,"code":"3230"}`,
				broken: follows("user", "tool"),
			},
			{
				Name:   "as many results as calls",
				Source: "567-labs/instructor issue 724",
				Status: http.StatusBadRequest,
				Body:   `{"object":"error","message":"Not the same number of function calls and responses","type":"invalid_request_error","param":null,"code":null}`,
				broken: unanswered,
			},
			{
				Name:   "ends with a person or a tool",
				Source: "0xPlaygrounds/rig pull request 1130",
				Status: http.StatusBadRequest,
				Body:   `{"object":"error","message":"Expected last role User or Tool (or Assistant with prefix True) for serving but got assistant","type":"invalid_request_message_order","param":null,"code":"3230"}`,
				broken: endsWithAssistant,
			},
			{
				Name:   "members that it does not know",
				Source: "editor-code-assistant/eca issue 231",
				Status: http.StatusUnprocessableEntity,
				Body:   `{"object":"error","message":{"detail":[{"type":"extra_forbidden","loc":["body","$1"],"msg":"Extra inputs are not permitted","input":null}]},"type":"invalid_request_error","param":null,"code":null}`,
				broken: unknown(
					"model",
					"messages",
					"tools",
					"tool_choice",
					"parallel_tool_calls",
					"max_tokens",
					"stream",
					"stream_options",
					"temperature",
					"top_p",
					"stop",
					"random_seed",
					"response_format",
					"presence_penalty",
					"frequency_penalty",
					"n",
					"prediction",
					"prompt_mode",
					"reasoning_effort",
					"safe_prompt",
					"metadata",
					"prompt_cache_key",
				),
			},
			{
				Name:   "members of messages that it does not know",
				Source: "charmbracelet/crush issue 1590",
				Status: http.StatusUnprocessableEntity,
				Body:   `{"object":"error","message":{"detail":[{"type":"extra_forbidden","loc":["body","messages",$1,"assistant","$2"],"msg":"Extra inputs are not permitted","input":null}]},"type":"invalid_request_error","param":null,"code":null}`,
				broken: eachMessage(func(i int, m Message) []string {
					return extraMember(i, m, "role", "content", "tool_calls", "prefix")
				}),
			},
		},
		style: style{id: random("", 9), thoughts: "parts", usageWithFinish: true},
	}
}

// endsWithAssistant finds a request whose last message is the model's own.
func endsWithAssistant(r *Request) []string {
	if n := len(r.Messages); n > 0 && r.Messages[n-1].Role == "assistant" {
		return found
	}
	return nil
}

// extraMember finds a member of an assistant message outside a list.
func extraMember(i int, m Message, known ...string) []string {
	if m.Role != "assistant" {
		return nil
	}
	r := Request{Members: m.Members}
	if extra := unknown(known...)(&r); extra != nil {
		return []string{strconv.Itoa(i), extra[0]}
	}
	return nil
}
