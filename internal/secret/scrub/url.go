package scrub

import (
	"slices"
	"strings"
)

// urlState follows a URL to where its password may stand: scheme://user:password@host.
type urlState int8

const (
	outside urlState = iota
	afterColon
	afterSlash
	inUser
	atPassword
)

// next is the state after c. word says whether c came directly after a letter or digit.
func (u urlState) next(c byte, word bool) urlState {
	switch {
	case u == inUser && c == ':':
		return atPassword
	case u == inUser && isUser(c):
		return inUser
	case u == afterSlash && c == '/':
		return inUser
	case u == afterColon && c == '/':
		return afterSlash
	case c == ':' && word:
		return afterColon
	}
	return outside
}

func isUser(c byte) bool {
	switch c {
	case '/', '?', '#', '@', '[', ',', ';', '(', ')', '{', '|':
		return false
	}
	return classes[c]&endsValue == 0 && c < 0x80
}

// maxURLPassword is the length after which something without a space or a quote must be a password.
const maxURLPassword = 512

// urlPassword looks for a password, which ends at the last "@" before the host.
func urlPassword(t string, end bool) finding {
	at := -1
	for i := range maxURLPassword {
		if i == len(t) && !end {
			return unknown
		}
		if i == len(t) || classes[t[i]]&endsValue != 0 {
			return upTo(t, at)
		}
		switch t[i] {
		case '@':
			at = i
		case '/', '?', '#':
			if at >= 0 || i <= 5 && every(t[:i], isDigit) {
				return upTo(t, at)
			}
		}
	}
	if at >= 0 || strings.Contains(t[:maxURLPassword], Marker) {
		return upTo(t, at)
	}
	return found(0, maxURLPassword, plainValue)
}

func upTo(t string, at int) finding {
	if at <= 0 || strings.Contains(t[:at], Marker) || isPlaceholder(t[:at]) ||
		slices.Contains([]string{"password", "passwd", "pass", "pwd", "secret"}, t[:at]) {
		return nothing
	}
	return found(0, at, none)
}
