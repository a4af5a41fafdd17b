package apptest

import (
	"bytes"
	"encoding/json"
	"fmt"
	"io"
	"net/http"
	"net/http/httptest"
	"strings"
	"sync"
	"testing"

	"countersign/chat/assistant"
	"countersign/model/demo"
)

// ProviderKey is the API key with which the product calls a Provider.
const ProviderKey = "sk-recorded-provider-key-0123456789"

// Provider is a fake model provider. It answers as the scripted demo model or by handlers of the test, and records
// requests.
type Provider struct {
	server *httptest.Server

	mu       sync.Mutex
	requests []ModelRequest
	answers  []http.HandlerFunc
	asides   []ModelRequest
	says     map[string]string
	tells    map[string]http.HandlerFunc
}

// ModelRequest is a request of the product to a provider.
type ModelRequest struct {
	Model    string         `json:"model"`
	Messages []ModelMessage `json:"messages"`
	Tools    []struct {
		Function struct {
			Name string `json:"name"`
		} `json:"function"`
	} `json:"tools"`

	// Authorization is the request header of that name.
	Authorization string `json:"-"`
	// Raw is the whole body.
	Raw string `json:"-"`
}

// ModelMessage is a message on the provider's wire.
type ModelMessage struct {
	Role string `json:"role"`
	// Content is the text without the context that the product appends to a person's message.
	Content    string `json:"content"`
	Context    string `json:"-"`
	ToolCallID string `json:"tool_call_id"`
	ToolCalls  []struct {
		ID       string `json:"id"`
		Function struct {
			Name      string `json:"name"`
			Arguments string `json:"arguments"`
		} `json:"function"`
	} `json:"tool_calls"`
}

// UnmarshalJSON joins content in parts to one text.
func (m *ModelMessage) UnmarshalJSON(raw []byte) error {
	type plain ModelMessage
	sent := struct {
		*plain
		Content json.RawMessage `json:"content"`
	}{plain: (*plain)(m)}
	if err := json.Unmarshal(raw, &sent); err != nil {
		return err
	}
	var content string
	var parts []struct {
		Text string `json:"text"`
	}
	if json.Unmarshal(sent.Content, &content) != nil && json.Unmarshal(sent.Content, &parts) == nil {
		for _, p := range parts {
			content += p.Text
		}
	}
	m.Content, m.Context = assistant.SplitContext(content)
	return nil
}

// NewProvider starts a provider until the test ends.
func NewProvider(t testing.TB) *Provider {
	t.Helper()
	p := &Provider{}
	scripted := demo.Handler(demo.Options{Key: ProviderKey, Scripts: true})
	p.server = httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		body, err := io.ReadAll(r.Body)
		if err != nil {
			return
		}
		r.Body = io.NopCloser(bytes.NewReader(body))
		if answer := p.record(r, body); answer != nil {
			answer(w, r)
			return
		}
		scripted.ServeHTTP(w, r)
	}))
	t.Cleanup(p.server.Close)
	return p
}

func (p *Provider) record(r *http.Request, body []byte) (answer http.HandlerFunc) {
	request := ModelRequest{Authorization: r.Header.Get("Authorization"), Raw: string(body)}
	if !strings.HasSuffix(r.URL.Path, "/chat/completions") || json.Unmarshal(body, &request) != nil {
		return nil
	}
	p.mu.Lock()
	defer p.mu.Unlock()
	if kind := request.aside(); kind != "" {
		p.asides = append(p.asides, request)
		return p.say(kind)
	}
	p.requests = append(p.requests, request)
	if len(p.answers) > 0 {
		answer, p.answers = p.answers[0], p.answers[1:]
	}
	return answer
}

// Env are the settings by which a product connects to the provider at its first start.
func (p *Provider) Env() map[string]string {
	return map[string]string{"OPENAI_BASE_URL": p.server.URL + "/v1", "OPENAI_API_KEY": ProviderKey, "OPENAI_MODEL": demo.Scripted}
}

// Answer lets f answer the next call instead of the scripted model. Repeated calls queue.
func (p *Provider) Answer(f http.HandlerFunc) {
	p.mu.Lock()
	defer p.mu.Unlock()
	p.answers = append(p.answers, f)
}

// Requests returns the model calls so far.
func (p *Provider) Requests() []ModelRequest {
	p.mu.Lock()
	defer p.mu.Unlock()
	return append([]ModelRequest(nil), p.requests...)
}

// Text is a delta with text.
func Text(text string) string { return `{"content":` + quote(text) + `}` }

// ToolCall is a delta that calls a tool by its wire name.
func ToolCall(id, tool, arguments string) string {
	return `{"tool_calls":[{"index":0,"id":` + quote(
		id,
	) + `,"type":"function","function":{"name":` + quote(
		tool,
	) + `,"arguments":` + quote(
		arguments,
	) + `}}]}`
}

func quote(text string) string {
	raw, err := json.Marshal(text)
	if err != nil {
		panic(err) // a string always has a JSON form
	}
	return string(raw)
}

// Events is a response that streams these deltas.
func Events(finish string, deltas ...string) http.HandlerFunc {
	return func(w http.ResponseWriter, _ *http.Request) {
		writeDeltas(w, deltas)
		writeEnd(w, finish)
	}
}

// Refuse is a response with this status and body.
func Refuse(status int, body string) http.HandlerFunc {
	return func(w http.ResponseWriter, _ *http.Request) {
		w.Header().Set("Content-Type", "application/json")
		w.WriteHeader(status)
		_, _ = io.WriteString(w, body)
	}
}

// EventsUsing is Events with a reported token usage.
func EventsUsing(input, output int, deltas ...string) http.HandlerFunc {
	return func(w http.ResponseWriter, _ *http.Request) {
		writeDeltas(w, deltas)
		_, _ = fmt.Fprintf(w, "data: {\"choices\":[],\"usage\":{\"prompt_tokens\":%d,\"completion_tokens\":%d}}\n\n", input, output)
		writeEnd(w, "stop")
	}
}

// Broken is a response that breaks off in the middle.
func Broken(deltas ...string) http.HandlerFunc {
	return func(w http.ResponseWriter, _ *http.Request) { writeDeltas(w, deltas) }
}

func writeDeltas(w http.ResponseWriter, deltas []string) {
	w.Header().Set("Content-Type", "text/event-stream")
	for _, delta := range deltas {
		_, _ = io.WriteString(w, `data: {"choices":[{"index":0,"delta":`+delta+`,"finish_reason":null}]}`+"\n\n")
	}
}

func writeEnd(w io.Writer, finish string) {
	_, _ = io.WriteString(w, `data: {"choices":[{"index":0,"delta":{},"finish_reason":"`+finish+`"}]}`+"\n\ndata: [DONE]\n\n")
}

// Pause is a response that waits in the middle, so that a test can act meanwhile.
type Pause struct {
	rest chan []string
}

// Pause answers the next call with these deltas and then those of Resume.
func (p *Provider) Pause(deltas ...string) *Pause {
	pause := &Pause{rest: make(chan []string, 1)}
	p.Answer(func(w http.ResponseWriter, r *http.Request) {
		writeDeltas(w, deltas)
		_ = http.NewResponseController(w).Flush()
		select {
		case rest := <-pause.rest:
			writeDeltas(w, rest)
			writeEnd(w, "stop")
		case <-r.Context().Done():
		}
	})
	return pause
}

// Resume completes the response with these deltas.
func (p *Pause) Resume(deltas ...string) { p.rest <- deltas }
