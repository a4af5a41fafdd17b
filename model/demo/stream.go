package demo

import (
	"context"
	"io"
	"net/http"
	"strconv"
	"time"
	"unicode/utf8"

	"countersign/model"
	"countersign/model/internal/jsonscan"
)

const (
	// sendAt bounds the buffered output.
	sendAt = 32 << 10
	// argumentBytes is the number of argument bytes sent as one token.
	argumentBytes = 16
)

// output writes server-sent events. Without a pace everything is sent in as few
// pieces as possible.
type output struct {
	w      http.ResponseWriter
	ctx    context.Context
	pace   pace
	prefix []byte // of every event, up to the delta
	buffer []byte
	next   time.Time
	timer  *time.Timer
	gone   bool
}

// stream sends an answer as server-sent events.
func (s *server) stream(w http.ResponseWriter, r *http.Request, a *answer, usage bool) {
	w.Header().Set("Content-Type", "text/event-stream")
	w.Header().Set("Cache-Control", "no-cache")
	o := &output{w: w, ctx: r.Context(), pace: a.pace, buffer: make([]byte, 0, 4<<10)}
	o.prefix = append(o.prefix, `data: {"id":`...)
	o.prefix = jsonscan.AppendQuoted(o.prefix, a.id)
	o.prefix = append(o.prefix, `,"object":"chat.completion.chunk","created":`...)
	o.prefix = strconv.AppendInt(o.prefix, s.options.Clock().Unix(), 10)
	o.prefix = append(o.prefix, `,"model":`...)
	o.prefix = jsonscan.AppendQuoted(o.prefix, a.model)
	defer o.close()

	o.pause(a.pace.first)
	o.event(func(b []byte) []byte { return append(b, `"role":"assistant","content":""`...) })
	o.say("reasoning_content", a.reasoning)
	if o.breaks(a) {
		return
	}
	o.say("content", a.text)
	o.call(a)
	o.end(a, usage)
}

// breaks ends the response early when a fault demands it.
func (o *output) breaks(a *answer) bool {
	switch a.fault {
	case FaultStall, FaultCut, FaultReset, FaultStreamError:
	default:
		return false
	}
	o.say("content", a.text[:len(a.text)/2])
	if len(a.calls) > 0 {
		o.beginCall(0, a.calls[0], true)
	}
	if a.fault == FaultStreamError {
		o.buffer = append(
			o.buffer,
			`data: {"error":{"message":"The demo model failed in the middle of the answer.","type":"server_error","code":null}}`+"\n\n"...)
	}
	o.send()
	switch a.fault {
	case FaultStall:
		<-o.ctx.Done()
	case FaultReset:
		panic(http.ErrAbortHandler)
	}
	return true
}

// say sends a text token by token.
func (o *output) say(member, text string) {
	begin, end := 0, 0
	emit := func() {
		if piece := text[begin:end]; piece != "" {
			if o.pace.stamp {
				piece += "<" + strconv.FormatInt(time.Now().UnixMicro(), 10) + ">"
			}
			o.event(func(b []byte) []byte {
				b = append(append(append(b, '"'), member...), `":`...)
				return jsonscan.AppendQuoted(b, piece)
			})
		}
		begin = end
	}
	n := 0
	for token := range tokens(text) {
		if n > 0 && n%o.pace.chunk == 0 {
			emit()
			o.tick(o.pace.chunk)
		}
		end += len(token)
		n++
	}
	emit()
	if n > 0 {
		o.tick(1 + (n-1)%o.pace.chunk)
	}
}

// call sends the tool calls: first id and name of each, then its arguments.
func (o *output) call(a *answer) {
	for i, call := range a.calls {
		indexed := a.fault != FaultNoIndex
		o.beginCall(i, call, indexed)
		if a.fault == FaultObjectArgs {
			o.callDelta(i, indexed, func(b []byte) []byte { return append(append(b, `"arguments":`...), call.Arguments...) })
			continue
		}
		for rest := call.Arguments; rest != ""; {
			n := len(rest)
			if o.pace.token > 0 {
				n = min(n, argumentBytes*o.pace.chunk)
			}
			// Each piece is a JSON string, which cannot hold half a character.
			for n < len(rest) && !utf8.RuneStart(rest[n]) {
				n++
			}
			piece := rest[:n]
			rest = rest[n:]
			o.callDelta(i, indexed, func(b []byte) []byte { return jsonscan.AppendQuoted(append(b, `"arguments":`...), piece) })
			o.tick(o.pace.chunk)
		}
	}
}

