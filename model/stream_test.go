package model_test

import (
	"fmt"
	"net/http"
	"net/http/httptest"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"

	"countersign/model"
)

// answering returns a client of a provider that gives the same response to
// every request.
func answering(t *testing.T, handler http.HandlerFunc) *model.Client {
	t.Helper()
	server := httptest.NewServer(handler)
	t.Cleanup(server.Close)
	return model.New(model.Options{BaseURL: server.URL + "/v1", APIKey: testKey, HTTPClient: server.Client()})
}

const testKey = "test-key-6f1d2c"

func body(status int, contentType, text string) http.HandlerFunc {
	return func(w http.ResponseWriter, _ *http.Request) {
		w.Header().Set("Content-Type", contentType)
		w.WriteHeader(status)
		_, _ = w.Write([]byte(text))
	}
}

// events joins payloads to a stream of server-sent events.
func events(payloads ...string) string {
	var b strings.Builder
	for _, payload := range payloads {
		fmt.Fprintf(&b, "data: %s\n\n", payload)
	}
	return b.String()
}

// delta is a chunk with the given members of "delta".
func delta(members string) string {
	return `{"id":"chatcmpl-1","model":"m-1","choices":[{"index":0,"delta":{` + members + `},"finish_reason":null}]}`
}

func finish(reason string) string {
	return `{"id":"chatcmpl-1","choices":[{"index":0,"delta":{},"finish_reason":"` + reason + `"}]}`
}

const done = "[DONE]"

func stream(t *testing.T, text string) (model.Response, []model.Delta, error) {
	t.Helper()
	client := answering(t, body(200, "text/event-stream", text))
	var deltas []model.Delta
	response, err := client.Stream(t.Context(), hello, func(d model.Delta) { deltas = append(deltas, d) })
	return response, deltas, err
}

var hello = model.Request{Model: "m-1", Messages: []model.Message{{Role: model.RoleUser, Content: "Hello"}}}

func TestStreamReportsTextAsItArrives(t *testing.T) {
	t.Parallel()
	response, deltas, err := stream(t, events(
		delta(`"role":"assistant","content":""`),
		delta(`"reasoning_content":"Think."`),
		delta(`"content":"Hel"`),
		delta(`"content":"lo"`),
		finish("stop"),
		`{"id":"chatcmpl-1","choices":[],"usage":{"prompt_tokens":12,"completion_tokens":3,"total_tokens":15}}`,
		done))
	require.NoError(t, err)
	require.Equal(t, model.Response{
		Text: "Hello", Reasoning: "Think.", FinishReason: model.FinishStop, ID: "chatcmpl-1", Model: "m-1",
		Usage:      model.Usage{InputTokens: 12, OutputTokens: 3, Reported: true},
		ReplayData: &model.ReplayData{Model: hello.Model, Field: "reasoning_content", Text: "Think."},
	}, response)
	require.Equal(t, []model.Delta{{Reasoning: "Think."}, {Text: "Hel"}, {Text: "lo"}}, deltas)
}

