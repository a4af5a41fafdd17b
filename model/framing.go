package model

import (
	"bufio"
	"bytes"
	"encoding/json"
	"errors"
	"io"
	"regexp"
	"slices"
	"strings"
	"time"

	"countersign/model/internal/jsonscan"
)

// decode decodes the whole answer.
func (a *answerReader) decode() *Error {
	first, err := a.firstByte()
	if err != nil && !errors.Is(err, io.EOF) {
		return a.call.readError(err)
	}
	switch first {
	case '{', '[', '"', '<':
		return a.document()
	}
	return a.events()
}

const byteOrderMark = "\uFEFF"

// firstByte returns the first byte that is not white space, without consuming it. The content type cannot be trusted:
// errors come as event streams, and streams as text/plain.
func (a *answerReader) firstByte() (byte, error) {
	if bom, _ := a.in.Peek(len(byteOrderMark)); string(bom) == byteOrderMark {
		_, _ = a.in.Discard(len(byteOrderMark))
	}
	for {
		b, err := a.in.ReadByte()
		if err != nil {
			return 0, err
		}
		switch b {
		case ' ', '\t', '\r', '\n':
		default:
			return b, a.in.UnreadByte()
		}
	}
}

// document decodes an answer without the framing of events: one JSON document, or the events themselves in a row.
func (a *answerReader) document() *Error {
	limit := int64(a.maxRaw())
	source := &observed{source: a.in}
	limited := &io.LimitedReader{R: source}
	decoder := json.NewDecoder(limited)
	var first json.RawMessage
	for {
		limited.N = limit + 1
		var value json.RawMessage
		err := decoder.Decode(&value)
		switch {
		case err == nil:
			if first == nil {
				first = value
			}
			if done, failure := a.value(value); done || failure != nil {
				return a.ending(failure)
			}
		case errors.Is(err, io.EOF):
			if !a.recognized {
				return notAnAnswer(first, a.call.client.secrets)
			}
			return a.end(a.finish != "" || a.ended || !a.parsed.hasDelta)
		case limited.N <= 0:
			return tooLong(int64(a.call.client.maxAnswerBytes))
		case errors.Is(err, io.ErrUnexpectedEOF) && a.finish != "":
			return a.end(true)
		case source.failure != nil:
			return a.call.readError(source.failure)
		default:
			return a.afterDocument(decoder.Buffered(), first != nil)
		}
	}
}

// observed keeps the failure of a reader, which a decoder does not tell from the end of a text in the middle of a value.
type observed struct {
	source  io.Reader
	failure error
}

func (o *observed) Read(p []byte) (int, error) {
	n, err := o.source.Read(p)
	if err != nil && !errors.Is(err, io.EOF) {
		o.failure = err
	}
	return n, err
}

// afterDocument goes on where a document is none, or no more: some gateways leave out the framing of some events.
func (a *answerReader) afterDocument(buffered io.Reader, begun bool) *Error {
	rest, err := io.ReadAll(buffered)
	if err != nil {
		return a.call.readError(err)
	}
	if !begun {
		more, _ := io.ReadAll(io.LimitReader(a.in, maxStray))
		return notAnAnswer(append(rest, more...), a.call.client.secrets)
	}
	waiting, _ := a.in.Peek(a.in.Buffered())
	rest = append(rest, waiting...)
	a.in = bufio.NewReaderSize(io.MultiReader(bytes.NewReader(rest), a.call), readBuffer)
	return a.events()
}

// ending is the outcome of an answer whose end was marked, or that has failed.
func (a *answerReader) ending(failure *Error) *Error {
	if failure != nil {
		return failure
	}
	a.call.client.omitsEndMarker.Store(false)
	a.call.drain()
	return a.end(true)
}

// events decodes server-sent events until the end marker or the end of the body.
func (a *answerReader) events() *Error {
	for {
		line, err := a.line()
		if len(line) > a.maxRaw() || len(a.pending) > a.maxRaw() {
			return tooLong(int64(a.call.client.maxAnswerBytes))
		}
		if done, failure := a.field(line); done || failure != nil {
			return a.ending(failure)
		}
		if err == nil {
			continue
		}
		if a.finish != "" || a.ended {
			a.call.client.omitsEndMarker.Store(!errors.Is(err, io.EOF))
			return a.end(true) // only the end marker is missing
		}
		if !errors.Is(err, io.EOF) {
			return a.call.readError(err)
		}
		if isReport(a.stray) {
			return reportedError(a.stray, a.call.client.secrets)
		}
		return a.end(false)
	}
}

