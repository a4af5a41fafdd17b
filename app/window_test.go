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

// Ollama neither lists the windows of its models nor refuses what is longer. Its window is asked for by the test of the
// connection and kept to, and when it counts far less than was sent, whoever manages connections is warned.
func TestTheWindowOfAServerThatCutsSilentlyIsAskedForAndWatched(t *testing.T) {
	t.Parallel()
	const window, counted = 24_000, 4_096
	var largest atomic.Int64
	ollama := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		switch r.URL.Path {
		case "/v1/models":
			_, _ = io.WriteString(w, `{"object":"list","data":[{"id":"qwen3","object":"model","owned_by":"library"}]}`)
		case "/api/show":
			_, _ = fmt.Fprintf(w, `{"parameters":"num_ctx %d","model_info":{"qwen3.context_length":40960}}`, window)
		case "/v1/chat/completions":
			body, err := io.ReadAll(r.Body)
			if err == nil && strings.Contains(string(body), `"tools"`) {
				largest.Store(max(largest.Load(), int64(len(body))))
			}
			_, _ = fmt.Fprintf(
				w,
				"data: %s\n\ndata: [DONE]\n\n",
				fmt.Sprintf(
					`{"choices":[{"delta":{"content":"All right."},"finish_reason":"stop"}],"usage":{"prompt_tokens":%d,"completion_tokens":3}}`,
					counted,
				),
			)
		default:
			http.NotFound(w, r)
		}
	}))
	t.Cleanup(ollama.Close)
	p := apptest.Start(t, apptest.Options{Env: map[string]string{"OPENAI_BASE_URL": ollama.URL + "/v1", "OPENAI_MODEL": "qwen3"}})
	here := func() connection.Connection {
		var list struct{ Connections []connection.Connection }
		p.Admin.Get(t, "/api/ai/connections", &list)
		for _, c := range list.Connections {
			if c.Kind != connection.Demo {
				return c
			}
		}
		t.Fatal("no connection")
		return connection.Connection{}
	}
	var result connection.TestResult
	p.Admin.Post(t, "/api/ai/connections/"+here().ID.String()+"/test", nil, &result)
	require.True(t, result.OK, result.Message)
	require.Equal(t, window, *here().AskedWindowTokens)
	require.Nil(t, here().Truncation)

	chat, said := p.Admin.Conversation(t, nil), strings.Repeat("word ", 4_000)
	for range 8 {
		require.Equal(t, "All right.", chat.Say(t, said).Text())
	}
	require.Greater(t, largest.Load(), int64(50_000))
	require.Less(t, largest.Load(), int64(8*len(said)), "the window that it told is kept to, and eight such messages are more")
	cut := here().Truncation
	require.NotNil(t, cut)
	require.Equal(t, counted, cut.ReadTokens)
	require.Greater(t, cut.SentTokens, 2*counted)
}

// The demo model is tested as any other, but for the tool that it does not know.
func TestTheDemoModelPassesTheTestOfItsConnection(t *testing.T) {
	t.Parallel()
	p := apptest.Start(t, apptest.Options{})
	var list struct{ Connections []connection.Connection }
	p.Admin.Get(t, "/api/ai/connections", &list)
	require.Len(t, list.Connections, 1)
	var result connection.TestResult
	p.Admin.Post(t, "/api/ai/connections/"+list.Connections[0].ID.String()+"/test", nil, &result)
	require.True(t, result.OK, result.Message)
	for _, finding := range result.Findings {
		require.NotEqual(t, "not", finding.State, "%s: %s", finding.Subject, finding.Text)
	}
	p.Admin.Get(t, "/api/ai/connections", &list)
	require.Nil(t, list.Connections[0].AskedWindowTokens)
}
