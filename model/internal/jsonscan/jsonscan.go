// Package jsonscan reads JSON without building values, and writes JSON strings.
//
// A chunk of a model's stream holds a few bytes of text in a few hundred bytes
// of JSON, thousands of times a second, and a request holds the schemas of
// dozens of tools of which only the names may matter. encoding/json spends a
// dozen allocations on each chunk and reads every schema twice.
package jsonscan

import (
	"bytes"
	"strconv"
	"unicode/utf16"
	"unicode/utf8"
)

// Scanner walks over one JSON value. It is lenient about types (a value of an unexpected type reads as empty) and
// strict about structure: Bad becomes true when a scanned part of the text is not JSON.
type Scanner struct {
	data []byte
	pos  int
	bad  bool
}

// New returns a scanner before the value in data. Its results may share memory with data.
func New(data []byte) Scanner { return Scanner{data: data} }

// Bad reports that the text is not JSON.
func (s *Scanner) Bad() bool { return s.bad }

// Peek returns the first byte of the next token, or zero at the end.
func (s *Scanner) Peek() byte {
	for s.pos < len(s.data) {
		switch c := s.data[s.pos]; c {
		case ' ', '\t', '\r', '\n':
			s.pos++
		default:
			return c
		}
	}
	return 0
}

func (s *Scanner) accept(c byte) bool {
	if s.Peek() != c || s.bad {
		return false
	}
	s.pos++
	return true
}

func (s *Scanner) expect(c byte) {
	if !s.accept(c) {
		s.bad = true
	}
}

// AtEnd reports that nothing but white space is left.
func (s *Scanner) AtEnd() bool { return s.Peek() == 0 && s.pos == len(s.data) }

// Object calls field for each key. field has to consume the value.
func (s *Scanner) Object(field func(key []byte)) {
	if s.Peek() != '{' {
		s.Skip()
		return
	}
	s.pos++
	if s.accept('}') {
		return
	}
	for !s.bad {
		key := s.rawString()
		s.expect(':')
		if s.bad {
			return
		}
		field(key)
		if s.accept(',') {
			continue
		}
		s.expect('}')
		return
	}
}

// Array calls element for each element. element has to consume it.
func (s *Scanner) Array(element func(i int)) {
	if s.Peek() != '[' {
		s.Skip()
		return
	}
	s.pos++
	if s.accept(']') {
		return
	}
	for i := 0; !s.bad; i++ {
		element(i)
		if s.accept(',') {
			continue
		}
		s.expect(']')
		return
	}
}

// Raw consumes a value and returns its text.
func (s *Scanner) Raw() []byte {
	s.Peek()
	start := s.pos
	s.Skip()
	if s.bad {
		return nil
	}
	return s.data[start:s.pos]
}

// Skip consumes a value. Nested values are matched by their brackets only.
func (s *Scanner) Skip() {
	depth := 0
	for !s.bad {
		switch c := s.Peek(); c {
		case '{', '[':
			depth++
			s.pos++
		case '}', ']':
			depth--
			s.pos++
		case '"':
			s.rawString()
		case ',', ':':
			if depth == 0 {
				s.bad = true
				return
			}
			s.pos++
		case 0:
			s.bad = true
			return
		default:
			s.literal()
		}
		if depth <= 0 {
			s.bad = s.bad || depth < 0
			return
		}
	}
}

// literal consumes a number, true, false or null.
func (s *Scanner) literal() []byte {
	start := s.pos
	for s.pos < len(s.data) && isLiteral(s.data[s.pos]) {
		s.pos++
	}
	text := s.data[start:s.pos]
	if len(text) == 0 || text[0] >= 'A' && string(text) != "null" && string(text) != "true" && string(text) != "false" {
		s.bad = true
	}
	return text
}

func isLiteral(c byte) bool {
	return c >= '0' && c <= '9' || c >= 'a' && c <= 'z' || c == '-' || c == '+' || c == '.' || c == 'E'
}

// Bool consumes a value and reports whether it is true.
func (s *Scanner) Bool() bool {
	switch s.Peek() {
	case 't', 'f':
		return string(s.literal()) == "true" && !s.bad
	default:
		s.Skip()
		return false
	}
}

