package assistant

import "fmt"

// LeastWindow is the smallest context window in tokens in which a turn can work: the rules, the tools that every turn
// needs, a message, one result and an answer take about as much.
const LeastWindow = 4_096

// WindowRefusal says to a person why no turn can work in a window of so many tokens; "" when one can. A window of 0 is
// not known, and not refused.
func WindowRefusal(window int) string {
	if window <= 0 || window >= LeastWindow {
		return ""
	}
	return fmt.Sprintf("A context window of %d tokens is too small: the assistant needs at least %d for its instructions, its tools and what they find. "+
		"Choose a model with a larger window, or start its server with a larger one (num_ctx, --ctx-size, --max-model-len).", window, LeastWindow)
}
