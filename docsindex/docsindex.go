// Package docsindex searches the product's own documentation, which grounds the assistant's answers.
//
// Generate builds an index of the Markdown pages of docs/: a JSON document with each page's slug, title, description,
// headings and body, and the synonyms of the glossary. The index is committed as index.json and embedded in the
// binary, so that citations always fit the running code, without a network. Check fails when the committed index does
// not match the pages.
//
// Load reads the embedded index. List returns the pages, Search the sections for a query (BM25F over sections,
// deterministic), Get a page. A ranking finds something for any common word, so Search also computes coverage: when
// the best page lacks the distinctive words of the query, its note says that the documentation probably does not
// cover the question.
package docsindex

import (
	_ "embed"
	"encoding/json"
	"fmt"
	"slices"
	"strings"
	"sync"

	"countersign/internal/problem"
	"countersign/internal/text/search"
)

// The limits of a search.
const (
	MaxQuery     = 400
	DefaultLimit = 5
	MaxLimit     = 10
	snippetRunes = 500
	maxClosest   = 3
)

//go:embed index.json
var embedded []byte

// Index searches a fixed set of pages. It is safe for concurrent use.
type Index struct {
	pages  []Page
	bySlug map[string]int
	corpus corpus
}

// Load returns the embedded index.
func Load() (*Index, error) { return parseEmbedded() }

var parseEmbedded = sync.OnceValues(func() (*Index, error) { return Parse(embedded) })

// Parse reads an index written by Generate.
func Parse(data []byte) (*Index, error) {
	var f file
	if err := json.Unmarshal(data, &f); err != nil {
		return nil, fmt.Errorf("parse documentation index: %w", err)
	}
	if f.Version != fileVersion {
		return nil, fmt.Errorf("parse documentation index: version %d, want %d", f.Version, fileVersion)
	}
	ix := &Index{pages: f.Pages, bySlug: make(map[string]int, len(f.Pages))}
	for i, page := range f.Pages {
		if _, taken := ix.bySlug[page.Slug]; taken || page.Slug == "" {
			return nil, fmt.Errorf("parse documentation index: slug %q is empty or not unique", page.Slug)
		}
		for _, h := range page.Headings {
			if h.Offset < 0 || h.Offset > len(page.Content) {
				return nil, fmt.Errorf("parse documentation index: heading %q of %s is outside of the page", h.Text, page.Slug)
			}
		}
		ix.bySlug[page.Slug] = i
	}
	synonyms, err := search.NewThesaurus(synonymLines+"\n"+strings.Join(f.Synonyms, "\n"), stopWord)
	if err != nil {
		return nil, err
	}
	ix.corpus = newCorpus(ix.pages, synonyms)
	return ix, nil
}

// PageRef identifies a page.
type PageRef struct {
	Slug        string `json:"slug"`
	Title       string `json:"title"`
	Description string `json:"description,omitempty"`
}

// Sitemap lists the pages.
type Sitemap struct {
	Pages    []PageRef `json:"pages"`
	Sections []string  `json:"sections"`
	Note     string    `json:"note"`
}

// List returns the pages of a section such as "concepts", or of all sections for "".
func (ix *Index) List(section string) Sitemap {
	section = strings.Trim(section, "/ ")
	s := Sitemap{Pages: []PageRef{}, Sections: ix.sections()}
	for _, page := range ix.pages {
		if section == "" || page.Slug == section || strings.HasPrefix(page.Slug, section+"/") {
			s.Pages = append(s.Pages, PageRef{Slug: page.Slug, Title: page.Title, Description: page.Description})
		}
	}
	switch {
	case len(s.Pages) == 0:
		s.Note = fmt.Sprintf("There is no section %q. The sections are: %s.", clip(section, 80), strings.Join(s.Sections, ", "))
	case section == "":
		s.Note = "These are all pages. Read the ones that fit with ai_getDoc. If no title or description fits the " +
			"question, the documentation does not cover it: say so."
	default:
		s.Note = "These are all pages of this section. Read the ones that fit with ai_getDoc. If none fits, list all pages " +
			"before concluding that the documentation does not cover the question."
	}
	return s
}

// sections returns the top-level folders, sorted.
func (ix *Index) sections() []string {
	names := []string{}
	for _, page := range ix.pages {
		if name, _, nested := strings.Cut(page.Slug, "/"); nested {
			names = append(names, name)
		}
	}
	slices.Sort(names)
	return slices.Compact(names)
}

// Document is a full page.
type Document struct {
	Slug        string `json:"slug"`
	Title       string `json:"title"`
	Description string `json:"description,omitempty"`
	Content     string `json:"content"`
	Truncated   bool   `json:"truncated"`
	// Headings are the headings of level 2 and 3, in order.
	Headings []Target `json:"headings"`
}

// Target is a heading that links can lead to.
type Target struct {
	Level  int    `json:"level"`
	Text   string `json:"text"`
	Anchor string `json:"anchor"`
}

// Get returns a page by its slug or the path of its file. An unknown slug is problem.NotFound and names the closest
// pages.
func (ix *Index) Get(slug string) (Document, error) {
	i, ok := ix.bySlug[normalizeSlug(slug)]
	if !ok {
		closest := ix.closest(slug)
		return Document{}, problem.Errorf(problem.NotFound,
			"No documentation page has the slug %q. Closest pages: %s. Read one of them, or list all pages with ai_listDocs.",
			clip(slug, 80), strings.Join(closest, ", ")).With("closest", closest)
	}
	page := ix.pages[i]
	doc := Document{
		Slug:        page.Slug,
		Title:       page.Title,
		Description: page.Description,
		Content:     page.Content,
		Truncated:   page.Truncated,
		Headings:    []Target{},
	}
	for j, anchor := range Anchors(page.Headings) {
		doc.Headings = append(doc.Headings, Target{page.Headings[j].Level, page.Headings[j].Text, anchor})
	}
	return doc, nil
}

func normalizeSlug(slug string) string {
	slug, _, _ = strings.Cut(strings.TrimSpace(slug), "#")
	slug = strings.Trim(slug, "/")
	slug = strings.TrimPrefix(slug, "docs/")
	return strings.TrimSuffix(strings.TrimSuffix(slug, ".md"), "/")
}

func clip(s string, limit int) string {
	runes := []rune(strings.ToValidUTF8(s, ""))
	if len(runes) <= limit {
		return string(runes)
	}
	return string(runes[:limit]) + "…"
}
