package assistant

import (
	"slices"
	"unicode/utf8"

	"countersign/model"
)

// Elided replaces a tool result that was left out to save room. The call and its result stay, as providers require
// pairs. It does not ask to repeat the call, which would end the same way.
const Elided = `{"_elided":"This result was read earlier and left out to save room. Go on with what you found in it. Only for what you still need and do not know, call again for a smaller part."}`

// excerptChars is the length of an older result before it is left out.
const excerptChars = 600

// Fit makes a conversation fit into room tokens with the least loss. In order, it drops the thoughts of earlier turns
// and the oldest exchanges, cuts the oldest tool results to excerpts, drops these, then the thoughts of the steps
// before the newest, and cuts the longest texts in their middle, all to the same length. The thoughts of the newest
// step, which providers demand, stay unless they leave nothing else half of the room. It cuts only before a person's
// message, so that no tool call is separated from its result, and keeps the newest message and a part of every result
// of the newest step, which are new to the model. history ends with the message that is answered; running are the steps
// made since.
func Fit(history, running []model.Message, room int) []model.Message {
	used := EstimateTokens(history) + EstimateTokens(running)
	history = slices.Clone(history)
	used = forgetThoughts(history, used, room)
	history, used = dropExchanges(history, used, room)
	all := slices.Concat(history, running)
	older := all[:len(all)-len(running)+newestStep(running)]
	used = excerptResults(older, used, room)
	used = elideResults(older, used, room)
	used = forgetThoughts(older, used, room)
	if newest := all[len(older):]; thoughtsOf(newest) > room/2 {
		used = forgetThoughts(newest, used, room)
	}
	if used > room {
		shorten(all, used, room)
	}
	return all
}

// newestStep is the index of the last model call of a turn.
func newestStep(running []model.Message) int {
	for i, m := range slices.Backward(running) {
		if m.Role == model.RoleAssistant {
			return i
		}
	}
	return 0
}

// thoughtsOf estimates the tokens of the thoughts in messages.
func thoughtsOf(messages []model.Message) int {
	total := 0
	for _, m := range messages {
		if m.ReplayData != nil {
			with := MessageTokens(m)
			m.ReplayData = m.ReplayData.WithoutReasoning()
			total += with - MessageTokens(m)
		}
	}
	return total
}

// forgetThoughts drops the model's thoughts, the oldest first.
func forgetThoughts(messages []model.Message, used, room int) int {
	for i := range messages {
		if used <= room {
			break
		}
		if m := &messages[i]; m.ReplayData != nil {
			used -= MessageTokens(*m)
			m.ReplayData = m.ReplayData.WithoutReasoning()
			used += MessageTokens(*m)
		}
	}
	return used
}

// dropExchanges drops the oldest messages until the rest fits, up to the newest message of a person.
func dropExchanges(history []model.Message, used, room int) ([]model.Message, int) {
	start := 0
	for used > room {
		next := nextPerson(history, start+1)
		if next == len(history) {
			break
		}
		used -= EstimateTokens(history[start:next])
		start = next
	}
	return history[start:], used
}

func nextPerson(history []model.Message, from int) int {
	for i := from; i < len(history); i++ {
		if history[i].Role == model.RoleUser {
			return i
		}
	}
	return len(history)
}

// excerptResults cuts tool results to excerpts, the oldest first.
func excerptResults(messages []model.Message, used, room int) int {
	return replaceResults(messages, used, room, func(content string) string { return middleCut(content, excerptChars) })
}

// elideResults drops tool results, the oldest first.
func elideResults(messages []model.Message, used, room int) int {
	return replaceResults(messages, used, room, func(string) string { return Elided })
}

func replaceResults(messages []model.Message, used, room int, by func(string) string) int {
	for i := range messages {
		if used <= room {
			break
		}
		m := &messages[i]
		if m.Role != model.RoleTool {
			continue
		}
		if shorter := by(m.Content); len(shorter) < len(m.Content) {
			used -= MessageTokens(*m)
			m.Content = shorter
			used += MessageTokens(*m)
		}
	}
	return used
}

// shorten cuts texts to the largest common length with which everything fits.
func shorten(messages []model.Message, used, room int) {
	const worth = 300
	before := make([]int, len(messages))
	for i, m := range messages {
		before[i] = Tokens(m.Content)
	}
	sizeAt := func(length int) int {
		size := used
		for i, m := range messages {
			if shorter := middleCut(m.Content, length); len(shorter) < len(m.Content) {
				size += min(Tokens(shorter)-before[i], 0)
			}
		}
		return size
	}
	low, high := worth, worth
	for _, m := range messages {
		high = max(high, utf8.RuneCountInString(m.Content))
	}
	for low < high {
		if middle := (low + high + 1) / 2; sizeAt(middle) <= room {
			low = middle
		} else {
			high = middle - 1
		}
	}
	for i, m := range messages {
		if shorter := middleCut(m.Content, low); utf8.RuneCountInString(shorter) < utf8.RuneCountInString(m.Content) {
			messages[i].Content = shorter
		}
	}
}

const (
	cutMark = "\n[… this text was too long and its middle was left out …]\n"
	// leastTail keeps the end of a fence and the text behind it.
	leastTail = 130
)

// middleCut keeps the start and the end of s, limit characters in all beside a mark.
func middleCut(s string, limit int) string {
	runes := []rune(s)
	if len(runes) <= limit {
		return s
	}
	tail := max(limit/3, min(limit, leastTail))
	return string(runes[:limit-tail]) + cutMark + string(runes[len(runes)-tail:])
}
