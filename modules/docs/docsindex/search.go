package docsindex

import (
	"cmp"
	"fmt"
	"math"
	"slices"
	"strings"
	"unicode"
	"unicode/utf8"
)

// Hit is a page that fits a query.
type Hit struct {
	Slug  string `json:"slug"`
	Title string `json:"title"`
	// Heading is the section in which the best match stands.
	Heading string `json:"heading,omitempty"`
	Snippet string `json:"snippet"`
	// Score orders the hits of one query and means nothing else.
	Score float64 `json:"score"`
}

// Results are the pages that fit a query, best first, and what to make of them.
type Results struct {
	Hits []Hit  `json:"hits"`
	Note string `json:"note"`
}

// weakCoverage is the share of a query's information below which the best page is not taken for an answer.
const weakCoverage = 0.66

// Search ranks the pages for a query of at most MaxQuery characters; a longer one is cut. limit is 1 to MaxLimit, 0
// means DefaultLimit. Equal scores are ordered by slug.
func (ix *Index) Search(query string, limit int) Results {
	if limit <= 0 {
		limit = DefaultLimit
	}
	limit = min(limit, MaxLimit)
	asked := queryWords(query)
	stems := make([]string, len(asked))
	for i, w := range asked {
		stems[i] = w.stem
	}
	type scored struct {
		page  int
		score float64
	}
	var ranking []scored
	for i := range ix.pages {
		if score := ix.corpus.score(i, stems); score > 0 {
			ranking = append(ranking, scored{i, score})
		}
	}
	slices.SortFunc(ranking, func(a, b scored) int {
		return cmp.Or(cmp.Compare(b.score, a.score), strings.Compare(ix.pages[a.page].Slug, ix.pages[b.page].Slug))
	})
	results := Results{Hits: []Hit{}}
	for _, r := range ranking[:min(limit, len(ranking))] {
		page := ix.pages[r.page]
		snippet, heading := ix.snippet(page, stems)
		results.Hits = append(results.Hits, Hit{
			Slug: page.Slug, Title: page.Title, Heading: heading, Snippet: snippet, Score: math.Round(r.score*1000) / 1000,
		})
	}
	best := -1
	if len(ranking) > 0 {
		best = ranking[0].page
	}
	results.Note = ix.note(asked, stems, best)
	return results
}

// queryWord is a term of a query with its spelling there.
type queryWord struct{ stem, text string }

// queryWords are the distinct informative terms of a query in order. A word in camel case counts by its parts only,
// as it would otherwise count twice.
func queryWords(query string) []queryWord {
	query = clip(query, MaxQuery)
	words := wordsOf(query)
	var asked []queryWord
	seen := map[string]bool{}
	for i, w := range words {
		if i+1 < len(words) && words[i+1].from == w.from && words[i+1].to < w.to {
			continue
		}
		if !seen[w.stem] {
			seen[w.stem] = true
			asked = append(asked, queryWord{stem: w.stem, text: strings.ToLower(query[w.from:w.to])})
		}
	}
	return asked
}

// note says what the hits are worth. It looks at how much of the query the best page holds, not at the score: a score
// has no scale, and a common word always scores.
func (ix *Index) note(asked []queryWord, stems []string, best int) string {
	const stop = "If no title there fits either, the documentation does not cover it: say so instead of searching again with other words."
	if len(asked) == 0 {
		return "The query holds no informative word. Search for the words that name the topic, or list all pages with ai_listDocs."
	}
	if best < 0 {
		return "No page matches. Look at all page titles with ai_listDocs. " + stop
	}
	share, held := ix.corpus.coverage(best, stems)
	if share >= weakCoverage {
		return "Read the page that fits with ai_getDoc before answering; a snippet is only a part of it."
	}
	note := fmt.Sprintf("Weak match: the best passage holds %d of the %d informative words.", len(held), len(asked))
	var unknown []string
	for _, w := range asked {
		if ix.corpus.holding[w.stem] == 0 {
			unknown = append(unknown, w.text)
		}
	}
	if len(unknown) > 0 {
		note += fmt.Sprintf(" No page holds: %s.", strings.Join(unknown, ", "))
	}
	return note + " The documentation may not cover this. Look at all page titles with ai_listDocs. " + stop
}

