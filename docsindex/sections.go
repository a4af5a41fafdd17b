package docsindex

import (
	"strconv"
	"strings"
	"unicode"
)

// section is the part of a page between two headings, or before the first one. Searches find sections.
type section struct {
	page int
	// heading is "" before the first one; above is the heading of level 2 over one of level 3.
	heading, above, anchor string
	// from and to are bytes of the page's content, the line of the heading included.
	from, to int
	// lead marks the first section of a page, which also holds title and description.
	lead bool
}

// sectionsOf splits a page at its headings. A heading without text is no section; a page without sections is one.
func sectionsOf(p int, page Page) []section {
	var sections []section
	add := func(s section, text string) {
		if strings.TrimSpace(text) != "" {
			s.lead = len(sections) == 0
			sections = append(sections, s)
		}
	}
	end := len(page.Content)
	if len(page.Headings) > 0 {
		end = page.Headings[0].Offset
	}
	add(section{page: p, to: end}, page.Content[:end])
	above := ""
	for i, anchor := range Anchors(page.Headings) {
		from, to := page.Headings[i].Offset, len(page.Content)
		if i+1 < len(page.Headings) {
			to = page.Headings[i+1].Offset
		}
		s := section{page: p, heading: page.Headings[i].Text, anchor: anchor, from: from, to: to}
		if page.Headings[i].Level == 2 {
			above = s.heading
		} else {
			s.above = above
		}
		_, text, _ := strings.Cut(page.Content[from:to], "\n")
		add(s, text)
	}
	if len(sections) == 0 {
		sections = append(sections, section{page: p, to: len(page.Content), lead: true})
	}
	return sections
}

// Anchors are the names by which links lead to headings, as code hosts make them: small letters, hyphens for spaces, no
// punctuation, and a number from the second of a name on.
func Anchors(headings []Heading) []string {
	anchors := make([]string, len(headings))
	taken := map[string]int{}
	for i, h := range headings {
		var b strings.Builder
		for _, r := range strings.ToLower(h.Text) {
			switch {
			case r == ' ':
				b.WriteByte('-')
			case r == '-', r == '_', unicode.IsLetter(r), unicode.IsDigit(r):
				b.WriteRune(r)
			}
		}
		name := b.String()
		if n := taken[name]; n > 0 {
			anchors[i] = name + "-" + strconv.Itoa(n)
		} else {
			anchors[i] = name
		}
		taken[name]++
	}
	return anchors
}
