package model_test

import (
	"encoding/json"
	"errors"
	"io"
	"net/http"
	"net/http/httptest"
	"strings"
	"sync/atomic"
	"testing"

	"github.com/stretchr/testify/require"

	"countersign/model"
)

// refusals are what providers have said, in their own words, and what it teaches.
var refusals = map[string]struct {
	quirk model.Quirk
	body  string
}{
	"OpenAI, max_tokens": {
		"max_completion_tokens",
		`{"error":{"message":"Unsupported parameter: 'max_tokens' is not supported with this model. Use 'max_completion_tokens' instead.","type":"invalid_request_error","param":"max_tokens","code":"unsupported_parameter"}}`,
	},
	"Mistral, stream_options": {
		"no_stream_options",
		`{"object":"error","message":{"detail":[{"type":"extra_forbidden","loc":["body","stream_options"],"msg":"Extra inputs are not permitted"}]}}`,
	},
	"Mistral, user": {
		"no_user",
		`{"detail":[{"type":"extra_forbidden","loc":["body","user"],"msg":"Extra inputs are not permitted","input":"u-1"}]}`,
	},
	"Mistral, a person after a result": {
		"strict_turns",
		`{"object":"error","message":"Unexpected role 'user' after role 'tool'","type":"invalid_request_message_order","param":null,"code":"3230"}`,
	},
	"Mistral, calls and results": {
		"strict_turns",
		`{"object":"error","message":"Not the same number of function calls and responses","type":"invalid_request_error"}`,
	},
	"a template of vLLM": {
		"strict_turns",
		`{"object":"error","message":"After the optional system message, conversation roles must alternate user/assistant/user/assistant/...","type":"BadRequestError","code":400}`,
	},
	"Perplexity": {
		"strict_turns",
		`{"error":{"message":"After the (optional) system message(s), user or tool message(s) should alternate with assistant message(s).","type":"invalid_message","code":400}}`,
	},
	"Perplexity, before": {
		"strict_turns",
		`{"error":{"message":"After the (optional) system message(s), user and assistant roles should be alternating.","type":"invalid_message","code":400}}`,
	},
	"Mistral, ids": {
		"short_call_ids",
		`{"object":"error","message":"Tool call id was call_abc but must be a-z, A-Z, 0-9, with a length of 9.","type":"invalid_request_error","code":"3280"}`,
	},
	"Mistral's template, ids": {
		"short_call_ids",
		`{"object":"error","message":"Tool call IDs should be alphanumeric strings with length 9!","type":"BadRequestError","code":400}`,
	},
	"DeepSeek, reasoner": {
		"reasoning_content",
		"{\"error\":{\"message\":\"Missing `reasoning_content` field in the assistant message at message index 2. For more information, please refer to https://api-docs.deepseek.com/guides/thinking_mode#tool-calls\",\"type\":\"invalid_request_error\"}}",
	},
	"DeepSeek": {
		"reasoning_content",
		"{\"error\":{\"message\":\"The `reasoning_content` in the thinking mode must be passed back to the API.\",\"type\":\"invalid_request_error\",\"param\":null,\"code\":\"invalid_request_error\"}}",
	},
	"Kimi": {
		"reasoning_content",
		`{"error":{"message":"thinking is enabled but reasoning_content is missing in assistant tool call message at index 2","type":"invalid_request_error"}}`,
	},
	"Groq, reasoning": {
		"no_reasoning",
		`{"error":{"message":"'messages.2' : for 'role:assistant' the following must be satisfied[('messages.2' : property 'reasoning_content' is unsupported)]","type":"invalid_request_error"}}`,
	},
	"Mistral, reasoning": {
		"no_reasoning",
		`{"detail":[{"type":"extra_forbidden","loc":["body","messages",2,"assistant","reasoning_content"],"msg":"Extra inputs are not permitted"}]}`,
	},
	"Claude, a block of another model": {
		"no_reasoning",
		"{\"error\":{\"message\":\"litellm.BadRequestError: AnthropicException - messages.1.content.0: Invalid `signature` in `thinking` block\",\"code\":\"400\"}}",
	},
	"Gemini, signatures": {
		"thought_signature",
		"[{\"error\":{\"code\":400,\"message\":\"Function call `list` in the `2.` content block is missing a `thought_signature`.\",\"status\":\"INVALID_ARGUMENT\"}}]",
	},
	"OpenRouter, signatures": {
		"reasoning_details",
		"{\"error\":{\"message\":\"Gemini models require OpenRouter reasoning details to be preserved in each request. Upstream error: function call `list` in the 2. content block is missing a `thought_signature`.\",\"code\":400}}",
	},
	"Gemini, empty properties": {
		"plain_schemas",
		`[{"error":{"code":400,"message":"* GenerateContentRequest.tools[0].function_declarations[3].parameters.properties: should be non-empty for OBJECT type\n","status":"INVALID_ARGUMENT"}}]`,
	},
	"Gemini, formats": {
		"plain_schemas",
		`[{"error":{"code":400,"message":"* GenerateContentRequest.tools[0].function_declarations[0].parameters.properties[id].format: only 'enum' and 'date-time' are supported for STRING type\n","status":"INVALID_ARGUMENT"}}]`,
	},
	"Gemini, type lists": {
		"plain_schemas",
		`[{"error":{"code":400,"message":"Invalid JSON payload received. Unknown name \"type\" at 'tools[0].function_declarations[0].parameters.properties[0].value': Proto field is not repeating, cannot start list.","status":"INVALID_ARGUMENT"}}]`,
	},
	"DashScope, a model that streams only": {
		"only_streams",
		`{"error":{"code":"invalid_parameter_error","param":null,"message":"This model only support stream mode, please enable the stream parameter to access the model. ","type":"invalid_request_error"},"id":"chatcmpl-7ed765de"}`,
	},
	"OpenAI, an organization that is not verified": {
		"no_streaming",
		`{"error":{"message":"Your organization must be verified to stream this model. Please go to: https://platform.openai.com/settings/organization/general and click on Verify Organization.","type":"invalid_request_error","param":"stream","code":"unsupported_value"}}`,
	},
	"xAI, reasoning effort": {
		"no_reasoning_effort",
		`{"code":"Client specified an invalid argument","error":"Model grok-4-latest does not support parameter reasoningEffort."}`,
	},
	"Kimi, schemas": {
		"plain_schemas",
		`{"error":{"message":"tools.function.parameters is not a valid moonshot flavored json schema, details: <At path 'properties.x': type should be defined in anyOf items instead of the parent schema>","type":"invalid_request_error"}}`,
	},
	"OpenAI, o1-mini": {
		"developer_role",
		`{"error":{"message":"Unsupported value: 'messages[0].role' does not support 'system' with this model.","type":"invalid_request_error","param":"messages[0].role","code":"unsupported_value"}}`,
	},
	"Gemma": {
		"no_system_role",
		`[{"error":{"code":400,"message":"Developer instruction is not enabled for models/gemma-3-27b-it","status":"INVALID_ARGUMENT"}}]`,
	},
	"Gemma's template": {
		"no_system_role",
		`{"object":"error","message":"System role not supported","type":"BadRequestError","code":400}`,
	},
	"LiteLLM to Claude, no tools": {
		"some_tool",
		"{\"error\":{\"message\":\"litellm.UnsupportedParamsError: Anthropic expects the `tools=` param to be passed in. Pass `tools=` OR set `litellm.modify_params = True`\",\"code\":\"400\"}}",
	},
	"Bedrock, no tools": {
		"some_tool",
		`{"error":{"message":"BedrockException - The toolConfig field must be defined when using toolUse and toolResult content blocks.","code":"400"}}`,
	},
	"Groq, a call in the last step": {
		"no_last_tools",
		`{"error":{"message":"Tool choice is none, but model called a tool","type":"invalid_request_error","code":"tool_use_failed"}}`,
	},
	"a server without tool_choice": {
		"no_tool_choice",
		`{"error":{"message":"tool_choice is not supported by this model","type":"invalid_request_error"}}`,
	},
	"a server without cache keys": {
		"no_prompt_cache_key",
		`{"error":{"message":"Unrecognized request argument supplied: prompt_cache_key","type":"invalid_request_error"}}`,
	},
	"a server without cache marks": {
		"no_cache_control",
		`{"detail":[{"type":"extra_forbidden","loc":["body","messages",0,"content",0,"cache_control"],"msg":"Extra inputs are not permitted"}]}`,
	},
	"OpenRouter, tool_choice": {
		"no_tool_choice",
		`{"error":{"message":"No endpoints found that support the provided 'tool_choice' value. To learn more about provider routing, visit: https://openrouter.ai/docs/guides/routing/provider-selection","code":404}}`,
	},
	"a server in Go, user": {"no_user", `{"error_code":"BAD_REQUEST","message":"Bad request: json: unknown field \"user\"\n"}`},
	"Cloudflare, null": {
		"no_null_content",
		`{"errors":[{"code":5006,"message":"AiError: Bad input: Error: oneOf at '/' not met, 0 matches: required properties at '/' are 'prompt', Type mismatch of '/messages/2/content', 'string' not in 'null'"}],"success":false}`,
	},
	"DashScope, null": {
		"no_null_content",
		`{"error":{"code":"invalid_parameter_error","message":"<400> InternalError.Algo.InvalidParameter: The content field is a required field.","type":"invalid_request_error"}}`,
	},
	"a strict server, null": {
		"no_null_content",
		"{\"error\":{\"message\":\"Failed to deserialize the JSON body into the target type: messages[2]: missing field `content` at line 1 column 300\"}}",
	},
	"Ollama, null": {
		"no_null_content",
		`{"error":{"message":"invalid message content type: <nil>","type":"invalid_request_error"}}`,
	},
}

