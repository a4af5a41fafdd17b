package model

import (
	"bytes"
	"encoding/json"
	"strings"

	"countersign/model/internal/jsonscan"
)

// blocks merges reasoning blocks that arrive in pieces and preserves all their other members. A piece extends the last
// block when type and index match and the block is not signed yet: OpenRouter numbers its reasoning_details, and the
// thinking_blocks of LiteLLM end with their signature.
type blocks struct {
	field    string
	list     []block
	size     int
	overflow bool
}

type block []member

// member is one member of a block: raw is its JSON, text the merged string of members that arrive in pieces.
type member struct {
	name string
	raw  []byte
	text []byte
	grow bool
}

// growing maps the block types whose texts arrive in pieces to the member with the text.
var growing = map[string]string{"reasoning.text": "text", "reasoning.summary": "summary", "thinking": "thinking"}

// opaque are the members without readable text, which scrubbing skips.
var opaque = map[string]bool{
	"type":              true,
	"id":                true,
	"format":            true,
	"signature":         true,
	"thought_signature": true,
	"thoughtSignature":  true,
	"data":              true,
}

// maxBlocks bounds the blocks of one answer.
const maxBlocks = 1024

// add merges the array of one chunk. Only the first field that has blocks is kept.
func (b *blocks) add(field string, array []byte) {
	if b.field == "" {
		b.field = field
	}
	if b.size += len(array); b.size > 4*maxReplayData || b.field != field {
		b.overflow = b.overflow || b.field == field
		return
	}
	s := jsonscan.New(cleanText(array))
	s.Array(func(int) {
		if s.Peek() != '{' {
			s.Skip()
			return
		}
		piece := readBlock(&s)
		if last := len(b.list) - 1; last >= 0 && b.list[last].continuedBy(piece) {
			b.list[last] = b.list[last].with(piece)
			return
		}
		if len(b.list) == maxBlocks {
			b.overflow = true
			return
		}
		b.list = append(b.list, piece)
	})
	b.overflow = b.overflow || s.Bad()
}

// readBlock decodes one object.
func readBlock(s *jsonscan.Scanner) block {
	var read block
	s.Object(func(key []byte) {
		m := member{name: string(key)}
		m.raw = append([]byte(nil), s.Raw()...)
		read = append(read, m)
	})
	grows := growing[read.string("type")]
	for i := range read {
		if m := &read[i]; m.name == grows && len(m.raw) > 0 && m.raw[0] == '"' {
			value := jsonscan.New(m.raw)
			m.text, m.grow = value.AppendString(nil), true
		}
	}
	return read
}

func (b block) get(name string) *member {
	for i := range b {
		if b[i].name == name {
			return &b[i]
		}
	}
	return nil
}

// string returns a member that is a string; "" when it is missing or of another type.
func (b block) string(name string) string {
	m := b.get(name)
	if m == nil || len(m.raw) == 0 {
		return ""
	}
	s := jsonscan.New(m.raw)
	return string(s.AppendString(nil))
}

func (b block) continuedBy(piece block) bool {
	kind := b.string("type")
	return growing[kind] != "" && kind == piece.string("type") && b.string("signature") == "" && bytes.Equal(b.index(), piece.index())
}

func (b block) index() []byte {
	if m := b.get("index"); m != nil {
		return m.raw
	}
	return nil
}

// with returns the block extended by a further piece.
func (b block) with(piece block) block {
	for _, next := range piece {
		m := b.get(next.name)
		switch {
		case m == nil:
			b = append(b, next)
		case m.grow && next.grow:
			m.text = append(m.text, next.text...)
		case isNull(next.raw) || string(next.raw) == `""`:
		default:
			*m = next
		}
	}
	return b
}

// complete reports that the block can be sent back: Claude's thinking is refused without its signature.
func (b block) complete() bool {
	signed := b.string("type") == "thinking" || strings.HasPrefix(b.string("format"), "anthropic")
	return growing[b.string("type")] == "" || !signed || b.string("signature") != ""
}

// sealed reports that the block is signed, so that it must not change.
func (b block) sealed() bool { return b.string("signature") != "" }

// text returns the array to send back, "" for none.
func (b *blocks) text() string {
	if b.overflow || len(b.list) == 0 {
		return ""
	}
	text := []byte{'['}
	for _, block := range b.list {
		if !block.complete() {
			continue
		}
		if len(text) > 1 {
			text = append(text, ',')
		}
		text = block.append(text)
	}
	if text = append(text, ']'); len(text) == 2 || len(text) > maxReplayData || !json.Valid(text) {
		return ""
	}
	return string(text)
}

func (b block) append(text []byte) []byte {
	text = append(text, '{')
	for i, m := range b {
		if i > 0 {
			text = append(text, ',')
		}
		text = append(jsonscan.AppendQuoted(text, m.name), ':')
		if m.grow {
			text = jsonscan.AppendQuoted(text, string(m.text))
		} else {
			text = append(text, m.raw...)
		}
	}
	return append(text, '}')
}

// cleanBlocks applies clean to the texts of blocks; "" when none is left.
func cleanBlocks(array string, clean func(string) string) string {
	var kept blocks
	s := jsonscan.New([]byte(array))
	s.Array(func(int) {
		if s.Peek() != '{' {
			s.Skip()
			return
		}
		read := readBlock(&s)
		altered := false
		for i := range read {
			if opaque[read[i].name] {
				continue
			}
			said := read.string(read[i].name)
			if safe := clean(said); safe != said {
				read[i], altered = member{name: read[i].name, text: []byte(safe), grow: true}, true
			}
		}
		if !altered || !read.sealed() {
			kept.list = append(kept.list, read)
		}
	})
	return kept.text()
}
