// Package problem is the one errors package of the product.
//
// A failure that a person, a model or an API client should see is a *problem.Error: a code and a sentence that names
// what to do. Everything else is a host failure: an ordinary Go error that is logged in full and shown as "internal".
// The table in code.go maps each code, in one place, to its HTTP status and to whether repeating the same call can
// help (which is also what makes an activity error retryable in Temporal). On the wire an Error is an RFC 9457 problem
// document.
package problem

import (
	"encoding/json"
	"errors"
	"fmt"
	"maps"
	"strings"
	"time"
)

// Issue describes a problem at one place of an input. Path is dotted, with [i] for array elements; "" is the input
// itself.
type Issue struct {
	Path    string `json:"path"`
	Message string `json:"message"`
}

// String is the path, where there is one, and the message.
func (i Issue) String() string {
	if i.Path == "" {
		return i.Message
	}
	return i.Path + ": " + i.Message
}

// Error is a failure that may be shown. Detail is a full sentence without internals.
type Error struct {
	Code   Code
	Detail string
	// Issues are set for Invalid: every issue found, not just the first. A Conflict may name the input that would settle it.
	Issues []Issue
	// MissingRules are the access rules a Forbidden caller lacks.
	MissingRules []string
	// RetryAfter is the time after which the same call can succeed; zero when unknown.
	RetryAfter time.Duration
	// Extra holds members of the problem document beyond the standard ones, such as a fresh diff.
	Extra map[string]any
	// Shown replaces Detail for people when Detail addresses a model.
	Shown string

	cause error
}

// Errorf makes an Error with a formatted detail. A %w operand becomes its cause: logged, never shown beyond the text.
func Errorf(code Code, format string, args ...any) *Error {
	wrapped := fmt.Errorf(format, args...)
	return &Error{Code: code, Detail: wrapped.Error(), cause: errors.Unwrap(wrapped)}
}

// InvalidInput makes an Invalid error that lists every issue.
func InvalidInput(detail string, issues ...Issue) *Error {
	return &Error{Code: Invalid, Detail: detail, Issues: issues}
}

// MissingRule makes the Forbidden error for an action that needs the named rules.
func MissingRule(action string, rules ...string) *Error {
	return &Error{
		Code:         Forbidden,
		Detail:       fmt.Sprintf("Forbidden: %s (missing permission: %s).", action, strings.Join(rules, ", ")),
		MissingRules: rules,
	}
}

// WithCause keeps err for the log and for errors.Is, without showing it.
func (e *Error) WithCause(err error) *Error {
	c := *e
	c.cause = err
	return &c
}

// With adds a member to the problem document.
func (e *Error) With(name string, value any) *Error {
	c := *e
	c.Extra = make(map[string]any, len(e.Extra)+1)
	maps.Copy(c.Extra, e.Extra)
	c.Extra[name] = value
	return &c
}

// Show sets the text for people.
func (e *Error) Show(text string) *Error {
	c := *e
	c.Shown = text
	return &c
}

// After says when the same call can succeed.
func (e *Error) After(d time.Duration) *Error {
	c := *e
	c.RetryAfter = d
	return &c
}

func (e *Error) Error() string {
	if e.cause != nil && !strings.Contains(e.Detail, e.cause.Error()) {
		return fmt.Sprintf("%s: %s: %v", e.Code, e.Detail, e.cause)
	}
	return fmt.Sprintf("%s: %s", e.Code, e.Detail)
}

func (e *Error) Unwrap() error { return e.cause }

// GetStatus is the HTTP status of the error.
func (e *Error) GetStatus() int { return e.Code.Status() }

// ContentType is the media type of RFC 9457, whatever representation was negotiated.
func (e *Error) ContentType(string) string { return "application/problem+json" }

// As returns err as an *Error. A host failure becomes Internal, with a detail that holds nothing of it.
func As(err error) *Error {
	if err == nil {
		return nil
	}
	if e, ok := errors.AsType[*Error](err); ok {
		return e
	}
	return &Error{
		Code:   Internal,
		Detail: "Something went wrong on the server. Try again; if it happens again, ask an administrator to look at the log.",
		cause:  err,
	}
}

// CodeOf is the code of err, Internal for a host failure and "" for nil.
func CodeOf(err error) Code {
	if err == nil {
		return ""
	}
	return As(err).Code
}

// Is reports whether err is an Error with this code.
func Is(err error, code Code) bool { return err != nil && CodeOf(err) == code }

// Document is the RFC 9457 form of an Error, without what Extra adds.
type Document struct {
	Type         string   `json:"type"`
	Title        string   `json:"title"`
	Status       int      `json:"status"`
	Detail       string   `json:"detail" doc:"A full sentence that says what to do"`
	Code         Code     `json:"code" doc:"What clients may switch on"`
	Issues       []Issue  `json:"issues,omitempty" nullable:"false" doc:"What is wrong with the input, all of it"`
	MissingRules []string `json:"missingRules,omitempty" nullable:"false" doc:"The access rules that the caller lacks"`
	RetryAfter   int      `json:"retryAfterSeconds,omitempty" doc:"When the same call can succeed"`
}

// MarshalJSON writes the problem document; Extra members stand beside the standard ones and cannot replace them.
func (e *Error) MarshalJSON() ([]byte, error) {
	base, err := json.Marshal(Document{
		Type: "about:blank", Title: e.Code.Title(), Status: e.Code.Status(), Detail: e.Detail, Code: e.Code,
		Issues: e.Issues, MissingRules: e.MissingRules, RetryAfter: e.RetryAfterSeconds(),
	})
	if err != nil || len(e.Extra) == 0 {
		return base, err
	}
	members := make(map[string]json.RawMessage, len(e.Extra)+8)
	for name, value := range e.Extra {
		raw, err := json.Marshal(value)
		if err != nil {
			return nil, fmt.Errorf("marshal problem member %q: %w", name, err)
		}
		members[name] = raw
	}
	var standard map[string]json.RawMessage
	if err := json.Unmarshal(base, &standard); err != nil {
		return nil, err
	}
	maps.Copy(members, standard)
	return json.Marshal(members)
}

// UnmarshalJSON reads a problem document; an unknown code becomes the one that fits its status.
func (e *Error) UnmarshalJSON(data []byte) error {
	var d Document
	if err := json.Unmarshal(data, &d); err != nil {
		return err
	}
	*e = Error{
		Code:         d.Code,
		Detail:       d.Detail,
		Issues:       d.Issues,
		MissingRules: d.MissingRules,
		RetryAfter:   time.Duration(d.RetryAfter) * time.Second,
	}
	if _, known := table[e.Code]; !known {
		e.Code = CodeForStatus(d.Status)
	}
	var members map[string]any
	if err := json.Unmarshal(data, &members); err != nil {
		return err
	}
	for _, name := range []string{"type", "title", "status", "detail", "code", "issues", "missingRules", "retryAfterSeconds"} {
		delete(members, name)
	}
	if len(members) > 0 {
		e.Extra = members
	}
	return nil
}

// RetryAfterSeconds rounds RetryAfter up to whole seconds, the unit of the Retry-After header.
func (e *Error) RetryAfterSeconds() int {
	return int((e.RetryAfter + time.Second - 1) / time.Second)
}
