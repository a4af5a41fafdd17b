package model

import (
	"bufio"
	"bytes"
	"cmp"
	"encoding/json"
	"slices"
	"strings"
	"time"
	"unicode/utf8"

	openai "github.com/sashabaranov/go-openai"

	"countersign/model/internal/jsonscan"
)

const (
	readBuffer = 16 << 10
	// keptBuffer is the largest buffer that the reader pool keeps after an answer.
	keptBuffer = 256 << 10
	// maxStray bounds the bytes kept of lines that are not server-sent events; a provider's error may be among them.
	maxStray = 64 << 10
	// maxReparsed bounds the work for events of many lines, which are parsed after each line because any of them may be
	// the last.
	maxReparsed = 128 << 20
	// keepAliveStalls is the number of stall timeouts for which a provider may send only keep-alive comments.
	keepAliveStalls = 4
	// endTimeout bounds the wait for the end marker after a complete answer, doubtfulEndTimeout after a finish reason
	// that more content may follow.
	endTimeout         = 4 * time.Second
	doubtfulEndTimeout = 20 * time.Second
)

// answerReader decodes one response: a stream of server-sent events or a single JSON document, whichever the provider
// sends. Readers are pooled.
type answerReader struct {
	call      *call
	onDelta   func(Delta)
	in        *bufio.Reader
	long      []byte // a line longer than the read buffer
	pending   []byte // data lines that are no JSON value yet
	reparsed  int    // bytes of pending lines that have been parsed again
	size      int    // bytes of text, thoughts and arguments
	stray     []byte
	event     []byte
	parsed    chunk
	lastEvent time.Time // time of the last event
	// recognized says that a part of the protocol has come, ended that the end has, in a form after which more may follow.
	recognized, ended bool

	text, reasoning []byte
	think           thoughts
	written         textCalls
	unread          bool   // the text has a call that is not made
	unreadForm      string // how that is written
	wroteCalls      bool   // the calls stood in the text, in marks of a template
	tools           []Tool
	made            madeCalls
	halves          struct{ content, thought jsonscan.Halves }
	thoughtsDecided bool // leading thoughts without an opening tag have been ruled in or out
	calls           toolCalls
	loops           struct{ text, thought, held repetition }
	keep            replayCollector
	finish          string
	doubtful        bool // a finish reason has come before the end
	usageFirst      bool // usage has come before a finish reason
	usageLast       bool // usage has come once, behind all content
	endOfLine       lineEnd
	usage           Usage
	thoughtTokens   int // reported by the provider
	model, id       string
}

func newAnswerReader() *answerReader {
	return &answerReader{in: bufio.NewReaderSize(nil, readBuffer)}
}

func (a *answerReader) reset(call *call, tools []Tool, made madeCalls, onDelta func(Delta)) {
	if onDelta == nil {
		onDelta = func(Delta) {}
	}
	a.in.Reset(call)
	*a = answerReader{
		call: call, tools: tools, made: made, onDelta: onDelta, in: a.in, parsed: a.parsed, lastEvent: time.Now(),
		long: a.long[:0], pending: a.pending[:0], stray: a.stray[:0], event: a.event[:0],
		text: a.text[:0], reasoning: a.reasoning[:0],
	}
}

// release drops the answer and buffers of unusual size before the reader returns to the pool.
func (a *answerReader) release() {
	a.call, a.tools, a.onDelta, a.calls, a.think, a.keep = nil, nil, nil, toolCalls{}, thoughts{}, replayCollector{}
	a.written = textCalls{}
	a.in.Reset(nil)
	for _, buffer := range []*[]byte{&a.long, &a.pending, &a.stray, &a.text, &a.reasoning, &a.parsed.content} {
		if cap(*buffer) > keptBuffer {
			*buffer = nil
		}
	}
	if cap(a.parsed.calls) > maxToolCalls {
		a.parsed.calls = nil
	}
	a.parsed.fault, a.parsed.blocks = nil, nil
}

// response returns the answer read so far.
func (a *answerReader) response() Response {
	a.flush()
	r := Response{
		Text: string(a.text), Reasoning: string(a.reasoning), ToolCalls: a.calls.list(),
		FinishReason: plainReason(a.finish), Usage: a.usage, Model: a.model, ID: a.id,
	}
	// Callers act on the calls; the reason must not contradict them.
	if len(r.ToolCalls) > 0 && (r.FinishReason == FinishStop || r.FinishReason == "") {
		r.FinishReason = FinishToolCalls
	}
	if r.FinishReason == FinishLength {
		a.calls.cut(r.ToolCalls)
	}
	r.ReplayData = a.keep.data(r.Reasoning, a.calls.calls)
	return r
}

