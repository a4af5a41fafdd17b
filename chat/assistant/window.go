package assistant

import (
	"fmt"
)

// Sizes of the context window, in tokens.
const (
	// DefaultWindow is the window of a connection that declares none.
	DefaultWindow = 128_000
	// LeastWindow is the smallest window in which a turn can work: the rules, the tools that every turn needs, a message,
	// one result and an answer take about as much.
	LeastWindow = 4_096

	leastReply = 512
	mostReply  = 4_096
	// leastRoom is the minimum room of a conversation, even if the request becomes too long by it.
	leastRoom = 512
	// leastResult is the minimum length of each of many results of a step, in characters.
	leastResult = 1_000

	// CharsPerToken is the assumed length of a token, for limits in characters: that of JSON, of which results are.
	CharsPerToken = 3
)

// WindowRefusal is the reason for a person why no turn can work in a window of so many tokens; "" when one can. An
// unknown window, 0, is not refused.
func WindowRefusal(window int) string {
	if window <= 0 || window >= LeastWindow {
		return ""
	}
	return fmt.Sprintf(
		"A context window of %d tokens is too small: the assistant needs at least %d for its instructions, its tools and what they find. "+
			"Choose a model with a larger window, or start its server with a larger one (num_ctx, --ctx-size, --max-model-len).",
		window,
		LeastWindow,
	)
}

func windowOrDefault(window int) int {
	if window <= 0 {
		return DefaultWindow
	}
	return window
}

// ReplyTokens are reserved for the answer: an eighth of the window, within bounds.
func ReplyTokens(window int) int { return min(max(windowOrDefault(window)/8, leastReply), mostReply) }

// SchemaShare is the token budget of the offered tools in a window.
func SchemaShare(window int) int { return windowOrDefault(window) / 4 }

// Room is the token budget of a conversation beside the system prompt, the offered tools, the answer with its thoughts,
// and the note to the last step.
func Room(window, thoughts, system, tools int) int {
	left := windowOrDefault(window) - ReplyTokens(window) - thoughts - tools - system - Tokens(finalPrompt)
	return max(left, leastRoom)
}

// ResultChars is the limit in characters of each of so many results of one step, in a conversation with so many tokens:
// together they leave half of the room to earlier messages.
func ResultChars(window, room, results int) int {
	return min(ClampChars(window), max(room*CharsPerToken/2/max(results, 1), leastResult))
}
