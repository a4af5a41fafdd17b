package model

import (
	"context"
	"errors"
	"fmt"
	"net/http"
	"slices"
	"time"
)

// Class is the kind of failure of a model call.
type Class string

const (
	// RateLimited: the provider applies a rate limit, or a quota is used up.
	RateLimited Class = "rate_limited"
	// Unavailable: the provider failed (5xx) or could not be reached.
	Unavailable Class = "unavailable"
	// Stalled: nothing of the answer arrived for [Options.StallTimeout], or [Request.FirstToken].
	Stalled Class = "stalled"
	// Cut: the stream ended before the answer did.
	Cut Class = "cut"
	// Malformed: what arrived is not an answer in the protocol.
	Malformed Class = "malformed"
	// Unauthorized: the key is wrong or lacks the permission (401, 403).
	Unauthorized Class = "unauthorized"
	// Invalid: the provider refuses the request (other 4xx), or the connection is configured wrongly.
	Invalid Class = "invalid"
	// ContextLength: the conversation exceeds the model's context window.
	ContextLength Class = "context_length"
	// NotFound: no such model, or no API at the base URL.
	NotFound Class = "not_found"
	// ContentFilter: the provider refuses the content or stopped the answer.
	ContentFilter Class = "content_filter"
	// ReplyLimit: thinking used up the reply's token limit before any answer.
	ReplyLimit Class = "reply_limit"
	// TooLong: the answer exceeds a size limit of this client.
	TooLong Class = "too_long"
	// Canceled: the caller's context ended.
	Canceled Class = "canceled"
)

// Reason refines a Class that has several causes. Most errors have none.
type Reason string

const (
	// Quota: credit or quota of the account is used up, which waiting does not change.
	Quota Reason = "quota"
	// Policy: settings of the account, such as its privacy rules, exclude every provider of the model.
	Policy Reason = "policy"
	// Region: the provider does not serve the country that the request comes from.
	Region Reason = "region"
	// Forbidden: the key is valid, but its account lacks the permission.
	Forbidden Reason = "forbidden"
	// Unsupported: the model does not support such a request, for example one with tools.
	Unsupported Reason = "unsupported"
	// Overloaded: the provider is overloaded, independent of the caller.
	Overloaded Reason = "overloaded"
	// RequestSize: the single request exceeds the account's limit per minute.
	RequestSize Reason = "request_size"
	// Address: the base URL leads to a server, but not to an API of models.
	Address Reason = "address"
	// FirstToken: no part of the answer came within [Request.FirstToken].
	FirstToken Reason = "first_token"
	// FirstTokenFinal: FirstToken, where nothing suggests that another attempt with the same limit begins sooner.
	FirstTokenFinal Reason = "first_token_final"
	// ReplyUsedUp: the model used up the tokens that the request allowed before it answered.
	ReplyUsedUp Reason = "reply_used_up"
	// SpendCap: ReplyUsedUp, where a spend cap leaves no room for more.
	SpendCap Reason = "spend_cap"
	// RunBudget: ReplyUsedUp, where the token budget of an unattended run leaves no room for more.
	RunBudget Reason = "run_budget"
	// ToolCallUnread: the model wrote a tool call that its provider could not parse.
	ToolCallUnread Reason = "tool_call_unread"
	// ToolCallInText: the model wrote a tool call into its text, as [Error.CallForm], and it is not made from there.
	ToolCallInText Reason = "tool_call_in_text"
	// ToolCallMissing: the model ended its answer for tool calls and made none.
	ToolCallMissing Reason = "tool_call_missing"
	// ToolCallInLastStep: the model called a tool in a step that allows none, and said nothing.
	ToolCallInLastStep Reason = "tool_call_in_last_step"
	// TooManyCalls: the model made more calls at once than an answer may have.
	TooManyCalls Reason = "too_many_calls"
	// AnswerMissing: the model thought, and neither answered nor called a tool.
	AnswerMissing Reason = "answer_missing"
	// Repetition: the model repeated itself without end.
	Repetition Reason = "repetition"
	// TooManyTools: the request offers more tools than the provider takes, which is [Error.MaxTools].
	TooManyTools Reason = "too_many_tools"
)

// Error is a failed model call. Message is meant for people: the provider's own text where there is one, at most 2 KB,
// without the connection's key.
type Error struct {
	Class  Class
	Reason Reason // may be empty
	Status int    // HTTP status; zero when there was no response
	Code   string // the provider's own code, may be empty
	// Message is safe to show to every user: the provider's own text if FromProvider, else a sentence without
	// addresses. Only the text of an error object is shown.
	Message      string
	FromProvider bool
	// Detail is for the log and for managers of connections; it may name addresses.
	Detail string
	// RetryAfter is the wait that the provider requests, at most an hour; zero when it names none.
	RetryAfter time.Duration
	// CallForm names the form in which a model wrote the call of ToolCallInText, such as Hermes; "" for an unknown one.
	CallForm string
	// MaxTools is how many tools to offer at most after TooManyTools, 0 when LeastTools were too many.
	MaxTools int

	cause error
	// reported is the text of the response, shown or not.
	reported string
	// body is the raw response, for the detection of quirks.
	body []byte
}

// Reported is the text of the response for the recognition of what it says, such as a limit. Show Message instead.
func (e *Error) Reported() string {
	if e.reported != "" {
		return e.reported
	}
	return e.Message
}

// Error includes class, status and detail; show Message to people.
func (e *Error) Error() string {
	text := fmt.Sprintf("model call %s: %s", e.Class, e.Message)
	if e.Status != 0 {
		text = fmt.Sprintf("model call %s (HTTP %d): %s", e.Class, e.Status, e.Message)
	}
	if e.Detail != "" {
		text += " (" + e.Detail + ")"
	}
	return text
}

// Unwrap makes a canceled call match [context.Canceled].
func (e *Error) Unwrap() error { return e.cause }

// Retryable reports whether the same request may succeed later. An exhausted quota comes as 429 and is not retryable.
func (e *Error) Retryable() bool {
	switch e.Class {
	case RateLimited:
		return e.Reason != Quota
	case Unavailable, Stalled, Cut, Malformed:
		return true
	default:
		return false
	}
}

// IsTimeout reports whether a call failed because its provider, or a gateway before it, waited in vain.
func (e *Error) IsTimeout() bool {
	const originTimeout = 524 // of a gateway of Cloudflare
	return e.Class == Stalled || slices.Contains([]int{http.StatusRequestTimeout, http.StatusGatewayTimeout, originTimeout}, e.Status)
}

// ClassOf returns the class of a failed call, [Canceled] for an ended context,
// and nothing for any other error.
func ClassOf(err error) Class {
	if e, ok := errors.AsType[*Error](err); ok {
		return e.Class
	}
	if errors.Is(err, context.Canceled) || errors.Is(err, context.DeadlineExceeded) {
		return Canceled
	}
	return ""
}
