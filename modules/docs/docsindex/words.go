package docsindex

import (
	"strings"
	"unicode"
	"unicode/utf8"
)

// word is a searchable term of a text and where it stands.
type word struct {
	stem     string
	from, to int
}

// wordsOf splits a text into stems. Letters and digits make a word; a word in camel case counts as a whole and in its
// parts, so that "probe url" finds ai.probeUrl.
func wordsOf(text string) []word {
	var words []word
	start := -1
	for i, r := range text {
		if unicode.IsLetter(r) || unicode.IsDigit(r) {
			if start < 0 {
				start = i
			}
			continue
		}
		if start >= 0 {
			words = appendWord(words, text, start, i)
			start = -1
		}
	}
	if start >= 0 {
		words = appendWord(words, text, start, len(text))
	}
	return words
}

func appendWord(words []word, text string, from, to int) []word {
	words = appendStem(words, text, from, to)
	part := from
	var last rune
	for i, r := range text[from:to] {
		if i > 0 && unicode.IsUpper(r) && unicode.IsLower(last) {
			words = appendStem(words, text, part, from+i)
			part = from + i
		}
		last = r
	}
	if part > from {
		words = appendStem(words, text, part, to)
	}
	return words
}

func appendStem(words []word, text string, from, to int) []word {
	lower := strings.ToLower(text[from:to])
	if utf8.RuneCountInString(lower) < 2 || stopWord(lower) {
		return words
	}
	return append(words, word{stem: stem(lower), from: from, to: to})
}

// stem cuts the common English endings, lightly: it only has to bring forms of one word together ("proposals",
// "proposed", "proposing"), not to find its root. Text in other languages and identifiers pass mostly unchanged.
func stem(w string) string {
	if !strings.HasPrefix(w, "http") && len(w) > 4 {
		w = cutPlural(w)
		for _, ending := range []string{"ing", "ed"} {
			base, ok := strings.CutSuffix(w, ending)
			if ok && len(base) >= 3 && strings.ContainsAny(base, "aeiouy") {
				w = undouble(base)
				break
			}
		}
	} else if len(w) == 4 {
		w = cutPlural(w)
	}
	// "proposal" and "approval" meet "propose" and "approve".
	if base, ok := strings.CutSuffix(w, "al"); ok && len(base) >= 5 && strings.ContainsRune("sv", rune(base[len(base)-1])) {
		w = base
	}
	// "create" and "creat(ed)" meet without the final e, "delete" and "delet(ed)" likewise.
	if base, ok := strings.CutSuffix(w, "e"); ok && len(base) >= 3 {
		return base
	}
	return w
}

func cutPlural(w string) string {
	switch {
	case strings.HasSuffix(w, "ies") && len(w) > 4:
		return w[:len(w)-3] + "y"
	case strings.HasSuffix(w, "sses"), strings.HasSuffix(w, "xes"), strings.HasSuffix(w, "ches"), strings.HasSuffix(w, "shes"):
		return w[:len(w)-2]
	case strings.HasSuffix(w, "ss"), strings.HasSuffix(w, "us"), strings.HasSuffix(w, "is"):
		return w
	case strings.HasSuffix(w, "s"):
		return w[:len(w)-1]
	}
	return w
}

// undouble turns "stopp" into "stop" and leaves "call" and "pass" alone.
func undouble(base string) string {
	n := len(base)
	if n > 3 && base[n-1] == base[n-2] && !strings.ContainsRune("lsz", rune(base[n-1])) {
		return base[:n-1]
	}
	return base
}

// stopWord reports words that say nothing about the topic. The product's own name is one: it is on every page.
func stopWord(w string) bool {
	switch w {
	case "an", "and", "any", "are", "as", "at", "be", "been", "but", "by", "can", "could", "did", "do", "does",
		"doing", "for", "from", "get", "gets", "had", "has", "have", "he", "her", "here", "his", "how", "if", "in", "into",
		"is", "it", "its", "just", "let", "may", "me", "might", "must", "my", "need", "needs", "no", "not", "of", "on", "or",
		"our", "out", "please", "shall", "she", "should", "so", "some", "tell", "than", "that", "the", "their", "them",
		"then", "there", "these", "they", "this", "those", "to", "too", "up", "us", "use", "used", "using", "want", "was",
		"way", "we", "were", "what", "when", "where", "which", "while", "who", "whose", "why", "will", "with", "would",
		"you", "your", "about", "also", "between", "countersign", "don", "explain", "happens", "mean", "means", "show",
		"work", "works", "something", "someone", "like", "make", "set", "own", "am", "isn", "doesn", "through":
		return true
	}
	return false
}
