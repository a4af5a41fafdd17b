package tool

import (
	"strings"
	"unicode"
)

// Humanize converts a camel-case name to words: "List systems" for listSystems. Abbreviations stay in capitals.
func Humanize(name string) string {
	var spaced strings.Builder
	previous := ' '
	for i, r := range name {
		switch {
		case i == 0:
			r = unicode.ToUpper(r)
		case unicode.IsUpper(r) && unicode.IsLower(previous):
			spaced.WriteByte(' ')
		}
		previous = r
		spaced.WriteRune(r)
	}
	words := strings.Split(spaced.String(), " ")
	for i, word := range words {
		if i > 0 && word != strings.ToUpper(word) {
			words[i] = strings.ToLower(word)
		}
	}
	return strings.Join(words, " ")
}
