package arch

import (
	"path"
	"regexp"
	"strings"
)

// isDocument is false for the texts of tools, prompts and skills: they are instructions to models, whose wording is measured.
func isDocument(file string) bool {
	return strings.HasPrefix(file, "docs/") || path.Dir(file) == "."
}

var (
	codeSpan  = regexp.MustCompile("`[^`]*`")
	listMark  = regexp.MustCompile(`^\s*(?:[-*>]|\d+\.|#+|[a-z]+:)\s+`)
	question  = regexp.MustCompile(`\*[^*]+\?\*|"[^"]+\?"`)
	emphasis  = regexp.MustCompile(`[*_"]+`)
	quotation = regexp.MustCompile(`^\s*>`)
	heading   = regexp.MustCompile(`^#`)
)

// documentWords looks at the paragraphs, list items and table cells of a document. It leaves out code, quoted questions
// and input (lines that begin with ">"), which are in the words of users, and the openings of headings, which are questions
// of readers ("Who can see a conversation").
func documentWords(file, text string) []Finding {
	var found []Finding
	var block []string
	end := func(line int) {
		if len(block) > 0 {
			found = append(found, prose(file, line-len(block), strings.Join(block, "\n"))...)
			block = nil
		}
	}
	code := false
	lines := strings.Split(text, "\n")
	for i, line := range lines {
		fence := strings.HasPrefix(strings.TrimSpace(line), "```")
		if fence {
			code = !code
		}
		if fence || code || quotation.MatchString(line) || strings.TrimSpace(line) == "" {
			end(i + 1)
			continue
		}
		line = question.ReplaceAllString(codeSpan.ReplaceAllString(line, "code"), "question")
		switch {
		case strings.HasPrefix(strings.TrimSpace(line), "|"):
			end(i + 1)
			for cell := range strings.SplitSeq(line, "|") {
				found = append(found, prose(file, i+1, plain(cell))...)
			}
		case heading.MatchString(line):
			end(i + 1)
			found = append(found, proseBy(proseRules[1:], file, i+1, plain(line))...)
		default:
			if listMark.MatchString(line) {
				end(i + 1)
			}
			block = append(block, plain(line))
		}
	}
	end(len(lines) + 1)
	return found
}

func plain(line string) string {
	return strings.TrimSpace(emphasis.ReplaceAllString(listMark.ReplaceAllString(line, ""), ""))
}
