package scrub

import (
	"bytes"
	"strings"
)

const (
	// maxGap bounds the spaces around a separator.
	maxGap = 64
	// maxPlain and maxQuoted are the lengths after which a value is judged by its beginning.
	maxPlain  = 512
	maxQuoted = 4096
	// maxPair bounds how far a separator is looked for after a character that may end a value.
	maxPair = 40
)

// assignment finds a value that is assigned to the last words, at the end of a word: key: "value", KEY=value,
// \"key\":\"value\", --key value, Bearer value, <key>value</key>.
func (s *scanner) assignment(t string, end bool) finding {
	if s.word > maxKey {
		return nothing
	}
	r := reader{t: t, end: end, bare: s.bare()}
	a, ok := r.separator()
	if !ok && !r.short {
		return nothing
	}
	// Most words are followed by a space and another word.
	if ok && a.between == gap && !r.bare.option && !s.isScheme() {
		return nothing
	}
	kind := kindOf(string(s.key[:s.n]))
	if kind == noKey && s.nest.depth > 0 {
		name := string(s.key[:s.n])
		return s.part(&r, a, s.nest.member(name[strings.LastIndexByte(name, ' ')+1:]))
	}
	if kind == noKey {
		return nothing
	}
	if kind == opaque && s.nest.depth > 0 {
		// Within a cookie header, the name is that of a cookie.
		inner := r
		if f := s.part(&inner, a, s.nest.around()); f != nothing {
			return f
		}
	}
	if r.short {
		return unknown
	}
	if a.between == tagEnd && !s.tag {
		return nothing
	}
	if a.between != gap && kind == basic {
		return nothing
	}
	return s.value(&r, a, kind)
}

// part judges the value of a member that has no telling name, within an object that was given to a credential's name.
func (s *scanner) part(r *reader, a given, within keyKind) finding {
	switch {
	case within == noKey:
		return nothing
	case r.short:
		return unknown
	case !a.quotedKey || a.between != ':':
		return nothing
	}
	q, ok := r.quoteMark()
	switch {
	case r.short:
		return unknown
	case !ok:
		return nothing
	}
	return s.quotedValue(r, q, func(value string) bool { return isPart(within, value) })
}

// isScheme reports whether the last word is one that a credential follows after a space.
func (s *scanner) isScheme() bool {
	name := s.key[:s.n]
	return len(name) >= 5 &&
		(bytes.EqualFold(name[len(name)-5:], []byte("basic")) || len(name) >= 6 && bytes.EqualFold(name[len(name)-6:], []byte("bearer")))
}

func (s *scanner) bare() bareness {
	name := string(s.key[:s.n])
	name = name[strings.LastIndexByte(name, ' ')+1:]
	return bareness{option: strings.HasPrefix(name, "-")}
}

type bareness struct{ option bool }

// Separators.
const (
	gap    byte = ' '
	tagEnd byte = '>'
)

// given is the separator between a key and its value.
type given struct {
	between byte
	// quotedKey: the key stands in quotes. spaced: there are spaces around the separator.
	quotedKey, spaced bool
}

// reader reads on from the end of a key. short is set when the text that has arrived is not enough.
type reader struct {
	t     string
	i     int
	end   bool
	short bool
	bare  bareness
}

// peek is the next byte, 0 at the end of the text.
func (r *reader) peek() byte {
	if r.i < len(r.t) {
		return r.t[r.i]
	}
	if !r.end {
		r.short = true
	}
	return 0
}

func (r *reader) spaces() bool {
	from := r.i
	for r.i < from+maxGap && (r.peek() == ' ' || r.peek() == '\t') {
		r.i++
	}
	return r.i > from
}

func (r *reader) stars() {
	for n := 0; n < 2 && r.peek() == '*'; n++ {
		r.i++
	}
}

// quoteMark reads a quote and the backslashes before it.
func (r *reader) quoteMark() (q quoted, ok bool) {
	from := r.i
	for r.i < from+maxGap*2 && r.peek() == '\\' {
		r.i++
	}
	switch c := r.peek(); c {
	case '"', '\'', '`':
		r.i++
		return quoted{mark: c, depth: r.i - 1 - from}, true
	}
	r.i = from
	return q, false
}

func (r *reader) separator() (a given, ok bool) {
	_, a.quotedKey = r.quoteMark()
	if r.short {
		return a, false
	}
	if r.peek() == ']' {
		r.i++
	}
	r.stars()
	a.spaced = r.spaces()
	switch c := r.peek(); c {
	case tagEnd:
		r.i++
		return given{between: tagEnd}, !a.spaced && !a.quotedKey && r.i == 1
	case ':', '=':
		a.between = c
		r.i++
		switch next := r.peek(); {
		case c == '=' && next == '=', c == ':' && next != 0 && strings.IndexByte(":?-+", next) >= 0: // ${KEY:-default} is no value
			return a, false
		case c == '=' && next == '>', c == ':' && next == '=':
			r.i++
		}
		r.stars()
		if r.spaces() {
			a.spaced = true
		}
		return a, !r.short
	}
	a.between = gap
	return a, a.spaced && !a.quotedKey && !r.short
}

