package app_test

import (
	"fmt"
	"io"
	"net/http"
	"net/http/httptest"
	"strconv"
	"strings"
	"sync"
	"testing"

	"github.com/stretchr/testify/require"

	"countersign/app/apptest"
)

// Calls that a model's server leaves in the text run like any others. What cannot be read is told to the model once, and is
// not shown as an answer.
func TestToolCallsWrittenAsText(t *testing.T) {
	t.Parallel()
	server := &writingServer{}
	provider := httptest.NewServer(server)
	t.Cleanup(provider.Close)
	p := apptest.Start(t, apptest.Options{Env: map[string]string{"OPENAI_BASE_URL": provider.URL + "/v1", "OPENAI_MODEL": "qwen3"}})

	t.Run("read", func(t *testing.T) {
		server.answers("<tool_call>\n{\"name\": \"ai_listDocs\", \"arguments\": {}}\n</tool_call>", "There are some pages.")
		turn := p.Admin.Conversation(t, nil).Say(t, "Which pages are there?")
		require.Equal(t, "done", turn.Metadata.Status)
		require.Equal(t, "There are some pages.", turn.Text())
		calls := turn.ToolCalls()
		require.Len(t, calls, 1)
		require.Equal(t, "output-available", calls[0].State)
	})
	t.Run("corrected", func(t *testing.T) {
		server.answers("<tool_call>\n{\"name\": \"no_such_tool\", \"arguments\": {}}\n</tool_call>", "It is all well.")
		turn := p.Admin.Conversation(t, nil).Say(t, "Is all well?")
		require.Equal(t, "done", turn.Metadata.Status)
		require.Equal(t, "It is all well.", turn.Text())
		require.Contains(t, server.last(), "wrote a tool call into its text")
	})
	t.Run("announced", func(t *testing.T) {
		server.answers("FINISH=tool_calls", "It is all well.")
		turn := p.Admin.Conversation(t, nil).Say(t, "Is all well?")
		require.Equal(t, "It is all well.", turn.Text())
		require.Contains(t, server.last(), "made no call")
	})
	t.Run("never", func(t *testing.T) {
		const again = "<tool_call>\n{\"name\": \"no_such_tool\"\n"
		server.answers(again, again, "This is not asked for.")
		turn := p.Admin.Conversation(t, nil).Say(t, "Is all well?")
		require.Equal(t, "failed", turn.Metadata.Status)
		require.NotContains(t, turn.Text(), "tool_call>")
		require.Contains(t, turn.Text(), "Choose another model")
		require.Equal(t, 1, server.left(), "one correction")
	})
	t.Run("quoted", func(t *testing.T) {
		const said = "Qwen writes `<tool_call>{\"name\": \"ai_listDocs\"}</tool_call>`."
		server.answers(said)
		turn := p.Admin.Conversation(t, nil).Say(t, "How does Qwen write calls?")
		require.Equal(t, said, turn.Text())
		require.Empty(t, turn.ToolCalls())
	})
}

// writingServer answers requests with tools by the texts in turn, in pieces, and all others by one word.
type writingServer struct {
	mu      sync.Mutex
	texts   []string
	request string
}

func (s *writingServer) answers(texts ...string) {
	s.mu.Lock()
	defer s.mu.Unlock()
	s.texts = texts
}

func (s *writingServer) last() string {
	s.mu.Lock()
	defer s.mu.Unlock()
	return s.request
}

func (s *writingServer) left() int {
	s.mu.Lock()
	defer s.mu.Unlock()
	return len(s.texts)
}

func (s *writingServer) ServeHTTP(w http.ResponseWriter, r *http.Request) {
	if r.URL.Path != "/v1/chat/completions" {
		http.NotFound(w, r)
		return
	}
	body, err := io.ReadAll(r.Body)
	text := "yes"
	if err == nil && strings.Contains(string(body), `"tools"`) {
		s.mu.Lock()
		s.request = string(body)
		if len(s.texts) > 0 {
			text, s.texts = s.texts[0], s.texts[1:]
		}
		s.mu.Unlock()
	}
	finish := "stop"
	if end, ok := strings.CutPrefix(text, "FINISH="); ok {
		text, finish = "Let me look.", end
	}
	for len(text) > 0 {
		n := min(len(text), 5)
		_, _ = fmt.Fprintf(w, "data: {\"choices\":[{\"delta\":{\"content\":%s}}]}\n\n", strconv.Quote(text[:n]))
		text = text[n:]
	}
	_, _ = fmt.Fprintf(w, "data: {\"choices\":[{\"delta\":{},\"finish_reason\":%q}]}\n\ndata: [DONE]\n\n", finish)
}
