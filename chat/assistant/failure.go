package assistant

import (
	"fmt"
	"math"
	"strings"
	"time"

	"countersign/internal/problem"
	"countersign/model"
)

// DescribeModelError is a short reason for the retry of a model call.
func DescribeModelError(c model.Class) string {
	switch c {
	case model.RateLimited:
		return "The model provider asks to wait."
	case model.Stalled:
		return "The model sends nothing."
	case model.ReplyLimit:
		return "The model thought until the end of its reply. It gets more room."
	case model.Cut:
		return "The model's answer was interrupted."
	case model.Malformed:
		return "The model sent no usable answer."
	default:
		return "The model provider does not answer."
	}
}

// Explain is the text for a person after the provider ended a turn: what happened, and what to do.
func Explain(e *model.Error) (problem.Code, string) {
	x := explanationFor(e)
	if e.RetryAfter > MaxWait && e.Class == model.RateLimited && e.Reason == "" {
		x.what = "The model provider limits requests"
	}
	if e.RetryAfter > 0 && x.advice == retryLater {
		x.advice = "It asks to wait " + inWords(e.RetryAfter) + "; try again then, or choose another model."
	}
	return explained(x, e.Message, e.FromProvider)
}

// UsedUp is the failure of an answer that ended in its thoughts, by the limit that this product has set.
func UsedUp(limit int) *model.Error {
	return &model.Error{
		Class: model.ReplyLimit, Reason: model.ReplyUsedUp,
		Message: fmt.Sprintf("The model used up the %d tokens that it had for its answer in its thoughts, and answered nothing.", limit),
	}
}

// inWords formats a provider's Retry-After. Package model caps it at an hour.
func inWords(wait time.Duration) string {
	if wait >= time.Hour {
		return "an hour or longer"
	}
	count, unit := int(math.Ceil(wait.Seconds())), "second"
	if count > 120 {
		count, unit = (count+59)/60, "minute"
	}
	if count != 1 {
		unit += "s"
	}
	return fmt.Sprintf("%d %s", count, unit)
}

// ExplainModelError is Explain for a failure with only a class. message is quoted when said is set: then it is the
// provider's own text, else a sentence of package model.
func ExplainModelError(c model.Class, message string, said bool) (problem.Code, string) {
	return explained(explanationOf(c), message, said)
}

func explained(e explanation, message string, said bool) (problem.Code, string) {
	if !said {
		return e.code, endOf(message) + " " + e.advice
	}
	return e.code, e.what + ": " + quote(message) + " " + e.advice
}

type explanation struct {
	code         problem.Code
	what, advice string
}

const usedUpReply = "The model used up its reply before it answered"

const retryLater = "Try again in a while."

