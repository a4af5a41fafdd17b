package expression

import (
	"strings"
	"unicode/utf8"
)

type tokenKind int

const (
	tokenOther tokenKind = iota
	tokenSpace
	tokenWord
	tokenString
)

// token returns the kind and the end of the token of CEL at a place. A string that does not end reaches to the end of the text.
func token(text string, start int) (tokenKind, int) {
	c := text[start]
	switch {
	case c == ' ' || c == '\t' || c == '\n' || c == '\r' || c == '\f':
		return tokenSpace, start + 1
	case c == '"' || c == '\'':
		return tokenString, stringEnd(text, start, false)
	case isLetter(c):
		end := start + 1
		for end < len(text) && (isLetter(text[end]) || text[end] >= '0' && text[end] <= '9') {
			end++
		}
		if end < len(text) && (text[end] == '"' || text[end] == '\'') {
			switch prefix := strings.ToLower(text[start:end]); prefix {
			case "r", "b", "rb", "br":
				return tokenString, stringEnd(text, end, strings.Contains(prefix, "r"))
			}
		}
		return tokenWord, end
	default:
		_, size := utf8.DecodeRuneInString(text[start:])
		return tokenOther, start + size
	}
}

func isLetter(c byte) bool { return c == '_' || c >= 'a' && c <= 'z' || c >= 'A' && c <= 'Z' }

// stringEnd is the end of the string whose opening quote stands at a place.
func stringEnd(text string, start int, raw bool) int {
	quote := text[start : start+1]
	if triple := strings.Repeat(quote, 3); strings.HasPrefix(text[start:], triple) {
		quote = triple
	}
	for i := start + len(quote); i < len(text); i++ {
		switch {
		case text[i] == '\\' && !raw:
			i++
		case strings.HasPrefix(text[i:], quote):
			return i + len(quote)
		}
	}
	return len(text)
}

// next is the byte offset of the next character.
func next(text string, offset int) int {
	if offset >= len(text) {
		return len(text)
	}
	_, size := utf8.DecodeRuneInString(text[offset:])
	return offset + size
}
