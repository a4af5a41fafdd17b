package scrub

import "strings"

// verdict answers whether a credential begins at a place.
type verdict int8

const (
	no verdict = iota
	// more: the text that has arrived does not tell. It is never the answer at the end of the text.
	more
	yes
)

// finding is the answer for a place. The bytes before start stay, those from start to end are the credential.
type finding struct {
	verdict verdict
	start   int
	end     int
	// rest says how the credential goes on after end.
	rest remainder
}

var (
	nothing = finding{}
	unknown = finding{verdict: more}
)

func found(start, end int, rest remainder) finding {
	return finding{verdict: yes, start: start, end: end, rest: rest}
}

// scanner reads text from left to right. Its state depends on what it has read and on nothing else.
type scanner struct {
	// inside is set within a word in which no credential can begin: after a letter or digit.
	inside bool
	// key holds the last words, of which an assignment may follow; word is the length of the last one.
	key   [64]byte
	n     int
	word  int
	tag   bool // the last word came directly after "<"
	last  byte
	url   urlState
	rest  remainder
	quote quoted
	nest  nest

	// safe is how much of the text that scan returns may be passed on.
	safe int
}

// scan writes what it has decided on to out, once there is a credential. It returns the text after the last credential,
// of which safe bytes are decided, all of them at the end.
func (s *scanner) scan(text string, end bool, out *strings.Builder) (rest string) {
	i, from := 0, 0
	for i < len(text) {
		if s.rest != none {
			n, waits := s.skip(text[i:], end)
			i += n
			from = i
			if waits {
				break
			}
			continue
		}
		f := s.look(text[i:], end)
		if f.verdict == more {
			break
		}
		if f.verdict == yes {
			out.WriteString(text[from : i+f.start])
			out.WriteString(Marker)
			i += f.end
			from = i
			s.passMarker()
			s.rest = f.rest
			continue
		}
		n := s.consume(text[i:], end)
		if n == 0 {
			break
		}
		i += n
	}
	s.safe = i - from
	return text[from:]
}

// look checks whether a credential of any kind begins here.
func (s *scanner) look(t string, end bool) finding {
	c := t[0]
	if s.url == atPassword {
		if f := urlPassword(t, end); f.verdict != no {
			return f
		}
	}
	class := classes[c]
	// The user of a URL is no key, whatever its name.
	if s.word > 0 && class&endsKey != 0 && s.url != inUser {
		if f := s.assignment(t, end); f.verdict != no {
			return f
		}
	}
	if s.nest.depth > 0 && class&endsKey != 0 {
		if f := s.element(t, end); f.verdict != no {
			return f
		}
	}
	if c == ':' && s.inside && s.url != inUser {
		if f := s.afterColon(t, end); f.verdict != no {
			return f
		}
	}
	if class&startsToken != 0 && (!s.inside || c == pemStart) {
		return token(t, end, s.last == '/')
	}
	return nothing
}

// consume reads one byte, or an escape sequence as it stands in encoded strings: what follows "\n" there begins a word.
func (s *scanner) consume(t string, end bool) int {
	c := t[0]
	if c == '\\' {
		n := escape(t, end)
		if n > 0 {
			if n == 1 { // what is longer stands for a space
				s.nest.pass(c)
			}
			s.n, s.word, s.inside, s.tag, s.last = 0, 0, false, false, c
			if s.url != afterColon && s.url != afterSlash {
				s.url = outside
			}
		}
		return n
	}
	s.nest.pass(c)
	class := classes[c]
	switch {
	case class&isWord != 0:
		if s.word == 0 {
			s.tag = s.last == '<'
		}
		s.keep(c)
		s.word++
	case c == ' ' && s.word > 0:
		s.keep(c)
		s.word = 0
	default:
		s.n, s.word = 0, 0
	}
	s.url = s.url.next(c, s.inside)
	s.inside = class&isAlnum != 0
	s.last = c
	return 1
}

func (s *scanner) keep(c byte) {
	if s.n == len(s.key) {
		s.n = copy(s.key[:], s.key[len(s.key)/2:])
	}
	s.key[s.n] = c
	s.n++
}

// passMarker sets the state as if the marker had been read.
func (s *scanner) passMarker() {
	s.n, s.word, s.inside, s.tag, s.last, s.url = 0, 0, false, false, ']', outside
	s.nest.opens, s.nest.after = noKey, ']'
}

// escape is the length of the escape sequence at the start of t, 0 when that is not known yet.
func escape(t string, end bool) int {
	if len(t) < 2 {
		if end {
			return 1
		}
		return 0
	}
	switch t[1] {
	case 'n', 'r', 't', 'b', 'f':
		return 2
	case 'u':
		for i := 2; i < 6; i++ {
			if i == len(t) {
				if end {
					return 1
				}
				return 0
			}
			if !isHex(t[i]) {
				return 1
			}
		}
		return 6
	}
	return 1
}

func isHex(c byte) bool {
	return '0' <= c && c <= '9' || 'a' <= c && c <= 'f' || 'A' <= c && c <= 'F'
}

// Classes of bytes.
const (
	isAlnum uint8 = 1 << iota
	isWord
	isBase64URL
	startsToken
	// endsKey: what may stand between a key and its value.
	endsKey
	// endsValue: no value without quotes goes on after it.
	endsValue
	isDigit
	isUpper
)

var classes = makeClasses()

func makeClasses() (table [256]uint8) {
	for c := range 256 {
		b := byte(c)
		switch {
		case '0' <= b && b <= '9':
			table[c] |= isAlnum | isWord | isBase64URL | isDigit
		case 'A' <= b && b <= 'Z':
			table[c] |= isAlnum | isWord | isBase64URL | isUpper
		case 'a' <= b && b <= 'z':
			table[c] |= isAlnum | isWord | isBase64URL
		case b == '_' || b == '-':
			table[c] |= isWord | isBase64URL
		case b == '.':
			table[c] |= isWord
		}
	}
	for _, c := range []byte("\"'`\\ \t=:>*]") {
		table[c] |= endsKey
	}
	for _, c := range []byte("\"'`\\ \t\r\n<>") {
		table[c] |= endsValue
	}
	for c := range tokenKinds {
		table[c] |= startsToken
	}
	return table
}

// every reports whether all bytes of text have the class.
func every(text string, class uint8) bool {
	for i := range len(text) {
		if classes[text[i]]&class == 0 {
			return false
		}
	}
	return true
}

// some reports whether a byte of text has the class.
func some(text string, class uint8) bool {
	for i := range len(text) {
		if classes[text[i]]&class != 0 {
			return true
		}
	}
	return false
}
