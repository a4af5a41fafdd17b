// Package model is the client for language models behind any OpenAI-compatible endpoint.
//
// A [Client] belongs to one connection: a base URL and a key. [Client.Stream] runs one step of a turn and reports
// deltas as they arrive; [Client.Complete] requests a short answer in one piece (titles, the topic check, summaries);
// [Client.Models] is the connection test.
//
// The parameters of requests are those of go-openai (parameters.go), but the client decodes streams itself: providers
// disagree about indexes, ids and names of tool calls, about the shape of errors and about the end of a stream, and a
// turn has to survive all of them. Thoughts are separated from the answer, also where a server leaves them in its
// text. Everything that cannot be repaired becomes an [Error] whose [Class] names the failure and whether a retry may
// help.
//
// The history is made valid first (history.go) and encoded with the provider's quirks (quirks.go). The client never
// retries by itself, with one exception: a request whose refusal reveals a [Quirk] is adapted and sent again, and the
// quirk is remembered.
package model

import (
	"encoding/json"
	"strings"
	"time"

	openai "github.com/sashabaranov/go-openai"
)

// Roles of a [Message].
const (
	RoleSystem    = openai.ChatMessageRoleSystem
	RoleUser      = openai.ChatMessageRoleUser
	RoleAssistant = openai.ChatMessageRoleAssistant
	RoleTool      = openai.ChatMessageRoleTool
)

// Values of [Response.FinishReason] that callers act upon. Providers may send others.
const (
	FinishStop      = string(openai.FinishReasonStop)
	FinishLength    = string(openai.FinishReasonLength)
	FinishToolCalls = string(openai.FinishReasonToolCalls)
)

// Message is one entry of a conversation. ToolCalls and ReplayData belong to assistant
// messages, ToolCallID to tool messages.
type Message struct {
	Role       string      `json:"role"`
	Content    string      `json:"content"`
	ToolCalls  []ToolCall  `json:"toolCalls,omitempty"`
	ToolCallID string      `json:"toolCallId,omitempty"`
	ReplayData *ReplayData `json:"kept,omitempty"`
}

// ToolCall is a model's request to use a tool. Name is the name on the wire. Arguments is JSON as the model wrote it:
// it may be malformed, and it is "{}" where the model wrote nothing.
type ToolCall struct {
	ID        string `json:"id"`
	Name      string `json:"name"`
	Arguments string `json:"arguments"`
}

// Tool describes a tool to a model. Parameters is a JSON schema and has to be valid JSON.
type Tool struct {
	Name        string          `json:"name"`
	Description string          `json:"description"`
	Parameters  json.RawMessage `json:"parameters"`
}

// Request is one model call. MaxTokens of zero leaves the limit to the provider. User is an opaque identifier for the
// provider's abuse monitoring; it must not identify a person. NoCalls requests text although tools are offered: many
// providers refuse a history with calls when the tools are gone. CacheKey is the same for requests with a common
// beginning, CacheMarks marks the reusable prefix; both are for providers with prompt caches. FirstToken bounds the time
// before the answer begins; zero is the stall timeout of the client. ToldOfTextCalls says that the messages tell the model that it
// wrote a tool call into its text: one that does so again writes all of its calls there.
type Request struct {
	Model     string
	Messages  []Message
	Tools     []Tool
	NoCalls   bool
	MaxTokens int
	User      string

	CacheKey   string
	CacheMarks bool

	FirstToken time.Duration

	ToldOfTextCalls bool
}

// Usage is the provider's token count. Reported is false when the provider sent none.
type Usage struct {
	InputTokens  int `json:"inputTokens"`
	OutputTokens int `json:"outputTokens"`
	// CachedTokens is the part of InputTokens served from the provider's prompt cache.
	CachedTokens int  `json:"cachedTokens,omitempty"`
	Reported     bool `json:"reported"`
}

// Response is a model's whole answer. ToolCalls have unique ids. Model and ID are the provider's own. ReplayData is nil when
// nothing has to go back.
type Response struct {
	Text         string
	Reasoning    string
	ToolCalls    []ToolCall
	ReplayData   *ReplayData
	FinishReason string
	Usage        Usage
	Model        string
	ID           string
}

// Empty reports that the answer has neither text nor calls.
func (r Response) Empty() bool {
	return len(r.ToolCalls) == 0 && strings.TrimSpace(r.Text) == ""
}

// Delta is a piece of an answer. At least one field is set. Restart discards the text so far: it follows again,
// separated into thoughts and answer.
type Delta struct {
	Restart   bool
	Text      string
	Reasoning string
	Call      *CallDelta
}

// CallDelta is a piece of a tool call. Index counts the calls of one answer
// from zero. The first delta of a call has its ID; the Names and Arguments of
// all deltas with one Index, concatenated, are what the model wrote.
type CallDelta struct {
	Index     int
	ID        string
	Name      string
	Arguments string
}