// Each stream says the same thing in the way of some provider.
func TestStreamUnderstandsDeviations(t *testing.T) {
	t.Parallel()
	plain := events(delta(`"content":"Hello"`), finish("stop"), done)
	for name, text := range map[string]string{
		"carriage returns":          strings.ReplaceAll(plain, "\n", "\r\n"),
		"comments":                  ": keep-alive\n\n" + strings.ReplaceAll(plain, "\n\n", "\n\n: processing\n\n"),
		"byte order mark":           "\uFEFF" + plain,
		"no space after the colon":  strings.ReplaceAll(plain, "data: ", "data:"),
		"no empty lines":            strings.ReplaceAll(plain, "\n\n", "\n"),
		"event names and ids":       strings.ReplaceAll(plain, "data:", "event: message\nid: 7\nretry: 10\ndata:"),
		"no end marker":             events(delta(`"content":"Hello"`), finish("stop")),
		"no finish reason":          events(delta(`"content":"Hello"`), done),
		"no last line end":          strings.TrimRight(plain, "\n"),
		"empty choices":             events(`{"choices":[]}`, delta(`"content":"Hello"`), `{"choices":[]}`, finish("stop"), done),
		"unknown events":            events(`{"type":"ping"}`, `{}`, delta(`"content":"Hello"`), finish("stop"), done),
		"null members":              events(delta(`"content":null,"tool_calls":null,"reasoning":null`), `{"error":null,"usage":null,"choices":[{"delta":{"content":"Hello"}}]}`, finish("stop"), done),
		"content in parts":          events(delta(`"content":[{"type":"text","text":"Hel"},{"type":"text","text":"lo"}]`), finish("stop"), done),
		"NUL":                       events(delta(`"content":"H\u0000ello"`), finish("stop"), done),
		"refusal":                   events(delta(`"refusal":"Hello"`), finish("stop"), done),
		"an event on several lines": "data: {\"choices\":[{\"delta\":\ndata: {\"content\":\"Hello\"}}]}\n\n" + events(finish("stop"), done),
		"not streamed at all":       `{"choices":[{"message":{"role":"assistant","content":"Hello"},"finish_reason":"stop"}]}`,
		"broken usage at the end":   events(delta(`"content":"Hello"`), finish("stop")) + `data: {"usage":{"prompt_`,
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			response, _, err := stream(t, text)
			require.NoError(t, err)
			require.Equal(t, "Hello", response.Text)
			require.Equal(t, model.FinishStop, response.FinishReason)
		})
	}
}

func TestStreamReadsLongLines(t *testing.T) {
	t.Parallel()
	var b strings.Builder
	for i := range 10_000 {
		fmt.Fprintf(&b, "long %d ", i)
	}
	long := b.String()
	response, deltas, err := stream(t, events(delta(`"content":"`+long+`"`), delta(`"content":"end"`), finish("stop"), done))
	require.NoError(t, err)
	require.Equal(t, long+"end", response.Text)
	require.Len(t, deltas, 2)
}

func TestStreamKeepsReasoningOnceWhenItComesUnderTwoNames(t *testing.T) {
	t.Parallel()
	response, _, err := stream(t, events(delta(`"reasoning":"Hm.","reasoning_content":"Hm."`), finish("stop"), done))
	require.NoError(t, err)
	require.Equal(t, "Hm.", response.Reasoning)
}

// Templates that open the thoughts themselves leave the closing tag alone in the answer. What was taken for the answer by
// then is taken back; a tag that the model talks about is not meant.
func TestStreamTakesBackThoughtsThatNothingOpened(t *testing.T) {
	t.Parallel()
	for name, test := range map[string]struct {
		pieces          []string
		thought, answer string
	}{
		"within a line":         {[]string{"Hm, ", "hello?</think>Hel", "lo"}, "Hm, hello?", "Hello"},
		"on a line of its own":  {[]string{`Hm.\n`, "</thi", "nk>", `\n\n`, "Hello"}, "Hm.", "Hello"},
		"at the very beginning": {[]string{"</think>", `\n\nHello`}, "", "Hello"},
		"at the end":            {[]string{"Hm.", "</think>"}, "Hm.", ""},
		"another tag":           {[]string{"Hm.[/THINK]Hello"}, "Hm.", "Hello"},
		"in quotes":             {[]string{"The tag `</think>` ends it."}, "", "The tag `</think>` ends it."},
		"in code":               {[]string{"```\\nhm</think>x\\n```"}, "", "```\nhm</think>x\n```"},
		"in a sentence":         {[]string{"The tag </think> ends", " it."}, "", "The tag </think> ends it."},
		"with its opening":      {[]string{"Say <think>x</think>y."}, "", "Say <think>x</think>y."},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			var chunks []string
			for _, piece := range test.pieces {
				chunks = append(chunks, delta(`"content":"`+piece+`"`))
			}
			response, deltas, err := stream(t, events(append(chunks, finish("stop"), done)...))
			require.NoError(t, err)
			require.Equal(t, test.thought, response.Reasoning)
			require.Equal(t, test.answer, response.Text)
			var thought, text string
			for _, d := range deltas {
				if d.Restart {
					thought, text = "", ""
				}
				thought, text = thought+d.Reasoning, text+d.Text
			}
			require.Equal(t, response.Reasoning, thought)
			require.Equal(t, response.Text, text)
		})
	}
	response, _, err := stream(
		t,
		events(delta(`"content":"Hm.</think>"`), callDelta(call(`"index":0,"id":"c"`, `"name":"a","arguments":"{}"`)), done),
	)
	require.NoError(t, err)
	require.Equal(t, "Hm.", response.Reasoning)
	require.Empty(t, response.Text)
}

