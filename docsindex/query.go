package docsindex

import (
	_ "embed"
	"fmt"
	"slices"
	"strings"
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
	words := allWords(query)
	var parts []word
	for i, w := range words {
		// A camel-case word counts by its parts only, else it would count twice.
		if i+1 < len(words) && words[i+1].from == w.from && words[i+1].to < w.to {
			continue
		}
		parts = append(parts, w)
	}
	var asked []concept
	seen := map[string]bool{}
	for i := 0; i < len(parts); {
		others, n := c.synonyms.at(parts[i:])
		if n == 0 {
			n = 1
			if stopWord(parts[i].lower) {
				i++
				continue
			}
		}
		var key strings.Builder
		for _, w := range parts[i : i+n] {
			key.WriteString(root(w.lower) + " ")
		}
		if !seen[key.String()] {
			seen[key.String()] = true
			asked = append(asked, c.concept(strings.ToLower(query[parts[i].from:parts[i+n-1].to]), parts[i:i+n], others))
		}
		i += n
	}
	return asked
}

func (c *corpus) concept(text string, words []word, others []string) concept {
	q := concept{text: text}
	own, complete := term{weight: 1, coverage: 1}, true
	for _, w := range words {
		if stopWord(w.lower) {
			continue
		}
		id := c.id(w.lower)
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
			if id := c.id(part.lower); id >= 0 {
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

// thesaurus maps synonyms by the stem of their first word, the longest phrases first.
type thesaurus map[string][]synonym

type synonym struct {
	phrase []string // stems; stop words as they are
	others []string
}

// newThesaurus parses lines of the form "what people say, or this: what the pages say, or that". A line that begins
// with # is a comment. A term in several lines has the synonyms of all of them.
func newThesaurus(lines string) (thesaurus, error) {
	t := thesaurus{}
	for line := range strings.Lines(lines) {
		line = strings.TrimSpace(line)
		if line == "" || strings.HasPrefix(line, "#") {
			continue
		}
		left, right, _ := strings.Cut(line, ":")
		said, others := terms(left), terms(right)
		if len(said) == 0 || len(others) == 0 {
			return nil, fmt.Errorf("synonyms: %q is not \"what people say: what the pages say\"", line)
		}
		for _, text := range said {
			if err := t.add(text, others); err != nil {
				return nil, err
			}
		}
	}
	for _, list := range t {
		slices.SortStableFunc(list, func(a, b synonym) int { return len(b.phrase) - len(a.phrase) })
	}
	return t, nil
}

func (t thesaurus) add(text string, others []string) error {
	var phrase []string
	for _, w := range allWords(text) {
		phrase = append(phrase, root(w.lower))
	}
	if len(phrase) == 0 {
		return fmt.Errorf("synonyms: %q holds no word", text)
	}
	list := t[phrase[0]]
	if i := slices.IndexFunc(list, func(s synonym) bool { return slices.Equal(s.phrase, phrase) }); i >= 0 {
		list[i].others = slices.Concat(list[i].others, others)
		return nil
	}
	t[phrase[0]] = append(list, synonym{phrase, others})
	return nil
}

func terms(list string) []string {
	var out []string
	for term := range strings.SplitSeq(list, ",") {
		if term = strings.TrimSpace(term); term != "" {
			out = append(out, term)
		}
	}
	return out
}

// root returns the form in which phrases compare words. Stop words are marked, so that they equal no stem ("can" and
// "canned").
func root(lower string) string {
	if stopWord(lower) {
		return "=" + lower
	}
	return stem(lower)
}

// at returns the synonyms of the phrase at the beginning of words, and its number of words; none for no phrase.
func (t thesaurus) at(words []word) ([]string, int) {
	for _, s := range t[root(words[0].lower)] {
		if len(s.phrase) > len(words) {
			continue
		}
		fits := true
		for i, p := range s.phrase[1:] {
			fits = fits && root(words[i+1].lower) == p
		}
		if fits {
			return s.others, len(s.phrase)
		}
	}
	return nil, 0
}
