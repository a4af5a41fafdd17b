package tool

import (
	"encoding/json"
	"fmt"
	"maps"
	"slices"
	"strings"
	"unicode"
)

// ArgumentsText formats the arguments of a call as the end of a sentence: ", with order 7". Long values are cut; the card
// shows them in full.
func ArgumentsText(args map[string]json.RawMessage) string {
	const mostArgs, mostText = 8, 60
	var words []string
	for _, name := range slices.Sorted(maps.Keys(args)) {
		if len(words) == mostArgs {
			words = append(words, fmt.Sprintf("and %d more", len(args)-mostArgs))
			break
		}
		text := string(args[name])
		if runes := []rune(text); len(runes) > mostText {
			text = string(runes[:mostText]) + "…"
		}
		words = append(words, name+" "+text)
	}
	if len(words) == 0 {
		return ", without arguments"
	}
	return ", with " + strings.Join(words, ", ")
}

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
