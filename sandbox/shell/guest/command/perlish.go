package command

import "strings"

// kept is the name of the group that grep -o shows instead of the whole match.
const kept = "kept"

// perlish spells what people use most of -P for package regexp, which has no looking around: what must come before is
// matched but not shown, whether it stands before \K or in (?<=) at the beginning, and so is what must follow in (?=) at the
// end.
func perlish(e string) string {
	before, after := "", ""
	if at := topLevel(e, `\K`); at >= 0 {
		before, e = e[:at], e[at+2:]
	}
	if strings.HasPrefix(e, "(?<=") {
		if end := closing(e, 0); end > 0 {
			before, e = before+"(?:"+e[len("(?<="):end]+")", e[end+1:]
		}
	}
	if at := topLevel(e, "(?="); at >= 0 && closing(e, at) == len(e)-1 {
		e, after = e[:at], "(?:"+e[at+len("(?="):len(e)-1]+")"
	}
	if before == "" && after == "" {
		return e
	}
	return before + "(?P<" + kept + ">" + e + ")" + after
}

// topLevel finds a text outside of groups and brackets, or -1.
func topLevel(e, text string) int {
	depth, in := 0, false
	for k := 0; k < len(e); k++ {
		switch c := e[k]; {
		case !in && depth == 0 && strings.HasPrefix(e[k:], text):
			return k
		case c == '\\':
			k++
		case in:
			in = c != ']'
		case c == '[':
			in = true
			k += opening(e[k:])
		case c == '(':
			depth++
		case c == ')':
			depth--
		}
	}
	return -1
}

// closing finds the end of the group that begins at a place, or -1.
func closing(e string, at int) int {
	end := topLevel(e[at+1:], ")")
	if end < 0 {
		return -1
	}
	return at + 1 + end
}

// opening is how many characters after a bracket cannot end it.
func opening(e string) int {
	switch {
	case strings.HasPrefix(e, "[^]"):
		return 2
	case strings.HasPrefix(e, "[]"), strings.HasPrefix(e, "[^"):
		return 1
	}
	return 0
}
