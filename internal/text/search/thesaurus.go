package search

import (
	"fmt"
	"slices"
	"strings"
)

// Thesaurus has words and phrases with other words for them. It compares stems.
type Thesaurus struct {
	stop func(string) bool
	// byFirst are the phrases by the stem of their first word, the longest ones first.
	byFirst map[string][]synonym
}

type synonym struct {
	phrase []string // stems; stop words as they are
	others []string
}

// NewThesaurus parses lines of the form "what people say, or this: what the texts say, or that". A line that begins with #
// is a comment. A phrase in several lines has the synonyms of all of them. Stop words are compared as they are, so that
// they equal no stem ("can" and "canned").
func NewThesaurus(lines string, stop func(lower string) bool) (Thesaurus, error) {
	t := Thesaurus{stop, map[string][]synonym{}}
	for line := range strings.Lines(lines) {
		line = strings.TrimSpace(line)
		if line == "" || strings.HasPrefix(line, "#") {
			continue
		}
		left, right, _ := strings.Cut(line, ":")
		said, others := listed(left), listed(right)
		if len(said) == 0 || len(others) == 0 {
			return t, fmt.Errorf("synonyms: %q is not \"what people say: what the texts say\"", line)
		}
		for _, text := range said {
			if err := t.add(text, others); err != nil {
				return t, err
			}
		}
	}
	for _, list := range t.byFirst {
		slices.SortStableFunc(list, func(a, b synonym) int { return len(b.phrase) - len(a.phrase) })
	}
	return t, nil
}

func (t Thesaurus) add(text string, others []string) error {
	var phrase []string
	for _, token := range Tokens(text) {
		phrase = append(phrase, t.Root(token.Lower))
	}
	if len(phrase) == 0 {
		return fmt.Errorf("synonyms: %q holds no word", text)
	}
	list := t.byFirst[phrase[0]]
	if i := slices.IndexFunc(list, func(s synonym) bool { return slices.Equal(s.phrase, phrase) }); i >= 0 {
		list[i].others = slices.Concat(list[i].others, others)
		return nil
	}
	t.byFirst[phrase[0]] = append(list, synonym{phrase, others})
	return nil
}

func listed(list string) []string {
	var out []string
	for item := range strings.SplitSeq(list, ",") {
		if item = strings.TrimSpace(item); item != "" {
			out = append(out, item)
		}
	}
	return out
}

// Root is the form in which phrases compare words.
func (t Thesaurus) Root(lower string) string {
	if t.stop(lower) {
		return "=" + lower
	}
	return Stem(lower)
}

// At returns the synonyms of the longest phrase at the beginning of tokens, and its number of words; none for no phrase.
func (t Thesaurus) At(tokens []Token) ([]string, int) {
	if len(tokens) == 0 {
		return nil, 0
	}
	for _, s := range t.byFirst[t.Root(tokens[0].Lower)] {
		if len(s.phrase) > len(tokens) {
			continue
		}
		fits := true
		for i, p := range s.phrase[1:] {
			fits = fits && t.Root(tokens[i+1].Lower) == p
		}
		if fits {
			return s.others, len(s.phrase)
		}
	}
	return nil, 0
}
