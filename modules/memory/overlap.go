package memory

import (
	"slices"
	"strings"

	"countersign/internal/text"
	"countersign/internal/text/search"
)

// NearDuplicate is the overlap from which two recall hints have the same subject. Three equal words of four do; two
// hints of five words that differ in one (production, staging) do not.
const NearDuplicate = 0.75

// Overlap is the share of common words of two recall hints, 0 to 1, ignoring case, order, plurals and stop words.
func Overlap(a, b string) float64 {
	first, second := hintWords(a), hintWords(b)
	union := slices.Concat(first, second)
	slices.Sort(union)
	union = slices.Compact(union)
	if len(union) == 0 {
		if text.Key(a) == text.Key(b) {
			return 1
		}
		return 0
	}
	return float64(len(first)+len(second)-len(union)) / float64(len(union))
}

// hintWords returns the distinct words of a hint without stop words.
func hintWords(hint string) []string {
	all := wordsOf(hint)
	telling := slices.DeleteFunc(slices.Clone(all), func(word string) bool { return smallWords[word] })
	if len(telling) == 0 {
		telling = all
	}
	slices.Sort(telling)
	return slices.Compact(telling)
}

// wordsOf returns the normalised words of a text.
func wordsOf(value string) []string {
	words := search.Words(text.Key(value))
	for i, word := range words {
		words[i] = stem(word)
	}
	return words
}

// stem removes the English plural; other languages stay.
func stem(word string) string {
	const shortest = 4
	if len(word) < shortest || strings.HasSuffix(word, "ss") || strings.HasSuffix(word, "us") || strings.HasSuffix(word, "is") {
		return word
	}
	if cut, ok := strings.CutSuffix(word, "ies"); ok && len(cut) > 1 {
		return cut + "y"
	}
	return strings.TrimSuffix(word, "s")
}

var smallWords = func() map[string]bool {
	set := map[string]bool{}
	for word := range strings.FieldsSeq("a about an and any are as ask at be by do for from how i if in is it me my of " +
		"on or our that the their to us was we what when where which who why with you your") {
		set[stem(word)] = true
	}
	return set
}()
