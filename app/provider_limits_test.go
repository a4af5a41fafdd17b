package app_test

import (
	"encoding/json"
	"fmt"
	"io"
	"net/http"
	"net/http/httptest"
	"strings"
	"sync"
	"testing"

	"github.com/stretchr/testify/require"

	"countersign/app/apptest"
	"countersign/modules/connection"
)

// limitedProvider is a provider that refuses requests which its limits exclude.
type limitedProvider struct {
	// refuses returns the text of a refusal, "" for none.
	refuses func(chatRequest) string

	mu       sync.Mutex
	refusals int
	answered []chatRequest
}

// chatRequest is what a provider sees of a request.
type chatRequest struct {
	Stream   bool              `json:"stream"`
	Tools    []json.RawMessage `json:"tools"`
	Messages []struct {
		Role, Content string
	} `json:"messages"`
	ReasoningEffort string `json:"reasoning_effort"`
	ServiceTier     string `json:"service_tier"`

	header http.Header
}

func (l *limitedProvider) ServeHTTP(w http.ResponseWriter, r *http.Request) {
	request := chatRequest{header: r.Header}
	if raw, err := io.ReadAll(r.Body); err != nil || r.URL.Path != "/v1/chat/completions" || json.Unmarshal(raw, &request) != nil {
		http.NotFound(w, r)
		return
	}
	l.mu.Lock()
	defer l.mu.Unlock()
	if why := l.refuses(request); why != "" {
		l.refusals++
		w.WriteHeader(http.StatusBadRequest)
		_, _ = fmt.Fprintf(w, `{"error":{"message":%q,"type":"invalid_request_error"}}`, why)
		return
	}
	l.answered = append(l.answered, request)
	if request.Stream {
		w.Header().Set("Content-Type", "text/event-stream")
		_, _ = io.WriteString(w, `data: {"choices":[{"delta":{"content":"All right."},"finish_reason":"stop"}]}`+"\n\ndata: [DONE]\n\n")
		return
	}
	_, _ = io.WriteString(w, `{"choices":[{"message":{"role":"assistant","content":"All right."},"finish_reason":"stop"}]}`)
}

// seen returns how many requests were refused, and the answered ones.
func (l *limitedProvider) seen() (refusals int, answered []chatRequest) {
	l.mu.Lock()
	defer l.mu.Unlock()
	return l.refusals, append([]chatRequest(nil), l.answered...)
}

// startLimited starts the product with such a provider as its default.
func startLimited(t *testing.T, refuses func(chatRequest) string) (*limitedProvider, *apptest.Product, func() connection.Connection) {
	t.Helper()
	provider := &limitedProvider{refuses: refuses}
	server := httptest.NewServer(provider)
	t.Cleanup(server.Close)
	p := apptest.Start(t, apptest.Options{Env: map[string]string{"OPENAI_BASE_URL": server.URL + "/v1", "OPENAI_MODEL": "m"}})
	return provider, p, func() connection.Connection {
		var list struct{ Connections []connection.Connection }
		p.Admin.Get(t, "/api/ai/connections", &list)
		return list.Connections[0]
	}
}

const restartQuestion = "How do I restart the billing service after a failed deployment on Friday?"

// A model that only streams gets its topic check, title and summary streamed; one refusal teaches that for good.
func TestSmallCallsOfAModelThatOnlyStreamsAreStreamed(t *testing.T) {
	t.Parallel()
	provider, p, here := startLimited(t, func(r chatRequest) string {
		if !r.Stream {
			return "This model only support stream mode, please enable the stream parameter to access the model. "
		}
		return ""
	})
	require.Equal(t, "All right.", p.Admin.Conversation(t, nil).Say(t, restartQuestion).Text())
	apptest.Eventually(t, "the lesson is stored", func() bool { return len(here().LearnedQuirks) == 1 })
	require.Equal(t, "only_streams", here().LearnedQuirks[0].Quirk)
	before, _ := provider.seen()
	p.Restart(t)
	require.Equal(t, "All right.", p.Admin.Conversation(t, nil).Say(t, restartQuestion).Text())
	refusals, answered := provider.seen()
	require.Equal(t, before, refusals, "it is known from then on")
	small := 0
	for _, r := range answered {
		if len(r.Tools) == 0 {
			small++
		}
	}
	require.Positive(t, small, "the small calls are answered")
}

// A model that does not stream answers as a whole, which the person sees all the same.
func TestAnAnswerOfAModelThatDoesNotStream(t *testing.T) {
	t.Parallel()
	provider, p, here := startLimited(t, func(r chatRequest) string {
		if r.Stream {
			return "Your organization must be verified to stream this model."
		}
		return ""
	})
	for range 2 {
		require.Equal(t, "All right.", p.Admin.Conversation(t, nil).Say(t, restartQuestion).Text())
	}
	refusals, _ := provider.seen()
	require.Equal(t, 1, refusals)
	require.Equal(t, "no_streaming", here().LearnedQuirks[0].Quirk)
}

// A refusal of so many tools is answered by fewer, with a search for the others, for good.
func TestFewerToolsAreOfferedAfterARefusal(t *testing.T) {
	t.Parallel()
	const most = 24
	provider, p, here := startLimited(t, func(r chatRequest) string {
		if len(r.Tools) > most {
			return fmt.Sprintf("Invalid 'tools': array too long. Expected an array with maximum length %d, but got an array with length %d instead.",
				most, len(r.Tools))
		}
		return ""
	})
	require.Equal(t, "All right.", p.Admin.Conversation(t, nil).Say(t, restartQuestion).Text())
	p.Restart(t)
	require.Equal(t, "All right.", p.Admin.Conversation(t, nil).Say(t, restartQuestion).Text())
	refusals, answered := provider.seen()
	require.Equal(t, 1, refusals)
	require.Equal(t, most, here().FiguresOf("m").MaxTools)
	searches := 0
	for _, r := range answered {
		for _, tool := range r.Tools {
			if strings.Contains(string(tool), `"tools_search"`) {
				searches++
			}
		}
	}
	require.Equal(t, 2, searches, "the others can be found")
}

// Settings of a connection reach the provider with every request, and what the product sets itself stays.
func TestSettingsOfAConnectionReachTheProvider(t *testing.T) {
	t.Parallel()
	provider, p, here := startLimited(t, func(chatRequest) string { return "" })
	const value = "gw-canary-31415926"
	p.Admin.Patch(t, "/api/ai/connections/"+here().ID.String(), map[string]any{
		"extraHeaders": []map[string]string{{"name": "X-Gateway-Key", "value": value}}, "extraBody": map[string]any{"service_tier": "flex"},
		"reasoningEffort": "high", "streaming": "off", "maxTools": 12,
	}, nil)
	require.Equal(t, "All right.", p.Admin.Conversation(t, nil).Say(t, restartQuestion).Text())
	_, answered := provider.seen()
	require.NotEmpty(t, answered)
	for _, r := range answered {
		require.Equal(t, value, r.header.Get("X-Gateway-Key"))
		require.Equal(t, "flex", r.ServiceTier)
		require.Equal(t, "high", r.ReasoningEffort)
		require.False(t, r.Stream)
		require.LessOrEqual(t, len(r.Tools), 12)
	}
	var audited json.RawMessage
	p.Admin.Get(t, "/api/ai/audit/changes?objectType=ai.connection&limit=50", &audited)
	require.NotContains(t, string(audited), value)
}
