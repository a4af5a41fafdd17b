package model

import (
	"bytes"
	"crypto/rand"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"slices"
	"unicode/utf16"
	"unicode/utf8"

	"countersign/model/internal/jsonscan"
)

const (
	// maxToolCalls bounds the calls of one answer; one with more has failed, so that none is dropped silently.
	maxToolCalls = 128
	// maxNameLength and maxIDLength bound names and ids, which every later request repeats. Providers refuse longer
	// ones.
	maxNameLength = 128
	maxIDLength   = 256
)

// toolCalls assembles the calls of one answer from their pieces.
type toolCalls struct {
	calls []*partialCall
	// full says that a call was dropped: its later pieces are dropped too.
	full bool
}

type partialCall struct {
	position int
	index    int
	hasIndex bool
	// givenID is the provider's id, empty when it sent none; id is the one in use, unique in the answer.
	givenID   string
	id        string
	name      []byte
	arguments []byte
	halves    jsonscan.Halves
	loop      repetition
}

// add merges one piece. It returns the call of the piece and the new parts of its name and arguments, or nil for a piece of
// a dropped call. sameChunk is the number of calls before the chunk: two entries of one chunk that share an id and have no index
// are two calls.
func (t *toolCalls) add(part *callPart, sameChunk int) (call *partialCall, name, arguments []byte) {
	if t.full && !part.hasIndex && len(part.id) == 0 {
		return nil, nil, nil
	}
	call = t.find(part, sameChunk)
	fresh := call == nil
	if fresh {
		if len(t.calls) == maxToolCalls {
			t.full = true
			return nil, nil, nil
		}
		call = &partialCall{
			position: len(t.calls), index: part.index, hasIndex: part.hasIndex,
			givenID: string(part.id),
		}
		call.id = t.uniqueID(call.givenID)
		t.calls = append(t.calls, call)
	} else if call.givenID == "" {
		call.givenID = string(part.id)
	}

	name = part.name
	// Some providers repeat a complete name in every chunk.
	if !fresh && (len(call.arguments) > 0 || bytes.Equal(name, call.name)) {
		name = nil
	}
	name = name[:min(len(name), maxNameLength-len(call.name))]
	call.name = append(call.name, name...)
	arguments = call.halves.Join(part.arguments)
	call.arguments = append(call.arguments, arguments...)
	return call, name, arguments
}

// find returns the call that a piece continues, or nil when it begins one. An id decides before an index, as some
// servers put several calls under one index, and others one call under several.
func (t *toolCalls) find(part *callPart, sameChunk int) *partialCall {
	begins := len(part.name) > 0
	if len(part.id) > 0 {
		for i, call := range slices.Backward(t.calls) {
			if string(part.id) != call.givenID {
				continue
			}
			if begins && call.sharesID(part, i >= sameChunk) {
				break
			}
			return call
		}
	}
	for i, call := range slices.Backward(t.calls) {
		switch {
		case part.hasIndex && call.hasIndex:
			related, fresh := call.underIndex(part, i >= sameChunk)
			if !related {
				continue
			}
			if fresh {
				return nil
			}
			return call
		case len(part.id) == 0 && !begins:
			return call // without index, id and name, a piece continues the latest call
		}
	}
	if n := len(t.calls); n > 0 && len(part.id) == 0 && !begins && !json.Valid(t.calls[n-1].arguments) {
		return t.calls[n-1] // it began under another index
	}
	return nil
}

// sharesID reports whether a piece with a name, and with the id of this call, is another call: it has no index or another
// one, and it does not go on with incomplete arguments. settle merges those that turn out to be the same.
func (c *partialCall) sharesID(part *callPart, sameChunk bool) bool {
	indexed := part.hasIndex && c.hasIndex
	if indexed && part.index == c.index {
		return false
	}
	if !bytes.Equal(part.name, c.name) {
		return true
	}
	if len(c.arguments) == 0 {
		return indexed || sameChunk
	}
	return sameChunk || json.Valid(c.arguments) && (indexed || len(part.arguments) > 0)
}

