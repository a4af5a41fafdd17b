package model

import (
	"encoding/json"

	openai "github.com/sashabaranov/go-openai"
)

// requestParameters are the members of a request beside its messages and tools, by the names and types of go-openai. Its types
// of messages and tools cannot say what is sent: an empty or absent content, marks and thoughts in the parts of a
// content, reasoning in the member that it came in, signatures of calls, and schemas as they are written.
type requestParameters struct {
	openai.ChatCompletionRequest

	// Messages and Tools hide those of the embedded request.
	Messages struct{} `json:"messages,omitzero"`
	Tools    struct{} `json:"tools,omitzero"`
	// CacheKey is unknown to go-openai.
	CacheKey string `json:"prompt_cache_key,omitempty"`
}

// parametersOf returns the parameters of a request that a provider with these quirks accepts.
func parametersOf(r *Request, d quirks, offersTools bool, with extras) requestParameters {
	p := requestParameters{ChatCompletionRequest: openai.ChatCompletionRequest{Model: r.Model, Stream: with.stream}}
	if offersTools && r.NoCalls && d&withoutChoice == 0 {
		p.ToolChoice = "none"
	}
	if d&withCompletionTokens != 0 {
		p.MaxCompletionTokens = max(r.MaxTokens, 0)
	} else {
		p.MaxTokens = max(r.MaxTokens, 0)
	}
	if d&withoutCacheKey == 0 {
		p.CacheKey = r.CacheKey
	}
	if d&withoutUser == 0 {
		p.User = r.User
	}
	if d&withoutEffort == 0 {
		p.ReasoningEffort = with.effort
	}
	if with.stream && d&withoutStreamOptions == 0 {
		p.StreamOptions = &openai.StreamOptions{IncludeUsage: true}
	}
	return p
}

// append encodes the parameters as the first members of an object that stays open.
func (p requestParameters) append(dst []byte) []byte {
	encoded, err := json.Marshal(p)
	if err != nil {
		panic(err) // they are texts, numbers and truth values
	}
	return append(dst, encoded[:len(encoded)-1]...)
}
