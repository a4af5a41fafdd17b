package jsonscan

import (
	"bytes"
	"unicode/utf16"
	"unicode/utf8"
)

// Halves joins surrogates whose halves are in different pieces of a text.
type Halves struct {
	high rune // the first half, at the end of the piece before; 0 for none
}

// surrogateLead is the first byte of a surrogate that [Scanner.AppendPiece] has left as it is, and of some letters.
const surrogateLead = 0xED

// Join returns the next piece as valid UTF-8. It holds a first half at the end back, and replaces halves without
// the other one by U+FFFD.
func (h *Halves) Join(piece []byte) []byte {
	if h.high == 0 && bytes.IndexByte(piece, surrogateLead) < 0 || len(piece) == 0 {
		return piece
	}
	joined := make([]byte, 0, len(piece)+utf8.UTFMax)
	for len(piece) > 0 {
		r, n := halfAt(piece)
		if n == 0 {
			joined = h.flush(joined)
			r, n = utf8.DecodeRune(piece)
			joined = utf8.AppendRune(joined, r)
		} else if pair := utf16.DecodeRune(h.high, r); h.high != 0 && pair != utf8.RuneError {
			h.high, joined = 0, utf8.AppendRune(joined, pair)
		} else {
			joined = h.flush(joined)
			h.high = r
		}
		piece = piece[n:]
	}
	return joined
}

// End returns what was held back, at the end of a text.
func (h *Halves) End() []byte { return h.flush(nil) }

func (h *Halves) flush(dst []byte) []byte {
	if h.high == 0 {
		return dst
	}
	h.high = 0
	return utf8.AppendRune(dst, utf8.RuneError)
}

// halfAt decodes a surrogate at the beginning of text; n is 0 for anything else.
func halfAt(text []byte) (r rune, n int) {
	if len(text) < 3 || text[0] != surrogateLead || text[1] < 0xA0 {
		return 0, 0
	}
	return 0xD000 | rune(text[1]&0x3F)<<6 | rune(text[2]&0x3F), 3
}
