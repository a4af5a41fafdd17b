package modeltest

import (
	"net/http"
	"net/url"
	"regexp"
	"strconv"
	"strings"
	"unicode/utf8"
)

var (
	functionName = regexp.MustCompile(`^[a-zA-Z0-9_-]+$`)
	upTo64       = regexp.MustCompile(`^(?s).{0,64}$`)
	atLeast1     = regexp.MustCompile(`(?s).`)
)

// openAIMembers are those of the chat completions API.
var openAIMembers = []string{
	"model",
	"messages",
	"tools",
	"tool_choice",
	"parallel_tool_calls",
	"max_tokens",
	"max_completion_tokens",
	"user",
	"stream",
	"stream_options",
	"temperature",
	"top_p",
	"n",
	"stop",
	"seed",
	"response_format",
	"logprobs",
	"top_logprobs",
	"logit_bias",
	"presence_penalty",
	"frequency_penalty",
	"reasoning_effort",
	"verbosity",
	"metadata",
	"store",
	"service_tier",
	"prompt_cache_key",
	"prompt_cache_retention",
	"safety_identifier",
	"modalities",
	"audio",
	"prediction",
	"web_search_options",
	"functions",
	"function_call",
}

var openAIRules = []Rule{
	{
		Name:   "max_tokens of a reasoning model",
		Source: "fish2018/YPrompt issue 26",
		Status: http.StatusBadRequest,
		Body:   `{"error":{"message":"Unsupported parameter: 'max_tokens' is not supported with this model. Use 'max_completion_tokens' instead.","type":"invalid_request_error","param":"max_tokens","code":"unsupported_parameter"}}`,
		broken: reasoningModel(has("max_tokens")),
	},
	{
		Name:   "id longer than 40",
		Source: "microsoft/autogen issue 6377, camel-ai/camel issue 2215",
		Status: http.StatusBadRequest,
		Body:   `{"error":{"message":"Invalid '$1': string too long. Expected a string with maximum length 40, but got a string with length $2 instead.","type":"invalid_request_error","param":"$1","code":"string_above_max_length"}}`,
		broken: eachCall(func(at string, c Call) []string {
			if len(c.ID) <= 40 {
				return nil
			}
			return []string{at + ".id", strconv.Itoa(len(c.ID))}
		}),
	},
	{
		Name:   "name of a call empty",
		Source: "continuedev/continue issue 11645",
		Status: http.StatusBadRequest,
		Body:   `{"error":{"message":"Invalid '$1': empty string. Expected a string with minimum length 1, but got an empty string instead.","type":"invalid_request_error","param":"$1","code":"empty_string"}}`,
		broken: callNames(atLeast1),
	},
	{
		Name:   "name of a call",
		Source: "mcp-use/mcp-use issue 90",
		Status: http.StatusBadRequest,
		Body:   `{"error":{"message":"Invalid '$1': string does not match pattern. Expected a string that matches the pattern '^[a-zA-Z0-9_-]+$'.","type":"invalid_request_error","param":"$1","code":"invalid_value"}}`,
		broken: callNames(functionName),
	},
	{
		Name:   "name of a tool",
		Source: "hackers365/xiaozhi-esp32-server-golang issue 268",
		Status: http.StatusBadRequest,
		Body:   `{"error":{"message":"Invalid '$1': string does not match pattern. Expected a string that matches the pattern '^[a-zA-Z0-9_-]+$'.","type":"invalid_request_error","param":"$1","code":"invalid_value"}}`,
		broken: toolNames(functionName),
	},
	{
		Name:   "name of a tool longer than 64",
		Source: "home-assistant/core issue 121325",
		Status: http.StatusBadRequest,
		Body:   `{"error":{"message":"Invalid '$1': string too long. Expected a string with maximum length 64, but got a string with length $2 instead.","type":"invalid_request_error","param":"$1","code":"string_above_max_length"}}`,
		broken: toolNames(upTo64),
	},
	{
		// Reported in 2025; no current documentation.
		Name:   "description of a tool longer than 1024",
		Source: "getsentry/sentry-mcp issue 106, rusiaaman/wcgw issue 51",
		Status: http.StatusBadRequest,
		Body:   `{"error":{"message":"Invalid '$1': string too long. Expected a string with maximum length 1024, but got a string with length $2 instead.","type":"invalid_request_error","param":"$1","code":"string_above_max_length"}}`,
		broken: func(r *Request) []string {
			for i, t := range r.Tools {
				if n := utf8.RuneCountInString(t.Description); n > 1024 {
					return []string{place("tools[%d].function.description", i), strconv.Itoa(n)}
				}
			}
			return nil
		},
	},
	{
		Name:   "calls without results",
		Source: "sdcb/chats pull request 132",
		Status: http.StatusBadRequest,
		Body:   `{"error":{"message":"An assistant message with 'tool_calls' must be followed by tool messages responding to each 'tool_call_id'. The following tool_call_ids did not have response messages: $1","type":"invalid_request_error","param":"messages.[$2].role","code":null}}`,
		broken: unanswered,
	},
	{
		Name:   "results without calls",
		Source: "sdcb/chats pull request 132",
		Status: http.StatusBadRequest,
		//nolint:misspell // their spelling
		Body:   `{"error":{"message":"Invalid parameter: messages with role 'tool' must be a response to a preceeding message with 'tool_calls'.","type":"invalid_request_error","param":"messages.[$1].role","code":null}}`,
		broken: orphaned,
	},
	{
		Name:   "role of a model that takes no system message",
		Status: http.StatusBadRequest,
		Source: "pydantic/pydantic-ai tests/models/cassettes/test_openai/test_openai_o1_mini_system_role[system].yaml",
		Body:   `{"error":{"message":"Unsupported value: 'messages[$1].role' does not support 'system' with this model.","type":"invalid_request_error","param":"messages[$1].role","code":"unsupported_value"}}`,
		broken: func(r *Request) []string {
			if !strings.HasPrefix(r.Model, "o1-mini") {
				return nil
			}
			return eachMessage(func(i int, m Message) []string {
				if m.Role == "system" {
					return []string{strconv.Itoa(i)}
				}
				return nil
			})(r)
		},
	},
	{
		Name: "unknown member", Source: "quarkiverse/quarkus-langchain4j issue 285", Status: http.StatusBadRequest,
		Body:   `{"error":{"message":"Unrecognized request argument supplied: $1","type":"invalid_request_error","param":null,"code":null}}`,
		broken: unknown(openAIMembers...),
	},
}

