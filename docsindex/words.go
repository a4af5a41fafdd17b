package docsindex

import "countersign/internal/text/search"

// wordsOf splits a text into the terms that can be searched: all but stop words.
func wordsOf(text string) []search.Token {
	all := search.Tokens(text)
	kept := all[:0]
	for _, w := range all {
		if !stopWord(w.Lower) {
			kept = append(kept, w)
		}
	}
	return kept
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
