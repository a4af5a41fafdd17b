// Package suitetest serves models of known conduct, so that tests can tell whether the suite judges them as it should. They
// speak the wire of real providers and know a situation by its message alone.
package suitetest

import (
	"encoding/json"
	"fmt"
	"net/http"
	"net/http/httptest"
	"regexp"
	"slices"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"

	"countersign/chat/assistant"
	"countersign/modules/modelcheck/suite"
)

// Conduct is the behaviour of a model in a step of a situation, counted from 0. ok is false when it does nothing more.
type Conduct func(s suite.Situation, step int) (act suite.Act, ok bool)

// Perfect does what the examples do.
func Perfect(s suite.Situation, step int) (suite.Act, bool) { return nth(s.Example, step) }

// Gullible does what data tell it to, and is perfect otherwise.
func Gullible(s suite.Situation, step int) (suite.Act, bool) {
	if s.Kind == "injection" {
		return nth(s.Lure, step)
	}
	return nth(s.Example, step)
}

// Tempted does whatever a situation tempts to.
func Tempted(s suite.Situation, step int) (suite.Act, bool) { return nth(s.Lure, step) }

// Mute says nothing.
func Mute(suite.Situation, int) (suite.Act, bool) { return suite.Act{}, true }

// Scribbling writes its calls into its text, where they cannot be read.
func Scribbling(s suite.Situation, step int) (suite.Act, bool) {
	return written(s, step, func(c suite.Acted) string { return "<tool_call>" + wire(c.Tool) + " with " + arguments(c) })
}

// Illustrating shows its calls in code blocks.
func Illustrating(s suite.Situation, step int) (suite.Act, bool) {
	return written(s, step, func(c suite.Acted) string {
		return "I would call this:\n```json\n{\"name\": \"" + wire(c.Tool) + "\", \"arguments\": " + arguments(c) + "}\n```"
	})
}

// Reciting answers with the JSON of its calls, and nothing else.
func Reciting(s suite.Situation, step int) (suite.Act, bool) {
	act, ok := nth(s.Example, step)
	if len(act.Calls) > 0 {
		act.Says = ""
	}
	for _, c := range act.Calls {
		act.Says += "{\"name\": \"" + wire(c.Tool) + "\", \"arguments\": " + arguments(c) + "}\n"
	}
	act.Calls = nil
	return act, ok
}

func written(s suite.Situation, step int, form func(suite.Acted) string) (suite.Act, bool) {
	act, ok := nth(s.Example, step)
	for _, c := range act.Calls {
		act.Says += form(c)
	}
	act.Calls = nil
	return act, ok
}

func wire(tool string) string { return strings.ReplaceAll(tool, ".", "_") }

func arguments(c suite.Acted) string {
	if c.Arguments == nil {
		return "{}"
	}
	text, _ := json.Marshal(c.Arguments) // it was read from YAML
	return string(text)
}

// Agreeing says the same to everything.
func Agreeing(suite.Situation, int) (suite.Act, bool) { return suite.Act{Says: "OK."}, true }

// Careless reads no documentation, guesses where it should ask, and writes arguments that do not fit.
func Careless(s suite.Situation, step int) (suite.Act, bool) {
	acts, unread := s.Example, false
	if asks(s) && len(s.Lure) > 0 {
		acts = s.Lure
	}
	var done []suite.Act
	for _, a := range acts {
		switch {
		case calls(a, func(c suite.Acted) bool { return strings.HasSuffix(c.Tool, "Docs") || strings.HasSuffix(c.Tool, "Doc") }):
			unread = true
		case unread:
			done = append(done, suite.Act{Says: "Usually that is in the settings."})
		default:
			done = append(done, broken(a))
		}
	}
	return nth(done, step)
}

func asks(s suite.Situation) bool {
	for _, a := range s.Example {
		if calls(a, func(c suite.Acted) bool { return c.Tool == "ai.askOperator" }) || strings.HasSuffix(a.Says, "?") {
			return true
		}
	}
	return false
}

func calls(a suite.Act, which func(suite.Acted) bool) bool {
	return slices.ContainsFunc(a.Calls, which)
}

// broken takes the offsets from times, and adds a member to what changes something.
func broken(a suite.Act) suite.Act {
	b := suite.Act{Says: a.Says}
	for _, c := range a.Calls {
		_, verb, _ := strings.Cut(c.Tool, ".")
		reads := strings.HasPrefix(verb, "list") || strings.HasPrefix(verb, "get") ||
			strings.HasPrefix(verb, "search") || strings.HasPrefix(verb, "probe")
		arguments := map[string]any{}
		for name, value := range c.Arguments {
			if text, ok := value.(string); ok && strings.Contains(text, "T") && strings.HasSuffix(text, "Z") {
				value = strings.TrimSuffix(text, "Z")
			}
			arguments[name] = value
		}
		if !reads {
			arguments["comment"] = "as you wanted"
		}
		b.Calls = append(b.Calls, suite.Acted{Tool: c.Tool, Arguments: arguments})
	}
	return b
}

func nth(acts []suite.Act, n int) (suite.Act, bool) {
	if n >= len(acts) {
		return suite.Act{}, false
	}
	return acts[n], true
}

// Serve serves a model and returns its base URL.
func Serve(t *testing.T, conduct Conduct) string {
	t.Helper()
	return ServeRefusing(t, conduct, func(suite.Situation) int { return 0 })
}

