package assistant

import (
	"strings"

	"countersign/model"
	"countersign/problem"
)

// RetryNotice tells who is watching a turn that the provider is called again.
type RetryNotice struct {
	Kind              string `json:"kind"`
	Message           string `json:"message"`
	Attempt           int    `json:"attempt"`
	RetryAfterSeconds int    `json:"retryAfterSeconds"`
}

// DescribeModelError says in a few words why a model call is made again.
func DescribeModelError(c model.Class) string {
	switch c {
	case model.RateLimited:
		return "The model provider asks to wait."
	case model.Stalled:
		return "The model stopped sending."
	case model.Cut:
		return "The model's answer broke off."
	case model.Malformed:
		return "The model sent no usable answer."
	default:
		return "The model provider does not answer."
	}
}

// ExplainModelError is what a person reads when a turn ends because of the provider: what happened, and what to do.
// message is quoted when said is set: then it is the provider's own text, else a sentence of package model.
func ExplainModelError(c model.Class, message string, said bool) (problem.Code, string) {
	e := explanationOf(c)
	if !said {
		return e.code, endOf(message) + " " + e.advice
	}
	return e.code, e.what + ": " + quote(message) + " " + e.advice
}

type explanation struct {
	code         problem.Code
	what, advice string
}

func explanationOf(c model.Class) explanation {
	const later = "Try again in a while."
	switch c {
	case model.Unauthorized:
		return explanation{problem.ModelRefused, "The model provider refused the API key of this connection", "An administrator can correct it on the Connections page."}
	case model.NotFound:
		return explanation{problem.ModelRefused, "The model provider does not know this model", "Choose another model, or ask an administrator to correct the connection."}
	case model.ContextLength:
		return explanation{problem.ModelContext, "This conversation has become longer than the model can read", "Start a new chat, or choose a model with a larger window."}
	case model.ContentFilter:
		return explanation{problem.ModelRefused, "The model provider refused", "Rephrase your message."}
	case model.Invalid:
		return explanation{problem.ModelRefused, "The model provider refused the request", "An administrator can check the connection."}
	case model.RateLimited:
		return explanation{problem.ModelFailed, "The model provider still limits requests after several attempts", later}
	default:
		return explanation{problem.ModelFailed, "The model provider failed, also after several attempts", later}
	}
}

// quote is a text of a provider in quotes, with one full stop at its end.
func quote(s string) string {
	s = shortened(s)
	if ends(s) {
		return `"` + s + `"`
	}
	return `"` + s + `".`
}

// endOf is a sentence without the advice that comes again behind it.
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
