package demo

import (
	"regexp"
	"strings"
	"unicode"
)

const (
	maxQuery   = 400
	maxQuoted  = 1500
	coverage   = 0.5 // of the question's words a page has to mention
	shortWord  = 2
	stemLength = 5
)

// stopWords carry no subject.
var stopWords = wordSet(`a an and about any are as at be by can could do does docs documentation explain find for from get guide
	have help how long i if in into is it its make manual may me must my of on or our please read search see shall should show so
	some tell than that the their them then there these they this to us use using want was we were what when where which
	who why will with work works would you your describe look happens mean means`)

func wordSet(text string) map[string]bool {
	set := map[string]bool{}
	for word := range strings.FieldsSeq(text) {
		set[word] = true
	}
	return set
}

// quote answers with the part of the documentation that fits a question best, or says that nothing does.
func (t *turn) quote(question string) {
	words := subjects(question)
	if len(words) == 0 {
		t.say(t.cannotHelp())
		return
	}
	slug, title, ready := t.page(words)
	if !ready {
		return
	}
	if slug == "" {
		text := "The documentation doesn't cover that, so I'd rather not guess."
		if title != "" {
			text += " The closest page is “" + clean(title) + "”."
		}
		t.say(text)
		return
	}
	page, ok := t.document(slug)
	if !ok {
		return
	}
	heading, passage := bestPassage(page.text("title"), page.text("content"), words)
	if passage == "" {
		t.say("The page “" + clean(page.text("title")) + "” is about that, but it has no text I could quote.")
		return
	}
	source := "From the documentation, “" + clean(page.text("title")) + "”"
	if heading != "" && heading != page.text("title") {
		source += ", section “" + clean(heading) + "”"
	}
	t.say(source + ":\n\n> " + strings.ReplaceAll(passage, "\n", "\n> "))
}

// page finds the page to read. An empty slug means that nothing fits; title is
// then the closest one, if any.
func (t *turn) page(words []string) (slug, title string, ready bool) {
	if t.offered[searchDocs] || !t.offered[listDocs] {
		query := strings.Join(words, " ")
		r, ok := t.read(searchDocs, object{"query": query[:min(len(query), maxQuery)]})
		if !ok {
			return "", "", false
		}
		hits := r.list("hits")
		if len(hits) == 0 {
			return "", "", true
		}
		weak := mentions(r.entry("").text("note"), "weak match", "no page matches", "no informative word")
		if weak && mentioned(hits[0].text("title"), words) < len(words) {
			return "", hits[0].text("title"), true
		}
		return hits[0].text("slug"), hits[0].text("title"), true
	}
	r, ok := t.read(listDocs, nil)
	if !ok {
		return "", "", false
	}
	for _, page := range r.list("pages") {
		if covers(page.text("title")+" "+page.text("description")+" "+page.text("slug"), words) {
			return page.text("slug"), page.text("title"), true
		}
	}
	return "", "", true
}

var slugInText = regexp.MustCompile(`[a-z0-9]+(?:[/-][a-z0-9]+)+`)

// document reads a page. A slug that does not exist is corrected once by the
// first one that the error suggests.
func (t *turn) document(slug string) (entry, bool) {
	r, done := t.tryRead(getDoc, object{"slug": slug})
	if done && r.failure != nil {
		for _, other := range slugInText.FindAllString(r.failure.Message, -1) {
			if other != slug {
				r, ok := t.read(getDoc, object{"slug": other})
				return r.entry("page"), ok
			}
		}
	}
	r, ok := t.read(getDoc, object{"slug": slug})
	return r.entry("page"), ok
}

// subjects returns the words of a question that say what it is about.
func subjects(question string) []string {
	var words []string
	for _, word := range strings.FieldsFunc(strings.ToLower(question), func(r rune) bool {
		return !unicode.IsLetter(r) && !unicode.IsDigit(r)
	}) {
		if len(word) >= shortWord && !stopWords[word] {
			words = append(words, word)
		}
	}
	return words
}

// covers reports that a text mentions enough of the words.
func covers(text string, words []string) bool {
	return float64(mentioned(text, words)) >= coverage*float64(len(words))
}

func mentioned(text string, words []string) int {
	text = strings.ToLower(text)
	n := 0
	for _, word := range words {
		if strings.Contains(text, word[:min(len(word), stemLength)]) {
			n++
		}
	}
	return n
}

var headingLine = regexp.MustCompile(`(?m)^#{2,4}[ \t]+(.+?)[ \t]*#*[ \t]*$`)

// bestPassage returns the part of a page that fits best, bounded at the end of a
// paragraph: its beginning when the whole page is about the words, else the
// section that mentions most of them.
func bestPassage(title, content string, words []string) (heading, passage string) {
	if mentioned(title, words) == len(words) {
		content = headingLine.ReplaceAllString(strings.TrimSpace(content), "**$1**")
		return "", shortened(unlinked(content), maxQuoted)
	}
	best := -1.0
	consider := func(section, body string) {
		body = strings.TrimSpace(body)
		if body == "" {
			return
		}
		// A heading says more about a section than a word in its text.
		score := 2*float64(mentioned(section, words)) + float64(mentioned(body, words))
		if score > best {
			best, heading, passage = score, section, body
		}
	}
	section, from := "", 0
	for _, at := range headingLine.FindAllStringSubmatchIndex(content, -1) {
		consider(section, content[from:at[0]])
		section, from = content[at[2]:at[3]], at[1]
	}
	consider(section, content[from:])
	return heading, shortened(unlinked(passage), maxQuoted)
}

var linked = regexp.MustCompile(`\[([^\]\n]+)\]\(([^)\s]*)\)`)

// unlinked keeps the text of links within the documentation: they lead nowhere
// in a chat.
func unlinked(text string) string {
	return linked.ReplaceAllStringFunc(text, func(found string) string {
		parts := linked.FindStringSubmatch(found)
		if strings.HasPrefix(parts[2], "http") {
			return found
		}
		return parts[1]
	})
}

// shortened cuts a text at the end of a paragraph or, failing that, of a line.
func shortened(text string, most int) string {
	if len(text) <= most {
		return text
	}
	text = strings.ToValidUTF8(text[:most], "")
	for _, end := range []string{"\n\n", "\n", " "} {
		if i := strings.LastIndex(text, end); i > most/2 {
			text = text[:i]
			break
		}
	}
	if strings.Count(text, "```")%2 == 1 {
		text += "\n```"
	}
	return strings.TrimSpace(text) + "\n\n…"
}