func (o *output) beginCall(i int, call model.ToolCall, indexed bool) {
	o.event(func(b []byte) []byte {
		b = append(b, `"tool_calls":[{`...)
		if indexed {
			b = append(strconv.AppendInt(append(b, `"index":`...), int64(i), 10), ',')
		}
		if call.ID != "" {
			b = append(jsonscan.AppendQuoted(append(b, `"id":`...), call.ID), ',')
		}
		b = append(b, `"type":"function","function":{"name":`...)
		b = jsonscan.AppendQuoted(b, call.Name)
		return append(b, `,"arguments":""}}]`...)
	})
	o.tick(1)
}

func (o *output) callDelta(i int, indexed bool, arguments func([]byte) []byte) {
	o.event(func(b []byte) []byte {
		b = append(b, `"tool_calls":[{`...)
		if indexed {
			b = append(strconv.AppendInt(append(b, `"index":`...), int64(i), 10), ',')
		}
		return append(arguments(append(b, `"function":{`...)), `}}]`...)
	})
}

func (o *output) end(a *answer, usage bool) {
	o.buffer = append(append(o.buffer, o.prefix...), `,"choices":[{"index":0,"delta":{},"finish_reason":"`...)
	o.buffer = append(append(o.buffer, a.finishReason()...), `"}]}`+"\n\n"...)
	if usage && a.fault != FaultNoUsage {
		in, out := int64(a.inputTokens), int64(a.outputTokens())
		o.buffer = append(append(o.buffer, o.prefix...), `,"choices":[],"usage":{"prompt_tokens":`...)
		o.buffer = strconv.AppendInt(o.buffer, in, 10)
		o.buffer = strconv.AppendInt(append(o.buffer, `,"completion_tokens":`...), out, 10)
		o.buffer = strconv.AppendInt(append(o.buffer, `,"total_tokens":`...), in+out, 10)
		o.buffer = append(o.buffer, "}}\n\n"...)
	}
	if a.fault != FaultNoDone {
		o.buffer = append(o.buffer, "data: [DONE]\n\n"...)
	}
}

// event adds a chunk whose delta has the members that delta appends.
func (o *output) event(delta func([]byte) []byte) {
	if o.gone {
		return
	}
	b := append(o.buffer, o.prefix...)
	b = append(b, `,"choices":[{"index":0,"delta":{`...)
	b = delta(b)
	o.buffer = append(b, `},"finish_reason":null}]}`+"\n\n"...)
	if len(o.buffer) >= sendAt {
		o.write()
	}
}

// tick waits for the duration of n tokens.
func (o *output) tick(n int) { o.pause(time.Duration(n) * o.pace.token) }

// pause flushes the output and waits. Pauses count from the beginning, so that the pace does not depend on the duration
// of sends.
func (o *output) pause(d time.Duration) {
	if d <= 0 || o.gone {
		return
	}
	if len(o.buffer) > 0 {
		o.send()
	}
	if o.next.IsZero() {
		o.next = time.Now()
	}
	o.next = o.next.Add(d)
	wait := time.Until(o.next)
	if wait <= 0 {
		return
	}
	if o.timer == nil {
		o.timer = time.NewTimer(wait)
	} else {
		o.timer.Reset(wait)
	}
	select {
	case <-o.timer.C:
	case <-o.ctx.Done():
		o.gone = true
	}
}

func (o *output) write() {
	if _, err := o.w.Write(o.buffer); err != nil {
		o.gone = true
	}
	o.buffer = o.buffer[:0]
}

func (o *output) send() {
	o.write()
	if err := http.NewResponseController(o.w).Flush(); err != nil {
		o.gone = true
	}
}

// close writes the rest; the end of the handler sends it.
func (o *output) close() {
	if o.timer != nil {
		o.timer.Stop()
	}
	if !o.gone && len(o.buffer) > 0 {
		_, _ = io.Writer(o.w).Write(o.buffer)
	}
}