// snippet cuts the part of a page with the most information about the query, and names the section that part stands in.
func (ix *Index) snippet(page Page, stems []string) (snippet, heading string) {
	words := wordsOf(page.Content)
	from := ix.bestWindow(words, stems)
	at := from
	// Begin at a line where that costs little, and otherwise at a word.
	if line := strings.LastIndexByte(page.Content[:from], '\n') + 1; from-line <= snippetRunes/5 {
		from = line
	} else if space := strings.LastIndexFunc(page.Content[:from], unicode.IsSpace); space >= 0 {
		from = space + 1
	}
	to, count := from, 0
	for to < len(page.Content) && count < snippetRunes {
		_, size := utf8.DecodeRuneInString(page.Content[to:])
		to += size
		count++
	}
	if to < len(page.Content) {
		if space := strings.LastIndexFunc(page.Content[from:to], unicode.IsSpace); space > 0 {
			to = from + space
		}
	}
	snippet = strings.TrimSpace(page.Content[from:to])
	if strings.TrimSpace(page.Content[:from]) != "" {
		snippet = "…" + snippet
	}
	if strings.TrimSpace(page.Content[to:]) != "" {
		snippet += "…"
	}
	for _, h := range page.Headings {
		if h.Offset <= at {
			heading = h.Text
		}
	}
	return snippet, heading
}

// bestWindow finds the byte at which the window with the heaviest set of different query stems begins; the earliest
// wins among equals. Where nothing of the body matches it is the beginning of the page.
func (ix *Index) bestWindow(words []word, stems []string) int {
	asked := map[string]float64{}
	for _, s := range stems {
		asked[s] = ix.corpus.idf(s)
	}
	var matches []word
	for _, w := range words {
		if _, ok := asked[w.stem]; ok {
			matches = append(matches, w)
		}
	}
	best, start := 0.0, 0
	for i, first := range matches {
		weight := 0.0
		seen := map[string]bool{}
		for _, w := range matches[i:] {
			if w.to-first.from > snippetRunes {
				break
			}
			// A repeated word adds a little, so that the passage about a topic beats a mention of it.
			gain := asked[w.stem]
			if seen[w.stem] {
				gain /= 20
			}
			seen[w.stem] = true
			weight += gain
		}
		if weight > best+1e-9 {
			best, start = weight, first.from
		}
	}
	return start
}

// closest names existing slugs that an unknown one may have meant: by the words they share with it and its page's
// title, then by how similar they are letter for letter.
func (ix *Index) closest(slug string) []string {
	slug = clip(normalizeSlug(slug), MaxQuery)
	wanted := map[string]bool{}
	for _, w := range wordsOf(slug) {
		wanted[w.stem] = true
	}
	type candidate struct {
		slug   string
		shared float64
		apart  int
	}
	candidates := make([]candidate, len(ix.pages))
	for i, page := range ix.pages {
		c := candidate{slug: page.Slug, apart: distance([]rune(lastPart(slug)), []rune(lastPart(page.Slug)))}
		for s, count := range ix.corpus.fields[i][0].counts {
			if wanted[s] && count > 0 {
				c.shared += ix.corpus.idf(s)
			}
		}
		c.shared = math.Round(c.shared*1000) / 1000
		candidates[i] = c
	}
	slices.SortFunc(candidates, func(a, b candidate) int {
		return cmp.Or(cmp.Compare(b.shared, a.shared), cmp.Compare(a.apart, b.apart), strings.Compare(a.slug, b.slug))
	})
	names := make([]string, min(maxClosest, len(candidates)))
	for i := range names {
		names[i] = candidates[i].slug
	}
	return names
}

// lastPart is the part after the last slash of a slug, which is what people misspell; the folder they guess.
func lastPart(slug string) string { return slug[strings.LastIndexByte(slug, '/')+1:] }

// distance is the number of single-letter edits between two words.
func distance(a, b []rune) int {
	row := make([]int, len(b)+1)
	for j := range row {
		row[j] = j
	}
	for i := range a {
		diagonal := row[0]
		row[0] = i + 1
		for j := range b {
			cost := diagonal
			if a[i] != b[j] {
				cost++
			}
			diagonal = row[j+1]
			row[j+1] = min(cost, row[j]+1, diagonal+1)
		}
	}
	return row[len(b)]
}
