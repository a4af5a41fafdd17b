package assistant

import "strings"

const (
	titleWords = 6
	titleChars = 60
)

// HeuristicTitle names a conversation after its first message: its first six words, sixty characters at most.
func HeuristicTitle(message string) string {
	words := strings.Fields(message)
	more := len(words) > titleWords
	title := strings.Join(words[:min(len(words), titleWords)], " ")
	if runes := []rune(title); len(runes) > titleChars {
		title, more = strings.TrimSpace(string(runes[:titleChars-1])), true
	}
	if more && title != "" {
		title += "…"
	}
	return title
}
