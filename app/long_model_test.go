package app_test

import (
	"encoding/json"
	"fmt"
	"io"
	"maps"
	"net/http"
	"net/http/httptest"
	"regexp"
	"slices"
	"strings"
	"sync"
	"testing"
	"unicode/utf8"

	"countersign/app/apptest"
	"countersign/chat/assistant"
)

// longModel is a model server with a context window that it enforces by a count of its own. It calls tools with large
// results when it is asked to read, answers questions about what it was told from what it is sent, and writes summaries
// of what it is given.
type longModel struct {
	url    string
	window int
	// thinks says that it thinks before each answer, streamOnly that it refuses all that is not streamed.
	thinks, streamOnly bool

	mu sync.Mutex
	// failing says that it does not write summaries now.
	failing bool
	turn    int
	// read is what it was sent for the answers of this turn.
	read []string
	// summarized counts the person's messages that its notes are of.
	summarized int
	// asked counts requests by kind, refused those that were too long.
	asked, refused map[string]int
	largest        int
}

// longRequest is a request as the server reads it.
type longRequest struct {
	Stream     bool   `json:"stream"`
	ToolChoice any    `json:"tool_choice"`
	MaxTokens  int    `json:"max_tokens"`
	MostTokens int    `json:"max_completion_tokens"`
	Messages   []said `json:"messages"`
	Tools      []struct {
		Function json.RawMessage `json:"function"`
	} `json:"tools"`
}

type said struct {
	Role      string `json:"role"`
	Content   string `json:"content"`
	ToolCalls []struct {
		Function struct{ Name, Arguments string } `json:"function"`
	} `json:"tool_calls"`
}

func newLongModel(t *testing.T, window int) *longModel {
	t.Helper()
	m := &longModel{window: window, asked: map[string]int{}, refused: map[string]int{}}
	server := httptest.NewServer(m)
	t.Cleanup(server.Close)
	m.url = server.URL + "/v1"
	return m
}

// begin begins a turn, in which summaries fail or do not.
func (m *longModel) begin(turn int, failing bool) {
	m.mu.Lock()
	defer m.mu.Unlock()
	m.turn, m.failing, m.read = turn, failing, nil
}

// seen is what the model was sent for the answers of this turn.
func (m *longModel) seen() []string {
	m.mu.Lock()
	defer m.mu.Unlock()
	return slices.Clone(m.read)
}

// summarizedMessages counts the person's messages that its notes are of.
func (m *longModel) summarizedMessages() int {
	m.mu.Lock()
	defer m.mu.Unlock()
	return m.summarized
}

// counts are the requests by kind and those refused.
func (m *longModel) counts() (asked, refused map[string]int, largest int) {
	m.mu.Lock()
	defer m.mu.Unlock()
	return maps.Clone(m.asked), maps.Clone(m.refused), m.largest
}

// wide are the characters that take about a token each.
var wide = regexp.MustCompile(`[\x{1100}-\x{11ff}\x{2e80}-\x{9fff}\x{ac00}-\x{d7af}\x{f900}-\x{faff}\x{ff00}-\x{ffef}]`)

// countedAs counts as tokenizers do for prose and JSON, which is not how the product estimates.
func countedAs(text string) int {
	broad := len(wide.FindAllStringIndex(text, -1))
	return int(float64(broad)*0.9 + float64(utf8.RuneCountInString(text)-broad)/3.6)
}

func (r longRequest) tokens() int {
	n := 0
	for _, s := range r.Messages {
		n += countedAs(s.Content) + 4
		for _, c := range s.ToolCalls {
			n += countedAs(c.Function.Name+c.Function.Arguments) + 8
		}
	}
	for _, known := range r.Tools {
		n += countedAs(string(known.Function)) + 6
	}
	return n
}

func (r longRequest) kind() string {
	for _, kind := range []string{apptest.Classifier, apptest.Title, apptest.Summary} {
		if strings.HasPrefix(r.Messages[0].Content, kind) {
			return kind
		}
	}
	return "answer"
}

func (r longRequest) offers(tool string) bool {
	return r.ToolChoice != "none" && slices.ContainsFunc(r.Tools, func(known struct {
		Function json.RawMessage `json:"function"`
	},
	) bool {
		return strings.Contains(string(known.Function), `"name":"`+tool+`"`)
	})
}

func (r longRequest) text() string {
	texts := make([]string, len(r.Messages))
	for i, s := range r.Messages {
		texts[i] = s.Content
	}
	return strings.Join(texts, "\n")
}

func (m *longModel) ServeHTTP(w http.ResponseWriter, r *http.Request) {
	body, err := io.ReadAll(r.Body)
	var request longRequest
	if err != nil || r.URL.Path != "/v1/chat/completions" || json.Unmarshal(body, &request) != nil {
		http.NotFound(w, r)
		return
	}
	m.mu.Lock()
	defer m.mu.Unlock()
	kind, size, reply := request.kind(), request.tokens(), max(request.MaxTokens, request.MostTokens)
	m.asked[kind]++
	if reply == 0 {
		size += 64
	}
	if m.largest = max(m.largest, size+reply); size+reply > m.window {
		m.refused[kind]++
		said := fmt.Sprintf("This model's maximum context length is %d tokens. However, you requested %d tokens (%d in the messages, %d in the "+
			"completion). Please reduce the length of the messages or completion.", m.window, size+reply, size, reply)
		apptest.Refuse(
			http.StatusBadRequest,
			encoded(map[string]any{"object": "error", "message": said, "type": "BadRequestError", "code": 400}),
		)(
			w,
			r,
		)
		return
	}
	if m.streamOnly && !request.Stream {
		apptest.Refuse(http.StatusBadRequest, `{"error":{"code":"invalid_parameter_error","param":null,"type":"invalid_request_error",`+
			`"message":"parameter.enable_thinking must be set to false for non-streaming calls"}}`)(w, r)
		return
	}
	answer := longAnswer{tokens: size}
	if m.thinks {
		answer.thoughts = strings.Repeat("The person wants something. ", 12)
	}
	switch kind {
	case apptest.Classifier:
		answer.text = "ON_TOPIC"
	case apptest.Title:
		answer.text = "Billing database migration"
	case apptest.Summary:
		if m.failing {
			apptest.Refuse(http.StatusServiceUnavailable, `{"error":{"message":"overloaded","type":"overloaded_error"}}`)(w, r)
			return
		}
		transcript := request.Messages[len(request.Messages)-1].Content
		answer.text, m.summarized = notesOf(transcript), m.summarized+strings.Count(transcript, "\nPerson: ")
	default:
		m.read = append(m.read, request.text())
		m.reply(request, &answer)
	}
	answer.write(w, request.Stream)
}

