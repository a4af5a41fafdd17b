package docsindex

import (
	"strings"
	"unicode"
	"unicode/utf8"

	"github.com/blevesearch/snowballstem"
	"github.com/blevesearch/snowballstem/english"
)

// word is a term of a text in small letters and where it stands.
type word struct {
	lower    string
	from, to int
}

// wordsOf splits a text into the terms that can be searched: all but stop words. Letters and digits make a word; a word
// in camel case counts as a whole and in its parts, so that "probe url" finds ai.probeUrl.
func wordsOf(text string) []word {
	all := allWords(text)
	kept := all[:0]
	for _, w := range all {
		if !stopWord(w.lower) {
			kept = append(kept, w)
		}
	}
	return kept
}

// allWords are the words of a text, stop words included.
func allWords(text string) []word {
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
	words = appendTerm(words, text, from, to)
	part := from
	var last rune
	for i, r := range text[from:to] {
		if i > 0 && unicode.IsUpper(r) && unicode.IsLower(last) {
			words = appendTerm(words, text, part, from+i)
			part = from + i
		}
		last = r
	}
	if part > from {
		words = appendTerm(words, text, part, to)
	}
	return words
}

func appendTerm(words []word, text string, from, to int) []word {
	lower := strings.ToLower(text[from:to])
	if utf8.RuneCountInString(lower) < 2 {
		return words
	}
	return append(words, word{lower: lower, from: from, to: to})
}

// stem brings the forms of an English word together ("proposals", "proposed", "proposing"). Text in other languages and
// identifiers pass mostly unchanged.
func stem(lower string) string {
	env := snowballstem.NewEnv(lower)
	english.Stem(env)
	return env.Current()
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
		"you", "your", "about", "also", "between", "countersign", "don", "explain", "happens", "mean", "means",
		"work", "works", "something", "someone", "like", "make", "set", "own", "am", "isn", "doesn", "through",
		"ever", "whom", "him", "after", "although", "able", "happen", "didn", "onto", "won", "ll", "ve", "re",
		"several", "together", "everything", "anything", "nothing", "everyone", "over", "under", "again", "now", "per", "because", "since",
		"during", "until", "till", "before", "else", "rather", "each", "every", "all", "both", "few", "more", "most", "much", "many", "such",
		"very", "put", "take", "go", "goes", "come", "comes", "try", "find", "look", "know", "think", "wish", "whether", "even",
		"still", "already", "actually", "really", "hello", "hi", "thanks", "thank", "help", "always", "never", "often", "sometimes", "thing",
		"things", "stuff", "somebody", "anybody", "nobody", "anyone", "everybody", "possible", "without", "within", "instead", "except",
		"three", "five", "six", "seven", "eight", "nine", "ten", "one", "single", "enough":
		return true
	}
	return false
}
