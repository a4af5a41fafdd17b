package memory

import (
	"slices"
	"strings"
	"unicode/utf8"

	"countersign/internal/problem"
	"countersign/internal/secret/scrub"
	"countersign/internal/text"
)

// validation checks an input and returns values in their stored form.
type validation struct{ problem.Issues }

// memory returns the stored form of a memory: secrets are scrubbed first, so that the limits apply to the rest.
func (v *validation) memory(n NewMemory) NewMemory {
	switch {
	case n.Scope != User && n.Scope != System:
		v.Report("scope", "must be user or system")
	case n.Scope == System && n.SystemID == nil:
		v.Report("systemId", "is required for scope system")
	case n.Scope == User && n.SystemID != nil:
		v.Report("systemId", "belongs to scope system; leave it out for scope user")
	}
	n.RecallHint = text.Required(&v.Issues, "recallHint", text.Line(&v.Issues, "recallHint", scrub.Text(n.RecallHint), MaxHint))
	content := scrub.Text(strings.ReplaceAll(n.Content, "\r\n", "\n"))
	n.Content = text.Required(&v.Issues, "content", text.Lines(&v.Issues, "content", content, MaxContent))
	tags := slices.Clone(n.Tags)
	for i, tag := range tags {
		tags[i] = scrub.Text(tag)
	}
	n.Tags = text.Tags(&v.Issues, "tags", tags, MaxTags, MaxTag)
	return n
}

// filter returns the search phrase of a filter.
func (v *validation) filter(f Filter) string {
	phrase := text.Query(&v.Issues, "query", f.Query)
	if n := utf8.RuneCountInString(f.Query); n > MaxQuery {
		v.Report("query", "is %d characters long, at most %d are allowed", n, MaxQuery)
	}
	if f.Scope != "" && f.Scope != User && f.Scope != System {
		v.Report("scope", "must be user or system")
	}
	return phrase
}