// maxRaw bounds one event or document on the wire: its text may be escaped, and JSON surrounds it.
func (a *answerReader) maxRaw() int { return 2*a.call.client.maxAnswerBytes + maxStray }

// apply adds the parsed chunk to the answer.
func (a *answerReader) apply() *Error {
	c := &a.parsed
	if a.id == "" && len(c.id) > 0 {
		a.id = string(c.id[:min(len(c.id), maxIDLength)])
	}
	if a.model == "" && len(c.model) > 0 {
		a.model = string(c.model[:min(len(c.model), maxIDLength)])
	}
	a.size += c.size()
	if a.size > a.call.client.maxAnswerBytes {
		return tooLong(int64(a.call.client.maxAnswerBytes))
	}
	if c.cumulative && a.begun() {
		c.content, c.refusal, c.reasoning, c.calls, c.blocks = c.content[:0], c.refusal[:0], c.reasoning[:0], c.calls[:0], nil
	}
	c.content, c.reasoning = a.halves.content.Join(c.content), a.halves.thought.Join(c.reasoning)
	a.keep.note(c)
	begun, more := a.begun(), !c.silent()
	if more {
		a.call.begin()
	}
	a.say(c.reasoning, nil)
	if len(c.content) > 0 {
		before := len(a.text)
		thought, answer := a.think.write(c.content)
		a.say(thought, a.written.write(answer))
		a.restart(before, false)
	}
	a.say(nil, c.refusal)
	before := len(a.calls.calls)
	if len(c.calls) > 0 {
		a.restart(0, true)
	}
	for i := range c.calls {
		part := &c.calls[i]
		call, name, arguments := a.calls.add(part, before)
		if call == nil || len(call.name) == 0 && len(part.arguments) == 0 {
			continue // LM Studio announces calls that never come
		}
		a.keep.noteCall(call, part)
		a.onDelta(Delta{Call: &CallDelta{
			Index: call.position, ID: call.id, Name: string(name), Arguments: string(arguments),
		}})
	}
	a.usageFirst = a.usageFirst || c.usage.Reported && a.finish == "" && len(c.finish) == 0
	a.usageLast = c.usage.Reported && !more && !a.usage.Reported || a.usageLast && !more
	a.count(c.usage)
	a.thoughtTokens = max(a.thoughtTokens, c.thoughts)
	a.finished(c.finish, begun, more)
	if failure := a.calls.failure(); failure != nil {
		return failure
	}
	return a.repeats()
}

// begun reports whether the provider has sent any part of the answer.
func (a *answerReader) begun() bool {
	return len(a.text)+len(a.reasoning)+len(a.calls.calls)+len(a.think.held)+len(a.written.held) > 0
}

// say adds to the thoughts and to the text.
func (a *answerReader) say(thought, text []byte) {
	if len(thought) > 0 {
		a.reasoning = append(a.reasoning, thought...)
		a.onDelta(Delta{Reasoning: string(thought)})
	}
	if len(text) > 0 {
		a.text = append(a.text, text...)
		a.onDelta(Delta{Text: string(text)})
	}
}

// restart sends the answer again when its text turns out to be thoughts of which only the closing tag came. before is the
// length of the text before the latest piece; end says that nothing follows.
func (a *answerReader) restart(before int, end bool) {
	const longest = 32 // than any tag
	latest := a.text[max(before-longest, 0):]
	if a.thoughtsDecided || len(a.reasoning)+len(a.calls.calls) > 0 || !mayClose(latest) {
		return
	}
	thought, answer, found := unopened(a.text)
	if found && len(answer) == 0 && !end {
		return // the text after the tag decides
	}
	a.thoughtsDecided = true
	if !found {
		return
	}
	thought, answer = bytes.Clone(thought), bytes.Clone(answer)
	a.text = a.text[:0]
	a.onDelta(Delta{Restart: true})
	a.say(thought, answer)
}

// count merges the usage of a chunk. Providers report it in parts, repeatedly, and with zeros at the end.
func (a *answerReader) count(u Usage) {
	if !u.Reported {
		return
	}
	a.usage.Reported = true
	if u.InputTokens > 0 {
		a.usage.InputTokens = u.InputTokens
	}
	if u.OutputTokens > 0 {
		a.usage.OutputTokens = u.OutputTokens
	}
	if u.CachedTokens > 0 {
		a.usage.CachedTokens = u.CachedTokens
	}
}

