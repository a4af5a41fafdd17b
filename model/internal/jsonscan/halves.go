package jsonscan

import (
	"bytes"
	"slices"
	"unicode/utf16"
	"unicode/utf8"
)

// Halves joins characters whose parts are in different pieces of a text: surrogates, and the bytes of one character.
type Halves struct {
	held []byte // the beginning of a character, at the end of the piece before
}

// Join returns the next piece as valid UTF-8. It holds the beginning of a character at the end back, and replaces parts
// without the others by U+FFFD.
func (h *Halves) Join(piece []byte) []byte {
	if len(h.held) == 0 && utf8.Valid(piece) || len(piece) == 0 {
		return piece
	}
	text := slices.Concat(h.held, piece)
	h.held = nil
	joined := make([]byte, 0, len(text)+utf8.UTFMax)
	for len(text) > 0 {
		if high, n := halfAt(text); n > 0 {
			if len(text) == n && high < 0xDC00 {
				break
			}
			low, more := halfAt(text[n:])
			pair := utf16.DecodeRune(high, low)
			if pair == utf8.RuneError {
				more = 0
			}
			joined, text = utf8.AppendRune(joined, pair), text[n+more:]
			continue
		}
		if !utf8.FullRune(text) {
			break
		}
		r, n := utf8.DecodeRune(text)
		joined, text = utf8.AppendRune(joined, r), text[n:]
	}
	h.held = text
	return joined
}

// End returns what was held back, at the end of a text.
func (h *Halves) End() []byte {
	lost := len(h.held)
	if _, n := halfAt(h.held); n > 0 {
		lost = 1
	}
	h.held = nil
	return bytes.Repeat([]byte("\uFFFD"), lost)
}

// halfAt decodes a surrogate at the beginning of text; n is 0 for anything else.
func halfAt(text []byte) (r rune, n int) {
	if len(text) < 3 || text[0] != 0xED || text[1] < 0xA0 || text[1] > 0xBF || text[2]&0xC0 != 0x80 {
		return 0, 0
	}
	return 0xD000 | rune(text[1]&0x3F)<<6 | rune(text[2]&0x3F), 3
}