func TestStreamReturnsAnEmptyAnswerAsEmpty(t *testing.T) {
	t.Parallel()
	for _, text := range []string{events(done), events(finish("stop"), done), events(delta(`"content":" \n"`), done)} {
		response, _, err := stream(t, text)
		require.NoError(t, err)
		require.True(t, response.Empty(), text)
	}
}

func TestStreamErrors(t *testing.T) {
	t.Parallel()
	partial := delta(`"content":"Hel"`)
	for name, test := range map[string]struct {
		text    string
		class   model.Class
		message string
	}{
		"ends in the middle": {events(partial), model.Cut, "ended in the middle"},
		"ends in a line":     {events(partial) + `data: {"choices":[{"delta":{"con`, model.Cut, "ended in the middle"},
		"ends at once":       {"", model.Cut, "without an answer"},
		"not JSON":           {events(partial, `{"choices":oops}`), model.Malformed, "could not be understood"},
		"not JSON, then end": {"data: {oops\ndata: [DONE]\n", model.Malformed, "could not be understood"},
		"error object": {
			events(partial, `{"error":{"message":"The server had an error","type":"server_error"}}`),
			model.Unavailable, "The server had an error",
		},
		"error with a status": {
			events(partial, `{"error":{"message":"Slow down","code":429}}`),
			model.RateLimited, "Slow down",
		},
		"error with a code": {
			events(`{"error":{"message":"Too long","code":"context_length_exceeded"}}`),
			model.ContextLength, "Too long",
		},
		"error as text": {events(partial, `{"error":"out of memory"}`), model.Unavailable, "out of memory"},
		"error without envelope": {
			events(partial, `{"object":"error","message":"no such adapter","code":404}`),
			model.NotFound, "no such adapter",
		},
		"error event": {
			events(partial) + "event: error\n" + events(`{"type":"overloaded_error","message":"Overloaded"}`),
			model.Unavailable, "Overloaded",
		},
		"error next to the events": {
			events(partial) + "{\n \"error\": {\"message\": \"GPU lost\"}\n}\n",
			model.Unavailable, "GPU lost",
		},
		"JSON error with status 200": {
			`{"error":{"message":"Invalid key","code":"invalid_api_key"}}`,
			model.Unauthorized, "Invalid key",
		},
		"other JSON with status 200": {`{"detail":"Not authenticated"}`, model.Unavailable, "Not authenticated"},
		"strange JSON":               {`{"status":"up"}`, model.Malformed, "could not be understood"},
		"web page":                   {"<!doctype html><title>Sign in</title><p>Hello", model.Invalid, "answered with a web page"},
		"content filter":             {events(partial, finish("content_filter"), done), model.ContentFilter, "content filter"},
		"failure as finish reason":   {events(partial, finish("error"), done), model.Unavailable, "failed in the middle"},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			response, deltas, err := stream(t, test.text)
			require.Equal(t, test.class, model.ClassOf(err), "%v", err)
			require.ErrorContains(t, err, test.message)
			if len(deltas) > 0 {
				require.Equal(t, "Hel", response.Text, "what arrived is kept")
			}
		})
	}
}

// An event can have many lines. One that takes more work than any answer is worth, as a small compressed body can, is given up.
func TestAnEventHasAnEnd(t *testing.T) {
	t.Parallel()
	event := "data: {\n" + strings.Repeat(
		`data: "`+strings.Repeat("a", 100)+"\":1,\n",
		4_000,
	) + `data: "choices":[{"delta":{"content":"Late."}}]}` + "\n\ndata: [DONE]\n\n"
	_, err := answering(t, body(200, "text/event-stream", event)).Stream(t.Context(), model.Request{Model: "m"}, nil)
	require.Equal(t, model.Malformed, model.ClassOf(err))
}
