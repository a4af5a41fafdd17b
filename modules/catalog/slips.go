package catalog

import (
	"strings"
	"unicode/utf8"
)

// Of how many letters a word is that may be a slip of another, as the function catalog_slips of the database says.
const (
	shortestSlip = 4
	longestSlip  = 30
	// mostSlips is how many words of a search may be slips; a search with more of them is about something else than names.
	mostSlips = 3
)

// slips are the words of a folded text that may be slips, each as itself and without any one of its letters, and the other
// words and numbers.
func slips(folded string) (each [][]string, other []string) {
	other = strings.FieldsFunc(folded, func(r rune) bool { return r < '0' || r > '9' })
	for _, word := range strings.FieldsFunc(folded, func(r rune) bool { return r < utf8.RuneSelf && (r < 'a' || r > 'z') }) {
		letters := []rune(word)
		if len(letters) < shortestSlip || len(letters) > longestSlip {
			other = append(other, word)
			continue
		}
		list := []string{word}
		for i := range letters {
			list = append(list, string(letters[:i])+string(letters[i+1:]))
		}
		each = append(each, list)
	}
	return each, other
}
