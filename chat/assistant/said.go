package assistant

import (
	"regexp"
	"strings"
)

// thoughts are the tags between which models think. A server that leaves them in the answer may have opened them in its template,
// so that only the last one is there.
var (
	thoughtsEnd   = regexp.MustCompile(`(?i)(?:</(?:think|thinking|thought|reasoning|seed:think)>|\[/THINK\]|<\|end_of_thought\|>)`)
	thoughtsBegin = regexp.MustCompile(`(?i)^\s*(?:<(?:think|thinking|thought|reasoning|seed:think)>|\[THINK\]|<\|begin_of_thought\|>)`)
)

// Said is the answer to a small model call without what the model thought before it; "" when it has not come to an end
// with that.
func Said(raw string) string {
	if ends := thoughtsEnd.FindAllStringIndex(raw, -1); ends != nil {
		raw = raw[ends[len(ends)-1][1]:]
	}
	if thoughtsBegin.MatchString(raw) {
		return ""
	}
	return strings.TrimSpace(raw)
}