// field handles one line and reports whether it was the end marker.
func (a *answerReader) field(line []byte) (done bool, failure *Error) {
	line = bytes.TrimLeft(bytes.TrimPrefix(line, []byte(byteOrderMark)), " \t")
	switch {
	case len(line) == 0:
		a.ended = a.ended || endEvent.Match(a.event)
		a.event = a.event[:0]
		if len(a.pending) > 0 {
			return false, notAnAnswer(a.pending, a.call.client.secrets)
		}
	case line[0] == ':':
		if silent := a.call.keepAliveLimit(); time.Since(a.lastEvent) > silent {
			return false, (&stallError{silent, !a.call.begun}).failure()
		}
	case bytes.HasPrefix(line, []byte("data:")):
		a.lastEvent = time.Now()
		return a.data(line)
	case bytes.HasPrefix(line, []byte("event:")):
		a.event = append(a.event[:0], bytes.TrimSpace(line[len("event:"):])...)
	case bytes.HasPrefix(line, []byte("error:")):
		if said := bytes.TrimSpace(line[len("error:"):]); len(said) > 0 {
			return false, reportedError(said, a.call.client.secrets)
		}
	case bytes.HasPrefix(line, []byte("id:")), bytes.HasPrefix(line, []byte("retry:")):
	case isEndMarker(line), len(a.stray) == 0 && (line[0] == '{' || line[0] == '"') && json.Valid(line):
		a.lastEvent = time.Now()
		return a.data(line) // without its framing
	default:
		a.note(line)
	}
	return false, nil
}

// note keeps a line that is no part of an answer.
func (a *answerReader) note(line []byte) {
	if len(a.stray)+len(line) < maxStray {
		a.stray = append(append(a.stray, line...), '\n')
	}
}

// isEndMarker recognizes the end of a stream, also as a JSON string or in a list.
func isEndMarker(payload []byte) bool {
	return bytes.EqualFold(bytes.Trim(payload, `"'[]<>;,. `), []byte("DONE"))
}

var (
	// endEvent is the name of an event that ends a stream, endObject one that says nothing else.
	endEvent  = regexp.MustCompile(`(?i)^(?:\[?done\]?|end|eos|complete|completed)$`)
	endObject = regexp.MustCompile(
		`(?i)^\{\s*(?:"(?:done|is_end)"\s*:\s*true|"(?:type|event|status)"\s*:\s*"(?:done|end|complete|completed)")\s*\}$`,
	)
)

// keepAliveWord is a keep-alive in brackets, as the end marker is.
var keepAliveWord = regexp.MustCompile(
	`(?i)^\[(?:heartbeat|ping|pong|keep[-_ ]?alive|processing|thinking|start|begin|queued|pending|waiting)\]$`,
)

// data handles the payload of an event. An event is used as soon as it is complete, without waiting for the empty line
// behind it, which some providers forget and others send late.
func (a *answerReader) data(payload []byte) (done bool, failure *Error) {
	payload = unframed(payload)
	switch {
	case len(payload) == 0:
		return false, nil
	case isEndMarker(payload):
		if len(a.pending) > 0 {
			return false, notAnAnswer(a.pending, a.call.client.secrets)
		}
		return true, nil
	case len(a.pending) > 0:
		a.pending = append(append(a.pending, '\n'), payload...)
		payload = a.pending
		if a.reparsed += len(payload); a.reparsed > maxReparsed {
			return false, notAnAnswer(payload, a.call.client.secrets)
		}
	case payload[0] == '{':
	case keepAliveWord.Match(payload):
		a.note(payload)
		return false, nil
	case payload[0] == '[', payload[0] == '"':
	case string(a.event) == "error":
		return false, reportedError(payload, a.call.client.secrets)
	default:
		a.note(payload) // a keep-alive such as "ping", ": PROCESSING", null and ""
		return false, nil
	}
	if payload[0] == '{' && a.parsed.parse(payload) {
		a.pending = a.pending[:0]
		return a.chunk(payload)
	}
	return a.inARow(payload)
}

// unframed is the payload of a line: some gateways frame the events of another again.
func unframed(line []byte) []byte {
	for {
		line = bytes.TrimSpace(bytes.TrimPrefix(bytes.TrimSpace(line), []byte(byteOrderMark)))
		inner, framed := bytes.CutPrefix(line, []byte("data:"))
		if !framed {
			return line
		}
		line = inner
	}
}

