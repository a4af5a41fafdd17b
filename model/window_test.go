package model_test

import (
	"encoding/json"
	"errors"
	"io"
	"net/http"
	"net/http/httptest"
	"testing"

	"github.com/stretchr/testify/require"

	"countersign/model"
)

// Each line is an entry as a kind of server lists its models.
func TestAListTellsTheWindow(t *testing.T) {
	t.Parallel()
	for entry, want := range map[string]int{
		`{"id":"m","object":"model","owned_by":"vllm","max_model_len":32768}`:                                32_768,
		`{"id":"m","active":true,"context_window":131072,"max_completion_tokens":8192}`:                      131_072,
		`{"id":"m","max_context_length":40960,"capabilities":{"function_calling":true}}`:                     40_960,
		`{"id":"m","context_length":200000,"top_provider":{"context_length":128000}}`:                        128_000,
		`{"id":"m","context_length":200000,"top_provider":{"context_length":null}}`:                          200_000,
		`{"id":"m","max_input_tokens":200000}`:                                                               200_000,
		`{"id":"m","context_length":"8192"}`:                                                                 8_192,
		`{"id":"m","object":"model","owned_by":"openai"}`:                                                    0,
		`{"id":"m","owned_by":"llamacpp","meta":{"n_ctx_train":131072}}`:                                     0,
		`{"id":"m","context_length":-1,"max_model_len":1e30,"context_window":{"tokens":7},"top_provider":3}`: 0,
	} {
		t.Run(entry, func(t *testing.T) {
			t.Parallel()
			list, err := answering(t, body(200, "application/json", `{"object":"list","data":[{"id":7},`+entry+`]}`)).List(t.Context())
			require.NoError(t, err)
			require.Equal(t, []model.Listed{{ID: "m", Window: want}}, list)
		})
	}
}

// server answers paths beside the OpenAI API, and says no to all others.
func server(t *testing.T, says map[string]string) *model.Client {
	t.Helper()
	s := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		said, ok := says[r.URL.Path]
		if !ok || r.Header.Get("Authorization") != "Bearer "+testKey {
			http.NotFound(w, r)
			return
		}
		if r.Method == http.MethodPost {
			var asked struct{ Model string }
			if json.NewDecoder(r.Body).Decode(&asked) != nil || asked.Model != "qwen3" {
				http.NotFound(w, r)
				return
			}
		}
		_, _ = io.WriteString(w, said)
	}))
	t.Cleanup(s.Close)
	return model.New(model.Options{BaseURL: s.URL + "/v1", APIKey: testKey, HTTPClient: s.Client()})
}

func TestAServerIsAskedForItsWindow(t *testing.T) {
	t.Parallel()
	const trained = `{"parameters":"stop \"<|im_end|>\"","model_info":{"general.architecture":"qwen3","qwen3.context_length":40960,"tokenizer.ggml.tokens":null}}`
	for name, test := range map[string]struct {
		says map[string]string
		want model.Window
	}{
		"nobody knows": {nil, model.Window{}},
		"web pages":    {map[string]string{"/api/ps": "<html>", "/api/show": "<html>", "/props": "<html>", "/api/v0/models": "<html>"}, model.Window{}},
		"other JSON":   {map[string]string{"/api/ps": "[]", "/api/show": "7", "/props": `{"ok":true}`, "/api/v0/models": `{"error":"no"}`}, model.Window{}},
		"Ollama, running": {
			map[string]string{"/api/show": trained, "/api/ps": `{"models":[{"name":"other:latest","model":"other:latest","context_length":1},{"name":"qwen3:latest","model":"qwen3:latest","context_length":4096}]}`},
			model.Window{Server: model.Ollama, Tokens: 4_096, Most: 40_960},
		},
		"Ollama, made with a window": {
			map[string]string{"/api/show": `{"parameters":"num_ctx                        16384\nstop \"x\"","model_info":{"llama.context_length":131072}}`, "/api/ps": `{"models":[]}`},
			model.Window{Server: model.Ollama, Tokens: 16_384, Most: 131_072},
		},
		"Ollama, not loaded": {map[string]string{"/api/show": trained}, model.Window{Server: model.Ollama, Most: 40_960}},
		"llama.cpp":          {map[string]string{"/props": `{"default_generation_settings":{"id":0,"n_ctx":65536},"total_slots":4}`}, model.Window{Server: model.LlamaCpp, Tokens: 65_536, Slots: 4}},
		"LM Studio": {
			map[string]string{"/api/v0/models": `{"data":[{"id":"qwen3","state":"loaded","max_context_length":131072,"loaded_context_length":8192}]}`},
			model.Window{Server: model.LMStudio, Tokens: 8_192, Most: 131_072},
		},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			require.Equal(t, test.want, server(t, test.says).QueryWindow(t.Context(), "qwen3"))
		})
	}
}

// Whatever a server says of itself is read without harm.
func FuzzWhatAServerSaysOfItself(f *testing.F) {
	f.Add(`{"data":[{"id":"m","context_length":1}]}`)
	f.Add(
		`{"models":[{"name":"m","context_length":1}],"parameters":"num_ctx 5","model_info":{"a.context_length":7},"default_generation_settings":{"n_ctx":1}}`,
	)
	f.Fuzz(func(t *testing.T, said string) {
		client := model.New(model.Options{BaseURL: "http://model/v1", HTTPClient: &http.Client{Transport: canned(said)}})
		w := client.QueryWindow(t.Context(), "m")
		require.True(t, w.Tokens >= 0 && w.Most >= 0 && (w.Tokens == 0 || w.Server != ""))
		list, _ := client.List(t.Context())
		for _, m := range list {
			require.NotEmpty(t, m.ID)
			require.GreaterOrEqual(t, m.Window, 0)
		}
	})
}

// A list is shown and its names are stored, so names with a NUL or with characters that hide something are left out.
func TestAListHasNoNamesThatHideSomething(t *testing.T) {
	t.Parallel()
	list, err := answering(
		t,
		body(200, "application/json", `{"data":[{"id":"a\u0000b"},{"id":"gpt\u202e4"},{"id":"gpt\u200b-4"},{"id":"qwen3:8b"}]}`),
	).List(
		t.Context(),
	)
	require.NoError(t, err)
	require.Equal(t, []model.Listed{{ID: "qwen3:8b"}}, list)
}

// Nobody reads in a refusal what is not there, and no key hides behind a character that is not seen.
func TestARefusalHidesNothing(t *testing.T) {
	t.Parallel()
	hidden := testKey[:5] + "\u200b" + testKey[5:]
	_, err := answering(
		t,
		body(400, "application/json", `{"error":{"message":"Bad \u202eemit. Key `+hidden+`\u2066."}}`),
	).Complete(
		t.Context(),
		model.Request{Model: "m"},
	)
	failure, ok := errors.AsType[*model.Error](err)
	require.True(t, ok)
	said := failure.Message + failure.Detail
	require.Contains(t, said, "Bad emit.")
	require.NotContains(t, said, "\u2066")
	require.NotContains(t, said, testKey)
	require.NotContains(t, said, hidden)
}
