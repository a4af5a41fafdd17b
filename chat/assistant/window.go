package assistant

import (
	"fmt"

	"countersign/model"
)

// Numbers of the context window, in tokens.
const (
	// DefaultWindow is the window of a connection that declares none.
	DefaultWindow = 128_000
	// LeastWindow is the smallest window in which a turn can work: the rules, the tools that every turn needs, a message,
	// one result and an answer take about as much.
	LeastWindow = 4_096

	leastReply = 512
	mostReply  = 4_096
	// leastRoom is what a conversation gets at least, even if a request becomes too long by it.
	leastRoom = 512
	// leastResult is what each of many results of a step is shown at least, in characters.
	leastResult = 1_000

	// CharsPerToken is how long a token is taken to be.
	CharsPerToken = 4
)

// WindowRefusal says to a person why no turn can work in a window of so many tokens; "" when one can. A window of 0 is
// not known, and not refused.
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

func known(window int) int {
	if window <= 0 {
		return DefaultWindow
	}
	return window
}

// ReplyTokens are kept free for the answer: an eighth of the window, within bounds.
func ReplyTokens(window int) int { return min(max(known(window)/8, leastReply), mostReply) }

// SchemaShare is how much of a window the tools may take that the model is offered.
func SchemaShare(window int) int { return known(window) / 4 }

// SchemaTokens estimates what a tool takes of a request. JSON takes more tokens than prose of the same length.
func SchemaTokens(t model.Tool) int {
	const wrapping = 8
	return (len(t.Name)+len(t.Description)+len(t.Parameters))*2/7 + wrapping
}

// ToolTokens estimates all tools of a request.
func ToolTokens(tools []model.Tool) int {
	total := 0
	for _, t := range tools {
		total += SchemaTokens(t)
	}
	return total
}

// Room is how many tokens a conversation may take beside the system prompt, the offered tools, the answer, and what the
// last step is told.
func Room(window, system int, tools []model.Tool) int {
	left := known(window) - ReplyTokens(window) - ToolTokens(tools) - system - len(finalPrompt)/CharsPerToken - 1
	return max(left, leastRoom)
}

// ResultChars is how many characters each of so many results of one step may take, where the conversation has room for so
// many tokens: all of them together leave half of it to what was there before.
func ResultChars(window, room, results int) int {
	return min(ClampChars(window), max(room*CharsPerToken/2/max(results, 1), leastResult))
}