// A refusal teaches once: the request is made again as the provider wants it, and from then on so at once.
func TestRefusalsTeach(t *testing.T) {
	t.Parallel()
	request := model.Request{
		Model:      "m-1",
		User:       "u-1",
		MaxTokens:  9,
		NoCalls:    true,
		CacheKey:   "c-1",
		CacheMarks: true,
		Messages: []model.Message{
			{Role: model.RoleSystem, Content: "Be brief."}, person("List"), calls("call_1"), result("call_1"), person("Thanks"),
		},
		Tools: []model.Tool{
			{Name: "list", Parameters: json.RawMessage(`{"type":"object","properties":{"id":{"type":["string","null"],"format":"uuid"}}}`)},
		},
	}
	request.Messages[2].ReplayData = &model.ReplayData{From: "a", Model: "m-1", Field: "reasoning", Text: "Hm"}
	seen := map[model.Quirk]bool{}
	for name, test := range refusals {
		seen[test.quirk] = true
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			var learned []model.ModelQuirk
			var bodies []string
			server := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
				raw, err := io.ReadAll(r.Body)
				if err != nil {
					t.Error(err)
				}
				if bodies = append(bodies, string(raw)); len(bodies) == 1 {
					body(http.StatusBadRequest, "application/json", test.body)(w, r)
					return
				}
				_, _ = io.WriteString(w, events(delta(`"content":"Hi"`), finish("stop"), done))
			}))
			t.Cleanup(server.Close)
			options := model.Options{
				BaseURL:    server.URL,
				ID:         "a",
				HTTPClient: server.Client(),
				OnQuirks:   func(l []model.ModelQuirk) { learned = append(learned, l...) },

				ReasoningEffort: "low",
			}
			request := request
			call := func(c *model.Client) error {
				if test.quirk == "only_streams" {
					_, err := c.Complete(t.Context(), request)
					return err
				}
				_, err := c.Stream(t.Context(), request, nil)
				return err
			}
			if test.quirk == "some_tool" {
				request.Tools = nil
			}
			client := model.New(options)
			for range 2 {
				require.NoError(t, call(client))
			}
			require.Equal(t, []model.ModelQuirk{{Model: "m-1", Quirk: test.quirk}}, learned)
			require.NotEmpty(t, test.quirk.Description())
			require.Len(t, bodies, 3)
			require.NotEqual(t, bodies[0], bodies[1])
			require.Equal(t, bodies[1], bodies[2])

			// Another process is told by what is stored.
			other := model.New(options)
			other.AddQuirks(learned)
			require.NoError(t, call(other))
			require.Equal(t, bodies[1], bodies[3])
			other.AddQuirks(nil)
			require.NoError(t, call(other))
			require.Equal(t, bodies[1], bodies[4], "what was not stored is not taught again and again")
		})
	}
	for _, lesson := range model.Quirks() {
		require.True(t, seen[lesson], "no wording for %s", lesson)
	}
}

