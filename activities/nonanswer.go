package activities

import (
	"slices"
	"strings"

	"countersign/chat/assistant"
	"countersign/chat/turn"
	"countersign/model"
)

var (
	errEmptyAnswer = &model.Error{Class: model.Malformed, Message: "The model sent an empty answer."}
	// errReplyUsedUp is not retried: the model would think as long again, and each call is paid for.
	errReplyUsedUp = &model.Error{
		Class:   model.ReplyLimit,
		Message: "The model used up the whole length of its reply before it answered.",
	}
	errThoughtsAlone = &model.Error{
		Class: model.Malformed, Reason: model.AnswerMissing,
		Message: "The model thought and ended without an answer.",
	}
	errCallMissing = &model.Error{
		Class: model.Malformed, Reason: model.ToolCallMissing,
		Message: "The model said that it would call a tool, and made no call.",
	}
	errCallInLastStep = &model.Error{
		Class: model.Malformed, Reason: model.ToolCallInLastStep,
		Message: "The model called a tool although the tool calls of this turn are used up.",
	}
)

// nonAnswer is the error of a response that came as the protocol has it and answers nothing; nil for an answer. final says
// that the step takes no calls.
func (a *Turn) nonAnswer(s *session, sc scope, r model.Response, final bool) error {
	silent := strings.TrimSpace(r.Text) == ""
	switch {
	case final && silent && len(r.ToolCalls) > 0:
		return errCallInLastStep
	case r.Empty() && r.FinishReason == model.FinishLength:
		return errReplyUsedUp
	case r.Empty() && strings.TrimSpace(r.Reasoning) != "":
		return errThoughtsAlone
	case r.Empty():
		return errEmptyAnswer
	case !final && len(r.ToolCalls) == 0 && assistant.PromisesCall(r.Text) && len(a.frame(s, sc).offer.Tools) > 0:
		return errCallMissing
	}
	return nil
}

// repeatsOnly reports whether a step makes only calls that were refused before because their result does not change.
func repeatsOnly(s *session, step int, calls []turn.Call) bool {
	return len(calls) > 0 && !slices.ContainsFunc(calls, func(c turn.Call) bool {
		_, told := s.Repetitions(c, step)
		return !told
	})
}
