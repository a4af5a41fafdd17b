package model

import (
	"regexp"
	"strings"
)

// A server that leaves thoughts in the answer may have opened them in its template, so that only the last tag is there.
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

// Said is the text of an answer to a small call without what the model thought before it; "" when it has not come to an end
// with that.
func (r Response) Said() string {
	raw := r.Text
	if ends := thoughtsEnd.FindAllStringIndex(raw, -1); ends != nil {
		raw = raw[ends[len(ends)-1][1]:]
	}
	if thoughtsBegin.MatchString(raw) {
		return ""
	}
	return strings.TrimSpace(raw)
}