// Not every server heeds tool_choice. A last step that has brought nothing but calls is asked again without tools.
func TestAServerThatIgnoresTheEndOfToolsIsOfferedNone(t *testing.T) {
	t.Parallel()
	server := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		raw, err := io.ReadAll(r.Body)
		if err != nil {
			t.Error(err)
		}
		if strings.Contains(string(raw), `"tools":`) {
			_, _ = io.WriteString(
				w,
				events(delta(`"tool_calls":[{"index":0,"id":"a","function":{"name":"list","arguments":"{}"}}]`), finish("tool_calls"), done),
			)
			return
		}
		_, _ = io.WriteString(w, events(delta(`"content":"Hi"`), finish("stop"), done))
	}))
	t.Cleanup(server.Close)
	var learned []model.ModelQuirk
	client := model.New(
		model.Options{BaseURL: server.URL, HTTPClient: server.Client(), OnQuirks: func(l []model.ModelQuirk) { learned = append(learned, l...) }},
	)
	request := hello
	request.Tools = []model.Tool{{Name: "list", Parameters: json.RawMessage(`{"type":"object"}`)}}
	_, err := client.Stream(t.Context(), request, nil)
	require.NoError(t, err)
	require.Empty(t, learned, "a step that may call teaches nothing")
	request.NoCalls = true
	var texts []string
	for range 3 {
		response, err := client.Stream(t.Context(), request, nil)
		require.NoError(t, err)
		texts = append(texts, response.Text)
	}
	require.Equal(t, []string{"", "Hi", "Hi"}, texts)
	require.Equal(t, []model.ModelQuirk{{Model: request.Model, Quirk: "no_last_tools"}}, learned)
}

