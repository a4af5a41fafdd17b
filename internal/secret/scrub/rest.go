package scrub

import "strings"

// remainder is how a credential goes on that is known to be one before its end has arrived.
type remainder int8

const (
	none remainder = iota
	// base64url: letters, digits, "-" and "_".
	base64url
	// dotted: the same and dots.
	dotted
	// bearerChars are those of RFC 6750.
	bearerChars
	// plainValue goes on to a space or a quote.
	plainValue
	// quotedValue goes on to the quote that closes it, or the end of the line.
	quotedValue
	// privateKey goes on to its END line, or to what cannot be part of a key.
	privateKey
)

// quoted is the state within a quoted value.
type quoted struct {
	mark byte
	// depth is how many backslashes stand before the quotes: 0, 1, 3, ... with each level of encoding.
	depth int
	run   int
}

// closes reports whether a quote with run backslashes before it ends the value. An escaped one has more of them.
func (q quoted) closes(run int) bool {
	return run < q.depth || run%(2*(q.depth+1)) == q.depth
}

// skip swallows more of a credential and reports how much. waits says that it cannot go on before more text arrives.
func (s *scanner) skip(t string, end bool) (n int, waits bool) {
	switch s.rest {
	case quotedValue:
		return s.skipQuoted(t)
	case privateKey:
		return s.skipPrivateKey(t, end)
	}
	for n < len(t) && s.rest.has(t[n]) {
		n++
	}
	if n < len(t) {
		s.rest = none
	}
	return n, false
}

func (r remainder) has(c byte) bool {
	class := classes[c]
	switch r {
	case base64url:
		return class&isBase64URL != 0
	case dotted:
		return class&isWord != 0
	case bearerChars:
		return isBearer(c)
	default:
		return class&endsValue == 0
	}
}

func isBearer(c byte) bool {
	return classes[c]&isWord != 0 || c == '~' || c == '+' || c == '/' || c == '='
}

func (s *scanner) skipQuoted(t string) (n int, waits bool) {
	for ; n < len(t); n++ {
		switch c := t[n]; {
		case c == '\n', c == s.quote.mark && s.quote.closes(s.quote.run):
			s.rest = none
			return n, false
		case c == '\\':
			s.quote.run++
		default:
			s.quote.run = 0
		}
	}
	return n, false
}

const (
	pemBegin = "-----BEGIN "
	pemEnd   = "-----END "
	pemDash  = "-----"
)

// maxPEMLabel bounds what stands between the dashes of a BEGIN or END line.
const maxPEMLabel = 64

func (s *scanner) skipPrivateKey(t string, end bool) (n int, waits bool) {
	for ; n < len(t); n++ {
		c := t[n]
		if c == '-' {
			length, known := pemLine(t[n:], pemEnd, end)
			if !known {
				return n, true
			}
			if length > 0 {
				s.rest = none
				return n + length, false
			}
			continue
		}
		if c == '\\' && n+1 == len(t) && !end {
			return n, true
		}
		// An escaped quote belongs to what surrounds the key.
		if !isPEM(c) || c == '\\' && n+1 < len(t) && (t[n+1] == '"' || t[n+1] == '\'') {
			break
		}
	}
	if n < len(t) {
		s.rest = none
	}
	return n, false
}

func isPEM(c byte) bool {
	return classes[c]&isAlnum != 0 || strings.IndexByte("+/= \t\r\n\\:,-", c) >= 0
}

// pemLine is the length of a line such as -----END PRIVATE KEY----- at the start of t, 0 when there is none.
func pemLine(t, prefix string, end bool) (length int, known bool) {
	switch p := startsWith(t, prefix, end); p {
	case no:
		return 0, true
	case more:
		return 0, false
	}
	for i := len(prefix); i < len(prefix)+maxPEMLabel; i++ {
		if i == len(t) {
			return 0, end
		}
		c := t[i]
		if c == '-' {
			switch startsWith(t[i:], pemDash, end) {
			case yes:
				return i + len(pemDash), true
			case more:
				return 0, false
			}
			return 0, true
		}
		if c != ' ' && classes[c]&(isDigit|isUpper) == 0 {
			return 0, true
		}
	}
	return 0, true
}

// startsWith is like strings.HasPrefix for a text that may go on.
func startsWith(t, prefix string, end bool) verdict {
	switch {
	case len(t) >= len(prefix):
		if t[:len(prefix)] == prefix {
			return yes
		}
	case !end && prefix[:len(t)] == t:
		return more
	}
	return no
}
