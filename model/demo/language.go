package demo

import (
	"regexp"
	"strings"
	"unicode"
)

// maxAsk bounds the text that the rules look at, maxRequests how many requests
// one message can hold.
const (
	maxAsk      = 2000
	maxRequests = 8
)

// request is one thing that a message asks for: "add a system called A". What
// stood in quotes is replaced by a rune of the private use area, so that no
// rule takes it apart; match.text puts it back.
type request struct {
	text   string
	quoted []string
}

const firstPlaceholder = '\uE000'

// rule answers requests of one form. answer may decline, after which the rules
// behind it are tried.
type rule struct {
	pattern *regexp.Regexp
	answer  func(t *turn, m match) bool
}

// when compiles the pattern of a whole request, in any letter case.
func when(pattern string) *regexp.Regexp {
	return regexp.MustCompile(`(?is)^(?:` + pattern + `)$`)
}

func (r rule) match(of request) (match, bool) {
	groups := r.pattern.FindStringSubmatch(of.text)
	return match{of, r.pattern, groups}, groups != nil
}

// match gives access to the named parts of a request.
type match struct {
	request
	pattern *regexp.Regexp
	groups  []string
}

// raw returns the first non-empty part of these names, with placeholders.
func (m match) raw(names ...string) string {
	for _, name := range names {
		for i, known := range m.pattern.SubexpNames() {
			if known == name && strings.TrimSpace(m.groups[i]) != "" {
				return strings.TrimSpace(m.groups[i])
			}
		}
	}
	return ""
}

// text returns a part as the person wrote it, without quotes around it.
func (m match) text(names ...string) string { return m.restore(m.raw(names...)) }

// names splits a part into the names it lists.
func (m match) names(name string) []string { return m.list(m.raw(name)) }

// all returns the whole request as the person wrote it.
func (m match) all() string { return m.restore(m.request.text) }

var listSeparator = regexp.MustCompile(`(?i)\s*,\s*(?:and\s+)?|\s+and\s+|\s*&\s*`)

func (r request) list(text string) []string {
	var names []string
	for _, part := range listSeparator.Split(text, -1) {
		if part = r.restore(part); part != "" && len(names) < maxRequests {
			names = append(names, part)
		}
	}
	return names
}

func (r request) restore(text string) string {
	text = strings.TrimRight(strings.TrimSpace(text), " .,;:!?")
	var b strings.Builder
	for _, c := range text {
		if i := int(c - firstPlaceholder); i >= 0 && i < len(r.quoted) {
			b.WriteString(r.quoted[i])
			continue
		}
		b.WriteRune(c)
	}
	return strings.TrimSpace(b.String())
}

var (
	quotes    = regexp.MustCompile("\"([^\"\n]+)\"|“([^”\n]+)”|„([^“\n]+)“|«([^»\n]+)»|‘([^’\n]+)’|`([^`\n]+)`|\\*\\*([^*\n]+)\\*\\*")
	apostroph = regexp.MustCompile(`(^|[\s(])'([^'\n]+)'($|[\s.,;:!?)])`)
	space     = regexp.MustCompile(`\s+`)
	// courtesy stands before what is asked for.
	courtesy = regexp.MustCompile(`(?i)^(?:(?:hi|hello|hey)(?: there)?[,!.]?|please|kindly|now|then|next|also|and|so|well|ok(?:ay)?,?|yes,|(?:can|could|would|will) you(?: please)?|` +
		`(?:i|we)(?:'d| would) like (?:you )?to|i want (?:you )?to|(?:i|we) (?:want|need) to|let'?s|let us|go ahead and|help me(?: to)?)\s+`)
	wish = regexp.MustCompile(`(?i)^(?:i|we)(?:'d| would)? (?:need|want|like) ((?:a|an|another|the)\s)`)
	// sentenceEnd and nextVerb separate requests.
	sentenceEnd = regexp.MustCompile(`[.!?;]\s+|\n+`)
	nextVerb    = regexp.MustCompile(`(?i)(?:,\s*|\s+)(?:and\s+then|then|and|and\s+also)\s+(?:please\s+)?(add|create|register|rename|delete|remove|move|put|set|change|update|list|show|tell|probe)\s`)
	nextThing   = regexp.MustCompile(`(?i)(?:,\s*|\s+)and\s+((?:a|an|another|one)\s+(?:new\s+|more\s+)?(?:(?:system|service|group|environment)\s+)?(?:called|named)\s)`)
	thing       = regexp.MustCompile(`(?i)\b(system|service|group|environment)s?\b`)
	verb        = regexp.MustCompile(`(?i)^(\w+)`)
	// freeText begins a description, which may hold anything.
	freeText = regexp.MustCompile(`(?i)\bdescribe\b|\bdescription\b|\bdescribed as\b`)
	// After a creation, an amendment adds to it, and a statement describes it.
	creation  = regexp.MustCompile(`(?i)^(?:add|create|register|onboard)\s`)
	amendment = regexp.MustCompile(`(?i)^(?:it(?:'s| is| should be)\s+(?:owned|maintained|run|described|tagged)|owned by|tag it with|the owner is|its owner is|description:|the description is|its description is)\b`)
	statement = regexp.MustCompile(`(?i)^it\s+(.+)$`)
	// sameChange begins a part of a request about the same system.
	sameChange = regexp.MustCompile(`(?i)^(?:add\s+(?:the\s+)?tags?\s+\S+$|(?:set|change|update)\s+(?:its|the)\s+description\b)`)
)

