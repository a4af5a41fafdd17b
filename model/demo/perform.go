package demo

import (
	"crypto/rand"
	"fmt"
	"strconv"
	"strings"
	"time"

	"countersign/model"
)

// answer is everything that the server needs for one response.
type answer struct {
	model      string
	id         string
	reasoning  string
	text       string
	calls      []model.ToolCall
	fault      FaultKind
	finish     string // instead of the true reason
	retryAfter time.Duration
	pace       pace
	// inputTokens is an estimate of the request's size.
	inputTokens int
}

// pace is the speed of a response.
type pace struct {
	first, token time.Duration
	chunk        int
	stamp        bool
}

func (a *answer) finishReason() string {
	switch {
	case a.fault == FaultFilter:
		return "content_filter"
	case a.finish != "":
		return a.finish
	case len(a.calls) > 0:
		return model.FinishToolCalls
	default:
		return model.FinishStop
	}
}

// respond decides the answer to a request of so many bytes.
func (s *server) respond(req model.Request, size int) answer {
	a := answer{
		model: req.Model, id: "chatcmpl-" + rand.Text(), inputTokens: size / bytesPerToken,
		pace: pace{first: s.options.FirstToken, token: s.options.PerToken, chunk: s.options.ChunkTokens},
	}
	if req.Model == Scripted {
		if _, errand := planErrand(req); !errand && s.perform(req, &a) {
			return a
		}
	}
	reply := Plan(req)
	a.text = reply.Text
	for _, call := range reply.Calls {
		a.calls = append(a.calls, model.ToolCall{ID: callID(), Name: call.Tool, Arguments: inputText(call.Input)})
	}
	return a
}

// perform follows the script of the last user message and reports whether
// there is one.
func (s *server) perform(req model.Request, a *answer) bool {
	last := lastUser(req.Messages)
	if last < 0 {
		return false
	}
	script, found, err := ParseScript(req.Messages[last].Content)
	if err != nil {
		a.text = "The script cannot be performed: " + err.Error() + "."
	}
	if !found || err != nil {
		return found
	}
	script.pace(&a.pace)
	round := 1
	for _, m := range req.Messages[last+1:] {
		if m.Role == model.RoleAssistant {
			round++
		}
	}
	if (round <= script.Rounds || script.NeverEnds) && len(req.Tools) > 0 {
		a.text, a.calls = script.round(round)
	} else {
		a.text = filled(script.Text, script.Tokens)
	}
	a.reasoning, a.finish = filled("", script.Reasoning), script.Finish
	for i, fault := range script.Faults {
		if a.fault == "" && s.ledger.take(req, i, round, fault) {
			a.fault = fault.Kind
			a.retryAfter = script.RetryAfter
		}
	}
	a.spoil()
	return true
}

func (s *Script) pace(p *pace) {
	if s.DelayFirst != nil {
		p.first = *s.DelayFirst
	}
	if s.DelayToken != nil {
		p.token = *s.DelayToken
	}
	if s.Chunk > 0 {
		p.chunk = s.Chunk
	}
	p.stamp = s.Stamp
}

// round returns the text and the calls of a round.
func (s *Script) round(n int) (string, []model.ToolCall) {
	calls := s.Calls
	override := s.Override[n]
	if len(override.Calls) > 0 {
		calls = override.Calls
	}
	if len(calls) == 0 {
		calls = []ScriptCall{{Tool: listDocs, Input: "{}"}}
	}
	var made []model.ToolCall
	for range s.Repeat {
		for _, call := range calls {
			input := strings.NewReplacer("{round}", strconv.Itoa(n), "{call}", strconv.Itoa(len(made)+1)).Replace(call.Input)
			made = append(made, model.ToolCall{ID: callID(), Name: call.Tool, Arguments: input})
		}
	}
	return override.Text, made
}

// spoil applies the faults of the content, as opposed to those of the transport.
func (a *answer) spoil() {
	switch a.fault {
	case FaultEmpty:
		a.text, a.calls = "", nil
	case FaultMalformed:
		if len(a.calls) > 0 {
			call := &a.calls[len(a.calls)-1]
			call.Arguments = strings.TrimSuffix(call.Arguments, "}") + `,"oops`
		}
	case FaultUnknownTool:
		a.calls = []model.ToolCall{{ID: callID(), Name: "demo_noSuchTool", Arguments: "{}"}}
	case FaultDuplicateIDs:
		for i := range a.calls {
			a.calls[i].ID = a.calls[0].ID
		}
	case FaultMissingIDs:
		for i := range a.calls {
			a.calls[i].ID = ""
		}
	}
}

func callID() string { return "call_" + rand.Text() }

// fillers are the words of a filler, with a number as every tenth, so that no filler is a loop.
var fillers = strings.Fields("one two three four five six seven eight nine")

// filled returns the given text, extended by filler to so many tokens.
func filled(text string, count int) string {
	have := 0
	for range tokens(text) {
		have++
	}
	if have >= count {
		return text
	}
	var b strings.Builder
	b.WriteString(text)
	if text != "" && !strings.HasSuffix(text, " ") {
		b.WriteByte(' ')
	}
	for i := range count - have {
		word := strconv.Itoa(i + 1)
		if n := i % (len(fillers) + 1); n < len(fillers) {
			word = fillers[n]
		}
		b.WriteString(word + " ")
	}
	return strings.TrimRight(b.String(), " ")
}

// tokens splits a text after the blanks behind each word.
func tokens(text string) func(func(string) bool) {
	return func(yield func(string) bool) {
		for text != "" {
			end := 0
			for end < len(text) && !isBlank(text[end]) {
				end++
			}
			for end < len(text) && isBlank(text[end]) {
				end++
			}
			if !yield(text[:end]) {
				return
			}
			text = text[end:]
		}
	}
}

func isBlank(c byte) bool { return c == ' ' || c == '\n' }

// Tokens are estimated at four bytes each, as is usual for English.
const bytesPerToken = 4

func (a *answer) outputTokens() int {
	n := 0
	for _, text := range []string{a.reasoning, a.text} {
		for range tokens(text) {
			n++
		}
	}
	for _, call := range a.calls {
		n += 1 + len(call.Arguments)/bytesPerToken
	}
	return n
}

// refusal is the response of a fault that is an HTTP error.
type refusal struct {
	status              int
	code, kind, message string
}

var refusals = map[FaultKind]refusal{
	FaultRateLimited: {429, "rate_limit_exceeded", "requests", "Rate limit reached for the demo model. Please try again later."},
	FaultServerError: {500, "", "server_error", "The demo model had an error while processing your request."},
	FaultUnavailable: {503, "", "server_error", "The demo model is overloaded. Please try again later."},
	FaultInvalidKey:  {401, "invalid_api_key", "invalid_request_error", "Incorrect API key provided."},
	FaultContext: {
		400,
		"context_length_exceeded",
		"invalid_request_error",
		"This model's maximum context length is 8192 tokens. Please reduce the length of the messages.",
	},
	FaultRefused:      {400, "content_filter", "invalid_request_error", "The prompt was refused by the content filter."},
	FaultModelMissing: {404, "model_not_found", "invalid_request_error", "The model does not exist or you do not have access to it."},
	FaultJSONError:    {200, "", "server_error", "The demo model reports an error with status 200."},
}

func (r refusal) withModel(name string) refusal {
	r.message = fmt.Sprintf("The model %q does not exist. Available are %q and %q.", name, Assistant, Scripted)
	return r
}
