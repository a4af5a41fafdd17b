package docsindex

import (
	"math"
	"slices"
	"strings"
)

// Field weights and the parameters of BM25F. Long bodies are normalised strongly and titles lightly: a title of five
// words is no weaker evidence than one of two.
const (
	k1 = 1.5

	titleWeight, titleNorm             = 8, 0.3
	headingWeight, headingNorm         = 4, 0.5
	descriptionWeight, descriptionNorm = 3, 0.3
	contentWeight, contentNorm         = 1, 0.75
)

// field holds how often each stem occurs in one field of one page.
type field struct {
	counts map[string]int
	length int
}

func newField(texts ...string) field {
	f := field{counts: map[string]int{}}
	for _, text := range texts {
		for _, w := range wordsOf(text) {
			f.counts[w.stem]++
			f.length++
		}
	}
	return f
}

const fieldCount = 4

// corpus holds what ranking needs to know about all pages.
type corpus struct {
	fields [][fieldCount]field
	// sections are the stems of each page's sections, the part before the first heading included.
	sections [][]map[string]bool
	average  [fieldCount]float64
	// holding counts the pages that hold a stem anywhere.
	holding map[string]int
}

func newCorpus(pages []Page) corpus {
	c := corpus{holding: map[string]int{}}
	for _, page := range pages {
		headings := make([]string, len(page.Headings))
		for i, h := range page.Headings {
			headings[i] = h.Text
		}
		fields := [fieldCount]field{
			newField(page.Title, strings.ReplaceAll(page.Slug, "/", " ")), newField(headings...), newField(page.Description), newField(page.Content),
		}
		c.fields = append(c.fields, fields)
		c.sections = append(c.sections, sectionsOf(page))
		here := map[string]bool{}
		for i, f := range fields {
			c.average[i] += float64(f.length) / float64(len(pages))
			for s := range f.counts {
				here[s] = true
			}
		}
		for s := range here {
			c.holding[s]++
		}
	}
	return c
}

// idf is the weight of a stem: rare ones tell more. A stem that no page holds has the highest weight.
func (c corpus) idf(s string) float64 {
	n, df := float64(len(c.fields)), float64(c.holding[s])
	return math.Log(1 + (n-df+0.5)/(df+0.5))
}

// score is the BM25F relevance of a page: the frequencies of all fields are weighted, normalised by length, added, and
// only then saturated.
func (c corpus) score(page int, stems []string) float64 {
	weights := [fieldCount]float64{titleWeight, headingWeight, descriptionWeight, contentWeight}
	norms := [fieldCount]float64{titleNorm, headingNorm, descriptionNorm, contentNorm}
	total := 0.0
	for _, s := range stems {
		frequency := 0.0
		for i, f := range c.fields[page] {
			if count := f.counts[s]; count > 0 {
				frequency += weights[i] * float64(count) / (1 + norms[i]*(float64(f.length)/c.average[i]-1))
			}
		}
		total += c.idf(s) * frequency * (k1 + 1) / (k1 + frequency)
	}
	return total
}

// coverage is how much of the query one place of a page holds: its title, description and headings together with its
// best section. Words that are scattered over a long page are no answer. It answers the share of the query's
// information, in which each stem counts with its weight, and the stems that are there.
func (c corpus) coverage(page int, stems []string) (share float64, held []string) {
	best, all := 0.0, 0.0
	for _, s := range stems {
		all += c.idf(s)
	}
	for _, section := range c.sections[page] {
		weight := 0.0
		var here []string
		for _, s := range stems {
			if section[s] || c.inFrame(page, s) {
				weight += c.idf(s)
				here = append(here, s)
			}
		}
		if weight > best {
			best, held = weight, here
		}
	}
	if all == 0 {
		return 0, nil
	}
	return best / all, held
}

// inFrame reports whether a stem is in the title, the headings or the description of a page.
func (c corpus) inFrame(page int, s string) bool {
	return slices.ContainsFunc(c.fields[page][:fieldCount-1], func(f field) bool { return f.counts[s] > 0 })
}

func sectionsOf(page Page) []map[string]bool {
	var sections []map[string]bool
	from := 0
	for i := range len(page.Headings) + 1 {
		to := len(page.Content)
		if i < len(page.Headings) {
			to = page.Headings[i].Offset
		}
		section := map[string]bool{}
		for _, w := range wordsOf(page.Content[from:to]) {
			section[w.stem] = true
		}
		sections = append(sections, section)
		from = to
	}
	return sections
}
