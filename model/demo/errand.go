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
	switch {
	case strings.Contains(prompt, "ON_TOPIC") && strings.Contains(prompt, "OFF_TOPIC"):
		return Reply{Text: topic(text)}, true
	case mentions(prompt, "title") && mentions(prompt, "six words", "6 words"):
		return Reply{Text: title(text)}, true
	case isSummaryPrompt(prompt):
		return Reply{Text: summary(text)}, true
	}
	return Reply{}, false
}

// isSummaryPrompt looks at the beginning only: a chat's system prompt may speak
// of summaries further down.
func isSummaryPrompt(prompt string) bool {
	const beginning = 200
	return mentions(prompt[:min(len(prompt), beginning)], "summarize", "summarise", "summary")
}

// unrelated recognizes what has clearly nothing to do with operations.
var unrelated = regexp.MustCompile(`(?i)\b(?:poem|haiku|limerick|lyrics|song about|short story|fairy tale|joke|recipe|horoscope|homework|essay|` +
	`capital of|president of|world cup|who won|weather|translate|derivative of|integral of|square root|` +
	`write (?:me )?(?:an? )?(?:\w+ )?(?:python|javascript|java|rust|c\+\+|haskell|sorting)\b.*|fibonacci|quicksort)\b`)

func topic(text string) string {
	if unrelated.MatchString(text) {
		return "OFF_TOPIC"
	}
	return "ON_TOPIC"
}

const (
	titleWords   = 6
	summaryLines = 8
	summaryLine  = 160
)

var (
	untitled = wordSet(`a an the please me us called named some`)
	dangling = wordSet(`and or of to for in on with by is are from owned into as at the a`)
)

// title shortens a message to its first informative words.
func title(message string) string {
	asked := requests(message)[0]
	var words []string
	for word := range strings.FieldsSeq(asked.restore(asked.text)) {
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

// summary keeps the beginning of each line.
func summary(text string) string {
	var lines []string
	for line := range strings.Lines(text) {
		line = space.ReplaceAllString(strings.TrimSpace(line), " ")
		if line == "" {
			continue
		}
		if len(line) > summaryLine {
			line = strings.ToValidUTF8(line[:summaryLine], "") + "…"
		}
		if lines = append(lines, "- "+line); len(lines) == summaryLines {
			break
		}
	}
	if len(lines) == 0 {
		return "Nothing has been said yet."
	}
	return "So far:\n" + strings.Join(lines, "\n")
}
