package model_test

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"log"
	"net"
	"net/http"
	"net/http/httptest"
	"strings"
	"sync/atomic"
	"testing"
	"time"

	openai "github.com/sashabaranov/go-openai"
	"github.com/stretchr/testify/require"

	"countersign/internal/egress/porttest"
	"countersign/model"
)

func TestRequestIsWhatGoOpenAIWouldSend(t *testing.T) {
	t.Parallel()
	request := model.Request{
		Model: "m-1", User: "u-9",
		Messages: []model.Message{
			{Role: model.RoleSystem, Content: "Be \"brief\" <b>\\ \n\t\r\x01 é 😀 \xff"},
			{Role: model.RoleUser, Content: "List"},
			{
				Role:      model.RoleAssistant,
				ToolCalls: []model.ToolCall{{ID: "c1", Name: "a", Arguments: `{"x":"y"}`}, {ID: "c2", Name: "b", Arguments: "{}"}},
			},
			{Role: model.RoleTool, ToolCallID: "c1", Content: `{"ok":true}`},
			{Role: model.RoleTool, ToolCallID: "c2", Content: ""},
			{Role: model.RoleAssistant, Content: "Done"},
			{Role: model.RoleUser, Content: "Thanks"},
		},
		Tools: []model.Tool{
			{Name: "a", Description: "A", Parameters: json.RawMessage(`{"type":"object"}`)},
			{Name: "b"},
		},
	}
	received := make(chan []byte, 1)
	client := answering(t, func(w http.ResponseWriter, r *http.Request) {
		require.Equal(t, "/v1/chat/completions", r.URL.Path)
		require.Equal(t, "Bearer "+testKey, r.Header.Get("Authorization"))
		require.Equal(t, "application/json", r.Header.Get("Content-Type"))
		text, err := io.ReadAll(r.Body)
		require.NoError(t, err)
		received <- text
		_, _ = io.WriteString(w, events(finish("stop"), done))
	})
	_, err := client.Stream(t.Context(), request, nil)
	require.NoError(t, err)
	text := <-received

	var got openai.ChatCompletionRequest
	require.NoError(t, json.Unmarshal(text, &got))
	function := func(id, name, args string) openai.ToolCall {
		return openai.ToolCall{ID: id, Type: openai.ToolTypeFunction, Function: openai.FunctionCall{Name: name, Arguments: args}}
	}
	require.Equal(t, openai.ChatCompletionRequest{
		Model: "m-1", User: "u-9", Stream: true,
		StreamOptions: &openai.StreamOptions{IncludeUsage: true},
		Messages: []openai.ChatCompletionMessage{
			{Role: "system", Content: "Be \"brief\" <b>\\ \n\t\r\x01 é 😀 \uFFFD"},
			{Role: "user", Content: "List"},
			{Role: "assistant", ToolCalls: []openai.ToolCall{function("c1", "a", `{"x":"y"}`), function("c2", "b", "{}")}},
			{Role: "tool", ToolCallID: "c1", Content: `{"ok":true}`},
			{Role: "tool", ToolCallID: "c2"},
			{Role: "assistant", Content: "Done"},
			{Role: "user", Content: "Thanks"},
		},
		Tools: []openai.Tool{
			{
				Type:     openai.ToolTypeFunction,
				Function: &openai.FunctionDefinition{Name: "a", Description: "A", Parameters: map[string]any{"type": "object"}},
			},
			{Type: openai.ToolTypeFunction, Function: &openai.FunctionDefinition{Name: "b"}},
		},
	}, got)

	var raw struct{ Messages []map[string]any }
	require.NoError(t, json.Unmarshal(text, &raw))
	require.Empty(t, raw.Messages[4]["content"], "an empty tool result is sent, not left out")
}

