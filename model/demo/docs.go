package demo

import (
	"regexp"
	"strings"

	"countersign/internal/text/search"
)

const (
	maxQuery   = 400
	maxQuoted  = 1500
	coverage   = 0.5 // share of the question's words that a page has to mention
	shortWord  = 2
	stemLength = 5
	docsPath   = "/docs/"
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

// quote answers with the section of the documentation that fits a question best, or that nothing fits.
func (t *turn) quote(question string) {
	words := subjects(question)
	// The documentation knows nothing of this installation: a section that shares some words would be no answer.
	asksForRecords := t.book.installed.MatchString(question) && !t.book.general.MatchString(question)
	if len(words) == 0 || asksForRecords {
		t.say(t.cannotHelp())
		return
	}
	hit, closest, ready := t.found(question, words)
	if !ready {
		return
	}
	if hit == nil {
		text := "The documentation doesn't cover that, so I'd rather not guess."
		if closest != "" {
			text += " The closest page is “" + clean(closest) + "”."
		}
		t.say(text)
		return
	}
	page, ok := t.document(hit.text("slug"))
	if !ok {
		return
	}
	title, content, link := page.text("title"), page.text("content"), hit.text("link")
	heading, passage := hit.text("heading"), ""
	switch {
	case heading != "":
		passage = sectionOf(content, heading)
	case link != "":
		passage = beginning(content)
	}
	if passage == "" {
		heading, passage = bestPassage(title, content, words)
	}
	if passage == "" {
		t.say("The page “" + clean(title) + "” is about that, but it has no text I could quote.")
		return
	}
	source := "“" + clean(title) + "”"
	if heading != "" && heading != title {
		source += ", section “" + clean(heading) + "”"
	}
	if strings.HasPrefix(link, docsPath) {
		source = "[" + source + "](" + link + ")"
	}
	t.say("From the documentation, " + source + ":\n\n> " + strings.ReplaceAll(passage, "\n", "\n> "))
}

// found is the hit that fits a question best: a page, with the section if the search says so. It is nil when nothing
// fits; closest is then the title of the closest page, if any.
func (t *turn) found(question string, words []string) (hit entry, closest string, ready bool) {
	if t.offered[searchDocs] || !t.offered[listDocs] {
		query := strings.Join(strings.Fields(question), " ")
		query = strings.ToValidUTF8(query[:min(len(query), maxQuery)], "")
		r, ok := t.read(searchDocs, object{"query": query})
		if !ok {
			return nil, "", false
		}
		hits := r.list("hits")
		if len(hits) == 0 {
			return nil, "", true
		}
		weak := mentions(r.entry("").text("note"), "weak match", "no page matches", "no informative word")
		if weak && mentioned(hits[0].text("title")+" "+hits[0].text("heading"), words) < len(words) {
			return nil, hits[0].text("title"), true
		}
		return hits[0], "", true
	}
	r, ok := t.read(listDocs, nil)
	if !ok {
		return nil, "", false
	}
	for _, page := range r.list("pages") {
		if covers(page.text("title")+" "+page.text("description")+" "+page.text("slug"), words) {
			return page, "", true
		}
	}
	return nil, "", true
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

// subjects returns the words of a question that carry its subject.
func subjects(question string) []string {
	var words []string
	for _, word := range search.Words(question) {
		if len(word) >= shortWord && !stopWords[word] {
			words = append(words, word)
		}
	}
	return words
}

// covers reports whether a text mentions enough of the words.
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
		return "", beginning(content)
	}
	best := -1.0
	consider := func(section, body string) {
		body = strings.TrimSpace(body)
		if body == "" {
			return
		}
		// A heading weighs more than a word in the text.
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

// sectionOf returns the text below a heading, up to the next heading of its level, bounded like passages.
func sectionOf(content, heading string) string {
	found, from, level := false, 0, 0
	for _, at := range headingLine.FindAllStringSubmatchIndex(content, -1) {
		depth := strings.IndexByte(content[at[0]:], ' ')
		switch {
		case !found && headingWords(content[at[2]:at[3]]) == headingWords(heading):
			found, from, level = true, at[1], depth
		case found && depth <= level:
			return passageOf(content[from:at[0]])
		}
	}
	if !found {
		return ""
	}
	return passageOf(content[from:])
}

// beginning returns the first passage of a page.
func beginning(content string) string { return passageOf(content) }

// passageOf makes a part of a page quotable: bounded, and with its headings in bold.
func passageOf(content string) string {
	content = headingLine.ReplaceAllString(strings.TrimSpace(content), "**$1**")
	return shortened(unlinked(content), maxQuoted)
}

// headingWords returns the words of a heading, without its marks.
func headingWords(heading string) string {
	return strings.Join(strings.FieldsFunc(heading, func(r rune) bool { return !search.InWord(r) }), " ")
}

var linked = regexp.MustCompile(`\[([^\]\n]+)\]\(([^)\s]*)\)`)

// unlinked keeps the text of links that have no target in a chat.
func unlinked(text string) string {
	return linked.ReplaceAllStringFunc(text, func(found string) string {
		parts := linked.FindStringSubmatch(found)
		if strings.HasPrefix(parts[2], "http") || strings.HasPrefix(parts[2], docsPath) {
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
