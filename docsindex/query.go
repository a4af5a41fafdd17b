package docsindex

import (
	_ "embed"
	"slices"
	"strings"

	"countersign/internal/text/search"
)

// concept is a word or phrase of a query, with the alternative terms for it.
type concept struct {
	// text is the query's own words.
	text  string
	terms []term
	// weight is the inverse document frequency.
	weight float64
}

// term is one term for a concept: stems that count together.
type term struct {
	stems  []int32
	weight float32
	// coverage is the share of the concept that a place with all stems covers.
	coverage float64
}

// in returns the share of the concept that a place covers: fully by the query's words, less by synonyms.
func (q concept) in(place bits) float64 {
	best := 0.0
	for _, w := range q.terms {
		if !slices.ContainsFunc(w.stems, func(s int32) bool { return !place.has(s) }) {
			best = max(best, w.coverage)
		}
	}
	return best
}

// ask parses a query into its distinct words and phrases with synonyms, in order.
func (c *corpus) ask(query string) []concept {
	query = clip(query, MaxQuery)
	parts := search.Parts(search.Tokens(query))
	var asked []concept
	seen := map[string]bool{}
	for i := 0; i < len(parts); {
		others, n := c.synonyms.At(parts[i:])
		if n == 0 {
			n = 1
			if stopWord(parts[i].Lower) {
				i++
				continue
			}
		}
		var key strings.Builder
		for _, w := range parts[i : i+n] {
			key.WriteString(c.synonyms.Root(w.Lower) + " ")
		}
		if !seen[key.String()] {
			seen[key.String()] = true
			asked = append(asked, c.concept(strings.ToLower(query[parts[i].From:parts[i+n-1].To]), parts[i:i+n], others))
		}
		i += n
	}
	return asked
}

func (c *corpus) concept(text string, words []search.Token, others []string) concept {
	q := concept{text: text}
	own, complete := term{weight: 1, coverage: 1}, true
	for _, w := range words {
		if stopWord(w.Lower) {
			continue
		}
		id := c.id(w.Lower)
		if id < 0 {
			complete = false
			continue
		}
		own.stems = append(own.stems, id)
	}
	if len(own.stems) > 0 && complete {
		q.terms = append(q.terms, own)
	}
	for _, other := range others {
		w := term{weight: synonymWeight, coverage: synonymHeld}
		for _, part := range wordsOf(other) {
			if id := c.id(part.Lower); id >= 0 {
				w.stems = append(w.stems, id)
			}
		}
		if len(w.stems) > 0 {
			q.terms = append(q.terms, w)
		}
	}
	q.weight = c.information(0)
	if len(q.terms) > 0 {
		q.weight = 0
		for _, w := range q.terms {
			q.weight = max(q.weight, c.sumInformation(w))
		}
		if len(own.stems) > 0 && complete {
			q.weight = c.sumInformation(own)
		}
	}
	// Each word of a phrase counts a little by itself.
	if len(words) > 1 {
		for _, s := range own.stems {
			q.terms = append(q.terms, term{[]int32{s}, partWeight, partWeight})
		}
	}
	return q
}

// sumInformation sums the inverse document frequencies of a way's stems.
func (c *corpus) sumInformation(w term) float64 {
	sum := 0.0
	for _, s := range w.stems {
		sum += c.information(c.sectionCounts[s])
	}
	return sum
}

//go:embed synonyms.txt
var synonymLines string