// ServeRefusing is Serve, of a provider that refuses the situations for which refuses returns an HTTP status.
func ServeRefusing(t *testing.T, conduct Conduct, refuses func(suite.Situation) (status int)) string {
	t.Helper()
	known := map[string]suite.Situation{}
	for _, s := range suite.Load().All() {
		key := keyOf(s)
		_, taken := known[key]
		require.False(t, taken, "two situations have the message %q", key)
		known[key] = s
	}
	server := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		var in request
		if err := json.NewDecoder(r.Body).Decode(&in); err != nil {
			http.Error(w, err.Error(), http.StatusBadRequest)
			return
		}
		key, step := in.place()
		s, ok := known[key]
		if !ok {
			http.Error(w, `{"error":{"message":"This model knows no such situation."}}`, http.StatusBadRequest)
			return
		}
		if status := refuses(s); status != 0 {
			http.Error(w, `{"error":{"message":"The provider refuses this."}}`, status)
			return
		}
		act, ok := conduct(s, step)
		if !ok {
			act = suite.Act{Says: "That is all."}
		}
		reply(w, in.Stream, in.searched(act))
	}))
	t.Cleanup(server.Close)
	return server.URL + "/v1"
}

// keyOf is the last message of the person in a situation.
func keyOf(s suite.Situation) string {
	switch {
	case s.Small == "topic":
		_, user := assistant.Classifier(s.Message)
		return "topic: " + user
	case s.Small == "title":
		_, user := assistant.Title(s.Message)
		return "title: " + user
	case s.Message != "":
		return s.Message
	}
	return s.History[len(s.History)-1].Decision.Note()
}

type request struct {
	Stream bool `json:"stream"`
	Tools  []struct {
		Function function `json:"function"`
	} `json:"tools"`
	Messages []message `json:"messages"`
}

type message struct {
	Role      string `json:"role"`
	Content   string `json:"content"`
	ToolCalls []struct {
		Function function `json:"function"`
	} `json:"tool_calls"`
}

type function struct {
	Name      string `json:"name"`
	Arguments string `json:"arguments"`
}

// searches reports whether a message only looks for tools.
func (m message) searches() bool {
	return len(m.ToolCalls) > 0 && m.ToolCalls[0].Function.Name == assistant.SearchTool
}

// place is the last message of the person, and how many answers have come since, beside searches for tools.
func (r request) place() (key string, step int) {
	small := ""
	for _, m := range r.Messages {
		switch {
		case m.Role == "system" && strings.HasPrefix(m.Content, "You classify"):
			small = "topic: "
		case m.Role == "system" && strings.HasPrefix(m.Content, "You name"):
			small = "title: "
		case m.Role == "user":
			uncorrected, _, _ := strings.Cut(m.Content, "\n\nYour last attempt")
			key, _ = assistant.SplitContext(uncorrected)
			step = 0
		case m.Role == "assistant" && !m.searches():
			step++
		}
	}
	return small + key, step
}

func (r request) offers(tool string) bool {
	for _, t := range r.Tools {
		if t.Function.Name == wire(tool) {
			return true
		}
	}
	return false
}

// searched is the act, or a search for the tools of it that the request does not offer, once.
func (r request) searched(act suite.Act) suite.Act {
	var before []string
	for _, m := range r.Messages {
		for _, c := range m.ToolCalls {
			before = append(before, c.Function.Arguments)
		}
	}
	var missing []suite.Acted
	for _, c := range act.Calls {
		words := inWords.ReplaceAllString(c.Tool, " $1")
		if !r.offers(c.Tool) && !slices.Contains(before, `{"query":"`+words+`"}`) {
			missing = append(missing, suite.Acted{Tool: "tools.search", Arguments: map[string]any{"query": words}})
		}
	}
	if len(missing) == 0 || !r.offers("tools.search") {
		return act
	}
	return suite.Act{Calls: missing}
}

// inWords finds the words in the name of a tool.
var inWords = regexp.MustCompile(`\.?([A-Z])`)

func reply(w http.ResponseWriter, stream bool, act suite.Act) {
	message := map[string]any{"role": "assistant", "content": act.Says}
	finish := "stop"
	var made []map[string]any
	for i, c := range act.Calls {
		made = append(made, map[string]any{
			"index": i, "id": fmt.Sprintf("call%05d", i), "type": "function",
			"function": map[string]any{"name": wire(c.Tool), "arguments": arguments(c)},
		})
		finish = "tool_calls"
	}
	if made != nil {
		message["tool_calls"] = made
	}
	usage := map[string]any{"prompt_tokens": 1000, "completion_tokens": 20, "total_tokens": 1020}
	if !stream {
		w.Header().Set("Content-Type", "application/json")
		_ = json.NewEncoder(
			w,
		).Encode(
			map[string]any{
				"id":      "x",
				"model":   "m",
				"usage":   usage,
				"choices": []any{map[string]any{"index": 0, "message": message, "finish_reason": finish}},
			},
		)
		return
	}
	w.Header().Set("Content-Type", "text/event-stream")
	for _, chunk := range []map[string]any{
		{"choices": []any{map[string]any{"index": 0, "delta": message}}},
		{"choices": []any{map[string]any{"index": 0, "delta": map[string]any{}, "finish_reason": finish}}},
		{"choices": []any{}, "usage": usage},
	} {
		data, _ := json.Marshal(chunk) // texts and numbers
		_, _ = fmt.Fprintf(w, "data: %s\n\n", data)
	}
	_, _ = fmt.Fprint(w, "data: [DONE]\n\n")
}
