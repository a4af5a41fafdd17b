package app_test

import (
	"fmt"
	"io"
	"net/http"
	"net/http/httptest"
	"strings"
	"sync/atomic"
	"testing"

	"github.com/stretchr/testify/require"

	"countersign/app/apptest"
	"countersign/modules/connection"
)

// The window that a refusal reveals holds for later turns and later processes, until the connection is edited.
func TestAWindowLearnedFromARefusalIsKept(t *testing.T) {
	t.Parallel()
	const window = 22_000
	var refusals atomic.Int64
	provider := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		body, err := io.ReadAll(r.Body)
		if err != nil || r.URL.Path != "/v1/chat/completions" {
			http.NotFound(w, r)
			return
		}
		if len(body) > window*4 {
			refusals.Add(1)
			w.WriteHeader(http.StatusBadRequest)
			_, _ = fmt.Fprintf(w, `{"error":{"message":"This model's maximum context length is %d tokens. However, your messages resulted `+
				`in %d tokens.","type":"invalid_request_error","code":"context_length_exceeded"}}`, window, len(body)/4)
			return
		}
		w.Header().Set("Content-Type", "text/event-stream")
		_, _ = io.WriteString(w, `data: {"choices":[{"delta":{"content":"All right."},"finish_reason":"stop"}]}`+"\n\ndata: [DONE]\n\n")
	}))
	t.Cleanup(provider.Close)
	p := apptest.Start(t, apptest.Options{Env: map[string]string{"OPENAI_BASE_URL": provider.URL + "/v1", "OPENAI_MODEL": "m"}})
	say := func() {
		require.Equal(t, "All right.", p.Admin.Conversation(t, nil).Say(t, strings.Repeat("word ", 6_000)).Text())
	}
	say()
	require.EqualValues(t, 1, refusals.Load())
	say()
	p.Restart(t)
	say()
	require.EqualValues(t, 1, refusals.Load(), "the window is known")

	var list struct{ Connections []connection.Connection }
	p.Admin.Get(t, "/api/ai/connections", &list)
	c := list.Connections[0]
	require.Len(t, c.LearnedFigures, 1)
	require.LessOrEqual(t, c.WindowOf("m"), window)
	p.Admin.Patch(t, "/api/ai/connections/"+c.ID.String(), map[string]any{"contextWindowTokens": 200_000}, nil)
	say()
	require.EqualValues(t, 2, refusals.Load(), "another window was declared, which the provider refuses, too")
}

// A refusal without a number says nothing about other texts, so nobody can narrow the window of others with texts that have
// more tokens than estimated.
func TestAGuessedWindowIsNotKept(t *testing.T) {
	t.Parallel()
	var requests atomic.Int64
	provider := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		body, err := io.ReadAll(r.Body)
		if err != nil || r.URL.Path != "/v1/chat/completions" {
			http.NotFound(w, r)
			return
		}
		if strings.Contains(string(body), `"tools"`) && requests.Add(1) == 1 {
			w.WriteHeader(http.StatusBadRequest)
			_, _ = io.WriteString(w, `{"error":{"message":"The prompt is too long for the context window.","code":"context_length_exceeded"}}`)
			return
		}
		w.Header().Set("Content-Type", "text/event-stream")
		_, _ = io.WriteString(w, `data: {"choices":[{"delta":{"content":"All right."},"finish_reason":"stop"}]}`+"\n\ndata: [DONE]\n\n")
	}))
	t.Cleanup(provider.Close)
	p := apptest.Start(t, apptest.Options{Env: map[string]string{"OPENAI_BASE_URL": provider.URL + "/v1", "OPENAI_MODEL": "m"}})
	require.Equal(t, "All right.", p.Admin.Conversation(t, nil).Say(t, strings.Repeat("dense ", 5_000)).Text())
	require.EqualValues(t, 2, requests.Load())
	var list struct{ Connections []connection.Connection }
	p.Admin.Get(t, "/api/ai/connections", &list)
	for _, learned := range list.Connections[0].LearnedFigures {
		require.Zero(t, learned.WindowTokens)
	}
}