// reasoningModel is a rule of OpenAI's reasoning models only.
func reasoningModel(broken func(*Request) []string) func(*Request) []string {
	return func(r *Request) []string {
		if strings.HasPrefix(r.Model, "gpt-5") || len(r.Model) > 1 && r.Model[0] == 'o' && r.Model[1] >= '1' && r.Model[1] <= '9' {
			return broken(r)
		}
		return nil
	}
}

// OpenAI is api.openai.com with a reasoning model.
func OpenAI() Provider {
	return Provider{
		Name: "openai", Model: "gpt-5", Path: "/v1", Rules: openAIRules,
		style: style{id: random("call_", 24), pieces: true},
	}
}

// Azure is a resource of Azure OpenAI, at the address of a deployment.
func Azure() Provider {
	rules := append([]Rule{{
		Name: "api-version", Source: "Significant-Gravitas/AutoGPT issue 4023", Status: http.StatusNotFound,
		Body: `{"error":{"code":"404","message":"Resource not found"}}`,
		broken: func(r *Request) []string {
			if r.Query.Get("api-version") == "" {
				return found
			}
			return nil
		},
	}}, openAIRules...)
	return Provider{
		Name:  "azure",
		Model: "gpt-5",
		Path:  "/openai/deployments/gpt-5",
		Query: url.Values{"api-version": {"2025-04-01-preview"}}.Encode(),
		Rules: rules,
		style: style{id: random("call_", 24), pieces: true, filtered: true},
		takes: func(h http.Header) (int, string) {
			if h.Get("Api-Key") == Key {
				return 0, ""
			}
			// Quoted in SciSharp/BotSharp issue 386.
			return http.StatusUnauthorized, `{"error":{"code":"401","message":"Access denied due to invalid subscription key or wrong API endpoint. Make sure to provide a valid key for an active subscription and use a correct regional API endpoint for your resource."}}`
		},
	}
}