// inARow handles the JSON values of one payload, with or without the framing between them. An incomplete one at the end
// is kept for the next line.
func (a *answerReader) inARow(payload []byte) (done bool, failure *Error) {
	rest := bytes.Clone(payload)
	a.pending = a.pending[:0]
	for len(rest) > 0 && !isEndMarker(rest) {
		decoder := json.NewDecoder(bytes.NewReader(rest))
		read := int64(0)
		var value json.RawMessage
		for decoder.Decode(&value) == nil {
			read = decoder.InputOffset()
			if done, failure := a.value(value); done || failure != nil {
				return done, failure
			}
		}
		before := rest
		rest = unframed(bytes.TrimLeft(rest[read:], ", \t"))
		if len(rest) == len(before) || read == 0 {
			break
		}
	}
	switch {
	case len(rest) == 0:
		return false, nil
	case isEndMarker(rest):
		return true, nil
	case rest[0] == '{', rest[0] == '[':
		a.pending = append(a.pending, rest...)
	default:
		a.note(rest)
	}
	return false, nil
}

// value handles one JSON value: a chunk, a list of chunks, or either encoded once more.
func (a *answerReader) value(value []byte) (done bool, failure *Error) {
	switch value[0] {
	case '{':
		if a.parsed.parse(value) {
			return a.chunk(value)
		}
	case '[':
		var list []json.RawMessage
		_ = json.Unmarshal(value, &list) // a decoder has read it
		for _, one := range list {
			if len(one) == 0 || one[0] == '[' {
				continue
			}
			if done, failure := a.value(one); done || failure != nil {
				return done, failure
			}
		}
		return false, nil
	case '"':
		text := jsonscan.New(value)
		inner := unframed(text.AppendString(nil))
		if len(inner) > 0 && (inner[0] == '{' || inner[0] == '[' || isEndMarker(inner)) {
			return a.data(inner)
		}
		if len(inner) > 0 && string(a.event) == "error" {
			return false, reportedError(value, a.call.client.secrets)
		}
	}
	a.note(value)
	return false, nil
}

// chunk handles an object that has been parsed.
func (a *answerReader) chunk(payload []byte) (done bool, failure *Error) {
	c := &a.parsed
	if c.fault != nil && endingOf(a.finish) == endLength {
		a.count(c.usage) // the error repeats that the limit was reached
		return true, nil
	}
	if c.fault != nil || string(a.event) == "error" || !c.recognized && isReport(payload) {
		return false, reportedError(payload, a.call.client.secrets)
	}
	if !c.recognized {
		a.ended = a.ended || endObject.Match(payload)
		return false, nil
	}
	if a.recognized = true; !c.hasDelta && len(c.reasoning) == 0 && !a.begun() {
		thought, answer, _ := unopened(c.content)
		c.reasoning, c.content = append(c.reasoning, thought...), answer
	}
	return false, a.apply()
}

// isReport recognizes an error without the usual "error" member.
func isReport(body []byte) bool {
	members := membersInLowerCase(body)
	text := func(name string) string { return strings.ToLower(string(bytes.Trim(members[name], `"`))) }
	for _, name := range []string{"type", "event", "status", "object"} {
		if text(name) == "error" {
			return true
		}
	}
	if text("success") == "false" {
		return true
	}
	code := text("code")
	if !isNull(members["msg"]) {
		return !slices.Contains([]string{"", "0", "200", "null", "success", "ok"}, code)
	}
	if _, wrapped := members["data"]; wrapped && slices.Contains([]string{"0", "200", "success", "ok"}, code) {
		return false // an envelope of nothing
	}
	return slices.ContainsFunc(errorMembers, func(name string) bool { return !saysNothing(members[name]) })
}

// membersInLowerCase are the members of an object, or of the first in a list.
func membersInLowerCase(body []byte) map[string]json.RawMessage {
	var list []json.RawMessage
	if json.Unmarshal(body, &list) == nil && len(list) > 0 {
		body = list[0]
	}
	var members map[string]json.RawMessage
	if json.Unmarshal(body, &members) != nil {
		return nil
	}
	lower := make(map[string]json.RawMessage, len(members))
	for name, value := range members {
		if low := strings.ToLower(name); low == name || lower[low] == nil {
			lower[low] = value
		}
	}
	return lower
}
