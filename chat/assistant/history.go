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
	return (chars+charsPerToken-1)/charsPerToken + 4
}

// Room is how many tokens a conversation may take beside the system prompt, the tools' schemas and the answer.
func Room(systemTokens, windowTokens int) int {
	if windowTokens <= 0 {
		windowTokens = DefaultWindow
	}
	const least = 512
	return max(windowTokens-ReplyTokens-SchemaTokens-systemTokens, least)
}

// RequestTokens estimates a whole request, the tools' schemas included.
func RequestTokens(r model.Request) int {
	chars := 0
	for _, t := range r.Tools {
		chars += len(t.Name) + len(t.Description) + len(t.Parameters)
	}
	return EstimateTokens(r.Messages) + (chars+charsPerToken-1)/charsPerToken
}

var statedWindow = regexp.MustCompile(`(?i)(?:maximum|max|limit|window|length)[^0-9]{0,40}([0-9]{4,7})\b`)

// SmallerWindow is the window to go on with after a provider has refused a request of so many estimated tokens as too
// long: what the provider has said it is, or else half of what was sent, reserves included.
func SmallerWindow(said string, sent int) int {
	half := sent/2 + ReplyTokens + SchemaTokens
	if found := statedWindow.FindStringSubmatch(said); found != nil {
		// Estimates are rough, so the stated window is not used up.
		if stated, err := strconv.Atoi(found[1]); err == nil && stated*4/5 < half*2 {
			return stated * 4 / 5
		}
	}
	return half
}

// Elided stands for a tool result that was left out to save room. The call and its result stay, so that a provider
// finds the pairs it demands.
const Elided = `{"_elided":"This result was left out to save room. Call the tool again if you need it."}`

// Fit makes a conversation fit into room tokens, losing as little as it can. In turn it leaves out old thoughts, the oldest
// exchanges, the oldest tool results of the running turn, and at last cuts long texts in their middle. It cuts before
// a person's message only, so that no tool call is separated from its result, and always keeps the newest message.
// history ends with the message that is answered; running are the steps made since.
func Fit(history, running []model.Message, room int) []model.Message {
	history, running = slices.Clone(history), slices.Clone(running)
	used := EstimateTokens(history) + EstimateTokens(running)
	used = forgetThoughts(history, used, room)
	history, used = dropExchanges(history, used, room)
	used = elideResults(running, used, room)
	used = elideResults(history, used, room)
	if all := slices.Concat(history, running); used > room {
		shorten(all, used, room)
		return all
	}
	return slices.Concat(history, running)
}

// forgetThoughts leaves out what the model thought in earlier turns, from the oldest on.
func forgetThoughts(history []model.Message, used, room int) int {
	for i := range history {
		if used <= room {
			break
		}
		if m := &history[i]; m.Kept != nil {
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

// elideResults leaves out tool results from the oldest on.
func elideResults(messages []model.Message, used, room int) int {
	for i := range messages {
		if used <= room {
			break
		}
		if m := &messages[i]; m.Role == model.RoleTool && len(m.Content) > len(Elided) {
			used -= MessageTokens(*m)
			m.Content = Elided
			used += MessageTokens(*m)
		}
	}
	return used
}

// shorten cuts the longest texts until everything fits, or nothing worth cutting is left.
func shorten(messages []model.Message, used, room int) {
	const worth = 1_000
	for used > room && len(messages) > 0 {
		longest := 0
		for i := range messages {
			if len(messages[i].Content) > len(messages[longest].Content) {
				longest = i
			}
		}
		m := &messages[longest]
		before := MessageTokens(*m)
		chars := utf8.RuneCountInString(m.Content)
		if chars <= worth {
			return
		}
		m.Content = middleCut(m.Content, max(worth, chars-(used-room)*charsPerToken-len(cutMark)))
		if used += MessageTokens(*m) - before; MessageTokens(*m) >= before {
			return
		}
	}
}

const cutMark = "\n[… this text was too long and its middle was left out …]\n"

// middleCut keeps the beginning and the end of s, limit characters in all beside a mark.
func middleCut(s string, limit int) string {
	runes := []rune(s)
	if len(runes) <= limit {
		return s
	}
	head := limit * 2 / 3
	return string(runes[:head]) + cutMark + string(runes[len(runes)-(limit-head):])
}
