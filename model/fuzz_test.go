package model_test

import (
	"encoding/json"
	"io"
	"net/http"
	"strings"
	"testing"
	"unicode/utf8"

	"github.com/stretchr/testify/require"

	"countersign/model"
)

// canned is a transport that answers every request with one body.
type canned string

func (c canned) RoundTrip(r *http.Request) (*http.Response, error) {
	return &http.Response{StatusCode: http.StatusOK, Header: http.Header{}, Body: io.NopCloser(strings.NewReader(string(c))), Request: r}, nil
}

// Whatever a provider sends, a call ends with an answer that can be stored and
// that its deltas add up to, or with a classified error.
func FuzzStream(f *testing.F) {
	for _, seed := range []string{
		"",
		events(delta(`"content":"Hello"`), finish("stop"), done),
		events(delta(`"reasoning":"Hm\u0000","content":[{"text":"a"}]`), finish("length")),
		events(callDelta(call(`"index":0,"id":"c1"`, `"name":"a","arguments":"{\"a\":\"\\ud800\"}"`)), finish("tool_calls"), done),
		events(callDelta(call(``, `"name":"a","arguments":{"b":[1,{}]}`), call(``, `"arguments":"}"`)), done),
		": comment\r\nevent: error\r\ndata: {\"message\":\"no\"}\r\n\r\n",
		"data: {\"choices\":[\ndata: {\"delta\":{\"content\":\"x\"}}]}\n\n",
		`{"error":{"message":"no","code":503}}`,
		`{"choices":[{"message":{"content":"Hi"},"finish_reason":"stop"}]}`,
		"<html><title>x</title></html>",
		"\uFEFF\n\ndata:{\"usage\":{\"prompt_tokens\":1e3,\"completion_tokens\":-4}}\n",
	} {
		f.Add(seed)
	}
	f.Fuzz(func(t *testing.T, text string) {
		client := model.New(model.Options{BaseURL: "http://model", HTTPClient: &http.Client{Transport: canned(text)}})
		var said, thought strings.Builder
		calls := map[int]*model.ToolCall{}
		response, err := client.Stream(t.Context(), hello, func(d model.Delta) {
			if d.Restart {
				said.Reset()
				thought.Reset()
			}
			said.WriteString(d.Text)
			thought.WriteString(d.Reasoning)
			if d.Call == nil {
				return
			}
			if calls[d.Call.Index] == nil {
				require.Equal(t, len(calls), d.Call.Index)
				calls[d.Call.Index] = &model.ToolCall{ID: d.Call.ID}
			}
			require.Equal(t, calls[d.Call.Index].ID, d.Call.ID)
			calls[d.Call.Index].Name += d.Call.Name
		})
		if err != nil {
			require.NotEmpty(t, model.ClassOf(err))
		} else {
			require.NotEmpty(t, response.FinishReason)
		}
		require.Equal(t, said.String(), response.Text)
		require.Equal(t, thought.String(), response.Reasoning)
		storable(t, response.Text)
		storable(t, response.Reasoning)
		seen := map[string]bool{}
		for i, c := range response.ToolCalls {
			require.Equal(t, calls[i].Name, c.Name)
			require.NotEmpty(t, c.ID)
			require.False(t, seen[c.ID], "ids are unique")
			seen[c.ID] = true
			storable(t, c.ID)
			storable(t, c.Name)
			storable(t, c.Arguments)
			require.NotEmpty(t, c.Arguments)
		}
	})
}

func storable(t *testing.T, text string) {
	t.Helper()
	require.True(t, utf8.ValidString(text))
	require.NotContains(t, text, "\x00")
}

// The chunk parser agrees with encoding/json about every well-formed chunk.
func FuzzChunk(f *testing.F) {
	for _, seed := range []string{
		delta(`"content":"Hello \ud83d\ude00 \u00e9 \n"`), finish("stop"),
		`{"choices":[{"delta":{"content":"a\"b\\"},"finish_reason":null},{"delta":{"content":"second"}}],"usage":{"prompt_tokens":3}}`,
		`{"x":{"y":[1,2,{"z":"]}"}]},"choices":[{"delta":{"reasoning_content":"r"}}]}`,
		`{"usage":{"prompt_tokens":12,"completion_tokens":0},"choices":[]}`,
		`{"choices":[{"delta":{"content":"half \ud800"}}]}`,
	} {
		f.Add([]byte(seed))
	}
	f.Fuzz(func(t *testing.T, data []byte) {
		content, reasoning, finish, usage, ok := model.ParseChunk(data)
		var want struct {
			Choices []struct {
				Delta struct {
					Content   string `json:"content"`
					Reasoning string `json:"reasoning_content"`
				} `json:"delta"`
				Finish string `json:"finish_reason"`
			} `json:"choices"`
			Usage struct {
				Input  int `json:"prompt_tokens"`
				Output int `json:"completion_tokens"`
			} `json:"usage"`
		}
		if json.Unmarshal(data, &want) != nil || !plain(data) {
			return
		}
		require.True(t, ok, "well-formed JSON is accepted")
		clean := func(s string) string { return strings.ReplaceAll(s, "\x00", "") }
		if len(want.Choices) > 0 {
			require.Equal(t, clean(want.Choices[0].Delta.Content), content)
			require.Equal(t, clean(want.Choices[0].Delta.Reasoning), reasoning)
			require.Equal(t, clean(want.Choices[0].Finish), finish)
		}
		require.Equal(t, max(want.Usage.Input, 0), usage.InputTokens)
		require.Equal(t, max(want.Usage.Output, 0), usage.OutputTokens)
	})
}

// plain reports that data is an object in which encoding/json and the parser
// mean the same by a name: no name twice, none in other letter case, escaped
// or among those that only the parser knows.
func plain(data []byte) bool {
	text := string(data)
	if !strings.HasPrefix(strings.TrimSpace(text), "{") {
		return false
	}
	for _, name := range []string{"choices", "delta", "content", "reasoning_content", "finish_reason", "usage", "prompt_tokens", "completion_tokens"} {
		quoted := `"` + name + `"`
		if strings.Count(strings.ToLower(text), quoted) > 1 || strings.Count(strings.ToLower(text), quoted) != strings.Count(text, quoted) {
			return false
		}
	}
	for _, name := range []string{`"message"`, `"refusal"`, `"reasoning`, `"x_groq"`, `"input_tokens"`, `"output_tokens"`, `ſ`, `K`, `\u00`} {
		if strings.Contains(strings.ToLower(text), strings.ToLower(name)) {
			return false
		}
	}
	return true
}

// Cleaning arguments never breaks JSON and leaves no escaped NUL.
func FuzzStorableJSON(f *testing.F) {
	for _, seed := range []string{``, ` `, `{"a":"\u0000\\u0000\ud83d\ude00\ud83d"}`, `{"a":"\`, `\u12`, `{"a":2e999}`} {
		f.Add(seed)
	}
	f.Fuzz(func(t *testing.T, text string) {
		clean := model.StorableJSON([]byte(text))
		require.NotEmpty(t, clean)
		require.Equal(t, clean, model.StorableJSON([]byte(clean)), "cleaning twice changes nothing")
		if !json.Valid([]byte(text)) {
			return
		}
		require.True(t, json.Valid([]byte(clean)))
		var value any
		decoder := json.NewDecoder(strings.NewReader(clean))
		decoder.UseNumber() // a number may be larger than any float
		require.NoError(t, decoder.Decode(&value))
		encoded, err := json.Marshal(value)
		require.NoError(t, err)
		require.NotContains(t, strings.ReplaceAll(string(encoded), `\\`, ""), `\u0000`)
	})
}