func TestFailuresHaveAClassAndTheProvidersText(t *testing.T) {
	t.Parallel()
	const jsonType, htmlType = "application/json", "text/html"
	for name, test := range map[string]struct {
		status    int
		kind      string
		body      string
		class     model.Class
		retryable bool
		message   string
	}{
		"rate limit":   {429, jsonType, `{"error":{"message":"Slow down","type":"requests","code":"rate_limit_exceeded"}}`, model.RateLimited, true, "Slow down"},
		"quota":        {429, jsonType, `{"error":{"message":"No quota","code":"insufficient_quota"}}`, model.RateLimited, false, "No quota"},
		"server error": {500, jsonType, `{"error":{"message":"Oops","type":"server_error","param":null,"code":null}}`, model.Unavailable, true, "Oops"},
		"overloaded":   {529, jsonType, `{"type":"error","error":{"type":"overloaded_error","message":"Overloaded"}}`, model.Unavailable, true, "Overloaded"},
		"proxy page": {
			502, htmlType, "<html><head><title>502 Bad Gateway</title></head><body><h1>no</h1></body></html>",
			model.Unavailable, true, "The model provider answered with 502 Bad Gateway.",
		},
		"page without title": {503, htmlType, "<html><style>h1{}</style><h1>Down &amp; out</h1></html>", model.Unavailable, true, "The model provider answered with 503 Service Unavailable."},
		"no body":            {504, "", "", model.Unavailable, true, "The model provider answered with 504 Gateway Timeout."},
		"timeout":            {408, jsonType, `{"message":"Timeout"}`, model.Unavailable, true, "Timeout"},
		"key":                {401, jsonType, `{"error":{"message":"Incorrect API key","code":"invalid_api_key"}}`, model.Unauthorized, false, "Incorrect API key"},
		"forbidden":          {403, jsonType, `{"error":"Country not supported"}`, model.Unauthorized, false, "Country not supported"},
		"moderation":         {403, jsonType, `{"error":{"message":"Input was flagged"}}`, model.ContentFilter, false, "Input was flagged"},
		"model":              {404, jsonType, `{"error":{"message":"The model 'x' does not exist","code":"model_not_found"}}`, model.NotFound, false, "The model 'x' does not exist"},
		"path":               {404, "text/plain", "404 page not found\n", model.Invalid, false, "The model provider answered with 404 Not Found."},
		"bare path":          {404, jsonType, `{"detail":"Not Found"}`, model.Invalid, false, "Not Found"},
		"path, LM":           {404, jsonType, `{"error":"Unexpected endpoint or method. (POST /chat/completions)"}`, model.Invalid, false, "Unexpected endpoint or method. (POST /chat/completions)"},
		"path, page": {
			404, htmlType, "<html><head><title>404 Not Found</title></head></html>",
			model.Invalid, false, "The model provider answered with 404 Not Found.",
		},
		"messages":   {400, jsonType, `{"error":{"message":"The conversation is too long."}}`, model.ContextLength, false, "The conversation is too long."},
		"sequence":   {400, jsonType, `{"error":{"message":"Sequence length exceeds maximum"}}`, model.ContextLength, false, "Sequence length exceeds maximum"},
		"Chinese":    {400, jsonType, `{"error":{"message":"messages 参数超长，请减少输入长度"}}`, model.ContextLength, false, "messages 参数超长，请减少输入长度"},
		"Russian":    {400, jsonType, `{"error":{"message":"Превышено максимальное количество токенов"}}`, model.ContextLength, false, "Превышено максимальное количество токенов"},
		"tokens":     {400, jsonType, `{"error":{"message":"Too many input tokens"}}`, model.ContextLength, false, "Too many input tokens"},
		"characters": {400, jsonType, `{"error":{"message":"the max input characters is 20000"}}`, model.ContextLength, false, "the max input characters is 20000"},
		"images":     {400, jsonType, `{"error":{"message":"image input exceeds the size"}}`, model.Invalid, false, "image input exceeds the size"},
		"new-api":    {401, jsonType, `{"error":{"message":"This token has run out of quota"}}`, model.RateLimited, false, "This token has run out of quota"},
		"context": {
			400, jsonType, `{"error":{"message":"This model's maximum context length is 8192 tokens.","type":"invalid_request_error","code":"context_length_exceeded"}}`,
			model.ContextLength, false, "This model's maximum context length is 8192 tokens.",
		},
		"context, in words": {400, jsonType, `{"error":{"message":"prompt is too long: 210000 tokens"}}`, model.ContextLength, false, "prompt is too long: 210000 tokens"},
		"too large":         {413, "", "", model.ContextLength, false, "The model provider answered with 413 Request Entity Too Large."},
		"filter": {
			400, jsonType, `{"error":{"message":"Filtered","code":"content_filter","innererror":{"code":"ResponsibleAIPolicyViolation"}}}`,
			model.ContentFilter, false, "Filtered",
		},
		"other":      {400, jsonType, `{"error":{"message":"tools[0] is wrong","type":"invalid_request_error"}}`, model.Invalid, false, "tools[0] is wrong"},
		"validation": {422, jsonType, `{"detail":[{"loc":["body","top_p"],"msg":"must be a number"}]}`, model.Invalid, false, "must be a number"},
		"list":       {400, jsonType, `[{"error":{"code":400,"message":"Bad schema","status":"INVALID_ARGUMENT"}}]`, model.Invalid, false, "Bad schema"},
		"gateway": {
			502, jsonType, `{"error":{"message":"Provider returned error","code":502,"metadata":{"raw":"upstream died"}}}`,
			model.Unavailable, true, "Provider returned error: upstream died",
		},
		"unknown JSON": {400, jsonType, `{"oops":1}`, model.Invalid, false, "The model provider answered with 400 Bad Request."},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			client := answering(t, body(test.status, test.kind, test.body))
			for _, call := range map[string]func() error{
				"stream":   func() error { _, err := client.Stream(t.Context(), hello, nil); return err },
				"complete": func() error { _, err := client.Complete(t.Context(), hello); return err },
				"models":   func() error { _, err := client.Models(t.Context()); return err },
			} {
				failure, ok := errors.AsType[*model.Error](call())
				require.True(t, ok)
				require.Equal(t, test.class, failure.Class)
				require.Equal(t, test.status, failure.Status)
				require.Equal(t, test.message, failure.Message)
				require.Equal(t, test.retryable, failure.Retryable())
			}
		})
	}
}

