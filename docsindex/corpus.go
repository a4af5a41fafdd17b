package docsindex

import (
	"cmp"
	"slices"
	"strings"

	"countersign/internal/text/search"
)

// Scoring is BM25F: term frequencies of fields are weighted, normalised by length, summed and then saturated, once
// for the page (finds the subject) and once for the section (finds the place). Long bodies are normalised strongly,
// titles lightly: a title of five words is no weaker evidence than one of two.
const (
	k1 = 1.8

	pageWeight                         = 0.7
	titleWeight, titleNorm             = 11, 0.3
	headingsWeight, headingsNorm       = 2, 0.4
	descriptionWeight, descriptionNorm = 3.5, 0.3
	contentWeight, contentNorm         = 0.8, 0.5

	headingWeight, headingNorm = 12, 0.15
	aboveWeight                = 2
	bodyWeight, bodyNorm       = 0.45, 0.7
	leadTitleWeight            = 6
	leadDescriptionWeight      = 0.3

	// listWeight is the weight of reference pages: questions ask how, and a list names everything.
	listWeight, listFolder = 0.8, "reference/"
)

// token is a stem of a page and its position in the content.
type token struct{ stem, from, to int32 }

// posting is the weight of a stem in a section.
type posting struct {
	section int32
	weight  float32
}

// corpus is the immutable ranking data of all pages.
type corpus struct {
	synonyms      search.Thesaurus
	ids           map[string]int32 // by word in small letters
	stems         map[string]int32
	sections      []section
	first         []int     // the first section of each page, and behind them all
	tokens        [][]token // by page
	titles        [][]int32
	flow          [][]int32 // the stems of each section in order
	postings      [][]posting
	sectionCounts []float64 // how many sections hold a stem, by what their page says of itself or by themselves
	sectionStems  []bits    // by section, with the frame of its page: title, description and headings
}

// bits is a set of stems.
type bits []uint64

func (b bits) add(i int32)      { b[i/64] |= 1 << (i % 64) }
func (b bits) has(i int32) bool { return b[i/64]&(1<<(i%64)) != 0 }

// field counts the stems of one field.
type field struct {
	counts map[int32]int
	length int
}

func newField(tokens []token) field {
	f := field{counts: map[int32]int{}, length: len(tokens)}
	for _, t := range tokens {
		f.counts[t.stem]++
	}
	return f
}

// share is the frequency of a stem, normalised by the field's length.
func (f field) share(s int32, average, norm float64) float64 {
	count := f.counts[s]
	if count == 0 {
		return 0
	}
	return float64(count) / (1 + norm*(float64(f.length)/average-1))
}

func saturated(frequency float64) float64 { return search.Saturated(frequency, k1) }

type (
	pageFields    struct{ title, headings, description, content field }
	sectionFields struct{ heading, above, body field }
)

// builder builds a corpus.
type builder struct {
	corpus
	pages  []pageFields
	listed []bool
	texts  []sectionFields
	// of lengths
	title, headings, description, content, heading, body float64
}

func newCorpus(pages []Page, synonyms search.Thesaurus) corpus {
	b := builder{corpus: corpus{synonyms: synonyms, ids: map[string]int32{}, stems: map[string]int32{}}}
	for p, page := range pages {
		b.add(p, page)
	}
	b.first = append(b.first, len(b.sections))
	b.average()
	b.count()
	b.weigh()
	return b.corpus
}

func (b *builder) add(p int, page Page) {
	headings := make([]string, len(page.Headings))
	for i, h := range page.Headings {
		headings[i] = h.Text
	}
	b.listed = append(b.listed, strings.HasPrefix(page.Slug, listFolder))
	title := b.tokensOf(page.Title + " " + strings.ReplaceAll(page.Slug, "/", " "))
	content := b.tokensOf(page.Content)
	b.titles, b.tokens, b.first = append(b.titles, stemsOf(title)), append(b.tokens, content), append(b.first, len(b.sections))
	b.pages = append(b.pages, pageFields{
		newField(title), newField(b.tokensOf(strings.Join(headings, "\n"))), newField(b.tokensOf(page.Description)), newField(content),
	})
	for _, s := range sectionsOf(p, page) {
		from := s.from
		if s.heading != "" {
			from += strings.IndexByte(page.Content[s.from:]+"\n", '\n')
		}
		b.sections = append(b.sections, s)
		b.flow = append(b.flow, stemsOf(between(content, s.from, s.to)))
		b.texts = append(
			b.texts,
			sectionFields{newField(b.tokensOf(s.heading)), newField(b.tokensOf(s.above)), newField(between(content, from, s.to))},
		)
	}
}

