package catalog

import (
	"strings"
	"unicode/utf8"
)

// Word lengths for typo tolerance, as in the database function catalog_slips (deletion-neighbourhood index).
const (
	minTypoLength = 4
	maxTypoLength = 30
	// maxTypoWords limits the words of a search with typo tolerance; longer searches are not about names.
	maxTypoWords = 3
)

// typoVariants returns the deletion variants of each word of a folded text that may have a typo, and the other words and
// numbers.
func typoVariants(folded string) (each [][]string, other []string) {
	other = strings.FieldsFunc(folded, func(r rune) bool { return r < '0' || r > '9' })
	for _, word := range strings.FieldsFunc(folded, func(r rune) bool { return r < utf8.RuneSelf && (r < 'a' || r > 'z') }) {
		letters := []rune(word)
		if len(letters) < minTypoLength || len(letters) > maxTypoLength {
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
