package assistant

import (
	_ "embed" // for promises.txt
	"regexp"
	"slices"
	"strings"
	"unicode"
	"unicode/utf8"
)

// maxPromise bounds an answer that may be a promise alone, in characters: a longer one has answered something.
const maxPromise = 900

// promise recognizes, in one language, a sentence by which a model says that it calls a tool now. Precision counts: an
// honest answer that is taken for a promise costs a further model call.
type promise struct {
	says, never *regexp.Regexp
	// literals are the strings of which says needs one.
	literals []string
}

//go:embed promises.txt
var promiseTable string

var promises = parsePromises(promiseTable)

// parsePromises reads promises.txt, which describes its form.
func parsePromises(table string) []promise {
	var lead []string
	var all []promise
	head, languages, _ := strings.Cut(table, "\n== ")
	for line := range strings.Lines(head) {
		if words, ok := strings.CutPrefix(strings.TrimSpace(line), "lead "); ok {
			lead = append(lead, words)
		}
	}
	for language := range strings.SplitSeq(languages, "\n== ") {
		name, lines, _ := strings.Cut(language, "\n")
		parts := map[string][]string{}
		for line := range strings.Lines(lines) {
			kind, pattern, _ := strings.Cut(strings.TrimSpace(line), " ")
			parts[kind] = append(parts[kind], pattern)
		}
		says, never := strings.Join(parts["says"], "|"), strings.Join(parts["never"], "|")
		if !strings.HasSuffix(name, "without blanks") {
			says = "^ (?:(?:" + strings.Join(lead, "|") + ") )*(?:" + says + ") $"
			says = strings.ReplaceAll(says, "{verb}", "(?:"+strings.Join(parts["verb"], "|")+")")
			says = strings.ReplaceAll(says, "~", "(?: .*)?")
			never = " (?:" + never + ") "
		}
		all = append(all, promise{regexp.MustCompile(says), regexp.MustCompile(never), literals(says)})
	}
	return all
}

// PromisesCall reports whether an answer without calls ends with the announcement of one: "Let me look at the systems
// first." A turn that ended with it would have answered nothing.
func PromisesCall(answer string) bool {
	answer = strings.TrimSpace(answer)
	if answer == "" || utf8.RuneCountInString(answer) > maxPromise {
		return false
	}
	lines := strings.Split(answer, "\n")
	last := strings.TrimSpace(lines[len(lines)-1])
	if isQuotedOrListed(last) || strings.Count(answer, "```")%2 == 1 || strings.HasPrefix(last, "```") {
		return false
	}
	last = lastSentence(last)
	if strings.ContainsAny(last, "?？؟\"“”„«»「」『』") {
		return false
	}
	clauses := clausesOf(last)
	whole := normalized(strings.Join(clauses, " "))
	for i, c := range clauses {
		clauses[i] = normalized(c)
	}
	for _, p := range promises {
		// Few clauses say it, and telling that they do not is cheap.
		says := slices.ContainsFunc(clauses, func(c string) bool {
			return containsAny(c, p.literals) && p.says.MatchString(c)
		})
		if says && !p.never.MatchString(whole) {
			return true
		}
	}
	return false
}

var listMark = regexp.MustCompile(`^(?:[-*•>|#]|\d+[.)])\s`)

// isQuotedOrListed reports whether a line is part of a list, a table or a quotation, such as a step of a plan.
func isQuotedOrListed(line string) bool {
	return listMark.MatchString(line) || strings.HasPrefix(line, "|")
}

var sentenceEnd = regexp.MustCompile(`[.!?…]+["'*_)\]]*\s+|[。！？]+\s*`)

// lastSentence is the last sentence of a line.
func lastSentence(line string) string {
	line = strings.TrimRightFunc(line, func(r rune) bool { return unicode.IsSpace(r) || unicode.IsSymbol(r) || r == '*' || r == '_' })
	for _, at := range slices.Backward(sentenceEnd.FindAllStringIndex(line, -1)) {
		if at[1] < len(line) {
			return line[at[1]:]
		}
	}
	return line
}

var (
	clauseEnd = regexp.MustCompile(`[,;，；、]\s*`)
	fulfilled = regexp.MustCompile(`(?:[:：]| [–—-]) *\S`)
)

// clausesOf are the parts of a sentence in which a promise can stand. Words behind a colon or a dash fulfil a promise
// before it.
func clausesOf(s string) []string {
	if all := fulfilled.FindAllStringIndex(s, -1); all != nil {
		_, size := utf8.DecodeLastRuneInString(s[:all[len(all)-1][1]])
		s = s[all[len(all)-1][1]-size:]
	}
	return clauseEnd.Split(s, -1)
}

var whether = regexp.MustCompile(` (check|see|find out|verify|look|determine|ver|comprobar|verificar|revisar|vérifier|voir|regarder|` +
	`vedere|controllare|verificare|checar|conferir) (?:if|si|se) `)

// normalized is a clause in lower case with one blank around each of its words. Dots within a word stay, for names of
// tools.
func normalized(clause string) string {
	words := strings.FieldsFunc(strings.ToLower(strings.ReplaceAll(clause, "’", "'")), func(r rune) bool {
		return !unicode.IsLetter(r) && !unicode.IsDigit(r) && !unicode.IsMark(r) && !strings.ContainsRune("'._", r)
	})
	for i, w := range words {
		words[i] = strings.Trim(w, "._")
	}
	text := " " + strings.Join(strings.Fields(strings.Join(words, " ")), " ") + " "
	return whether.ReplaceAllString(text, " $1 whether ")
}
