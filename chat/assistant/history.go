package assistant

import (
	"regexp"
	"slices"
	"strconv"
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
	chars := utf8.RuneCountInString(m.Content) + m.Kept.Size()
	for _, c := range m.ToolCalls {
		chars += len(c.Name) + len(c.Arguments)
	}
	return (chars+CharsPerToken-1)/CharsPerToken + 4
}

// RequestTokens estimates a whole request, the tools' schemas included.
func RequestTokens(r model.Request) int { return EstimateTokens(r.Messages) + ToolTokens(r.Tools) }

var statedWindow = regexp.MustCompile(`(?i)(?:maximum|max|limit|window|length)[^0-9]{0,40}([0-9]{4,7})\b`)

// SmallerWindow is the window to go on with after a provider has refused a request of so many estimated tokens as too
// long: what the provider has said it is, or else one with room for half of what was sent, in which a turn can work still.
func SmallerWindow(said string, sent int) int {
	half := max(sent/2+ReplyTokens(sent), LeastWindow)
	if found := statedWindow.FindStringSubmatch(said); found != nil {
		// Estimates are rough, so the stated window is not used up.
		if stated, err := strconv.Atoi(found[1]); err == nil && stated*4/5 < half*2 {
			return stated * 4 / 5
		}
	}
	return half
}

// Elided stands for a tool result that was left out to save room. The call and its result stay, so that a provider
// finds the pairs it demands. It does not ask for the call to be made again, which would end in the same place.
const Elided = `{"_elided":"This result was read earlier and left out to save room. Go on with what you found in it. Only for what you still need and do not know, call again for a smaller part."}`

// excerptChars is what is left of an older result before it is left out.
const excerptChars = 600

// Fit makes a conversation fit into room tokens, losing as little as it can. In turn it leaves out the thoughts of
// earlier turns, the oldest exchanges, cuts the oldest tool results down to excerpts, leaves these out, then the
// thoughts of the steps before the newest, and at last cuts the longest texts in their middle, all to the same length.
// The thoughts of the newest step, which providers demand, stay unless they leave nothing else half of the room. It
// cuts before a person's message only, so that no tool call is separated from its result, and keeps the newest message
// and a part at least of every result of the newest step: the model has not seen these yet. history ends with the
// message that is answered; running are the steps made since.
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

// newestStep is where the last model call of a turn begins.
func newestStep(running []model.Message) int {
	for i, m := range slices.Backward(running) {
		if m.Role == model.RoleAssistant {
			return i
		}
	}
	return 0
}

// thoughtsOf is how many tokens the thoughts of messages take.
func thoughtsOf(messages []model.Message) int {
	chars := 0
	for _, m := range messages {
		chars += m.Kept.Size() - m.Kept.WithoutReasoning().Size()
	}
	return chars / CharsPerToken
}

// forgetThoughts leaves out what the model thought, from the oldest on.
func forgetThoughts(messages []model.Message, used, room int) int {
	for i := range messages {
		if used <= room {
			break
		}
		if m := &messages[i]; m.Kept != nil {
			used -= MessageTokens(*m)
			m.Kept = m.Kept.WithoutReasoning()
			used += MessageTokens(*m)
		}
	}
	return used
}

// dropExchanges leaves out messages from the beginning until the rest fits, up to the newest message of a person.
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

// excerptResults cuts tool results down from the oldest on.
func excerptResults(messages []model.Message, used, room int) int {
	return replaceResults(messages, used, room, func(content string) string { return middleCut(content, excerptChars) })
}

// elideResults leaves out tool results from the oldest on.
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

// shorten cuts all texts that are longer than some length to it: the longest length with which everything fits.
func shorten(messages []model.Message, used, room int) {
	const worth = 300
	sizeAt := func(length int) int {
		size := used
		for _, m := range messages {
			before := MessageTokens(m)
			m.Content = middleCut(m.Content, length)
			size += min(MessageTokens(m)-before, 0)
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
	// leastTail keeps the end of a fence, with what is said behind it.
	leastTail = 130
)

// middleCut keeps the beginning and the end of s, limit characters in all beside a mark.
func middleCut(s string, limit int) string {
	runes := []rune(s)
	if len(runes) <= limit {
		return s
	}
	tail := max(limit/3, min(limit, leastTail))
	return string(runes[:limit-tail]) + cutMark + string(runes[len(runes)-tail:])
}
