package modeltest

import (
	"context"
	"encoding/json"
	"io"
	"net/http"
	"net/http/httptest"
	"strings"
	"sync"
	"testing"

	"countersign/model/demo"
)

// Key is the API key of every provider.
const Key = "sk-provider-with-rules-0123456789"

// Server is a running provider.
type Server struct {
	Provider
	server *httptest.Server
	mind   http.Handler

	mu       sync.Mutex
	said     map[string]bool
	answers  int
	accepted []*Request
	refusals []Refusal
}

// Refusal is a request that broke a rule.
type Refusal struct {
	Rule   string
	Status int
	// Request is its body; where the key was refused, its method and path.
	Request string
}

// Start runs a provider until the test ends. It answers with the scripted demo model.
func Start(t testing.TB, p Provider) *Server {
	t.Helper()
	s := &Server{Provider: p, mind: demo.Handler(demo.Options{Scripts: true}), said: map[string]bool{}}
	s.server = httptest.NewServer(http.HandlerFunc(s.serve))
	t.Cleanup(s.server.Close)
	return s
}

// BaseURL returns the base URL for a connection to the provider.
func (s *Server) BaseURL() string {
	if s.Query != "" {
		return s.server.URL + s.Path + "?" + s.Query
	}
	return s.server.URL + s.Path
}

// Accepted are the requests that broke no rule, so far.
func (s *Server) Accepted() []*Request {
	s.mu.Lock()
	defer s.mu.Unlock()
	return append([]*Request(nil), s.accepted...)
}

// Refusals are the requests that broke a rule, so far.
func (s *Server) Refusals() []Refusal {
	s.mu.Lock()
	defer s.mu.Unlock()
	return append([]Refusal(nil), s.refusals...)
}

func (s *Server) serve(w http.ResponseWriter, r *http.Request) {
	w.Header().Set("Content-Type", "application/json")
	if status, body := s.unauthorized(r.Header); body != "" {
		s.refuse(w, "key", status, body, r.Method+" "+r.URL.Path)
		return
	}
	switch r.URL.Path {
	case s.Path + "/models":
		_, _ = io.WriteString(w, `{"object":"list","data":[{"id":`+encode(s.Model)+`,"object":"model"}]}`)
		return
	case s.Path + "/chat/completions":
	default:
		w.WriteHeader(http.StatusNotFound)
		_, _ = io.WriteString(w, `{"error":{"message":"Not found","type":"invalid_request_error"}}`)
		return
	}
	body, err := io.ReadAll(r.Body)
	if err != nil {
		return
	}
	request, err := ParseRequest(body)
	if err != nil {
		s.refuse(w, "form", http.StatusBadRequest, `{"error":{"message":`+encode(err.Error())+`,"type":"invalid_request_error"}}`, string(body))
		return
	}
	request.Header, request.Query, request.said = r.Header, r.URL.Query(), s.hasSaid
	if rule, refusal := s.Check(request); rule != nil {
		s.refuse(w, rule.Name, rule.Status, refusal, string(body))
		return
	}
	s.answer(r.Context(), w, request, body)
}

func (s *Server) unauthorized(h http.Header) (status int, body string) {
	if s.takes != nil {
		return s.takes(h)
	}
	if h.Get("Authorization") == "Bearer "+Key {
		return 0, ""
	}
	return http.StatusUnauthorized, `{"error":{"message":"Incorrect API key provided.","type":"invalid_request_error","param":null,"code":"invalid_api_key"}}`
}

func (s *Server) refuse(w http.ResponseWriter, rule string, status int, body, request string) {
	s.mu.Lock()
	s.refusals = append(s.refusals, Refusal{rule, status, request})
	s.mu.Unlock()
	w.WriteHeader(status)
	_, _ = io.WriteString(w, body) //nolint:gosec // JSON, for a client of the tests
}

func (s *Server) hasSaid(text string) bool {
	s.mu.Lock()
	defer s.mu.Unlock()
	return s.said[text]
}

func (s *Server) say(text string) {
	s.mu.Lock()
	defer s.mu.Unlock()
	s.said[text] = true
}

// answer sends the scripted model's answer in the provider's form.
func (s *Server) answer(ctx context.Context, w http.ResponseWriter, r *Request, body []byte) {
	s.mu.Lock()
	s.accepted = append(s.accepted, r)
	s.answers++
	n := s.answers
	s.mu.Unlock()
	a, ok := s.think(ctx, r, body)
	if !ok {
		w.WriteHeader(http.StatusInternalServerError)
		return
	}
	if !s.style.thoughtless || n%3 != 0 {
		a.thought = "Let me see. This is the answer number " + encode(n) + "."
	}
	if !r.Stream {
		_, _ = io.WriteString(w, s.style.whole(a, s.Model))
		return
	}
	w.Header().Set("Content-Type", "text/event-stream")
	var stream strings.Builder
	for _, chunk := range s.style.chunks(a, s.Model, r.Usage, s.say) {
		stream.WriteString("data: " + chunk + "\n\n")
	}
	stream.WriteString("data: [DONE]\n\n")
	_, _ = io.WriteString(w, stream.String())
}

// think calls the scripted model.
func (s *Server) think(ctx context.Context, r *Request, body []byte) (answer, bool) {
	members := map[string]json.RawMessage{}
	if json.Unmarshal(body, &members) != nil {
		return answer{}, false
	}
	members["model"], members["stream"] = json.RawMessage(encode(demo.Scripted)), json.RawMessage("false")
	if string(members["tool_choice"]) == `"none"` {
		delete(members, "tools")
	}
	inner := httptest.NewRequestWithContext(ctx, http.MethodPost, "/v1/chat/completions", strings.NewReader(encode(members)))
	recorder := httptest.NewRecorder()
	s.mind.ServeHTTP(recorder, inner)
	var said struct {
		Choices []struct {
			Message map[string]json.RawMessage `json:"message"`
		} `json:"choices"`
	}
	if recorder.Code != http.StatusOK || json.Unmarshal(recorder.Body.Bytes(), &said) != nil || len(said.Choices) == 0 {
		return answer{}, false
	}
	m, err := message(said.Choices[0].Message)
	if err != nil {
		return answer{}, false
	}
	before := 0
	for _, earlier := range r.Messages {
		before += len(earlier.Calls)
	}
	for i := range m.Calls {
		m.Calls[i].ID = s.style.id(before+i, m.Calls[i].Name)
	}
	return answer{text: m.Text, calls: m.Calls}, true
}
