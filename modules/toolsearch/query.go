package toolsearch

import (
	"strings"
	"unicode"
	"unicode/utf8"

	"countersign/internal/text/search"
	"countersign/tool"
)

// maxQueryBytes limits the used bytes of a query.
const maxQueryBytes = 2_000

// parsedQuery is a parsed query. frequency is the number of tools per term. An address or name indicates the kind of
// its object, its parts mean nothing; an unknown word may be a system's name or a typo.
func parsedQuery(query string, frequency map[string]float64) map[string]float64 {
	query = strings.ToValidUTF8(query[:min(len(query), maxQueryBytes)], " ")
	asked := map[string]float64{}
	var plain strings.Builder
	name := false
	for i, word := range strings.Fields(query) {
		word = strings.TrimFunc(word, func(r rune) bool { return !search.InWord(r) })
		kind := kindOf(word, i == 0)
		switch kind {
		case mailAddress:
			addStem(asked, "mailbox", 1)
		case webAddress:
			addStem(asked, "url", 1)
		case properName:
			name = true
			for term := range terms(word) {
				asked[term] = max(asked[term], unknownWeight)
			}
		default:
			plain.WriteString(word + " ")
			continue
		}
		// Words on both sides of a name form no phrase.
		plain.WriteString("- ")
	}
	for term, weight := range terms(plain.String()) {
		asked[term] = max(asked[term], weight)
		if frequency[term] > 0 || strings.HasPrefix(term, meaningMark) || len(meanings[term]) > 0 {
			continue
		}
		name = true
		if meant := correctTypo(term, frequency); meant != "" {
			addStem(asked, meant, typoWeight)
		}
	}
	if name {
		asked[nameMeaning] = max(asked[nameMeaning], unknownWeight)
	}
	return asked
}

type kind int

const (
	plainWord kind = iota
	mailAddress
	webAddress
	properName
)

// kindOf tells addresses and names from words: a name has a capital after its first word, or joins words with hyphens
// or digits and is no phrase.
func kindOf(word string, first bool) kind {
	local, domain, at := strings.Cut(word, "@")
	switch {
	case at && local != "" && strings.Contains(domain, "."):
		return mailAddress
	case strings.Contains(word, "://"):
		return webAddress
	}
	host, _, _ := strings.Cut(word, "/")
	if dot := strings.LastIndexByte(
		host,
		'.',
	); dot > 0 && len(host)-dot > 2 && letters(host[dot+1:]) && !strings.ContainsRune(host, '-') ||
		strings.HasPrefix(word, "www.") {
		return webAddress
	}
	if strings.ContainsAny(word, "-_") {
		parts := search.Words(word)
		spaced := " " + strings.Join(parts, "  ") + " "
		if len(parts) > 1 && len(parts[0]) > 1 && phrases.Replace(spaced) == spaced && unicode.IsLetter(rune(parts[0][0])) {
			return properName
		}
	}
	if r, _ := utf8.DecodeRuneInString(word); !first && unicode.IsUpper(r) && strings.ToUpper(word) != word {
		return properName
	}
	return plainWord
}

func letters(s string) bool {
	return strings.IndexFunc(s, func(r rune) bool { return !unicode.IsLetter(r) }) < 0
}

// correctTypo returns the known stem that a word with a typo was meant as: it begins alike and is one edit away, or two
// for a long word; "" for none (typo tolerance).
func correctTypo(word string, frequency map[string]float64) string {
	slips := 1
	switch n := len(word); {
	case n < 4 || n > 20:
		return ""
	case n >= 8:
		slips = 2
	}
	best := ""
	try := func(known string) {
		if len(known) < 4 || known[0] != word[0] || len(known) > len(word)+slips || len(known) < len(word)-slips {
			return
		}
		if d := search.Distance(word, known); d < slips || d == slips && (best == "" || known < best) {
			best, slips = known, d
		}
	}
	for known := range meanings {
		try(known)
	}
	if len(word) == 4 {
		// A word this short may as well be a name.
		return best
	}
	for known := range frequency {
		if !strings.HasPrefix(known, meaningMark) {
			try(known)
		}
	}
	return best
}

// isQuestion reports whether a query is a question.
func isQuestion(query string) bool {
	query = strings.ToLower(strings.TrimSpace(query[:min(len(query), maxQueryBytes)]))
	first, rest, _ := strings.Cut(query, " ")
	// "what's" is "what".
	first, _, _ = strings.Cut(strings.ReplaceAll(first, "’", "'"), "'")
	return strings.HasSuffix(query, "?") || questionWords[first] ||
		first == "tell" && (strings.HasPrefix(rest, "me ") || strings.HasPrefix(rest, "us "))
}

// nameCoverage returns the share of a tool's name in a query, 0 to 1. It counts only with the verb, which a question has
// for a reading tool. A name that is only a verb is about its module.
func nameCoverage(d Listing, asked map[string]float64, question bool) float64 {
	module, rest, _ := strings.Cut(d.Name, ".")
	words := strings.Fields(spaced(rest))
	if len(words) == 0 || !matchesTerm(asked, words[0], unknownWeight) && (!question || d.Effect != tool.Read) {
		return 0
	}
	about := words[1:]
	if len(about) == 0 {
		about = []string{module}
	}
	met, all := 0.0, 0.0
	for _, word := range about {
		if stopWords[strings.ToLower(word)] {
			continue
		}
		all++
		if matchesTerm(asked, word, 0) {
			met++
		}
	}
	return met / max(all, 1)
}

// matchesTerm reports whether a query has a term of a text with more than a weight; words that are part of a name are no
// verbs.
func matchesTerm(asked map[string]float64, text string, weight float64) bool {
	for term := range terms(text) {
		if asked[term] > weight {
			return true
		}
	}
	return false
}