// Integer consumes a value and returns it when it is a whole number.
func (s *Scanner) Integer() (int, bool) {
	c := s.Peek()
	if c != '-' && (c < '0' || c > '9') {
		s.Skip()
		return 0, false
	}
	n, err := strconv.Atoi(string(s.literal()))
	return n, err == nil
}

// rawString consumes a string and returns the text between the quotes.
func (s *Scanner) rawString() []byte {
	if s.expect('"'); s.bad {
		return nil
	}
	start := s.pos
	for s.pos < len(s.data) {
		i := bytes.IndexByte(s.data[s.pos:], '"')
		if i < 0 {
			break
		}
		s.pos += i + 1
		end := s.pos - 1
		backslashes := 0
		for j := end - 1; j >= start && s.data[j] == '\\'; j-- {
			backslashes++
		}
		if backslashes%2 == 0 {
			return s.data[start:end]
		}
	}
	s.bad = true
	return nil
}

// AppendString consumes a value and, when it is a string, appends its text to
// dst: unescaped, valid UTF-8 and without NUL, which Postgres cannot store.
func (s *Scanner) AppendString(dst []byte) []byte { return s.appendText(dst, false) }

// AppendPiece is AppendString for a piece of a longer text: a lone surrogate stays as the three bytes of its code point,
// and bytes that are no character stay, as the other part may be in the neighboring piece. [Halves] joins them.
func (s *Scanner) AppendPiece(dst []byte) []byte { return s.appendText(dst, true) }

func (s *Scanner) appendText(dst []byte, halves bool) []byte {
	if s.Peek() != '"' {
		s.Skip()
		return dst
	}
	raw := s.rawString()
	for len(raw) > 0 {
		c := raw[0]
		switch {
		case c == '\\':
			var n int
			dst, n = appendEscape(dst, raw, halves)
			if n == 0 {
				s.bad = true
				return dst
			}
			raw = raw[n:]
		case c == 0:
			raw = raw[1:]
		case c < utf8.RuneSelf:
			n := 1
			for n < len(raw) && raw[n] < utf8.RuneSelf && raw[n] != '\\' && raw[n] != 0 {
				n++
			}
			dst = append(dst, raw[:n]...)
			raw = raw[n:]
		default:
			r, n := utf8.DecodeRune(raw)
			if halves && n == 1 {
				dst = append(dst, c)
			} else {
				dst = utf8.AppendRune(dst, r)
			}
			raw = raw[n:]
		}
	}
	return dst
}

// appendEscape decodes the escape sequence at the beginning of raw and returns its length, zero when there is none.
func appendEscape(dst, raw []byte, halves bool) ([]byte, int) {
	if len(raw) < 2 {
		return dst, 0
	}
	switch raw[1] {
	case '"', '\\', '/':
		return append(dst, raw[1]), 2
	case 'b':
		return append(dst, '\b'), 2
	case 'f':
		return append(dst, '\f'), 2
	case 'n':
		return append(dst, '\n'), 2
	case 'r':
		return append(dst, '\r'), 2
	case 't':
		return append(dst, '\t'), 2
	}
	r, ok := UnicodeEscape(raw)
	if !ok {
		return dst, 0
	}
	if r == 0 {
		return dst, 6
	}
	if utf16.IsSurrogate(r) {
		if low, ok := UnicodeEscape(raw[6:]); ok {
			if pair := utf16.DecodeRune(r, low); pair != utf8.RuneError {
				return utf8.AppendRune(dst, pair), 12
			}
		}
		if halves {
			return append(dst, 0xE0|byte(r>>12), 0x80|byte(r>>6)&0x3F, 0x80|byte(r)&0x3F), 6
		}
		r = utf8.RuneError
	}
	return utf8.AppendRune(dst, r), 6
}

// UnicodeEscape decodes the \uXXXX at the beginning of raw.
func UnicodeEscape(raw []byte) (rune, bool) {
	if len(raw) < 6 || raw[0] != '\\' || raw[1] != 'u' {
		return 0, false
	}
	var r rune
	for _, c := range raw[2:6] {
		switch {
		case c >= '0' && c <= '9':
			r = r<<4 | rune(c-'0')
		case c >= 'a' && c <= 'f':
			r = r<<4 | rune(c-'a'+10)
		case c >= 'A' && c <= 'F':
			r = r<<4 | rune(c-'A'+10)
		default:
			return 0, false
		}
	}
	return r, true
}
