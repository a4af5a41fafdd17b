package assistant

import (
	"slices"
	"unicode/utf8"

	"countersign/model"
)

// EstimateTokens is a rough count for any model: a token for four characters, and four for each message.
func EstimateTokens(messages []model.Message) int {
	total := 0
	for _, m := range messages {
		total += MessageTokens(m)
	}
	return total
}

// MessageTokens estimates one message.
func MessageTokens(m model.Message) int {
	chars := utf8.RuneCountInString(m.Content)
	for _, c := range m.ToolCalls {
		chars += len(c.Name) + len(c.Arguments)
	}
	return (chars+charsPerToken-1)/charsPerToken + 4
}

// Window drops the oldest messages until the rest fits into the window beside the system prompt. It cuts before a
// person's message only, so that no tool call is separated from its result, and always keeps the newest.
func Window(history []model.Message, systemTokens, windowTokens int) []model.Message {
	if windowTokens <= 0 {
		windowTokens = DefaultWindow
	}
	room := windowTokens - ReplyTokens - SchemaTokens - systemTokens
	start := len(history)
	used := 0
	for i, m := range slices.Backward(history) {
		used += MessageTokens(m)
		if m.Role != model.RoleUser {
			continue
		}
		if used > room && start < len(history) {
			break
		}
		start = i
	}
	if start == len(history) {
		return history
	}
	return history[start:]
}
