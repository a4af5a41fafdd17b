package assistant

import (
	"fmt"

	"countersign/model"
)

// Losses are the messages that a request has lost to the size of the window.
type Losses struct {
	// Messages counts the left out messages of a person.
	Messages int
	// IsQuestionCut is set when the answered message lost its middle.
	IsQuestionCut bool
}

// LossesOf compares a conversation with what Fit has left of it.
func LossesOf(history, running, fitted []model.Message) Losses {
	var l Losses
	dropped := len(history) + len(running) - len(fitted)
	for _, m := range history[:min(max(dropped, 0), len(history))] {
		if m.Role == model.RoleUser {
			l.Messages++
		}
	}
	if last := len(history) - 1; last >= dropped && dropped >= 0 && history[last].Role == model.RoleUser {
		l.IsQuestionCut = fitted[last-dropped].Content != history[last].Content
	}
	return l
}

// DescribeLeftOut tells the person that the model did not read so many of the oldest messages.
func DescribeLeftOut(messages int) string {
	what := "the oldest message of this chat and its answer"
	if messages != 1 {
		what = fmt.Sprintf("the oldest %d messages of this chat and their answers", messages)
	}
	return "The model did not read " + what + ": the chat is longer than its context window, and that part could not be " +
		"summarized. Repeat what still matters, or choose a model with a larger window."
}

// DescribeQuestionCut tells the person that the model did not read the middle of the message.
const DescribeQuestionCut = "The model did not read all of this message: it is too long for its context window, and its middle was " +
	"left out. Send it in smaller parts, or choose a model with a larger window."

// DescribeSummaryClipped tells the person that a summary was made without the middle of a message.
const DescribeSummaryClipped = "An earlier message of this chat was too long to be summarized whole, so the model has notes without its " +
	"middle. Repeat what still matters of it, or choose a model with a larger window."

// DescribeToolsLeftOut tells the person that a request could not offer so many of the tools.
func DescribeToolsLeftOut(left, all int) string {
	return fmt.Sprintf("%d of %d tools were not offered to the model, as its requests have no room for more. An administrator can offer "+
		"fewer tools here, or raise the context window or the maximum tools of the connection.", left, all)
}

// DescribeTruncation tells the person that the server has read only so many of the sent tokens.
func DescribeTruncation(sent, read int) string {
	return fmt.Sprintf("The model server read only about %d of %d tokens of this chat: it cuts what is too long without an error, so "+
		"that this answer may not consider what was said before. An administrator can give the server a larger context window "+
		"(num_ctx, --ctx-size), or enter its window at the connection.", roundTokens(read), roundTokens(sent))
}

// DescribeIncomplete tells the person that the stream of the answer broke.
const DescribeIncomplete = "The connection to the model broke while it wrote this answer. What stands here is incomplete."

func roundTokens(n int) int {
	const step = 100
	return (n + step/2) / step * step
}
