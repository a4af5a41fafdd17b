package docsindex

import (
	"cmp"
	"fmt"
	"math"
	"slices"
	"strings"
	"unicode/utf8"

	"countersign/internal/text/search"
)

// Hit is a section that fits a query.
type Hit struct {
	Slug  string `json:"slug"`
	Title string `json:"title"`
	// Heading is the heading of the section, and Anchor its link fragment; both are empty before the first heading of a
	// page.
	Heading string `json:"heading,omitempty"`
	Anchor  string `json:"anchor,omitempty"`
	// Link leads to the section in the app.
	Link    string `json:"link"`
	Snippet string `json:"snippet"`
	// Score orders the hits of one query and means nothing else.
	Score float64 `json:"score"`
}

// Results are the sections that fit a query, best first, and what to make of them.
type Results struct {
	Hits []Hit `json:"hits"`
	// Weak reports that the best hit lacks distinctive words of the query.
	Weak bool   `json:"weak"`
	Note string `json:"note"`
}

const (
	// weakCoverage is the share of a query's information below which the best page is not taken for an answer.
	weakCoverage = 0.66
	// perPage bounds the found sections of a page, to leave room for other pages.
	perPage = 2
)

// Search ranks the sections for a query of at most MaxQuery characters; a longer one is cut. limit is 1 to MaxLimit, 0
// means DefaultLimit. Equal scores are ordered by slug.
func (ix *Index) Search(query string, limit int) Results {
	if limit <= 0 {
		limit = DefaultLimit
	}
	limit = min(limit, MaxLimit)
	asked := ix.corpus.ask(query)
	ranking := ix.corpus.rank(asked)
	results := Results{Hits: []Hit{}}
	from := map[int]int{}
	for _, r := range ranking {
		s := ix.corpus.sections[r.section]
		if len(results.Hits) == limit || from[s.page] == perPage {
			continue
		}
		from[s.page]++
		page := ix.pages[s.page]
		results.Hits = append(results.Hits, Hit{
			Slug: page.Slug, Title: page.Title, Heading: s.heading, Anchor: s.anchor, Link: Link(page.Slug, s.anchor),
			Snippet: ix.snippet(s, asked), Score: math.Round(float64(r.score)*1000) / 1000,
		})
	}
	best := -1
	if len(ranking) > 0 {
		best = ix.corpus.sections[ranking[0].section].page
	}
	results.Note, results.Weak = ix.note(asked, best)
	return results
}

// Link is the address of a page in the app, or of one of its sections.
func Link(slug, anchor string) string {
	link := "/docs/" + slug
	if anchor != "" {
		link += "#" + anchor
	}
	return link
}

// note rates the hits, and reports whether they are weak. It uses the share of the query that the best page covers, not
// the score: a score has no scale, and a common word always scores.
func (ix *Index) note(asked []concept, best int) (note string, weak bool) {
	const stop = "If no title there fits either, the documentation does not cover it: say so instead of searching again with other words."
	if len(asked) == 0 {
		return "The query holds no informative word. Search for the words that name the topic, or list all pages with ai_listDocs.", true
	}
	if best < 0 {
		return "No page matches. Look at all page titles with ai_listDocs. " + stop, true
	}
	share, held := ix.corpus.coverage(best, asked)
	if share >= weakCoverage {
		return "Read the section that fits with ai_getDoc before answering; a snippet is only a part of it.", false
	}
	note = fmt.Sprintf("Weak match: the best passage holds %d of the %d informative words.", held, len(asked))
	var unknown []string
	for _, q := range asked {
		if len(q.terms) == 0 {
			unknown = append(unknown, q.text)
		}
	}
	if len(unknown) > 0 {
		note += fmt.Sprintf(" No page holds: %s.", strings.Join(unknown, ", "))
	}
	return note + " The documentation may not cover this. Look at all page titles with ai_listDocs. " + stop, true
}

// snippet cuts the part of a section with the most information about the query, filled up within the section.
func (ix *Index) snippet(s section, asked []concept) string {
	content := ix.pages[s.page].Content
	from, to := s.from, s.to
	if utf8.RuneCountInString(content[from:to]) > snippetRunes {
		from, to = search.Excerpt(content, s.from, s.to, ix.corpus.bestWindow(s, asked), snippetRunes)
	}
	snippet := strings.TrimSpace(content[from:to])
	if strings.TrimSpace(content[:from]) != "" {
		snippet = "…" + snippet
	}
	if strings.TrimSpace(content[to:]) != "" {
		snippet += "…"
	}
	return snippet
}

// bestWindow finds the byte at which the window with the heaviest set of different words of the query begins; the earliest
// wins among equals. Where nothing matches it is the beginning of the section.
func (c *corpus) bestWindow(s section, asked []concept) int {
	type match struct {
		from, to int
		concept  int
	}
	of := map[int32]int{}
	for i, q := range asked {
		for _, w := range q.terms {
			for _, stem := range w.stems {
				if _, taken := of[stem]; !taken {
					of[stem] = i
				}
			}
		}
	}
	var matches []match
	for _, t := range between(c.tokens[s.page], s.from, s.to) {
		if i, ok := of[t.stem]; ok {
			matches = append(matches, match{int(t.from), int(t.to), i})
		}
	}
	best, start := 0.0, s.from
	seen := make([]bool, len(asked))
	for i, first := range matches {
		weight := 0.0
		clear(seen)
		for _, m := range matches[i:] {
			if m.to-first.from > snippetRunes {
				break
			}
			// A repeated word adds a little, so that the passage about a topic beats a mention of it.
			gain := asked[m.concept].weight
			if seen[m.concept] {
				gain /= 20
			}
			seen[m.concept] = true
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
	wanted := map[int32]bool{}
	for _, w := range wordsOf(slug) {
		wanted[ix.corpus.id(w.Lower)] = true
	}
	type candidate struct {
		slug   string
		shared float64
		apart  int
	}
	candidates := make([]candidate, len(ix.pages))
	for i, page := range ix.pages {
		c := candidate{slug: page.Slug, apart: search.Distance(lastPart(slug), lastPart(page.Slug))}
		for _, s := range slices.Compact(slices.Sorted(slices.Values(ix.corpus.titles[i]))) {
			if wanted[s] {
				c.shared += ix.corpus.information(ix.corpus.sectionCounts[s])
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

// lastPart returns the part of a slug after the last slash, where people misspell; they guess the folder.
func lastPart(slug string) string { return slug[strings.LastIndexByte(slug, '/')+1:] }
