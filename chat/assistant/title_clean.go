package assistant

import (
	"encoding/json"
	"html"
	"regexp"
	"slices"
	"strings"
	"unicode"
	"unicode/utf8"

	"countersign/internal/text"
	"countersign/model"
)

// CleanTitle extracts a title from a model's answer: its first usable line, without quotes, Markdown, JSON, tags, a label
// or punctuation at the end, six words and sixty characters at most. It is "" when nothing usable is left.
func CleanTitle(raw string) string {
	for _, candidate := range titleLines(raw) {
		if line, _ := cleanLine(candidate); line != "" {
			return line
		}
	}
	return ""
}

var (
	// titleNames are the names that models give to a title.
	titleNames = `(?:title|titel|titre|t[ií]tulo|titolo|subject|topic)`
	// templateMarks are marks of chat templates that servers leave in an answer.
	templateMarks = regexp.MustCompile(`<\|[^|<>\s]{1,40}\|>|<｜[^｜<>\s]{1,40}｜>|</?s>|` +
		`<start_of_turn>(?:model|user)?|<(?:end_of_turn|eos|bos|pad|unk)>|\[/?INST\]|\[(?:EOS|PAD)\]`)
	titleTag = regexp.MustCompile(`(?is)<(?:title|titel|titre|t[ií]tulo|titolo|answer|output)>\s*(.*?)\s*(?:</|$)`)
	anyTag   = regexp.MustCompile(`</?[a-zA-Z][\w:-]{0,30}(?: [^<>]{0,100})?/?>`)
	fenced   = regexp.MustCompile("(?s)```[a-zA-Z]*\\s*(.*?)\\s*(?:```|$)")
	// titleMember finds a title in JSON that may be cut off.
	titleMember = regexp.MustCompile(`(?i)"(?:conversation[_ ]?|chat[_ ]?)?` + titleNames + `"\s*:\s*"((?:[^"\\]|\\.)*)`)
	// looseMember finds one in an object that is no JSON, wordCount the count of words behind a title, bareCall a call in its place.
	looseMember = regexp.MustCompile(`(?i)^\{\s*'?` + titleNames + `'?\s*:\s*'?([^'"{}]+)`)
	wordCount   = regexp.MustCompile(`(?i)\s+[-–—(]\s*\d{1,2} (?:words|wörter|mots|palabras)\)?$`)
	bareCall    = regexp.MustCompile(`^\[?[A-Za-z]\w*[_.]\w+\(.*\)\]?$`)
	listItem    = regexp.MustCompile(`^\s*(?:[-*•>–]+|#+|\(?\d{1,2}[.)]|[a-cA-C][.)])\s+`)
	link        = regexp.MustCompile(`!?\[([^\]]+)\]\([^)]*\)`)
	politeness  = regexp.MustCompile(`(?i)^(?:sure|certainly|of course|absolutely|okay|ok|gerne|natürlich|klar|claro|bien sûr|certo)[!,.]\s+`)
	quotation   = regexp.MustCompile("[\"“„«「『*`]+([^\"“”„«»「」『』*`]{3,})[\"”“»」』*`]+")
)

// titleLines are the lines of an answer in which a title may stand.
func titleLines(raw string) []string {
	said := model.Response{Text: raw}.Answer()
	if at := strings.LastIndex(said, "<|message|>"); at >= 0 {
		said = said[at+len("<|message|>"):]
	}
	if (model.Response{Text: said}).WritesCall() || bareCall.MatchString(strings.TrimSpace(said)) {
		return nil
	}
	said = html.UnescapeString(templateMarks.ReplaceAllString(said, "\n"))
	if found := titleTag.FindStringSubmatch(said); found != nil {
		said = found[1]
	}
	if found := fenced.FindStringSubmatch(said); found != nil && strings.HasPrefix(strings.TrimSpace(said), "```") {
		said = found[1]
	}
	title, isJSON := titleInJSON(strings.TrimSpace(said))
	if isJSON {
		said = title
	}
	said = strings.NewReplacer(`\n`, "\n", "\r", "\n").Replace(anyTag.ReplaceAllString(said, "\n"))
	var lines []string
	for line := range strings.Lines(said) {
		if line = strings.TrimSpace(line); line != "" {
			lines = append(lines, line)
		}
	}
	// A line that ends with a colon introduces the next one.
	for len(lines) > 1 && strings.HasSuffix(strings.Trim(lines[0], "*_ "), ":") {
		lines = lines[1:]
	}
	return lines
}