// finished records the finish reason of a chunk; more says that the chunk also has content. Most providers send the
// reason last, and some of them omit the end marker; others send it with every chunk or before a pause, so later
// content still counts.
func (a *answerReader) finished(reason []byte, begun, more bool) {
	early := a.finish != "" && more
	a.doubtful = a.doubtful || early
	if len(reason) > 0 && string(reason) != string(openai.FinishReasonNull) {
		a.finish = string(reason[:min(len(reason), maxIDLength)])
		a.doubtful = a.doubtful || !begun || a.unfinished()
	} else if early {
		a.call.setIdle(a.call.client.stall)
		return
	}
	if a.finish != "" {
		a.call.setIdle(a.endTimeout())
	}
}

// endTimeout bounds the wait for the end of an answer after its finish reason. Usage with or after the reason marks the
// end, as does silence from a provider that is known to omit the end marker.
func (a *answerReader) endTimeout() time.Duration {
	if !a.doubtful && (a.usage.Reported && !a.usageFirst || a.call.client.omitsEndMarker.Load()) {
		return endTimeout
	}
	return doubtfulEndTimeout
}

// unfinished reports whether the finish reason contradicts the content: thoughts without an answer, no calls although
// calls are announced, or incomplete arguments.
func (a *answerReader) unfinished() bool {
	calls := a.calls.calls
	if len(calls) == 0 {
		return len(a.text)+len(a.written.held) == 0 || endingOf(a.finish) == endTools
	}
	last := bytes.TrimSpace(calls[len(calls)-1].arguments)
	return endingOf(a.finish) != endLength && len(last) > 0 && !json.Valid(last) && objectsIn(last) == nil
}

// flush adds the text that was held back until the end.
func (a *answerReader) flush() {
	a.say(a.halves.thought.End(), nil)
	thought, answer := a.think.write(a.halves.content.End())
	a.say(thought, a.written.write(answer))
	thought, answer = a.think.close()
	a.say(thought, a.written.write(answer))
	last := a.written.end(a.tools, a.made)
	a.unread, a.unreadForm = a.unread || last.unread, cmp.Or(a.unreadForm, last.form)
	a.say(last.thought, last.text)
	if len(a.calls.calls) == 0 {
		a.wroteCalls = last.marked && len(last.calls) > 0
		a.calls.addWritten(last.calls, a.tools, a.onDelta)
	}
	a.restart(0, true)
	a.calls.settle(a.tools, a.onDelta)
}

// looksComplete reports whether an answer without finish reason and end marker is one all the same: usage has come after
// it, its calls have all of their arguments, or its last sentence ends.
func (a *answerReader) looksComplete() bool {
	if len(a.pending) > 0 {
		return false
	}
	if a.usageLast && a.usage.OutputTokens > 0 && len(a.text)+len(a.calls.calls) > 0 {
		return true
	}
	if len(a.calls.calls) > 0 {
		return !slices.ContainsFunc(a.calls.calls, func(c *partialCall) bool { return !isObject(string(c.arguments)) })
	}
	said := bytes.TrimRight(a.text, space+"*_\"'`)]}»”’」』")
	last, _ := utf8.DecodeLastRune(said)
	return strings.ContainsRune(".!?…。！？؟।", last)
}

// end classifies a finished answer. complete says that its end was marked.
func (a *answerReader) end(complete bool) *Error {
	a.flush()
	silent := len(bytes.TrimSpace(a.text)) == 0 && len(a.calls.calls) == 0
	if a.unread {
		return callInText(a.unreadForm)
	}
	if failure := a.calls.failure(); failure != nil {
		return failure
	}
	if a.finish == "" {
		if complete || a.looksComplete() {
			a.finish = FinishStop
			return nil
		}
		message := "The model provider's answer ended in the middle. Try again."
		if silent {
			message = "The model provider closed the connection without an answer. Try again."
		}
		return &Error{Class: Cut, Message: message}
	}
	switch endingOf(a.finish) {
	case endFilter:
		return &Error{Class: ContentFilter, Message: "The model provider's content filter stopped the answer."}
	case endFailure:
		return &Error{Class: Unavailable, Message: "The model provider failed in the middle of the answer. Try again."}
	case endTools:
		if len(a.calls.calls) == 0 {
			return &Error{Class: Malformed, Reason: ToolCallMissing, Message: "The model announced a tool call and made none."}
		}
	case endCall:
		return &Error{
			Class:   Malformed,
			Reason:  ToolCallUnread,
			Message: "The model wrote a tool call that its provider could not read. Try again.",
		}
	case endWindow:
		if silent {
			return &Error{Class: ContextLength, Message: "The conversation leaves no room for an answer in the model's window."}
		}
	}
	return nil
}