func TestRedirectsAreNotFollowed(t *testing.T) {
	t.Parallel()
	var visits atomic.Int32
	target := httptest.NewServer(http.HandlerFunc(func(http.ResponseWriter, *http.Request) { visits.Add(1) }))
	t.Cleanup(target.Close)
	client := answering(t, func(w http.ResponseWriter, r *http.Request) {
		http.Redirect(w, r, target.URL, http.StatusTemporaryRedirect)
	})
	_, err := client.Stream(t.Context(), hello, nil)
	require.Equal(t, model.Invalid, model.ClassOf(err))
	require.ErrorContains(t, err, target.URL)
	require.Zero(t, visits.Load())
}

func TestRetryAfter(t *testing.T) {
	t.Parallel()
	const date = "Tue, 03 Mar 2026 10:00:00 GMT"
	for name, test := range map[string]struct {
		headers map[string]string
		want    time.Duration
	}{
		"absent":               {nil, 0},
		"seconds":              {map[string]string{"Retry-After": "7"}, 7 * time.Second},
		"fraction":             {map[string]string{"Retry-After": "0.5"}, 500 * time.Millisecond},
		"date":                 {map[string]string{"Retry-After": "Tue, 03 Mar 2026 10:01:30 GMT", "Date": date}, 90 * time.Second},
		"past date":            {map[string]string{"Retry-After": "Tue, 03 Mar 2026 09:00:00 GMT", "Date": date}, 0},
		"milliseconds win":     {map[string]string{"Retry-After": "7", "Retry-After-Ms": "250"}, 250 * time.Millisecond},
		"negative":             {map[string]string{"Retry-After": "-3"}, 0},
		"nonsense":             {map[string]string{"Retry-After": "soon"}, 0},
		"not a number":         {map[string]string{"Retry-After": "NaN"}, 0},
		"an hour at the most":  {map[string]string{"Retry-After": "1e300"}, time.Hour},
		"infinite is too much": {map[string]string{"Retry-After": "+Inf"}, time.Hour},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			client := answering(t, func(w http.ResponseWriter, _ *http.Request) {
				for header, value := range test.headers {
					w.Header().Set(header, value)
				}
				w.WriteHeader(http.StatusTooManyRequests)
			})
			_, err := client.Stream(t.Context(), hello, nil)
			failure, ok := errors.AsType[*model.Error](err)
			require.True(t, ok)
			require.Equal(t, test.want, failure.RetryAfter)
		})
	}
}