// value reads the value and judges it.
func (s *scanner) value(r *reader, a given, kind keyKind) finding {
	if a.between == tagEnd {
		return r.element(kind)
	}
	if q, ok := r.quoteMark(); ok && a.between == gap && kind != password {
		return nothing // "Bearer " + token is code
	} else if ok {
		return s.quotedValue(r, q, func(value string) bool { return isQuotedSecret(kind, value, a) })
	}
	if r.short {
		return unknown
	}
	if c := r.peek(); a.quotedKey && (c == '[' || c == '{') && kind.nests() {
		s.nest.opens = kind
		return nothing
	}
	if kind == cookie {
		return r.line()
	}
	n, verdict := r.plain(r.i)
	if verdict == more {
		return unknown
	}
	value := r.t[r.i:n]
	if kind == authorization && isScheme(value) || strings.EqualFold(value, "bearer") {
		r.i = n
		if !r.spaces() {
			if r.short {
				return unknown
			}
			return nothing
		}
		if r.peek(); r.short {
			return unknown
		}
		if n, verdict = r.plain(r.i); verdict == more {
			return unknown
		}
		value, kind = r.t[r.i:n], bearer
	}
	if !isSecret(kind, value, a) {
		return nothing
	}
	if verdict == yes {
		return found(r.i, n, plainValue)
	}
	return found(r.i, r.i+len(strings.TrimRight(value, ".")), none)
}

// plain finds the end of a value without quotes. The verdict is yes when it is too long to look for the end.
func (r *reader) plain(from int) (end int, verdict verdict) {
	for i := from; ; i++ {
		switch {
		case i == len(r.t) && !r.end:
			return i, more
		case i == len(r.t) || classes[r.t[i]]&endsValue != 0:
			return i, no
		case i-from >= maxPlain:
			return i, yes
		case strings.IndexByte(",;&|)]}", r.t[i]) >= 0 && !strings.HasSuffix(r.t[from:i+1], Marker): // the bracket of a marker belongs to it
			switch r.endsAt(i) {
			case yes:
				return i, no
			case more:
				return i, more
			}
		}
	}
}

// endsAt reports whether a character that may be part of a password ends the value: something follows that is no value,
// or the next pair.
func (r *reader) endsAt(i int) verdict {
	for j := i + 1; j < i+maxPair; j++ {
		if j == len(r.t) {
			if r.end {
				return yes
			}
			return more
		}
		c := r.t[j]
		switch {
		case classes[c]&isWord != 0:
		case c == '=' || c == ':':
			return yes
		case j > i+1:
			return no
		case classes[c]&endsValue != 0 || strings.IndexByte(",;&|)]}", c) >= 0:
			return yes
		default:
			return no
		}
	}
	return no
}

// line takes the pairs of a cookie header.
func (r *reader) line() finding {
	for i := r.i; ; i++ {
		switch {
		case i == len(r.t) && !r.end:
			return unknown
		case i == len(r.t) || strings.IndexByte("\r\n\"'`\\<>", r.t[i]) >= 0 || i-r.i >= maxQuoted:
			if isSecret(cookie, strings.TrimSpace(r.t[r.i:i]), given{}) {
				return found(r.i, i, plainValue)
			}
			return nothing
		}
	}
}

// element takes the text of an XML element.
func (r *reader) element(kind keyKind) finding {
	for i := r.i; i < r.i+maxPlain; i++ {
		switch {
		case i == len(r.t) && !r.end:
			return unknown
		case i == len(r.t) || r.t[i] == '\n' || r.t[i] == '"':
			return nothing
		case r.t[i] == '<':
			if i+1 == len(r.t) && !r.end {
				return unknown
			}
			if strings.HasPrefix(r.t[i:], "</") && isSecret(kind, r.t[r.i:i], given{quotedKey: true, between: '='}) {
				return found(r.i, i, none)
			}
			return nothing
		}
	}
	return nothing
}

// quotedValue reads to the closing quote and asks isSecret about what it has read.
func (s *scanner) quotedValue(r *reader, q quoted, isSecret func(string) bool) finding {
	run := 0
	for i := r.i; ; i++ {
		if i == len(r.t) && !r.end {
			if i-r.i < maxQuoted {
				return unknown
			}
		}
		atEnd := i == len(r.t) || r.t[i] == '\n' || r.t[i] == q.mark && q.closes(run)
		switch {
		case atEnd:
			last := i
			if i < len(r.t) && r.t[i] == q.mark {
				last -= min(run, q.depth)
			}
			if isSecret(r.t[r.i:last]) {
				return found(r.i, last, none)
			}
			return nothing
		case i-r.i >= maxQuoted:
			if !isSecret(r.t[r.i:i]) {
				return nothing
			}
			q.run = run
			s.quote = q
			return found(r.i, i, quotedValue)
		case r.t[i] == '\\':
			run++
		default:
			run = 0
		}
	}
}