// underIndex reports whether a piece with an index belongs to the call, and whether it begins a fresh one. Several
// calls under one index differ by their ids, or else by a name after complete arguments.
func (c *partialCall) underIndex(part *callPart, sameChunk bool) (related, fresh bool) {
	begins, named := len(part.name) > 0, len(part.id) > 0
	if part.index != c.index || begins && named && c.givenID != "" && string(part.id) != c.givenID {
		return false, false
	}
	return true, begins && !named && c.givenID == "" && (sameChunk || c.another(part))
}

// another reports that a piece with a name under the same index, without ids, is another call: a repetition has the
// same name, and comes before the arguments are complete or without any.
func (c *partialCall) another(part *callPart) bool {
	if !json.Valid(c.arguments) {
		return false
	}
	return !bytes.Equal(part.name, c.name) || len(bytes.TrimSpace(part.arguments)) > 0 && !isEmptyObject(c.arguments)
}

func isEmptyObject(text []byte) bool {
	text = bytes.TrimSpace(text)
	return len(text) >= 2 && text[0] == '{' && text[len(text)-1] == '}' && len(bytes.TrimSpace(text[1:len(text)-1])) == 0
}

// settle repairs what is not a call as the protocol has it, once all pieces are there.
func (t *toolCalls) settle(tools []Tool, onDelta func(Delta)) {
	kept := t.calls[:0]
	for _, c := range t.calls {
		if c.empty() || slices.ContainsFunc(kept, c.repeats) {
			continue
		}
		kept = append(kept, c)
	}
	clear(t.calls[len(kept):])
	t.calls = kept
	for _, call := range t.calls {
		call.arguments = append(call.arguments, call.halves.End()...)
		call.repair(tools)
	}
	t.separate(onDelta)
}

// empty reports whether a call was announced and never came.
func (c *partialCall) empty() bool { return len(c.name) == 0 && len(bytes.TrimSpace(c.arguments)) == 0 }

// repeats reports whether this call is an earlier one once more: its id under another index, with nothing of its own.
func (c *partialCall) repeats(earlier *partialCall) bool {
	own := bytes.TrimSpace(c.arguments)
	return c.givenID != "" && c.givenID == earlier.givenID && c.hasIndex && bytes.Equal(c.name, earlier.name) &&
		(len(own) == 0 || bytes.Equal(own, bytes.TrimSpace(earlier.arguments)))
}

// addWritten adds calls that the model has written into its text.
func (t *toolCalls) addWritten(written []textCall, tools []Tool, onDelta func(Delta)) {
	for _, w := range written {
		if len(t.calls) == maxToolCalls {
			t.full = true
			return
		}
		name := w.name[:min(len(w.name), maxNameLength)]
		call := &partialCall{position: len(t.calls), id: newCallID(), name: []byte(name), arguments: []byte(w.encode(tools))}
		t.calls = append(t.calls, call)
		onDelta(Delta{Call: &CallDelta{Index: call.position, ID: call.id, Name: name, Arguments: string(call.arguments)}})
	}
}

// separate repairs arguments that are several concatenated objects: an empty one before the real ones, duplicates, or
// those of several calls that a gateway has put under one index. onDelta receives the further ones.
func (t *toolCalls) separate(onDelta func(Delta)) {
	for i := range t.calls {
		call := t.calls[i]
		objects := objectsIn(call.arguments)
		if len(objects) == 0 {
			continue
		}
		call.arguments = objects[0]
		for _, arguments := range objects[1:] {
			if len(t.calls) == maxToolCalls {
				t.full = true
				return
			}
			next := &partialCall{position: len(t.calls), id: newCallID(), name: call.name, arguments: arguments}
			t.calls = append(t.calls, next)
			onDelta(Delta{Call: &CallDelta{Index: next.position, ID: next.id, Name: string(next.name), Arguments: string(arguments)}})
		}
	}
}