func TestMessagesAreBoundedAndHoldNoKey(t *testing.T) {
	t.Parallel()
	const other = "sk-proj-abcdefghijklmnop1234"
	hidden := testKey[:5] + "\x00" + testKey[5:]
	for _, status := range []int{200, 401} {
		text, err := json.Marshal(map[string]any{"error": map[string]any{
			"message": "Key " + testKey + " or " + hidden + " or " + other + ", sent as Bearer abcdefghijklmnop, is wrong. " + strings.Repeat(
				"é",
				5000,
			),
			"code": "invalid_api_key",
		}})
		require.NoError(t, err)
		_, err = answering(t, body(status, "application/json", string(text))).Stream(t.Context(), hello, nil)
		failure, ok := errors.AsType[*model.Error](err)
		require.True(t, ok)
		require.True(t, strings.HasPrefix(failure.Message,
			"Key [REDACTED] or [REDACTED] or [REDACTED], sent as Bearer [REDACTED], is wrong. éé"), failure.Message)
		require.LessOrEqual(t, len(failure.Message), 2048)
		require.NotContains(t, failure.Message, "\uFFFD")
	}
}

// A provider that refuses an optional field is asked once more without it, and
// from then on not asked with it again.
func TestClientAdaptsToRefusedFields(t *testing.T) {
	t.Parallel()
	for name, test := range map[string]struct {
		field, refusal, instead string
	}{
		"stream options": {"stream_options", `{"error":{"message":"Unrecognized request argument supplied: stream_options"}}`, ""},
		"max tokens": {
			"max_tokens",
			`{"error":{"message":"Unsupported parameter: 'max_tokens'. Use 'max_completion_tokens' instead."}}`, "max_completion_tokens",
		},
		"user": {"user", `{"detail":[{"type":"extra_forbidden","loc":["body","user"],"msg":"Extra inputs are not permitted"}]}`, ""},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			var requests atomic.Int32
			client := answering(t, func(w http.ResponseWriter, r *http.Request) {
				requests.Add(1)
				var fields map[string]any
				require.NoError(t, json.NewDecoder(r.Body).Decode(&fields))
				if _, sent := fields[test.field]; sent {
					body(http.StatusBadRequest, "application/json", test.refusal)(w, r)
					return
				}
				if test.instead != "" {
					require.Contains(t, fields, test.instead)
				}
				_, _ = io.WriteString(w, events(delta(`"content":"Hi"`), finish("stop"), done))
			})
			request := hello
			request.MaxTokens, request.User = 5, "u-1"
			for range 2 {
				response, err := client.Stream(t.Context(), request, nil)
				require.NoError(t, err)
				require.Equal(t, "Hi", response.Text)
			}
			require.EqualValues(t, 3, requests.Load())
		})
	}
}

func TestClientGivesUpWhenTheFieldWasNotTheReason(t *testing.T) {
	t.Parallel()
	var requests atomic.Int32
	client := answering(t, func(w http.ResponseWriter, r *http.Request) {
		requests.Add(1)
		body(http.StatusBadRequest, "application/json", `{"error":{"message":"stream_options"}}`)(w, r)
	})
	_, err := client.Stream(t.Context(), hello, nil)
	require.Equal(t, model.Invalid, model.ClassOf(err))
	require.EqualValues(t, 2, requests.Load())
}

