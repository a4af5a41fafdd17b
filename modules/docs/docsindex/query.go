package docsindex

import (
	_ "embed"
	"fmt"
	"slices"
	"strings"
)

// concept is what a query asks for: a word or a phrase of it, and the ways in which a page can say it.
type concept struct {
	// text is how the query says it.
	text string
	ways []way
	// weight is its information.
	weight float64
}

// way is one or more stems, which count together.
type way struct {
	stems  []int32
	weight float32
	// held is how much of the concept is in a place that holds all of them.
	held float64
}

// in is how much of the concept a place holds: all of it in the words of the query, less in other words.
func (q concept) in(place bits) float64 {
	best := 0.0
	for _, w := range q.ways {
		if !slices.ContainsFunc(w.stems, func(s int32) bool { return !place.has(s) }) {
			best = max(best, w.held)
		}
	}
	return best
}

// ask reads a query: its words and the phrases that have synonyms, in order, each once.
func (c *corpus) ask(query string) []concept {
	query = clip(query, MaxQuery)
	words := allWords(query)
	var parts []word
	for i, w := range words {
		// A word in camel case counts by its parts only, as it would otherwise count twice.
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
	own, complete := way{weight: 1, held: 1}, true
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
		q.ways = append(q.ways, own)
	}
	for _, other := range others {
		w := way{weight: synonymWeight, held: synonymHeld}
		for _, part := range wordsOf(other) {
			if id := c.id(part.lower); id >= 0 {
				w.stems = append(w.stems, id)
			}
		}
		if len(w.stems) > 0 {
			q.ways = append(q.ways, w)
		}
	}
	q.weight = c.information(0)
	if len(q.ways) > 0 {
		q.weight = 0
		for _, w := range q.ways {
			q.weight = max(q.weight, c.told(w))
		}
		if len(own.stems) > 0 && complete {
			q.weight = c.told(own)
		}
	}
	// A part of a phrase tells something, too.
	if len(words) > 1 {
		for _, s := range own.stems {
			q.ways = append(q.ways, way{[]int32{s}, partWeight, partWeight})
		}
	}
	return q
}

// told is what all stems of a way tell together.
func (c *corpus) told(w way) float64 {
	sum := 0.0
	for _, s := range w.stems {
		sum += c.information(c.holding[s])
	}
	return sum
}

//go:embed synonyms.txt
var synonymLines string

// thesaurus is what people call things, by the stem of its first word, the longest first.
type thesaurus map[string][]synonym

type synonym struct {
	phrase []string // stems; stop words as they are
	others []string
}

// newThesaurus reads lines of the form "what people say, or this: what the pages say, or that". A line that begins with #
// is a note. What stands in several lines has the others of all of them.
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

// root is how phrases compare words. A stop word is none of the words that it is the stem of ("can" and "canned").
func root(lower string) string {
	if stopWord(lower) {
		return "=" + lower
	}
	return stem(lower)
}

// at answers what the pages call what stands at the beginning of words, and how many words that is; none for nothing.
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
