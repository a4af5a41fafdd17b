package model

import (
	"context"
	"errors"
	"fmt"
	"time"
)

// Class says what kind of failure a model call ended with.
type Class string

const (
	// RateLimited: the provider asks to slow down, or a quota is used up.
	RateLimited Class = "rate_limited"
	// Unavailable: the provider failed (5xx) or could not be reached.
	Unavailable Class = "unavailable"
	// Stalled: nothing arrived for [Options.StallTimeout].
	Stalled Class = "stalled"
	// Cut: the stream ended before the answer did.
	Cut Class = "cut"
	// Malformed: what arrived is not an answer in the protocol.
	Malformed Class = "malformed"
	// Unauthorized: the key is wrong or may not do this (401, 403).
	Unauthorized Class = "unauthorized"
	// Invalid: the provider refuses the request (other 4xx), or the connection
	// is configured wrongly.
	Invalid Class = "invalid"
	// ContextLength: the conversation is longer than the model can read.
	ContextLength Class = "context_length"
	// NotFound: no such model, or no API at the base URL.
	NotFound Class = "not_found"
	// ContentFilter: the provider refuses the content or stopped the answer.
	ContentFilter Class = "content_filter"
	// ReplyLimit: the model used up its reply, thinking, before it said anything.
	ReplyLimit Class = "reply_limit"
	// TooLong: the answer is longer than what is taken of one.
	TooLong Class = "too_long"
	// Canceled: the caller's context ended.
	Canceled Class = "canceled"
)

// Reason says more about a failure than its class, where the same class has several causes. Most errors have none.
type Reason string

const (
	// Quota: credit or quota of the account are used up, which waiting does not change.
	Quota Reason = "quota"
	// Policy: settings of the account, such as its privacy rules, exclude whoever could answer.
	Policy Reason = "policy"
	// Region: the provider does not serve the country that the request comes from.
	Region Reason = "region"
	// Forbidden: the key is good, but its account may not do this.
	Forbidden Reason = "forbidden"
	// Unsupported: the model is known, but takes no such request, for example none with tools.
	Unsupported Reason = "unsupported"
	// Overloaded: the provider has too much to do, whoever asks.
	Overloaded Reason = "overloaded"
	// RequestSize: the request alone is larger than what the account may send in a minute.
	RequestSize Reason = "request_size"
	// ToolCallUnread: the model wrote a tool call that its provider could not read.
	ToolCallUnread Reason = "tool_call_unread"
)

// Error is a failed model call. Message is meant for a person: the provider's
// own text where there is one, at most 2 KB, without the connection's key.
type Error struct {
	Class  Class
	Reason Reason // may be empty
	Status int    // HTTP status; zero when there was no response
	Code   string // the provider's own code, may be empty
	// Message can be shown to every user: the provider's own text if Said, else a
	// sentence without addresses. Only the text of an error object is shown.
	Message string
	Said    bool
	// Detail is for the log and for whoever manages connections; it may name
	// addresses.
	Detail string
	// RetryAfter is how long the provider asks to wait, zero when it does not
	// say, and at most an hour.
	RetryAfter time.Duration

	cause error
	// reported is the text of the response, shown or not.
	reported string
	// body is the response as it came, to recognize refused request fields.
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

// Retryable reports whether the same request may succeed later. An exhausted
// quota comes as 429 and does not pass by waiting.
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
