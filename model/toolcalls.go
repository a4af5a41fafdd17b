package model

import (
	"bytes"
	"crypto/rand"
	"encoding/json"
	"errors"
	"io"
	"slices"
	"unicode/utf16"
	"unicode/utf8"

	"countersign/model/internal/jsonscan"
)

const (
	// maxToolCalls bounds the calls of one answer; further ones are dropped.
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
}

// add merges one piece. It returns the call of the piece and the new part of the name, or nil for a piece of a dropped
// call. sameChunk is the number of calls before the chunk: two entries of one chunk that share an id and have no index
// are two calls.
func (t *toolCalls) add(part *callPart, sameChunk int) (*partialCall, []byte) {
	if t.full && !part.hasIndex && len(part.id) == 0 {
		return nil, nil
	}
	call := t.find(part, sameChunk)
	fresh := call == nil
	if fresh {
		if len(t.calls) == maxToolCalls {
			t.full = true
			return nil, nil
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

	name := part.name
	// Some providers repeat a complete name in every chunk.
	if !fresh && (len(call.arguments) > 0 || bytes.Equal(name, call.name)) {
		name = nil
	}
	name = name[:min(len(name), maxNameLength-len(call.name))]
	call.name = append(call.name, name...)
	call.arguments = append(call.arguments, part.arguments...)
	return call, name
}

// find returns the call that a piece continues, or nil when it begins one.
func (t *toolCalls) find(part *callPart, sameChunk int) *partialCall {
	begins := len(part.name) > 0
	id := part.id
	for i, call := range slices.Backward(t.calls) {
		sameID := len(id) > 0 && string(id) == call.givenID
		if part.hasIndex && call.hasIndex {
			related, fresh := call.underIndex(part, i >= sameChunk)
			if !related {
				continue
			}
			if fresh {
				return nil
			}
			return call
		}
		if len(id) == 0 {
			// Without index and id, a name begins a call; anything else continues the latest one.
			if begins {
				return nil
			}
			return call
		}
		if !sameID {
			continue
		}
		if begins && (i >= sameChunk || len(part.arguments) > 0 && json.Valid(call.arguments)) {
			return nil // another call under the same id
		}
		return call
	}
	return nil
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
