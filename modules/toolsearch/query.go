package toolsearch

import (
	"strings"
	"unicode"
	"unicode/utf8"

	"countersign/tool"
)

// longest is how many bytes of a query count.
const longest = 2_000

// understood are the terms of a query. frequency is how many tools have a term. An address and the name of a thing say what
// kind of thing is meant, and not what their parts mean; a word that nobody knows may be the name of a system, and the one that
// it nearly is.
func understood(query string, frequency map[string]float64) map[string]float64 {
	query = strings.ToValidUTF8(query[:min(len(query), longest)], " ")
	asked := map[string]float64{}
	var plain strings.Builder
	name := false
	for i, word := range strings.Fields(query) {
		word = strings.TrimFunc(word, func(r rune) bool { return !unicode.IsLetter(r) && !unicode.IsDigit(r) })
		kind := kindOf(word, i == 0)
		switch kind {
		case mailAddress:
			learn(asked, "mailbox", 1)
		case webAddress:
			learn(asked, "url", 1)
		case properName:
			name = true
			for term := range terms(word) {
				asked[term] = max(asked[term], unknownWeight)
			}
		default:
			plain.WriteString(word + " ")
			continue
		}
		// What stands on both sides of a name is no phrase.
		plain.WriteString("- ")
	}
	for term, weight := range terms(plain.String()) {
		asked[term] = max(asked[term], weight)
		if frequency[term] > 0 || strings.HasPrefix(term, meaningMark) || len(meanings[term]) > 0 {
			continue
		}
		name = true
		if meant := nearest(term, frequency); meant != "" {
			learn(asked, meant, typoWeight)
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

// kindOf tells addresses and names from words: a name has a capital behind the first word, or is put together with hyphens
// and digits and is no phrase.
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
		parts := split(word)
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

// nearest is the known stem that a word was to be: it begins alike and is one slip away, or two if it is long. "" is none.
func nearest(word string, frequency map[string]float64) string {
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
		if d := distance(word, known); d < slips || d == slips && (best == "" || known < best) {
			best, slips = known, d
		}
	}
	for known := range meanings {
		try(known)
	}
	if len(word) == 4 {
		// So short a word is as well a name.
		return best
	}
	for known := range frequency {
		if !strings.HasPrefix(known, meaningMark) {
			try(known)
		}
	}
	return best
}

// distance is how many letters of a are to be left out, added, changed or swapped with the next to make b.
func distance(a, b string) int {
	before, last, row := make([]int, len(b)+1), make([]int, len(b)+1), make([]int, len(b)+1)
	for j := range last {
		last[j] = j
	}
	for i := range len(a) {
		row[0] = i + 1
		for j := range len(b) {
			cost := 1
			if a[i] == b[j] {
				cost = 0
			}
			row[j+1] = min(last[j+1]+1, row[j]+1, last[j]+cost)
			if i > 0 && j > 0 && a[i] == b[j-1] && a[i-1] == b[j] {
				row[j+1] = min(row[j+1], before[j-1]+1)
			}
		}
		before, last, row = last, row, before
	}
	return last[len(b)]
}

// asks reports whether a query is a question.
func asks(query string) bool {
	query = strings.ToLower(strings.TrimSpace(query[:min(len(query), longest)]))
	first, rest, _ := strings.Cut(query, " ")
	// "what's" is "what".
	first, _, _ = strings.Cut(strings.ReplaceAll(first, "’", "'"), "'")
	return strings.HasSuffix(query, "?") || questionWords[first] ||
		first == "tell" && (strings.HasPrefix(rest, "me ") || strings.HasPrefix(rest, "us "))
}

// nameMet is how much of a tool's name a query says, from 0 to 1. Nothing counts without the verb, which a question has if the
// tool reads. A name that is only a verb is about its module.
func nameMet(d described, asked map[string]float64, question bool) float64 {
	module, rest, _ := strings.Cut(d.Name, ".")
	words := strings.Fields(spaced(rest))
	if len(words) == 0 || !meets(asked, words[0], unknownWeight) && (!question || d.Effect != tool.Read) {
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
		if meets(asked, word, 0) {
			met++
		}
	}
	return met / max(all, 1)
}

// meets reports whether a query has a term of a text, for more than a weight: what is part of a name is no verb.
func meets(asked map[string]float64, text string, weight float64) bool {
	for term := range terms(text) {
		if asked[term] > weight {
			return true
		}
	}
	return false
}
