package model

import (
	"bytes"
	"crypto/rand"
	"encoding/json"
	"slices"
	"unicode/utf16"
	"unicode/utf8"

	"countersign/model/internal/jsonscan"
)

const (
	// maxToolCalls bounds the calls of one answer.
	maxToolCalls = 128
	// maxNameLength and maxIDLength bound what comes back in every later
	// request. Providers refuse longer ones.
	maxNameLength = 128
	maxIDLength   = 256
)

// toolCalls assembles the calls of one answer from their pieces.
type toolCalls struct {
	calls []*partialCall
}

type partialCall struct {
	position int
	index    int
	hasIndex bool
	// givenID is the provider's id, empty when it sent none; id is the one in
	// use, unique in the answer.
	givenID   string
	id        string
	name      []byte
	arguments []byte
}

// add merges one piece. It returns the call that the piece belongs to and the
// part of the name that is new, or nil when there are too many calls. sameChunk
// is the number of calls that existed when the chunk began: two entries of one
// chunk that share an id and have no index are two calls.
func (t *toolCalls) add(part *callPart, sameChunk int) (*partialCall, []byte) {
	call := t.find(part, sameChunk)
	fresh := call == nil
	if fresh {
		if len(t.calls) == maxToolCalls {
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
	// A name that was complete is repeated by some providers in every chunk.
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
			if part.index != call.index {
				continue
			}
			// One index for several calls, told apart by their ids.
			if begins && len(id) > 0 && call.givenID != "" && !sameID {
				continue
			}
			return call
		}
		if len(id) == 0 {
			// Neither index nor id: a name begins a call, anything else
			// continues the latest one.
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

// storableJSON returns JSON text that Postgres accepts as jsonb whenever it is
// JSON at all: it replaces escaped NULs and lone surrogates by U+FFFD. (Leaving
// them out could join what stands around them to another one.) Nothing at all
// becomes an empty object, as tools without parameters are often called with
// no arguments.
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