// objectsIn returns the distinct objects of a text of concatenated JSON objects, without empty ones if there is
// another.
func objectsIn(text []byte) [][]byte {
	if !bytes.Contains(text, []byte("}{")) && !bytes.HasSuffix(bytes.TrimSpace(text), []byte("}")) || json.Valid(text) {
		return nil
	}
	var objects [][]byte
	decoder := json.NewDecoder(bytes.NewReader(text))
	for {
		var object json.RawMessage
		err := decoder.Decode(&object)
		if errors.Is(err, io.EOF) {
			break
		}
		if err != nil || object[0] != '{' {
			return nil
		}
		same := func(o []byte) bool { return bytes.Equal(o, object) }
		if !isEmptyObject(object) && !slices.ContainsFunc(objects, same) {
			objects = append(objects, bytes.Clone(object))
		}
	}
	if len(objects) == 0 {
		objects = append(objects, []byte("{}"))
	}
	return objects
}

// cut marks calls that the length limit ended before their arguments began: without arguments they would be different
// calls. The mark is the beginning of an object, which is invalid JSON.
func (t *toolCalls) cut(list []ToolCall) {
	for i, call := range t.calls {
		if len(bytes.TrimSpace(call.arguments)) == 0 {
			list[i].Arguments = "{"
		}
	}
}

func (t *toolCalls) uniqueID(id string) string {
	if id == "" || len(id) > maxIDLength {
		return newCallID()
	}
	for _, call := range t.calls {
		if call.id == id {
			return newCallID()
		}
	}
	return id
}

// failure says that calls were dropped.
func (t *toolCalls) failure() *Error {
	if !t.full {
		return nil
	}
	return &Error{
		Class: Malformed, Reason: TooManyCalls,
		Message: fmt.Sprintf("The model made more than %d tool calls at once, so none of them was made.", maxToolCalls),
	}
}

func newCallID() string { return "call_" + rand.Text() }

// list returns the calls in the order in which they began.
func (t *toolCalls) list() []ToolCall {
	if len(t.calls) == 0 {
		return nil
	}
	list := make([]ToolCall, len(t.calls))
	for i, call := range t.calls {
		list[i] = ToolCall{ID: call.id, Name: string(call.name), Arguments: storableJSON(call.arguments)}
	}
	return list
}

// storableJSON returns JSON text that Postgres accepts as jsonb: it replaces escaped NULs and lone surrogates by
// U+FFFD. (Removing them could join their neighbours into another escape.) Empty text becomes an empty object, as tools
// without parameters are often called with no arguments.
func storableJSON(text []byte) string {
	if len(bytes.TrimSpace(text)) == 0 {
		return "{}"
	}
	if !bytes.Contains(text, []byte(`\u`)) {
		return string(text)
	}
	clean := make([]byte, 0, len(text))
	for len(text) > 0 {
		n := bytes.IndexByte(text, '\\')
		switch {
		case n < 0:
			n = len(text)
		case n == 0:
			var storable bool
			if n, storable = escape(text); !storable {
				clean = append(clean, `\ufffd`...)
				text = text[n:]
				continue
			}
		}
		clean = append(clean, text[:n]...)
		text = text[n:]
	}
	return string(clean)
}

// escape returns the length of the escape sequence at the beginning of text,
// both halves of a surrogate pair together, and whether Postgres can store it.
func escape(text []byte) (n int, storable bool) {
	r, ok := jsonscan.UnicodeEscape(text)
	if !ok {
		return min(2, len(text)), true
	}
	if utf16.IsSurrogate(r) {
		low, ok := jsonscan.UnicodeEscape(text[6:])
		if ok && utf16.DecodeRune(r, low) != utf8.RuneError {
			return 12, true
		}
		return 6, false
	}
	return 6, r != 0
}
