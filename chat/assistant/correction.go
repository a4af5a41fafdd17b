package assistant

import (
	"strings"

	"countersign/model"
)

// corrections tell a model what was wrong with its last attempt.
var corrections = map[model.Reason]string{
	model.ToolCallInText: "Your last attempt wrote a tool call into its text{form}, where it is not made. Call tools only through the " +
		"function calling of this API (the tool_calls member), by the names of the given tools. To show a call as an example, put it into a " +
		"code block, with words before it; if the person wants the code of a call and nothing else, write that code block again.",
	model.ToolCallMissing: "Your last attempt said that it would call a tool and made no call. Make the call now, or answer without it.",
	model.TooManyCalls: "Your last attempt made more than 128 tool calls at once, so none of them was made. Make the few that matter most, " +
		"and the others in later steps.",
	model.AnswerMissing: "Your last attempt only thought, and ended without a tool call and without an answer; nobody reads the thoughts. " +
		"Make the call now through the function calling of this API, or write the answer.",
	model.ToolCallInLastStep: "Your last attempt called a tool, but the tool calls of this turn are used up, so nothing was called. " +
		"Answer in words, from what you have found so far.",
	model.ToolCallUnread: "Your last attempt wrote a tool call that could not be read. Write its arguments as one valid JSON object, with " +
		"line breaks and quotes in strings escaped.",
}

// IsCorrectable reports whether telling the model what was wrong may help.
func IsCorrectable(r model.Reason) bool { return corrections[r] != "" }

// IsCorrected reports whether the model has been told of this fault and does it again, which one correction bounds. A call
// that a provider could not read may be a matter of luck.
func IsCorrected(r, told model.Reason) bool { return r != "" && r == told && r != model.ToolCallUnread }

// CorrectionOf names what was wrong with an attempt, in a short text that workflows carry to the next one.
func CorrectionOf(e *model.Error) string {
	if e.CallForm == "" {
		return string(e.Reason)
	}
	return string(e.Reason) + ":" + e.CallForm
}

// Told is the reason that a correction names.
func Told(correction string) model.Reason {
	reason, _, _ := strings.Cut(correction, ":")
	return model.Reason(reason)
}

// Correct tells the model what was wrong with its last attempt. It changes only the last message.
func Correct(messages []model.Message, correction string) {
	reason, form, _ := strings.Cut(correction, ":")
	text := corrections[model.Reason(reason)]
	if text == "" {
		return
	}
	if form != "" {
		form = ", in the form of " + form
	}
	messages[len(messages)-1].Content += "\n\n" + strings.Replace(text, "{form}", form, 1)
}

// UnreadArguments shows a model the arguments of its call that were no JSON object, as it wrote them: providers refuse
// them in the call itself.
func UnreadArguments(arguments string) string {
	const limit = 2_000
	return "The call above came with these arguments, which were not used:\n" + Fence("data", middleCut(arguments, limit))
}
