package model

import (
	"regexp"
	"strings"
)

// Servers that leave thoughts in the answer may open them in the prompt template, so that only the closing tag is
// present.
var thoughtsBegin, thoughtsEnd = thoughtTags()

func thoughtTags() (begin, end *regexp.Regexp) {
	opening, closing := ThinkTags()
	return regexp.MustCompile(`(?i)^\s*` + oneOf(opening)), regexp.MustCompile(`(?i)` + oneOf(closing))
}

func oneOf(words []string) string {
	quoted := make([]string, len(words))
	for i, w := range words {
		quoted[i] = regexp.QuoteMeta(w)
	}
	return "(?:" + strings.Join(quoted, "|") + ")"
}

// Answer returns the text of an answer without leading thoughts; "" while the thoughts are not closed.
func (r Response) Answer() string {
	raw := r.Text
	if ends := thoughtsEnd.FindAllStringIndex(raw, -1); ends != nil {
		raw = raw[ends[len(ends)-1][1]:]
	}
	if thoughtsBegin.MatchString(raw) {
		return ""
	}
	return strings.TrimSpace(raw)
}
