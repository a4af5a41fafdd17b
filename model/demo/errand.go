package demo

import (
	"regexp"
	"strings"

	"countersign/model"
)

// planErrand answers the product's own small requests, which offer no tools:
// titles, the topic check and summaries.
func planErrand(req model.Request) (Reply, bool) {
	if len(req.Tools) > 0 {
		return Reply{}, false
	}
	prompt, text := "", ""
	for _, m := range req.Messages {
		switch m.Role {
		case model.RoleSystem:
			prompt += m.Content + "\n"
		case model.RoleUser:
			text = m.Content
		}
	}
	text = strings.TrimPrefix(text, "Message:\n")
	switch {
	case strings.HasPrefix(prompt, "You classify one message"):
		return Reply{Text: topic(text)}, true
	case strings.HasPrefix(prompt, "You name conversations"):
		return Reply{Text: title(text)}, true
	case strings.HasPrefix(prompt, "You summarize a conversation"):
		return Reply{Text: summary(text)}, true
	}
	return Reply{}, false
}

// unrelated matches clear signs that a message does not concern operations; likely ones count unless operations are
// mentioned too: there may be a system called Weather API.
var (
	unrelated = regexp.MustCompile(`(?i)\b(?:poem|haiku|limerick|sonnet|lyrics|song about|short story|bedtime story|fairy tale|` +
		`(?:tell|know) (?:me |us )?(?:a |another )?joke|recipe|horoscope|homework)\b`)
	farFetched = regexp.MustCompile(
		`(?i)\b(?:essay|capital (?:city )?of|president of|world cup|olympics|who won|movies?|football|weather|translate|` +
			`derivative of|integral of|square root|prime numbers?|` +
			`(?:write|code) (?:me )?(?:an? )?(?:\w+ )?(?:python|javascript|typescript|java|rust|golang|c\+\+|haskell|sorting)\b.*|fibonacci|quicksort|` +
			`meaning of life|bake|cook)\b`,
	)
	operations = regexp.MustCompile(
		`(?i)\b(?:systems?|services?|catalog(?:ue)?|groups?|environments?|teams?|owners?|owns|proposals?|cards?|connections?|` +
			`incidents?|maintenance|health|checks?|status|outages?|alerts?|runbooks?|deploy(?:s|ment|ments)?|servers?|api|urls?|https?|latency|` +
			`uptime|countersign|automations?|skills?|memor(?:y|ies)|audit|approvals?|add|delete|rename|probe)\b`,
	)
)

func topic(text string) string {
	if strings.Contains(text, scriptMark) {
		return "ON_TOPIC"
	}
	if unrelated.MatchString(text) || farFetched.MatchString(text) && !operations.MatchString(text) {
		return "OFF_TOPIC"
	}
	return "ON_TOPIC"
}

const (
	titleWords   = 6
	summaryLines = 12
	summaryTitle = "So far:"
	summaryLine  = 160
)

var (
	untitled = wordSet(`a an the please me us called named some`)
	dangling = wordSet(`and or of to for in on with by is are from owned into as at the a`)
)

// title shortens a message to its first informative words.
func title(message string) string {
	b := scenes()
	text := b.plain(newMessage(message).restore(newMessage(message).text))
	if wishes := b.read(message); len(wishes) > 0 {
		text = wishes[0].text
	}
	var words []string
	for word := range strings.FieldsSeq(text) {
		if !untitled[strings.ToLower(word)] && len(words) < titleWords {
			words = append(words, strings.Trim(word, `,;:"“”*`))
		}
	}
	for len(words) > 1 && dangling[strings.ToLower(words[len(words)-1])] {
		words = words[:len(words)-1]
	}
	if len(words) == 0 {
		return "New conversation"
	}
	return capitalized(strings.Join(words, " "))
}

// summary keeps the beginning of each line: of an earlier summary and of what was said first, then of what was said
// last.
func summary(text string) string {
	var lines []string
	for line := range strings.Lines(text) {
		line = space.ReplaceAllString(strings.TrimSpace(line), " ")
		line = strings.TrimPrefix(line, "- ")
		if line == "" || line == "Transcript:" || line == "Summary so far:" || line == summaryTitle {
			continue
		}
		if len(line) > summaryLine {
			line = strings.ToValidUTF8(line[:summaryLine], "") + "…"
		}
		lines = append(lines, "- "+line)
	}
	if len(lines) > summaryLines {
		lines = append(lines[:summaryLines/2:summaryLines/2], lines[len(lines)-summaryLines/2:]...)
	}
	if len(lines) == 0 {
		return "Nothing has been said yet."
	}
	return summaryTitle + "\n" + strings.Join(lines, "\n")
}
