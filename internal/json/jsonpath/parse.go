package jsonpath

import (
	"fmt"
	"strconv"
	"strings"
	"unicode/utf8"
)

// SyntaxError is that a text is no path. At is the character, from 1, at which it stops being one.
type SyntaxError struct {
	At   int
	What string
}

func (e *SyntaxError) Error() string { return fmt.Sprintf("%s at character %d", e.What, e.At) }

// parser reads a path. It panics with a *SyntaxError.
type parser struct {
	text  string
	at    int
	depth int
}

// Parse reads a path. The error is a *SyntaxError.
func Parse(text string) (p *Path, err error) {
	if len(text) > MaxLength || !utf8.ValidString(text) {
		return nil, &SyntaxError{1, fmt.Sprintf("a path is valid UTF-8 of at most %d bytes, which is not so", MaxLength)}
	}
	r := &parser{text: text}
	defer func() {
		if cause := recover(); cause != nil {
			wrong, ok := cause.(*SyntaxError)
			if !ok {
				panic(cause)
			}
			p, err = nil, wrong
		}
	}()
	if !r.take("$") {
		r.fail("a path begins with $, not with what stands")
	}
	segments := r.segments()
	if r.at < len(text) {
		r.fail("unexpected text")
	}
	return &Path{segments, text}, nil
}

func (r *parser) fail(what string) {
	panic(&SyntaxError{utf8.RuneCountInString(r.text[:min(r.at, len(r.text))]) + 1, what})
}

func (r *parser) rest() string { return r.text[r.at:] }

func (r *parser) peek() byte {
	if r.at < len(r.text) {
		return r.text[r.at]
	}
	return 0
}

func (r *parser) take(what string) bool {
	if !strings.HasPrefix(r.rest(), what) {
		return false
	}
	r.at += len(what)
	return true
}

func (r *parser) expect(what string) {
	if !r.take(what) {
		r.fail(what + " is missing")
	}
}

func (r *parser) space() {
	for r.at < len(r.text) && strings.IndexByte(" \t\n\r", r.text[r.at]) >= 0 {
		r.at++
	}
}

// nest guards against a path that is nested without end.
func (r *parser) nest() func() {
	if r.depth++; r.depth > maxNesting {
		r.fail("it is nested too deep")
	}
	return func() { r.depth-- }
}

func (r *parser) segments() []segment {
	var all []segment
	for {
		before := r.at
		r.space()
		switch {
		case r.take(".."):
			if r.peek() == '[' {
				all = append(all, segment{true, r.bracketed()})
			} else {
				all = append(all, segment{true, []selector{r.shorthand()}})
			}
		case r.take("."):
			all = append(all, segment{false, []selector{r.shorthand()}})
		case r.peek() == '[':
			all = append(all, segment{false, r.bracketed()})
		default:
			r.at = before
			return all
		}
	}
}

// shorthand parses the member name after a dot.
func (r *parser) shorthand() selector {
	if r.take("*") {
		return wildcardSelector{}
	}
	start := r.at
	for r.at < len(r.text) {
		c, size := utf8.DecodeRuneInString(r.rest())
		letter := c >= 'a' && c <= 'z' || c >= 'A' && c <= 'Z' || c == '_' || c >= utf8.RuneSelf
		digit := c >= '0' && c <= '9'
		if !letter && (!digit || r.at == start) {
			break
		}
		r.at += size
	}
	if r.at == start {
		r.fail("a name or * is missing after the dot")
	}
	return nameSelector(r.text[start:r.at])
}

func (r *parser) bracketed() []selector {
	defer r.nest()()
	r.expect("[")
	var all []selector
	for {
		r.space()
		all = append(all, r.selector())
		r.space()
		if r.take("]") {
			return all
		}
		if !r.take(",") {
			r.fail("] is missing")
		}
	}
}

func (r *parser) selector() selector {
	switch c := r.peek(); {
	case c == '\'' || c == '"':
		return nameSelector(r.quoted())
	case c == '*':
		r.at++
		return wildcardSelector{}
	case c == '?':
		r.at++
		r.space()
		return filterSelector{r.or()}
	case c == ':' || c == '-' || c >= '0' && c <= '9':
		return r.indexOrSlice()
	default:
		r.fail("a name in quotes, a number, * or a filter is missing")
		return nil
	}
}

func (r *parser) indexOrSlice() selector {
	var s sliceSelector
	if r.peek() != ':' {
		s.start = new(r.integer())
		before := r.at
		r.space()
		if r.peek() != ':' {
			r.at = before
			return indexSelector(*s.start)
		}
	}
	r.expect(":")
	r.space()
	if c := r.peek(); c == '-' || c >= '0' && c <= '9' {
		s.end = new(r.integer())
		r.space()
	}
	if r.take(":") {
		r.space()
		if c := r.peek(); c == '-' || c >= '0' && c <= '9' {
			s.step = new(r.integer())
		}
	}
	return s
}

// maxInteger is the largest one that every reader of JSON knows exactly.
const maxInteger = 1<<53 - 1

func (r *parser) integer() int64 {
	start := r.at
	r.take("-")
	digits := r.at
	for c := r.peek(); c >= '0' && c <= '9'; c = r.peek() {
		r.at++
	}
	text := r.text[start:r.at]
	n, err := strconv.ParseInt(text, 10, 64)
	if err != nil || r.text[digits] == '0' && len(text) > 1 || n > maxInteger || n < -maxInteger {
		r.at = start
		r.fail("the number is no index")
	}
	return n
}

// quoted is a text in single or double quotes.
func (r *parser) quoted() string {
	quote := r.text[r.at]
	r.at++
	var b strings.Builder
	for {
		if r.at >= len(r.text) {
			r.fail("a quote is missing")
		}
		c := r.text[r.at]
		switch {
		case c == quote:
			r.at++
			return b.String()
		case c < ' ':
			r.fail("a control character has to be escaped")
		case c == '\\':
			r.at++
			b.WriteRune(r.escaped(quote))
		default:
			b.WriteByte(c)
			r.at++
		}
	}
}

func (r *parser) escaped(quote byte) rune {
	c := r.peek()
	r.at++
	switch c {
	case quote, '\\', '/':
		return rune(c)
	case 'b':
		return '\b'
	case 'f':
		return '\f'
	case 'n':
		return '\n'
	case 'r':
		return '\r'
	case 't':
		return '\t'
	case 'u':
		high := r.hex()
		switch {
		case high >= 0xDC00 && high <= 0xDFFF:
			r.fail("half of a surrogate pair stands alone")
		case high >= 0xD800 && high <= 0xDBFF:
			if !r.take(`\u`) {
				r.fail("half of a surrogate pair stands alone")
			}
			low := r.hex()
			if low < 0xDC00 || low > 0xDFFF {
				r.fail("half of a surrogate pair stands alone")
			}
			return (high-0xD800)<<10 + (low - 0xDC00) + 0x10000
		}
		return high
	default:
		r.at--
		r.fail("an escape is not known")
		return 0
	}
}

func (r *parser) hex() rune {
	if r.at+4 > len(r.text) {
		r.fail(`\u needs four digits`)
	}
	n, err := strconv.ParseUint(r.text[r.at:r.at+4], 16, 16)
	if err != nil {
		r.fail(`\u needs four digits`)
	}
	r.at += 4
	return rune(n)
}