// explanationFor handles reasons for which the sentence of the class would blame the wrong cause: the key for a quota,
// or the model for a privacy rule.
func explanationFor(e *model.Error) explanation {
	switch e.Reason {
	case model.Quota:
		return explanation{
			problem.ModelRefused,
			"The credit or quota of the provider's account is used up",
			"An administrator can add credit at the provider. Or choose another model.",
		}
	case model.Policy:
		return explanation{
			problem.ModelRefused,
			"The settings of the provider's account do not allow this request",
			"An administrator can change them at the provider. Or choose another model.",
		}
	case model.Region:
		return explanation{
			problem.ModelRefused,
			"The model provider does not serve this region",
			"Choose another model, or ask an administrator for another connection.",
		}
	case model.Forbidden:
		return explanation{
			problem.ModelRefused,
			"The model provider does not allow its account to do this",
			"An administrator can check what the account may use. Or choose another model.",
		}
	case model.Unsupported:
		return explanation{problem.ModelRefused, "The model provider does not take such requests for this model", "Choose another model."}
	case model.Address:
		return explanation{
			problem.ModelRefused,
			"There is no API of models at the address of this connection",
			"An administrator can correct its base URL, which often ends in /v1, on the Connections page.",
		}
	case model.Overloaded:
		return explanation{problem.ModelFailed, "The model provider is overloaded, also after several attempts", retryLater}
	case model.RequestSize:
		return explanation{
			problem.ModelContext,
			"The request is larger than the provider's account may send at once",
			"Start a new chat, or ask an administrator for a higher limit.",
		}
	case model.FirstToken, model.FirstTokenFinal:
		return explanation{
			problem.ModelFailed,
			"The model began no answer in time",
			"A model on a slow server may need longer to read: an administrator can raise the time to first token of the connection. " +
				"Or start a new chat, or choose another model.",
		}
	case model.SpendCap:
		return explanation{
			problem.ModelFailed,
			usedUpReply,
			"The spend cap of the connection has no room for a longer reply; an administrator can raise it. Or ask for less at once, or " +
				"choose a model that thinks less.",
		}
	case model.RunBudget:
		return explanation{
			problem.ModelFailed,
			usedUpReply,
			"The token budget of the run has no room for a longer reply: raise it, or choose a model that thinks less.",
		}
	case model.ReplyUsedUp:
		return explanation{problem.ModelFailed, usedUpReply, "Ask for less at once, or choose a model that thinks less."}
	case model.ToolCallInText, model.ToolCallMissing:
		return explanation{
			problem.ModelFailed,
			"The model does not call tools in the form that its provider reads, also after it was told how",
			"Choose another model, or ask an administrator to correct the chat template or the tool parser of the model server.",
		}
	case model.TooManyCalls:
		return explanation{
			problem.ModelFailed,
			"The model made more tool calls at once than an answer may have, also after it was told",
			"Ask for less at once, or choose another model.",
		}
	case model.AnswerMissing:
		return explanation{
			problem.ModelFailed,
			"The model thought and did not answer, also after it was asked once more",
			"Try again, or choose another model.",
		}
	case model.ToolCallInLastStep:
		return explanation{
			problem.ModelFailed,
			"The model called tools until none were left, and did not answer, also after it was told to",
			"Ask for less at once, or choose another model.",
		}
	case model.Repetition:
		return explanation{
			problem.ModelFailed,
			"The model repeated itself without end, so its answer was stopped",
			"Ask in other words, or choose another model.",
		}
	case model.ToolCallUnread:
		return explanation{
			problem.ModelFailed,
			"The model wrote a tool call that its provider could not read, also after several attempts",
			"Try again, or choose another model.",
		}
	default:
		return explanationOf(e.Class)
	}
}

func explanationOf(c model.Class) explanation {
	switch c {
	case model.Unauthorized:
		return explanation{
			problem.ModelRefused,
			"The model provider refused the API key of this connection",
			"An administrator can correct it on the Connections page.",
		}
	case model.NotFound:
		return explanation{
			problem.ModelRefused,
			"The model provider does not know this model",
			"Choose another model, or ask an administrator to correct the connection.",
		}
	case model.ContextLength:
		return explanation{
			problem.ModelContext,
			"This conversation has become longer than the model can read",
			"Start a new chat, or choose a model with a larger window.",
		}
	case model.ContentFilter:
		return explanation{problem.ModelRefused, "The model provider refused", "Rephrase your message."}
	case model.Invalid:
		return explanation{problem.ModelRefused, "The model provider refused the request", "An administrator can check the connection."}
	case model.RateLimited:
		return explanation{problem.ModelFailed, "The model provider still limits requests after several attempts", retryLater}
	case model.TooLong:
		return explanation{problem.ModelFailed, "The model's answer is longer than what is taken of one answer, and " +
			"was broken off", "Ask for less at once."}
	case model.Stalled:
		return explanation{
			problem.ModelFailed,
			"The model sends nothing",
			"Try again, or choose another model. An administrator can allow longer silence with COUNTERSIGN_MODEL_STALL_TIMEOUT.",
		}
	case model.ReplyLimit:
		return explanation{
			problem.ModelFailed,
			usedUpReply,
			"Ask for less at once, or choose another model.",
		}
	default:
		return explanation{problem.ModelFailed, "The model provider failed, also after several attempts", retryLater}
	}
}

// KeepsRepeating is the failure of a turn whose model makes a call again that was refused because its result does not
// change.
const KeepsRepeating = "The model kept making the same tool call although its result does not change, also after it was told so. " +
	"Ask in other words, or choose another model."

// quote is a text of a provider in quotes, with one full stop at its end.
func quote(s string) string {
	s = shortened(s)
	if ends(s) {
		return `"` + s + `"`
	}
	return `"` + s + `".`
}

// endOf is a sentence without advice that is repeated behind it.
func endOf(s string) string {
	s = strings.TrimSpace(strings.TrimSuffix(shortened(s), "Try again."))
	if ends(s) {
		return s
	}
	return s + "."
}

func ends(s string) bool { return strings.ContainsAny(s[max(len(s)-1, 0):], ".!?") }

func shortened(s string) string {
	const limit = 500
	s = strings.TrimSpace(s)
	if runes := []rune(s); len(runes) > limit {
		s = string(runes[:limit]) + "..."
	}
	return s
}
