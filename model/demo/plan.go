package demo

import (
	"encoding/json"
	"maps"
	"slices"
	"strings"

	"countersign/model"
)

// Reply is the assistant's next step: text, tool calls, or both.
type Reply struct {
	Text  string
	Calls []Call
}

// Call is a tool call. Tool is the name on the wire.
type Call struct {
	Tool  string
	Input object
}

type object = map[string]any

// Plan decides the next step of a conversation from its messages alone.
//
// A scene is written as if tools answered at once. Each step replays the scenes
// over the results that are in the messages already; the first result that is
// missing becomes the next call. So there is no state to keep, and the same
// call is never made twice in a turn.
func Plan(req model.Request) Reply {
	if reply, ok := planErrand(req); ok {
		return reply
	}
	t := newTurn(req)
	if at := strings.Index(t.asks, decisionMark); at >= 0 && (at == 0 || t.asks[at-1] == '\n') {
		t.acknowledge(strings.TrimRight(t.asks[at:], " .,;:!?"))
		return t.reply()
	}
	for _, w := range t.wishes {
		t.perform(w)
	}
	return t.reply()
}

// turn is one user message and the steps that followed it.
type turn struct {
	book    *book
	asks    string
	earlier []model.Message
	// wishes are the requests of the message or, when it answers a question, those of the question.
	wishes []wish
	// question is the question before the message; answered says that the message answers it.
	question string
	answered bool

	steps   []answeredCall
	offered map[string]bool
	// final means that the product requests an answer now, without tools.
	final bool

	reads, writes []Call
	questions     []Call   // for the person; the first one ends the turn
	intro         []string // said before writes
	said          []string
	unavailable   []string // tools that were needed but are not offered
}

// answeredCall is a tool call of this turn that has its result.
type answeredCall struct {
	tool, input string
	result      result
}

func newTurn(req model.Request) *turn {
	t := &turn{book: scenes(), offered: make(map[string]bool, len(req.Tools))}
	for _, tool := range req.Tools {
		t.offered[tool.Name] = true
	}
	last := lastUser(req.Messages)
	if last >= 0 {
		t.asks, t.earlier = req.Messages[last].Content, req.Messages[:last]
		t.question, _ = questionIn(t.earlier[lastUser(t.earlier)+1:])
		t.wishes, t.answered = t.book.understand(req.Messages[:last+1])
	}
	results := map[string]string{}
	for _, m := range req.Messages[last+1:] {
		if m.Role == model.RoleTool {
			results[m.ToolCallID] = m.Content
		}
	}
	for _, m := range req.Messages[last+1:] {
		for _, call := range m.ToolCalls {
			if content, ok := results[call.ID]; ok {
				t.steps = append(t.steps, answeredCall{call.Name, canonical([]byte(call.Arguments)), readResult(content)})
			}
		}
	}
	t.final = len(req.Tools) == 0 && asksForFinalAnswer(req.Messages)
	return t
}

func lastUser(messages []model.Message) int {
	for i, m := range slices.Backward(messages) {
		if m.Role == model.RoleUser {
			return i
		}
	}
	return -1
}

// asksForFinalAnswer finds the product's request for a final answer: at the end of the request, or in the system
// prompt.
func asksForFinalAnswer(messages []model.Message) bool {
	for i, m := range messages {
		if (m.Role == model.RoleSystem || i == len(messages)-1) &&
			mentions(m.Content, "answer now", "used up the tool calls", "budget is spent") {
			return true
		}
	}
	return false
}

// canonical makes equal inputs equal strings.
func canonical(input []byte) string {
	var value any
	if json.Unmarshal(input, &value) != nil {
		return string(input)
	}
	text, _ := json.Marshal(value)
	return string(text)
}

// read returns the result of a read tool, or calls it. ok is false while the result is missing, and for a failure,
// which is then explained.
func (t *turn) read(tool string, input object) (r result, ok bool) {
	r, ok = t.resultOf(tool, input, &t.reads)
	if ok && r.failure != nil {
		t.say(r.failure.explain())
		return r, false
	}
	return r, ok
}