func TestUnreachableProviders(t *testing.T) {
	t.Parallel()
	for url, class := range map[string]model.Class{
		"http://" + porttest.ClosedAddress(t): model.Unavailable,
		"http://name.invalid/v1":              model.Unavailable,
		"ftp://example.com/v1":                model.Invalid,
		"example.com/v1":                      model.Invalid,
		"http://bad host/\x7f":                model.Invalid,
		"":                                    model.Invalid,
		"http://user:pw@127.0.0.1:1":          model.Unavailable,
	} {
		_, err := model.New(model.Options{BaseURL: url}).Stream(t.Context(), hello, nil)
		require.Equal(t, class, model.ClassOf(err), "%q: %v", url, err)
		require.NotContains(t, err.Error(), "pw")
	}
}

func TestUntrustedCertificatesAreTheConfigurationsFault(t *testing.T) {
	t.Parallel()
	server := httptest.NewUnstartedServer(http.NotFoundHandler())
	server.Config.ErrorLog = log.New(io.Discard, "", 0)
	server.StartTLS()
	t.Cleanup(server.Close)
	_, err := model.New(model.Options{BaseURL: server.URL}).Stream(t.Context(), hello, nil)
	require.Equal(t, model.Invalid, model.ClassOf(err), "%v", err)
}

func TestBrokenConnectionIsCut(t *testing.T) {
	t.Parallel()
	client := answering(t, func(w http.ResponseWriter, _ *http.Request) {
		_, _ = io.WriteString(w, events(delta(`"content":"Hel"`)))
		w.(http.Flusher).Flush()
		panic(http.ErrAbortHandler)
	})
	response, err := client.Stream(t.Context(), hello, nil)
	require.Equal(t, model.Cut, model.ClassOf(err), "%v", err)
	require.Equal(t, "Hel", response.Text)
}

func TestAnswersAreBounded(t *testing.T) {
	t.Parallel()
	server := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		for n := 0; r.Context().Err() == nil; n++ {
			if _, err := io.WriteString(w, events(delta(fmt.Sprintf(`"content":"more and %d more"`, n)))); err != nil {
				return
			}
		}
	}))
	t.Cleanup(server.Close)
	for name, o := range map[string]model.Options{"answer": {MaxAnswerBytes: 100_000}, "response": {MaxResponseBytes: 100_000}} {
		o.BaseURL = server.URL
		client := model.New(o)
		response, err := client.Stream(t.Context(), hello, nil)
		require.Equal(t, model.TooLong, model.ClassOf(err), name)
		require.ErrorContains(t, err, "larger than the limit", name)
		require.LessOrEqual(t, len(response.Text), 100_000, name)
		failure, ok := errors.AsType[*model.Error](err)
		require.True(t, ok)
		require.False(t, failure.Retryable(), "the same request would be paid for again")
		_, err = client.Complete(t.Context(), hello)
		require.ErrorContains(t, err, "larger than the limit", name)
	}
}

// Arguments of calls, and one event or document that never ends, are bounded like text.
func TestEveryPartOfAnAnswerIsBounded(t *testing.T) {
	t.Parallel()
	long := strings.Repeat("more ", 50_000)
	for name, wire := range map[string]string{
		"arguments": events(delta(`"tool_calls":[{"index":0,"id":"a","function":{"name":"f","arguments":"` + long + `"}}]`)),
		"thoughts":  events(delta(`"reasoning_content":"` + long + `"`)),
		"line":      "data: " + strings.Repeat(long, 2),
		"document":  `{"choices":[{"message":{"content":"` + strings.Repeat(long, 2) + `"}}]}`,
	} {
		server := httptest.NewServer(body(200, "text/event-stream", wire))
		t.Cleanup(server.Close)
		client := model.New(model.Options{BaseURL: server.URL, MaxAnswerBytes: 100_000})
		_, err := client.Stream(t.Context(), hello, nil)
		require.Equal(t, model.TooLong, model.ClassOf(err), "%s: %v", name, err)
	}
}