// notesOf keeps the lines with a fact, and earlier notes.
func notesOf(transcript string) string {
	var notes []string
	for line := range strings.SplitSeq(transcript, "\n") {
		line = strings.TrimSpace(line)
		if !strings.Contains(line, "remember") && !strings.HasPrefix(line, "- ") {
			continue
		}
		const most = 160
		if runes := []rune(line); len(runes) > most {
			line = string(runes[:most])
		}
		if line = "- " + strings.TrimPrefix(line, "- "); !slices.Contains(notes, line) {
			notes = append(notes, line)
		}
	}
	if len(notes) == 0 {
		return "- nothing to keep"
	}
	return strings.Join(notes, "\n")
}

// pages finds the pages that a list of the documentation names.
var pages = regexp.MustCompile(`"(?:slug|id)":\s*"([a-z0-9/_-]{4,80})"`)

// reply answers a person's message.
func (m *longModel) reply(r longRequest, answer *longAnswer) {
	last := len(r.Messages) - 1
	for last > 0 && r.Messages[last].Role != "user" {
		last--
	}
	question, called, found := r.Messages[last].Content, map[string]int{}, ""
	for _, s := range r.Messages[last:] {
		for _, c := range s.ToolCalls {
			called[c.Function.Name]++
		}
		if s.Role == "tool" {
			found = s.Content
		}
	}
	if strings.HasPrefix(question, "What is the ") {
		answer.text = "I do not know that any more."
		for _, f := range facts {
			if strings.Contains(question, f.name) && strings.Contains(r.text(), f.value) {
				answer.text = "It is " + f.value + "."
			}
		}
		return
	}
	if !strings.HasPrefix(question, "List the documentation") {
		answer.text = strings.Repeat("Noted, I will keep that in mind. ", 4)
		return
	}
	answer.text = strings.Repeat("I have read it: there is much in the pages. ", 6)
	for _, want := range []string{"ai_listDocs", "ai_getDoc", "ai_searchDocs"} {
		switch {
		case called[want] > 0:
		case r.offers(want):
			answer.call, answer.arguments = want, m.arguments(want, found)
			return
		case called[assistant.SearchTool] < 3 && r.offers(assistant.SearchTool):
			query := "documentation " + strings.TrimPrefix(want, "ai_")
			answer.call, answer.arguments = assistant.SearchTool, encoded(map[string]string{"query": query})
			return
		}
	}
}

// arguments are those of a call after such a result.
func (m *longModel) arguments(tool, found string) string {
	switch tool {
	case "ai_searchDocs":
		return `{"query":"health check assertions of http responses and timeouts"}`
	case "ai_getDoc":
		slug := "concepts/connections-and-models"
		if all := pages.FindAllStringSubmatch(found, -1); len(all) > 0 {
			slug = all[m.turn*7%len(all)][1]
		}
		return encoded(map[string]string{"slug": slug})
	default:
		return `{}`
	}
}

// longAnswer is an answer or a call, as a whole or as a stream.
type longAnswer struct {
	text, thoughts, call, arguments string
	tokens                          int
}

func (a longAnswer) write(w http.ResponseWriter, stream bool) {
	message, finish := map[string]any{"role": "assistant", "content": a.text}, "stop"
	if a.thoughts != "" {
		message["reasoning_content"] = a.thoughts
	}
	if a.call != "" {
		finish = "tool_calls"
		message["content"] = ""
		message["tool_calls"] = []any{map[string]any{
			"index": 0, "id": fmt.Sprintf("call_%d_%s", a.tokens, a.call), "type": "function",
			"function": map[string]string{"name": a.call, "arguments": a.arguments},
		}}
	}
	spent := countedAs(a.text+a.thoughts) + 1
	used := map[string]int{"prompt_tokens": a.tokens, "completion_tokens": spent, "total_tokens": a.tokens + spent}
	choice := map[string]any{"index": 0, "finish_reason": finish}
	if !stream {
		choice["message"] = message
		w.Header().Set("Content-Type", "application/json")
		_, _ = io.WriteString(w, encoded(map[string]any{"id": "c1", "choices": []any{choice}, "usage": used}))
		return
	}
	choice["delta"] = message
	w.Header().Set("Content-Type", "text/event-stream")
	_, _ = fmt.Fprintf(w, "data: %s\n\ndata: %s\n\ndata: [DONE]\n\n", encoded(map[string]any{"id": "c1", "choices": []any{choice}}),
		encoded(map[string]any{"id": "c1", "choices": []any{}, "usage": used}))
}

func encoded(v any) string {
	raw, err := json.Marshal(v)
	if err != nil {
		panic(err) // all of it has a JSON form
	}
	return string(raw)
}