// What did not help is not remembered.
func TestALessonThatDoesNotHelpIsForgotten(t *testing.T) {
	t.Parallel()
	var requests atomic.Int32
	server := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		requests.Add(1)
		body(http.StatusBadRequest, "application/json", `{"error":{"message":"stream_options"}}`)(w, r)
	}))
	t.Cleanup(server.Close)
	client := model.New(
		model.Options{BaseURL: server.URL, HTTPClient: server.Client(), OnQuirks: func([]model.ModelQuirk) { t.Error("learned") }},
	)
	for range 2 {
		_, err := client.Stream(t.Context(), hello, nil)
		require.Equal(t, model.Invalid, model.ClassOf(err))
	}
	require.EqualValues(t, 4, requests.Load())
}

// What a provider refuses within its answer is learned for the next attempt, which is not made here.
func TestRefusalsWithinAnAnswerTeachToo(t *testing.T) {
	t.Parallel()
	var learned []model.ModelQuirk
	server := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, _ *http.Request) {
		_, _ = io.WriteString(w, events(refusals["Groq, a call in the last step"].body))
	}))
	t.Cleanup(server.Close)
	client := model.New(model.Options{BaseURL: server.URL, HTTPClient: server.Client(), OnQuirks: func(l []model.ModelQuirk) { learned = l }})
	_, err := client.Stream(t.Context(), hello, nil)
	failure, ok := errors.AsType[*model.Error](err)
	require.True(t, ok && failure.Retryable())
	require.Equal(t, []model.ModelQuirk{{Model: hello.Model, Quirk: "no_last_tools"}}, learned)
}

// sentBody is what a client sends to a base URL that it never reaches.
func sentBody(t *testing.T, base string, request model.Request) (fields map[string]json.RawMessage, sent *http.Request) {
	t.Helper()
	transport := roundTrip(func(r *http.Request) (*http.Response, error) {
		sent = r
		if err := json.NewDecoder(r.Body).Decode(&fields); err != nil {
			return nil, err
		}
		return &http.Response{
			StatusCode: http.StatusOK,
			Header:     http.Header{},
			Request:    r,
			Body:       io.NopCloser(strings.NewReader(events(finish("stop"), done))),
		}, nil
	})
	client := model.New(model.Options{BaseURL: base, APIKey: testKey, HTTPClient: &http.Client{Transport: transport}})
	_, err := client.Stream(t.Context(), request, nil)
	require.NoError(t, err)
	return fields, sent
}

type roundTrip func(*http.Request) (*http.Response, error)

func (f roundTrip) RoundTrip(r *http.Request) (*http.Response, error) { return f(r) }

