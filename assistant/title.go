package assistant

import "strings"

const (
	titleWords = 6
	titleChars = 60
)

// HeuristicTitle names a conversation after its first message: its first six words, sixty characters at most.
func HeuristicTitle(message string) string {
	words := strings.Fields(message)
	title := strings.Join(words[:min(len(words), titleWords)], " ")
	runes := []rune(title)
	if len(words) <= titleWords && len(runes) <= titleChars {
		return title
	}
	return strings.TrimSpace(string(runes[:min(len(runes), titleChars-1)])) + "…"
}
