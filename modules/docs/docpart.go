package docs

import (
	"fmt"
	"slices"
	"strings"
	"unicode/utf8"

	"countersign/docsindex"
	"countersign/internal/problem"
	"countersign/internal/text/search"
	"countersign/tool"
)

// Part is a page, or the part of it that fits the caller's limit.
type Part struct {
	Slug string `json:"slug"`
	// Link leads to the page, or to the requested section, in the app.
	Link        string `json:"link"`
	Title       string `json:"title"`
	Description string `json:"description,omitempty"`
	Content     string `json:"content"`
	// Truncated reports that the page was longer than the index keeps.
	Truncated bool `json:"truncated"`
	// Offset is where the content begins in the page, NextOffset where the next part begins; in bytes.
	Offset     int `json:"offset,omitempty"`
	NextOffset int `json:"nextOffset,omitempty"`
	// Sections are the headings of the page, when there is more of it than Content.
	Sections []string `json:"sections,omitempty"`
	Note     string   `json:"note,omitempty"`
}

// digits is the reserve for the growth of the note after the part is cut.
const digits = 16

// byteRange is a byte range of a page.
type byteRange struct{ from, to int }

// partOf returns the requested part of a page in at most limit characters of JSON.
func partOf(doc docsindex.Document, in getDocInput, limit int) (Part, error) {
	part := Part{
		Slug:        doc.Slug,
		Link:        docsindex.Link(doc.Slug, ""),
		Title:       doc.Title,
		Description: doc.Description,
		Content:     doc.Content,
		Truncated:   doc.Truncated,
	}
	headings := docsindex.Headings(doc.Content)
	want := byteRange{0, len(doc.Content)}
	if in.Section != "" {
		at := sectionAt(headings, in.Section)
		if at < 0 {
			return Part{}, noSection(doc.Slug, in.Section, headings)
		}
		want = section(doc.Content, headings, at)
		part.Link = docsindex.Link(doc.Slug, docsindex.Anchors(headings)[at])
	}
	if in.Offset > 0 {
		if in.Offset >= want.to {
			return Part{}, problem.InvalidInput(
				fmt.Sprintf("There is nothing at offset %d: this ends at %d.", in.Offset, want.to),
				problem.Issue{Path: "offset", Message: fmt.Sprintf("must be less than %d", want.to)},
			)
		}
		want.from = max(want.from, runeStart(doc.Content, in.Offset))
	}
	whole := want.from == 0 && want.to == len(doc.Content)
	if whole && size(part) <= limit {
		return part, nil
	}
	part.Description, part.Offset = "", want.from
	part.Sections = listHeadings(headings, limit/4)
	shown := want
	part.Content, part.NextOffset = "", want.to
	part.Note = note(part, want, len(doc.Content), len(headings))
	shown.to = want.from + fitBytes(doc.Content[want.from:want.to], limit-size(part)-digits)
	part.Content, part.NextOffset = doc.Content[shown.from:shown.to], 0
	if shown.to < want.to {
		part.NextOffset = shown.to
	}
	part.Note = note(part, want, len(doc.Content), len(headings))
	return part, nil
}

// note describes the part and how to read on.
func note(p Part, want byteRange, length, headings int) string {
	var b strings.Builder
	end := p.Offset + len(p.Content)
	fmt.Fprintf(&b, "This is bytes %d to %d of a page of %d.", p.Offset, end, length)
	switch {
	case p.NextOffset > 0 && want.to < length:
		fmt.Fprintf(&b, " The section goes on: call ai_getDoc with this slug and section and offset %d.", p.NextOffset)
	case p.NextOffset > 0:
		fmt.Fprintf(&b, " The page goes on: call ai_getDoc with this slug and offset %d.", p.NextOffset)
	case want.to < length:
		b.WriteString(" The section ends here.")
	default:
		b.WriteString(" The page ends here.")
	}
	if len(p.Sections) > 0 {
		b.WriteString(" One of its sections alone: give section.")
	}
	if hidden := headings - len(p.Sections); hidden > 0 {
		fmt.Fprintf(&b, " %d more sections are not listed.", hidden)
	}
	return b.String()
}

// sectionAt returns the index of the heading with this text, -1 for none.
func sectionAt(headings []docsindex.Heading, text string) int {
	wanted := normalizeHeading(text)
	return slices.IndexFunc(headings, func(h docsindex.Heading) bool { return normalizeHeading(h.Text) == wanted })
}

// section returns the range from a heading to the next one of its level or above.
func section(content string, headings []docsindex.Heading, at int) byteRange {
	for _, next := range headings[at+1:] {
		if next.Level <= headings[at].Level {
			return byteRange{headings[at].Offset, next.Offset}
		}
	}
	return byteRange{headings[at].Offset, len(content)}
}