// titleInJSON returns the title in an answer that is JSON: a member of an object, the only member of one, the first
// string of a list, or a string. The object may be cut off.
func titleInJSON(said string) (title string, isJSON bool) {
	if said == "" || !strings.ContainsRune(`{["`, rune(said[0])) {
		return "", false
	}
	if found := titleMember.FindStringSubmatch(said); found != nil {
		if json.Unmarshal([]byte(`"`+found[1]+`"`), &title) != nil {
			title = found[1]
		}
		return title, true
	}
	if found := looseMember.FindStringSubmatch(said); found != nil {
		return found[1], true
	}
	var value any
	if json.NewDecoder(strings.NewReader(said)).Decode(&value) != nil {
		return "", said[0] == '{'
	}
	switch v := value.(type) {
	case string:
		// Words behind it belong to the title.
		return v, strings.HasSuffix(said, `"`) && strings.Count(said, `"`) == 2
	case []any:
		if len(v) > 0 {
			title, _ = v[0].(string)
		}
	case map[string]any:
		for _, only := range v {
			if len(v) == 1 {
				title, _ = only.(string)
			}
		}
	}
	return title, true
}

// cleanLine returns the title in a line; cut says that it had more words.
func cleanLine(line string) (title string, cut bool) {
	line = link.ReplaceAllString(listItem.ReplaceAllString(line, ""), "$1")
	line = politeness.ReplaceAllString(line, "")
	line = quotedTitle(line)
	line = strings.Map(func(r rune) rune {
		if unicode.IsControl(r) || r == utf8.RuneError || strings.ContainsRune("*_`#\"“”„«»「」『』", r) {
			return -1
		}
		return r
	}, text.Visible(line))
	line = wordCount.ReplaceAllString(strings.TrimSpace(withoutLabel(line)), "")
	for _, pair := range []string{"[]", "()"} {
		if strings.HasPrefix(line, pair[:1]) && strings.HasSuffix(line, pair[1:]) {
			line = line[1 : len(line)-1]
		}
	}
	words := strings.Fields(line)
	if len(words) > sentenceWords {
		return "", false
	}
	if cut = len(words) > titleWords; cut {
		words = words[:titleWords]
		for len(words) > 2 && slices.Contains(joiners, strings.ToLower(words[len(words)-1])) {
			words = words[:len(words)-1]
		}
	}
	line = strings.Trim(strings.Join(words, " "), "'’ ")
	line = strings.TrimRightFunc(line, func(r rune) bool { return unicode.IsPunct(r) && r != ')' && r != '%' })
	if utf8.RuneCountInString(line) > titleChars {
		line = strings.TrimSpace(string([]rune(line)[:titleChars-1])) + "…"
		cut = true
	}
	return line, cut
}

// joiners are words with which no title ends.
var joiners = strings.Fields(`a an the and or of for in on at to with by from as is are was were who which that und oder der die das des dem
	den ein eine von vom für mit im am an zu zur bei ist sind et ou de du le la les un une pour avec en au aux dans à y o el los las una
	con por para del e di il lo gli per da do dos em no na com van het een voor met op`)

// quotedTitle is the only quotation of a sentence about a title: The title is "Owner of Payments".
func quotedTitle(line string) string {
	all := quotation.FindAllStringSubmatchIndex(line, -1)
	if len(all) != 1 {
		return line
	}
	isLabel := func(w string) bool { return slices.Contains(labels, w) }
	before, behind := plainWords(line[:all[0][0]]), plainWords(line[all[0][1]:])
	if len(behind) == 0 && slices.ContainsFunc(before, isLabel) || slices.ContainsFunc(behind, isLabel) {
		return line[all[0][2]:all[0][3]]
	}
	return line
}

var labelEnd = regexp.MustCompile(`[:：=]| [-–—] `)

// withoutLabel is the text behind words such as "Title:" or "Sure, here is a short title:".
func withoutLabel(line string) string {
	at := labelEnd.FindStringIndex(line)
	if at == nil {
		return line
	}
	labelled := false
	for _, w := range plainWords(line[:at[0]]) {
		switch {
		case slices.Contains(labels, w):
			labelled = true
		case !slices.Contains(fillers, w):
			return line
		}
	}
	if !labelled {
		return line
	}
	return strings.TrimLeft(line[at[0]:], ":：=-–— ")
}
