package assistant

import (
	"fmt"

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

// ExplainModelError is what a person reads when a turn ends because of the provider: what happened, the provider's own
// words, and what to do.
func ExplainModelError(c model.Class, said string) (problem.Code, string) {
	switch c {
	case model.Unauthorized:
		return problem.ModelRefused, fmt.Sprintf("The model provider refused the API key of this connection: %s An administrator can correct it on the Connections page.", sentence(said))
	case model.NotFound:
		return problem.ModelRefused, fmt.Sprintf("The model provider does not know this model: %s Choose another model, or ask an administrator to correct the connection.", sentence(said))
	case model.ContextLength:
		return problem.ModelContext, fmt.Sprintf("This conversation has become longer than the model can read: %s Start a new chat, or choose a model with a larger window.", sentence(said))
	case model.ContentFilter:
		return problem.ModelRefused, fmt.Sprintf("The model provider's content filter refused: %s Rephrase your message.", sentence(said))
	case model.Invalid:
		return problem.ModelRefused, fmt.Sprintf("The model provider refused the request: %s An administrator can check the connection.", sentence(said))
	case model.RateLimited:
		return problem.ModelFailed, fmt.Sprintf("The model provider is still limiting requests after several attempts: %s Try again in a while.", sentence(said))
	default:
		return problem.ModelFailed, fmt.Sprintf("The model could not be reached or did not answer after several attempts: %s Try again in a while.", sentence(said))
	}
}

func sentence(s string) string {
	const limit = 500
	if runes := []rune(s); len(runes) > limit {
		s = string(runes[:limit]) + "…"
	}
	return `"` + s + `".`
}
