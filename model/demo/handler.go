package demo

import (
	"crypto/subtle"
	"encoding/json"
	"io"
	"net/http"
	"slices"
	"strconv"
	"strings"
	"time"

	openai "github.com/sashabaranov/go-openai"

	"countersign/model"
)

// maxRequestBytes bounds a request's body.
const maxRequestBytes = 32 << 20

type server struct {
	options Options
	ledger  *ledger
}

// Handler serves POST /v1/chat/completions and GET /v1/models.
func Handler(o Options) http.Handler {
	s := &server{options: o.withDefaults()}
	s.ledger = newLedger(s.options.Clock)
	mux := http.NewServeMux()
	mux.HandleFunc("POST /v1/chat/completions", s.chat)
	mux.HandleFunc("GET /v1/models", s.models)
	return s.authorized(mux)
}

func (s *server) authorized(next http.Handler) http.Handler {
	if s.options.Key == "" {
		return next
	}
	want := []byte("Bearer " + s.options.Key)
	return http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		if subtle.ConstantTimeCompare([]byte(r.Header.Get("Authorization")), want) != 1 {
			refuse(w, refusals[FaultInvalidKey])
			return
		}
		next.ServeHTTP(w, r)
	})
}

func (s *server) models(w http.ResponseWriter, _ *http.Request) {
	list := openai.ModelsList{}
	for _, id := range s.offered() {
		list.Models = append(list.Models, openai.Model{ID: id, Object: "model", OwnedBy: "countersign"})
	}
	writeJSON(w, http.StatusOK, list)
}

// offered returns the ids of the available models.
func (s *server) offered() []string {
	if s.options.Scripts {
		return []string{Assistant, Scripted}
	}
	return []string{Assistant}
}

func (s *server) chat(w http.ResponseWriter, r *http.Request) {
	body, err := io.ReadAll(http.MaxBytesReader(w, r.Body, maxRequestBytes))
	if err != nil {
		refuse(w, refusal{http.StatusRequestEntityTooLarge, "", "invalid_request_error", "The request is too large."})
		return
	}
	req, ok := parseRequest(body)
	if !ok {
		refuse(w, refusal{http.StatusBadRequest, "", "invalid_request_error", "The body has to be a chat completion request with messages."})
		return
	}
	if !slices.Contains(s.offered(), req.Model) {
		refuse(w, refusals[FaultModelMissing].withModel(req.Model))
		return
	}
	a := s.respond(req.Request, len(body))
	switch {
	case s.fails(w, r, &a):
	case req.stream:
		s.stream(w, r, &a, req.usage)
	default:
		s.complete(w, r, &a)
	}
}

// fails handles the faults that replace the response.
func (s *server) fails(w http.ResponseWriter, r *http.Request, a *answer) bool {
	switch a.fault {
	case FaultHang:
		<-r.Context().Done()
		return true
	case FaultHTML:
		w.Header().Set("Content-Type", "text/html")
		w.WriteHeader(http.StatusBadGateway)
		_, _ = io.WriteString(
			w,
			"<html>\r\n<head><title>502 Bad Gateway</title></head>\r\n<body><center><h1>502 Bad Gateway</h1></center></body>\r\n</html>\r\n",
		)
		return true
	}
	refused, ok := refusals[a.fault]
	if !ok {
		return false
	}
	wait := a.retryAfter
	if a.fault == FaultRateLimited && wait == 0 {
		wait = time.Second
	}
	if wait > 0 {
		// The header counts seconds; the other one, which some providers send,
		// is exact.
		w.Header().Set("Retry-After", strconv.Itoa(int((wait+time.Second-1)/time.Second)))
		w.Header().Set("Retry-After-Ms", strconv.FormatInt(wait.Milliseconds(), 10))
	}
	refuse(w, refused)
	return true
}

func refuse(w http.ResponseWriter, r refusal) {
	writeJSON(w, r.status, map[string]any{"error": map[string]any{
		"message": r.message, "type": r.kind, "code": optional(r.code), "param": nil,
	}})
}

func optional(text string) any {
	if text == "" {
		return nil
	}
	return text
}

func writeJSON(w http.ResponseWriter, status int, value any) {
	w.Header().Set("Content-Type", "application/json")
	w.WriteHeader(status)
	_ = json.NewEncoder(w).Encode(value)
}

// complete sends an answer in one piece.
func (s *server) complete(w http.ResponseWriter, r *http.Request, a *answer) {
	timer := time.NewTimer(a.pace.first + time.Duration(a.outputTokens())*a.pace.token)
	defer timer.Stop()
	select {
	case <-timer.C:
	case <-r.Context().Done():
		return
	}
	message := openai.ChatCompletionMessage{Role: model.RoleAssistant, Content: a.text, ReasoningContent: a.reasoning}
	for _, call := range a.calls {
		message.ToolCalls = append(message.ToolCalls, openai.ToolCall{
			ID: call.ID, Type: openai.ToolTypeFunction,
			Function: openai.FunctionCall{Name: call.Name, Arguments: call.Arguments},
		})
	}
	response := openai.ChatCompletionResponse{
		ID: a.id, Object: "chat.completion", Created: s.options.Clock().Unix(), Model: a.model,
		Choices: []openai.ChatCompletionChoice{{Message: message, FinishReason: openai.FinishReason(a.finishReason())}},
	}
	if a.fault != FaultNoUsage {
		response.Usage = openai.Usage{
			PromptTokens: a.inputTokens, CompletionTokens: a.outputTokens(),
			TotalTokens: a.inputTokens + a.outputTokens(),
		}
	}
	body, err := json.Marshal(response)
	if err != nil {
		refuse(w, refusals[FaultServerError])
		return
	}
	switch a.fault {
	case FaultStreamError:
		refuse(w, refusals[FaultJSONError])
		return
	case FaultCut, FaultReset, FaultStall:
		w.Header().Set("Content-Length", strconv.Itoa(len(body)))
		body = body[:len(body)/2]
	}
	w.Header().Set("Content-Type", "application/json")
	_, _ = w.Write(body)
	if a.fault == FaultStall {
		_ = http.NewResponseController(w).Flush()
		<-r.Context().Done()
	}
}

// baseURL is what a client of a server at this address uses.
func baseURL(address string) string { return "http://" + strings.TrimSuffix(address, "/") + "/v1" }
