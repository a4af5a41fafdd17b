// Package search is the kit of searches in memory: words and their stems, phrases with synonyms, typo tolerance, the parts
// of BM25 and excerpts. Searches in PostgreSQL use its words and its typo tolerance
// (docs/decisions/080-one-text-search-kit.md).
package search

import (
	"strings"
	"unicode"
	"unicode/utf8"

	"github.com/blevesearch/snowballstem"
	"github.com/blevesearch/snowballstem/english"
)

// InWord reports whether a character is part of a word: a letter, a digit or a mark on one.
func InWord(r rune) bool { return unicode.IsLetter(r) || unicode.IsDigit(r) || unicode.IsMark(r) }

// Words are the words of a text, in small letters.
func Words(text string) []string {
	return strings.FieldsFunc(strings.ToLower(text), func(r rune) bool { return !InWord(r) })
}

// Token is a word of a text in small letters and where it stands.
type Token struct {
	Lower    string
	From, To int
}

// Tokens are the words of a text that have two characters at least, in order. A word in camel case counts as a whole and
// then in its parts, so that "probe url" finds ai.probeUrl.
func Tokens(text string) []Token {
	var tokens []Token
	start := -1
	for i, r := range text {
		switch {
		case InWord(r) && start < 0:
			start = i
		case !InWord(r) && start >= 0:
			tokens, start = appendWord(tokens, text, start, i), -1
		}
	}
	if start >= 0 {
		tokens = appendWord(tokens, text, start, len(text))
	}
	return tokens
}

func appendWord(tokens []Token, text string, from, to int) []Token {
	tokens = appendToken(tokens, text, from, to)
	part := from
	var last rune
	for i, r := range text[from:to] {
		if i > 0 && unicode.IsUpper(r) && unicode.IsLower(last) {
			tokens = appendToken(tokens, text, part, from+i)
			part = from + i
		}
		last = r
	}
	if part > from {
		tokens = appendToken(tokens, text, part, to)
	}
	return tokens
}

func appendToken(tokens []Token, text string, from, to int) []Token {
	lower := strings.ToLower(text[from:to])
	if utf8.RuneCountInString(lower) < 2 {
		return tokens
	}
	return append(tokens, Token{lower, from, to})
}

// Parts are the tokens of which none is a part of another: a word in camel case counts by its parts only.
func Parts(tokens []Token) []Token {
	var parts []Token
	for i, t := range tokens {
		if i+1 < len(tokens) && tokens[i+1].From == t.From && tokens[i+1].To < t.To {
			continue
		}
		parts = append(parts, t)
	}
	return parts
}

// Stem brings the forms of an English word together ("proposals", "proposed", "proposing"). Text in other languages and
// identifiers pass mostly unchanged.
func Stem(lower string) string {
	env := snowballstem.NewEnv(lower)
	english.Stem(env)
	return env.Current()
}