// Sampling is left to the provider: models that reason refuse temperatures and penalties, and so do some gateways.
func TestNothingIsSentThatNobodyAskedFor(t *testing.T) {
	t.Parallel()
	request := model.Request{
		Model:     "m-1",
		User:      "u-1",
		MaxTokens: 9,
		NoCalls:   true,
		Messages:  hello.Messages,
		Tools:     []model.Tool{{Name: "list"}},
	}
	fields, _ := sentBody(t, "http://model/v1", request)
	var names []string
	for name := range fields {
		names = append(names, name)
	}
	require.ElementsMatch(t, []string{"model", "messages", "tools", "tool_choice", "max_tokens", "user", "stream", "stream_options"}, names)
}

// Some providers are known by their address, or by the family of their model, before they refuse anything.
func TestProvidersThatAreKnown(t *testing.T) {
	t.Parallel()
	request := model.Request{
		Model: "m-1", MaxTokens: 9, Messages: []model.Message{person("List"), calls("call_1"), result("call_1"), person("Thanks")},
		Tools: []model.Tool{{Name: "list", Parameters: json.RawMessage(`{"type":"object","properties":{}}`)}},
	}

	fields, _ := sentBody(t, "https://api.openai.com/v1", request)
	require.Contains(t, fields, "max_completion_tokens")
	require.NotContains(t, fields, "max_tokens")

	fields, _ = sentBody(t, "https://generativelanguage.googleapis.com/v1beta/openai/", request)
	require.NotContains(t, string(fields["tools"]), "parameters")

	mistral := request
	mistral.Model = "mistralai/Devstral-Small-2"
	for base, request := range map[string]model.Request{"https://api.mistral.ai/v1": request, "http://vllm:8000/v1": mistral} {
		fields, _ = sentBody(t, base, request)
		require.Regexp(t, `"id":"[a-zA-Z0-9]{9}"`, string(fields["messages"]))
		require.Contains(t, string(fields["messages"]), `waited for the person`)
	}
}

func TestTheLastStepKeepsItsTools(t *testing.T) {
	t.Parallel()
	request := model.Request{Model: "m-1", NoCalls: true, Messages: hello.Messages, Tools: []model.Tool{{Name: "list"}}}
	fields, _ := sentBody(t, "http://model/v1", request)
	require.JSONEq(t, `"none"`, string(fields["tool_choice"]))
	require.Contains(t, fields, "tools")
	request.Tools = nil
	fields, _ = sentBody(t, "http://model/v1", request)
	require.NotContains(t, fields, "tool_choice", "a choice between no tools is refused")
}

func TestWhereAzureIsAsked(t *testing.T) {
	t.Parallel()
	for base, want := range map[string][2]string{
		"https://api.openai.com/v1":                  {"https://api.openai.com/v1/chat/completions", "https://api.openai.com/v1/models"},
		"https://api.openai.com/v1/chat/completions": {"https://api.openai.com/v1/chat/completions", "https://api.openai.com/v1/models"},
		"http://host/v1?a=b":                         {"http://host/v1/chat/completions?a=b", "http://host/v1/models?a=b"},
		"https://x.openai.azure.com":                 {"https://x.openai.azure.com/openai/v1/chat/completions", "https://x.openai.azure.com/openai/v1/models"},
		"https://x.openai.azure.com/openai/v1/":      {"https://x.openai.azure.com/openai/v1/chat/completions", "https://x.openai.azure.com/openai/v1/models"},
		"https://x.openai.azure.com/openai/deployments/d?api-version=2025-01-01-preview": {
			"https://x.openai.azure.com/openai/deployments/d/chat/completions?api-version=2025-01-01-preview", "https://x.openai.azure.com/openai/models?api-version=2025-01-01-preview",
		},
		"https://x.openai.azure.com/openai/deployments/d": {
			"https://x.openai.azure.com/openai/deployments/d/chat/completions?api-version=2024-10-21", "https://x.openai.azure.com/openai/models?api-version=2024-10-21",
		},
	} {
		chat, models := model.EndpointOf(base)
		require.Equal(t, want, [2]string{chat, models}, base)
	}
	_, sent := sentBody(t, "https://x.openai.azure.com/openai/v1", hello)
	require.Equal(t, testKey, sent.Header.Get("Api-Key"))
	require.Empty(t, sent.Header.Get("Authorization"))
	_, sent = sentBody(t, "https://api.openai.com/v1", hello)
	require.Equal(t, "Bearer "+testKey, sent.Header.Get("Authorization"))
}