func (b *builder) average() {
	for _, f := range b.pages {
		n := float64(len(b.pages))
		b.title += float64(f.title.length) / n
		b.headings += float64(f.headings.length) / n
		b.description += float64(f.description.length) / n
		b.content += float64(f.content.length) / n
	}
	for _, t := range b.texts {
		n := float64(len(b.texts))
		b.heading += float64(t.heading.length) / n
		b.body += float64(t.body.length) / n
	}
}

// count finds the stems of each section.
func (b *builder) count() {
	b.sectionCounts = make([]float64, len(b.stems))
	for p, f := range b.pages {
		framed := make(bits, (len(b.stems)+63)/64)
		for _, part := range []field{f.title, f.headings, f.description} {
			for s := range part.counts {
				framed.add(s)
			}
		}
		for i := b.first[p]; i < b.first[p+1]; i++ {
			here := slices.Clone(framed)
			for s := range b.texts[i].body.counts {
				here.add(s)
			}
			b.sectionStems = append(b.sectionStems, here)
			for s := range b.sectionCounts {
				if here.has(int32(s)) {
					b.sectionCounts[s]++
				}
			}
		}
	}
}

// information is the inverse document frequency: rare terms weigh more.
func (c *corpus) information(holding float64) float64 {
	return search.Information(float64(len(c.sections)), holding)
}

// weigh computes the weight of each stem in each section of a page.
func (b *builder) weigh() {
	b.postings = make([][]posting, len(b.stems))
	for p, f := range b.pages {
		likely := 1.0
		if b.listed[p] {
			likely = listWeight
		}
		seen := map[int32]bool{}
		for _, part := range []field{f.title, f.headings, f.description, f.content} {
			for s := range part.counts {
				seen[s] = true
			}
		}
		for s := range seen {
			tells := b.information(b.sectionCounts[s])
			title, description := f.title.share(s, b.title, titleNorm), f.description.share(s, b.description, descriptionNorm)
			page := saturated(titleWeight*title + descriptionWeight*description +
				headingsWeight*f.headings.share(s, b.headings, headingsNorm) + contentWeight*f.content.share(s, b.content, contentNorm))
			for i := b.first[p]; i < b.first[p+1]; i++ {
				t := b.texts[i]
				here := headingWeight*t.heading.share(s, b.heading, headingNorm) + aboveWeight*float64(min(t.above.counts[s], 1)) +
					bodyWeight*t.body.share(s, b.body, bodyNorm)
				if b.sections[i].lead {
					here += leadTitleWeight*title + leadDescriptionWeight*description
				}
				b.postings[s] = append(b.postings[s], posting{int32(i), float32(likely * tells * (pageWeight*page + saturated(here)))})
			}
		}
	}
}

// tokensOf adds the words of a text to the corpus.
func (c *corpus) tokensOf(text string) []token {
	words := wordsOf(text)
	tokens := make([]token, len(words))
	for i, w := range words {
		id, ok := c.ids[w.Lower]
		if !ok {
			root := search.Stem(w.Lower)
			if id, ok = c.stems[root]; !ok {
				id = int32(len(c.stems))
				c.stems[root] = id
			}
			c.ids[w.Lower] = id
		}
		tokens[i] = token{id, int32(w.From), int32(w.To)}
	}
	return tokens
}

// id returns the stem id of a lower-case word, -1 when no page holds it.
func (c *corpus) id(lower string) int32 {
	if id, ok := c.ids[lower]; ok {
		return id
	}
	if id, ok := c.stems[search.Stem(lower)]; ok {
		return id
	}
	return -1
}

func stemsOf(tokens []token) []int32 {
	stems := make([]int32, len(tokens))
	for i, t := range tokens {
		stems[i] = t.stem
	}
	return stems
}

// between returns the tokens in a byte range.
func between(tokens []token, from, to int) []token {
	at := func(t token, offset int) int { return cmp.Compare(int(t.from), offset) }
	low, _ := slices.BinarySearchFunc(tokens, from, at)
	high, _ := slices.BinarySearchFunc(tokens, to, at)
	return tokens[low:high]
}
