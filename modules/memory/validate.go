package memory

import (
	"fmt"
	"slices"
	"strconv"
	"strings"
	"unicode"
	"unicode/utf8"

	"golang.org/x/text/unicode/norm"

	"countersign/problem"
	"countersign/scrub"
	"countersign/text"
)

const maxIssues = 20

// validation collects every issue of an input and returns values in the form in which they are stored.
type validation struct {
	issues []problem.Issue
}

func (v *validation) report(path, format string, args ...any) {
	if len(v.issues) < maxIssues {
		v.issues = append(v.issues, problem.Issue{Path: path, Message: fmt.Sprintf(format, args...)})
	}
}

// err is nil when nothing was reported.
func (v *validation) err() error {
	if len(v.issues) == 0 {
		return nil
	}
	var texts []string
	for _, issue := range v.issues {
		texts = append(texts, strings.TrimSpace(issue.Path+" "+issue.Message))
	}
	return problem.InvalidInput("Please correct: "+strings.Join(texts, "; ")+".", v.issues...)
}

// memory is the form in which a memory is stored: secrets taken out first, so that the limits hold for what remains.
func (v *validation) memory(n NewMemory) NewMemory {
	switch {
	case n.Scope != User && n.Scope != System:
		v.report("scope", "must be user or system")
	case n.Scope == System && n.SystemID == nil:
		v.report("systemId", "is required for scope system")
	case n.Scope == User && n.SystemID != nil:
		v.report("systemId", "belongs to scope system; leave it out for scope user")
	}
	n.RecallHint = v.required("recallHint", n.RecallHint, MaxHint, func(rune) bool { return false })
	n.Content = v.required("content", strings.ReplaceAll(n.Content, "\r\n", "\n"), MaxContent, func(r rune) bool { return r == '\n' || r == '\t' })
	n.Tags = v.tags("tags", n.Tags)
	return n
}

func (v *validation) required(path, value string, limit int, allowed func(rune) bool) string {
	before := len(v.issues)
	value = v.visible(path, value, limit, allowed)
	if value == "" && len(v.issues) == before {
		v.report(path, "must not be empty")
	}
	return value
}

func (v *validation) visible(path, value string, limit int, allowed func(rune) bool) string {
	if !utf8.ValidString(value) {
		v.report(path, "is not valid UTF-8")
		return value
	}
	value = norm.NFC.String(strings.TrimSpace(scrub.Text(value)))
	if n := utf8.RuneCountInString(value); n > limit {
		v.report(path, "is %d characters long, at most %d are allowed", n, limit)
	}
	for _, r := range value {
		if !allowed(r) && (unicode.IsControl(r) || text.Disguises(r)) {
			v.report(path, "has the character %U, which is not allowed", r)
			break
		}
	}
	return value
}

// tags are a set: lower case, sorted, each once.
func (v *validation) tags(path string, values []string) []string {
	tags := []string{}
	if len(values) > MaxTags {
		v.report(path, "has %d tags, at most %d are allowed", len(values), MaxTags)
		return tags
	}
	for i, value := range values {
		at := path + "[" + strconv.Itoa(i) + "]"
		tags = append(tags, strings.ToLower(v.required(at, value, MaxTag, func(rune) bool { return false })))
	}
	slices.Sort(tags)
	return slices.Compact(tags)
}

// query checks text to look for, which may be anything that the database can compare.
func (v *validation) query(path, value string) {
	if !utf8.ValidString(value) || strings.ContainsRune(value, 0) {
		v.report(path, "is not text")
	}
	if n := utf8.RuneCountInString(value); n > MaxQuery {
		v.report(path, "is %d characters long, at most %d are allowed", n, MaxQuery)
	}
}
