package model

import (
	"regexp"
	"slices"
	"strconv"
	"strings"
)

// toolNouns are the names of tools in refusals, in lower case.
const toolNouns = `(?:tools?|functions?|function[_ ]?declarations?|tool (?:definitions?|schemas?|declarations?))\b`

// tooManyTools are the sentences by which providers refuse a number of tools, in lower case. A refusal of one tool, such as
// one with a name that is too long, is none.
var tooManyTools = regexp.MustCompile(strings.Join([]string{
	`\btoo many ` + toolNouns,
	// Invalid 'tools': array too long; 'tools' : maximum number of items is 128; ["body","tools"],"msg":"List should have at most.
	"\\btools['\"`\\]]*\\s*[:,-]?[^.\\[]{0,70}(?:array too long|number of items|too many items|at most \\d+ (?:items?|elements?|entries)|" +
		`more than \d+ (?:items?|elements?|entries)|(?:size|length|count)\b[^.]{0,40}\d)`,
	`(?:at most|more than|up to|max(?:imum)?(?: of| is)?|limit(?:ed to| of| is)?|exceed\w*|over|only) (?:(?:the|a|limit|of|maximum) )*` +
		`\d+ (?:\w+ )?` + toolNouns,
	`(?:number|count|amount) of (?:\w+ ){0,2}` + toolNouns +
		`.{0,60}(?:exceed|greater|more than|at most|less than|limit|max|must be|cannot|between|too (?:large|high|many))`,
	`max(?:imum)?(?: allowed)?(?: number of| count of)? ` + toolNouns,
	toolNouns + ` (?:count|limit|number|list)\b.{0,40}(?:exceed|reached|max|too (?:large|high|many|long)|\d)`,
	`\d+ ` + toolNouns + `.{0,60}(?:maximum|limit|exceed|only|at most|allowed|\bmax\b)`,
	`(?:工具|函数|tools).{0,20}(?:超过|超出|最多|上限|不能大于)`,
}, "|"))

var (
	// statedLimit is a number behind the word of a limit.
	statedLimit = regexp.MustCompile(`(?:maximum|max\b|at most|more than|up to|limit|exceed|less than|fewer than|only|最多|超过|上限|不能大于)` +
		`[^0-9]{0,32}(\d{1,4})\b`)
	anyNumber = regexp.MustCompile(`(?:^|[^\d.\[])(\d{1,4})\b`)
)

// LeastTools is the smallest number of tools that is learned from a refusal: a turn cannot work with fewer, and a smaller
// number in a refusal is usually another one, such as that of a version.
const LeastTools = 8

// fallbackToolLimits are tried where a refusal states no number, the greatest first.
var fallbackToolLimits = []int{128, 64, 32, 16, LeastTools}

// toolLimit returns how many tools to offer after a refusal of a request with so many, at least LeastTools, or 0 when fewer
// were too many; ok is false when the refusal is about something else.
func toolLimit(e *Error, text string, sent int) (limit int, ok bool) {
	if sent < 2 || e.Class == RateLimited || e.Class == Unauthorized || e.Status == 0 {
		return 0, false
	}
	text = strings.ReplaceAll(strings.ToLower(text[:min(len(text), maxMatched)]), `\"`, `"`)
	if !tooManyTools.MatchString(text) || containsAny(text, "tool call", "tool_call", "function call ", "function calls") {
		return 0, false
	}
	if sent <= LeastTools {
		return 0, true
	}
	for _, numbers := range []*regexp.Regexp{statedLimit, anyNumber} {
		for _, found := range numbers.FindAllStringSubmatch(text, -1) {
			if n, err := strconv.Atoi(found[1]); err == nil && n < sent && (n >= LeastTools || numbers == statedLimit) {
				limit = max(limit, n)
			}
		}
		if limit > 0 {
			return max(limit, LeastTools), true
		}
	}
	return fallbackToolLimits[slices.IndexFunc(fallbackToolLimits, func(limit int) bool { return limit < sent })], true
}