// An answer of a few thousand tokens may be many megabytes on the wire: each provider wraps its tokens as it likes.
func TestTheWireOfAnAnswerIsNotItsLength(t *testing.T) {
	t.Parallel()
	const tokens = 30_000
	padding := strings.Repeat("x", 300)
	client := answering(t, func(w http.ResponseWriter, _ *http.Request) {
		for n := range tokens {
			_, _ = fmt.Fprintf(w, `data: {"id":"%s","choices":[{"index":0,"delta":{"content":"%4d "}}]}`+"\n\n", padding, n%10_000)
		}
		_, _ = io.WriteString(w, `data: {"choices":[{"index":0,"delta":{},"finish_reason":"stop"}]}`+"\n\ndata: [DONE]\n\n")
	})
	response, err := client.Stream(t.Context(), hello, nil)
	require.NoError(t, err)
	require.Len(t, response.Text, 5*tokens)
}

func TestCompleteReadsOneDocument(t *testing.T) {
	t.Parallel()
	client := answering(t, body(200, "application/json", `{"id":"x","model":"m-1","choices":[{"index":0,
		"message":{"role":"assistant","content":"ON_TOPIC","tool_calls":[{"id":"c1","type":"function","function":{"name":"a","arguments":"{}"}}]},
		"finish_reason":"tool_calls"}],"usage":{"prompt_tokens":3,"completion_tokens":1}}`))
	response, err := client.Complete(t.Context(), hello)
	require.NoError(t, err)
	require.Equal(t, model.Response{
		Text: "ON_TOPIC", FinishReason: model.FinishToolCalls, Model: "m-1", ID: "x",
		ToolCalls: []model.ToolCall{{ID: "c1", Name: "a", Arguments: "{}"}},
		Usage:     model.Usage{InputTokens: 3, OutputTokens: 1, Reported: true},
	}, response)
}

func TestModels(t *testing.T) {
	t.Parallel()
	for name, text := range map[string]string{
		"documented":  `{"object":"list","data":[{"id":"a","created":1},{"id":"b"}]}`,
		"odd types":   `{"data":[{"id":"a","created":"yesterday","permission":{}},{"id":"b","owned_by":7},{"id":""}]}`,
		"no envelope": `[{"id":"a"},{"id":"b"}]`,
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			ids, err := answering(t, body(200, "application/json", text)).Models(t.Context())
			require.NoError(t, err)
			require.Equal(t, []string{"a", "b"}, ids)
		})
	}
	_, err := answering(t, body(200, "text/html", "<title>Welcome</title>")).Models(t.Context())
	require.Equal(t, model.Invalid, model.ClassOf(err))
	require.ErrorContains(t, err, "base URL")
}

func TestClassOfOtherErrors(t *testing.T) {
	t.Parallel()
	require.Equal(t, model.Canceled, model.ClassOf(context.DeadlineExceeded))
	require.Empty(t, model.ClassOf(errors.New("disk full")))
	require.Empty(t, model.ClassOf(nil))
}

func TestConnectionsAreReused(t *testing.T) {
	t.Parallel()
	var connections atomic.Int32
	server := httptest.NewUnstartedServer(body(200, "text/event-stream", events(delta(`"content":"Hi"`), finish("stop"), done)))
	server.Config.ConnState = func(_ net.Conn, state http.ConnState) {
		if state == http.StateNew {
			connections.Add(1)
		}
	}
	server.Start()
	t.Cleanup(server.Close)
	client := model.New(model.Options{BaseURL: server.URL, HTTPClient: server.Client()})
	for range 20 {
		_, err := client.Stream(t.Context(), hello, nil)
		require.NoError(t, err)
	}
	require.EqualValues(t, 1, connections.Load())
}