// requests takes a message apart.
func requests(ask string) []request {
	if len(ask) > maxAsk {
		ask = strings.ToValidUTF8(ask[:maxAsk], "")
	}
	ask = strings.Map(func(r rune) rune {
		if r >= firstPlaceholder && r < '\uF8FF' {
			return -1
		}
		if r == '’' {
			return '\''
		}
		return r
	}, ask)

	var quoted []string
	hide := func(text string) string {
		quoted = append(quoted, strings.TrimSpace(text))
		return string(firstPlaceholder + rune(len(quoted)-1))
	}
	ask = quotes.ReplaceAllStringFunc(ask, func(text string) string {
		for _, group := range quotes.FindStringSubmatch(text)[1:] {
			if group != "" {
				return hide(group)
			}
		}
		return text
	})
	ask = apostroph.ReplaceAllStringFunc(ask, func(text string) string {
		groups := apostroph.FindStringSubmatch(text)
		return groups[1] + hide(groups[2]) + groups[3]
	})

	var found []request
	for _, sentence := range sentences(ask, hide) {
		for _, clause := range clauses(sentence, maxRequests) {
			if clause = plain(clause); clause != "" && len(found) < maxRequests {
				found = append(found, request{clause, quoted})
			}
		}
	}
	if len(found) == 0 {
		found = append(found, request{"", quoted})
	}
	return found
}

// sentences splits a message; a sentence that only adds to the one before
// stays with it.
func sentences(text string, hide func(string) string) []string {
	var found []string
	for _, sentence := range sentenceEnd.Split(text, -1) {
		sentence = strings.TrimSpace(sentence)
		if sentence == "" {
			continue
		}
		if len(found) > 0 && creation.MatchString(plain(found[len(found)-1])) {
			last := &found[len(found)-1]
			if amendment.MatchString(sentence) {
				*last += ", " + sentence
				continue
			}
			if said := statement.FindStringSubmatch(sentence); said != nil {
				*last += ", described as " + hide(capitalized(strings.TrimRight(said[1], " .!")))
				continue
			}
		}
		found = append(found, sentence)
	}
	// Pleasantries around a request are not requests.
	kept := found[:0:0]
	for _, sentence := range found {
		if len(found) > 1 && pleasantry.MatchString(strings.TrimRight(sentence, " .,;:!?")) {
			continue
		}
		kept = append(kept, sentence)
	}
	return kept
}

// clauses splits "add A and delete B", and "add a system called A and one
// called B", where the second part lacks the verb. What is beyond most clauses
// is dropped.
func clauses(sentence string, most int) []string {
	if most == 0 {
		return nil
	}
	splittable := len(sentence)
	if at := freeText.FindStringIndex(sentence); at != nil {
		splittable = at[0]
	}
	if at := nextVerb.FindStringSubmatchIndex(sentence[:splittable]); at != nil && !sameChange.MatchString(sentence[at[2]:]) {
		return append(clauses(sentence[:at[0]], most), clauses(sentence[at[2]:], most-1)...)
	}
	if at := nextThing.FindStringSubmatchIndex(sentence[:splittable]); at != nil {
		first := plain(sentence[:at[0]])
		second := sentence[at[2]:]
		kind := thing.FindStringSubmatch(first)
		if kind != nil && thing.FindString(sentence[at[2]:at[3]]) == "" {
			second = "a " + kind[1] + " called " + sentence[at[3]:]
		}
		return append([]string{first}, clauses(verb.FindString(first)+" "+second, most-1)...)
	}
	return []string{sentence}
}

// plain removes courtesy and punctuation around a request.
func plain(text string) string {
	text = space.ReplaceAllString(strings.TrimSpace(text), " ")
	if pleasantry.MatchString(strings.TrimRight(text, " .,;:!?")) {
		return text
	}
	for {
		shorter := courtesy.ReplaceAllString(text, "")
		shorter = wish.ReplaceAllString(shorter, "add $1")
		if shorter == text {
			break
		}
		text = shorter
	}
	text = strings.TrimRight(text, " .,;:!?")
	for _, end := range []string{" please", " thanks", " thank you", " for me"} {
		if len(text) > len(end) && strings.EqualFold(text[len(text)-len(end):], end) {
			text = strings.TrimRight(text[:len(text)-len(end)], " .,;:!?")
		}
	}
	return text
}

func mentions(text string, words ...string) bool {
	text = strings.ToLower(text)
	for _, word := range words {
		if strings.Contains(text, word) {
			return true
		}
	}
	return false
}

// join lists words as prose does: "a, b and c".
func join(words []string, last string) string {
	switch len(words) {
	case 0:
		return ""
	case 1:
		return words[0]
	}
	return strings.Join(words[:len(words)-1], ", ") + " " + last + " " + words[len(words)-1]
}

func capitalized(text string) string {
	for i, r := range text {
		if i == 0 {
			return string(unicode.ToUpper(r)) + text[len(string(r)):]
		}
	}
	return text
}

// clean makes text from the catalog safe inside a line of Markdown.
func clean(text string) string {
	text = space.ReplaceAllString(strings.TrimSpace(text), " ")
	return markdown.Replace(text)
}

var markdown = strings.NewReplacer("|", "\\|", "*", "\\*", "_", "\\_", "`", "\\`", "[", "\\[", "<", "&lt;")

// bold marks a name.
func bold(name string) string { return "**" + clean(name) + "**" }