// normalizeHeading normalises a heading given as text, Markdown or anchor.
func normalizeHeading(heading string) string {
	return strings.Join(search.Words(heading), " ")
}

func noSection(slug, text string, headings []docsindex.Heading) error {
	const most = 40
	names := listHeadings(headings, 2_000)
	if len(names) == 0 {
		return problem.InvalidInput(
			"The page "+slug+" has no sections: leave section out.",
			problem.Issue{Path: "section", Message: "is not a section of this page"},
		)
	}
	return problem.InvalidInput(fmt.Sprintf("The page %s has no section %.*q. It has: %s.", slug, most, text, strings.Join(names, "; ")),
		problem.Issue{Path: "section", Message: "is not a section of this page"})
}

// listHeadings returns as many headings as fit limit characters.
func listHeadings(headings []docsindex.Heading, limit int) []string {
	var names []string
	for _, h := range headings {
		if limit -= size(h.Text) + 1; limit < 0 {
			break
		}
		names = append(names, h.Text)
	}
	return names
}

// fitBytes returns how many bytes of a text fit limit characters of JSON: up to a paragraph, line or word that ends in
// the second half, and at least one rune, so that reading on terminates.
func fitBytes(text string, limit int) int {
	if size(text)-2 <= limit {
		return len(text)
	}
	low, high := 0, min(len(text), max(limit, 0))
	for low < high {
		if middle := (low + high + 1) / 2; size(text[:middle])-2 <= limit {
			low = middle
		} else {
			high = middle - 1
		}
	}
	end := runeStart(text, low)
	for _, boundary := range []string{"\n## ", "\n### ", "\n\n", "\n", " "} {
		if at := strings.LastIndex(text[:end], boundary); at > end/2 {
			return at + len(boundary) - len(strings.TrimLeft(boundary, "\n "))
		}
	}
	_, first := utf8.DecodeRuneInString(text)
	return max(end, first)
}

// runeStart is at, or where the rune begins in whose middle that is.
func runeStart(text string, at int) int {
	for at > 0 && at < len(text) && !utf8.RuneStart(text[at]) {
		at--
	}
	return at
}

// size returns the length of a value as JSON, in characters.
func size(v any) int {
	raw, err := tool.Canonical(v)
	if err != nil {
		return 0
	}
	return len(raw)
}

// Listing is what pages there are, as far as the caller has room.
type Listing struct {
	Pages    []docsindex.PageRef `json:"pages"`
	Sections []string            `json:"sections"`
	// NextCursor is the cursor of the next page; "" after the last.
	NextCursor string `json:"nextCursor,omitempty"`
	Note       string `json:"note"`
}

// listingOf is the site map in at most limit characters of JSON: with descriptions, else with titles alone, else as many
// titles as fit behind the cursor, which is the slug of the last page that was listed.
func listingOf(all docsindex.Sitemap, section, cursor string, limit int) Listing {
	pages := slices.DeleteFunc(slices.Clone(all.Pages), func(p docsindex.PageRef) bool { return p.Slug <= cursor })
	l := Listing{Pages: pages, Sections: all.Sections, Note: all.Note}
	if cursor == "" && size(l) <= limit {
		return l
	}
	titles := make([]docsindex.PageRef, len(pages))
	for i, p := range pages {
		titles[i] = docsindex.PageRef{Slug: p.Slug, Title: p.Title}
	}
	const read = " Read the ones that fit with ai_getDoc, or look for words with ai_searchDocs."
	of := "all sections"
	if section != "" {
		of = "this section"
	}
	if l.Pages = titles; cursor == "" {
		l.Note = fmt.Sprintf("These are all %d pages of %s, without their descriptions.", len(titles), of) + read
		if size(l) <= limit {
			return l
		}
	}
	for n := len(titles); n >= 0; n-- {
		before := len(all.Pages) - len(pages)
		l.Pages, l.NextCursor = titles[:max(n, min(1, len(titles)))], ""
		l.Note = fmt.Sprintf("These are pages %d to %d of the %d pages of %s.", before+1, before+len(l.Pages), len(all.Pages), of)
		switch rest := len(titles) - len(l.Pages); {
		case len(titles) == 0:
			l.Note = fmt.Sprintf("There are no pages after this cursor: all %d pages of %s came before it.", len(all.Pages), of)
		case rest > 0:
			l.NextCursor = l.Pages[len(l.Pages)-1].Slug
			l.Note += fmt.Sprintf(" %d more follow: call ai_listDocs with cursor %q, or with one of the sections.", rest, l.NextCursor)
		}
		l.Note += read
		if size(l) <= limit {
			break
		}
	}
	return l
}
