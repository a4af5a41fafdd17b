package docsindex

import (
	"bytes"
	"encoding/json"
	"errors"
	"fmt"
	"io/fs"
	"path"
	"slices"
	"strings"
	"unicode/utf8"
)

const (
	fileVersion = 1
	// maxPageBytes keeps a page below the size limit of tool results. Pages are far smaller.
	maxPageBytes = 16 << 10
	// decisionsDir holds the project's own decision records, which are not user documentation.
	decisionsDir = "decisions"
)

// file is the committed form of the index.
type file struct {
	Version int `json:"version"`
	// Synonyms are those of the glossary, as lines of a thesaurus.
	Synonyms []string `json:"synonyms,omitempty"`
	Pages    []Page   `json:"pages"`
}

// Page is one indexed page.
type Page struct {
	Slug        string    `json:"slug"`
	Title       string    `json:"title"`
	Description string    `json:"description,omitempty"`
	Headings    []Heading `json:"headings"`
	// Content is Markdown without front matter and component tags; links to other pages lead to them in the app.
	Content string `json:"content"`
	// Truncated reports that the page was longer than the index keeps.
	Truncated bool `json:"truncated,omitempty"`
}

// Heading is a heading of level 2 or 3 and the byte of the content at which its section begins.
type Heading struct {
	Level  int    `json:"level"`
	Text   string `json:"text"`
	Offset int    `json:"offset"`
}

// Generate builds the index of the Markdown pages in fsys, the docs folder. It is deterministic. A page without title
// or description, or with unreadable front matter, is an error.
func Generate(fsys fs.FS) ([]byte, error) {
	f := file{Version: fileVersion, Pages: []Page{}}
	err := fs.WalkDir(fsys, ".", func(name string, entry fs.DirEntry, err error) error {
		switch {
		case err != nil:
			return err
		case entry.IsDir() && name == decisionsDir:
			return fs.SkipDir
		case entry.IsDir() || path.Ext(name) != ".md":
			return nil
		}
		source, err := fs.ReadFile(fsys, name)
		if err != nil {
			return err
		}
		page, err := readPage(name, source)
		if err != nil {
			return fmt.Errorf("%s: %w", name, err)
		}
		f.Pages = append(f.Pages, page)
		if name == glossaryFile {
			f.Synonyms = glossarySynonyms(source)
		}
		return nil
	})
	if err != nil {
		return nil, fmt.Errorf("index documentation: %w", err)
	}
	slices.SortFunc(f.Pages, func(a, b Page) int { return strings.Compare(a.Slug, b.Slug) })
	var out bytes.Buffer
	enc := json.NewEncoder(&out)
	enc.SetEscapeHTML(false)
	enc.SetIndent("", " ")
	if err := enc.Encode(f); err != nil {
		return nil, fmt.Errorf("index documentation: %w", err)
	}
	return out.Bytes(), nil
}

// Check compares a committed index with the pages in fsys. The error names the pages that differ.
func Check(fsys fs.FS, committed []byte) error {
	fresh, err := Generate(fsys)
	if err != nil {
		return err
	}
	if bytes.Equal(fresh, committed) {
		return nil
	}
	var old, current file
	if err := json.Unmarshal(committed, &old); err != nil {
		return fmt.Errorf("the documentation index cannot be read: %w", err)
	}
	if err := json.Unmarshal(fresh, &current); err != nil {
		return err
	}
	return fmt.Errorf(
		"the documentation index is stale (%s); regenerate it with: countersign docs-index",
		strings.Join(differing(old.Pages, current.Pages), ", "),
	)
}

func differing(old, current []Page) []string {
	key := func(p Page) string { encoded, _ := json.Marshal(p); return string(encoded) }
	slugs := []string{}
	for _, pair := range [][2][]Page{{old, current}, {current, old}} {
		for _, p := range pair[0] {
			if !slices.ContainsFunc(pair[1], func(q Page) bool { return key(p) == key(q) }) {
				slugs = append(slugs, p.Slug)
			}
		}
	}
	slices.Sort(slugs)
	if slugs = slices.Compact(slugs); len(slugs) == 0 {
		return []string{"its format"}
	}
	return slugs
}

func readPage(name string, source []byte) (Page, error) {
	if !utf8.Valid(source) || bytes.IndexByte(source, 0) >= 0 {
		return Page{}, errors.New("not valid text")
	}
	front, body, err := cutFrontMatter(string(source))
	if err != nil {
		return Page{}, err
	}
	if front.title == "" || front.description == "" {
		return Page{}, errors.New("front matter needs a title and a description")
	}
	page := Page{Slug: slugOf(name), Title: front.title, Description: front.description}
	page.Content, page.Truncated = capBytes(linkSlugs(stripTags(body), name), maxPageBytes)
	page.Headings = Headings(page.Content)
	return page, nil
}

// slugOf returns the path without its extension; an index.md is its folder.
func slugOf(name string) string {
	slug := strings.TrimSuffix(name, ".md")
	if dir, ok := strings.CutSuffix(slug, "/index"); ok {
		return dir
	}
	return slug
}

// capBytes cuts at the end of a line.
func capBytes(text string, limit int) (string, bool) {
	if len(text) <= limit {
		return text, false
	}
	cut := strings.LastIndexByte(text[:limit+1], '\n') + 1
	if cut == 0 {
		cut = limit
		for !utf8.RuneStart(text[cut]) {
			cut--
		}
	}
	return text[:cut], true
}