// tryRead is read without handling of failures and missing tools: done says that no result is missing.
func (t *turn) tryRead(tool string, input object) (r result, done bool) {
	if !t.offered[tool] && !t.called(tool, input) {
		return result{}, true
	}
	return t.resultOf(tool, input, &t.reads)
}

// write returns the outcome of a mutating tool, or calls it after announcing intent. A second attempt omits a member of
// optional that the tool refuses.
func (t *turn) write(tool string, input object, intent string, optional ...string) (r result, ok bool) {
	r, ok = t.resultOf(tool, input, &t.writes)
	if !ok {
		if t.wants(tool, input) {
			t.intro = append(t.intro, intent)
		}
		return r, false
	}
	if r.failure == nil {
		return r, true
	}
	if refused := r.failure.refuses(input, optional); refused != "" {
		smaller := maps.Clone(input)
		delete(smaller, refused)
		return t.write(tool, smaller, "The field `"+refused+"` was not accepted ("+r.failure.issueAt(refused)+
			"), so I leave it out. "+intent)
	}
	t.say(r.failure.explain())
	return r, false
}

func (t *turn) resultOf(tool string, input object, pending *[]Call) (result, bool) {
	if input == nil {
		input = object{}
	}
	text, _ := json.Marshal(input)
	for _, s := range t.steps {
		if s.tool == tool && s.input == string(text) {
			return s.result, true
		}
	}
	if !t.offered[tool] {
		if !slices.Contains(t.unavailable, tool) {
			t.unavailable = append(t.unavailable, tool)
		}
		return result{}, false
	}
	if !t.wants(tool, input) {
		*pending = append(*pending, Call{tool, input})
	}
	return result{}, false
}

func (t *turn) called(tool string, input object) bool {
	if input == nil {
		input = object{}
	}
	text, _ := json.Marshal(input)
	return slices.ContainsFunc(t.steps, func(s answeredCall) bool { return s.tool == tool && s.input == string(text) })
}

// wants reports whether the call is among the next ones.
func (t *turn) wants(tool string, input object) bool {
	same := func(c Call) bool { return c.Tool == tool && equal(c.Input, input) }
	return slices.ContainsFunc(t.reads, same) || slices.ContainsFunc(t.writes, same)
}

func equal(a, b object) bool {
	x, _ := json.Marshal(a)
	y, _ := json.Marshal(b)
	return string(x) == string(y)
}

func (t *turn) say(text string) {
	if text != "" && !slices.Contains(t.said, text) {
		t.said = append(t.said, text)
	}
}

// reply turns the findings into the next step. Reads come before writes, as a write may end the turn with a card, and
// questions do too: the writes depend on the answer.
func (t *turn) reply() Reply {
	switch {
	case len(t.reads) > 0:
		text := ""
		if len(t.steps) == 0 {
			text = t.book.opening(t.reads[0].Tool)
		}
		return Reply{Text: text, Calls: t.reads}
	case len(t.questions) > 0:
		return Reply{Text: paragraphs(t.said), Calls: t.questions[:1]}
	case len(t.writes) > 0:
		return Reply{Text: paragraphs(append(t.intro, t.said...)), Calls: t.writes}
	}
	if len(t.unavailable) > 0 {
		if t.final {
			t.say(t.gathered())
		} else {
			t.say(withoutTools(t.unavailable))
		}
	}
	if len(t.said) == 0 {
		t.say(t.cannotHelp())
	}
	return Reply{Text: paragraphs(t.said)}
}

func paragraphs(texts []string) string { return strings.Join(texts, "\n\n") }

// gathered summarizes the results of a turn that ran out of steps.
func (t *turn) gathered() string {
	var lines []string
	for _, s := range t.steps {
		if s.result.failure != nil {
			continue
		}
		var names []string
		for _, entry := range s.result.list() {
			if n := entry.text("name", "title"); n != "" && len(names) < 20 {
				names = append(names, clean(n))
			}
		}
		if len(names) > 0 {
			lines = append(lines, "- "+subject(s.tool)+": "+strings.Join(names, ", "))
		}
	}
	text := "I have used up the steps I may take for one message, so I stop before I am done."
	if len(lines) > 0 {
		return text + " This is what I found:\n\n" + strings.Join(lines, "\n")
	}
	return text + " Ask again, perhaps for a smaller part of it."
}
