// Package model talks to language models behind any OpenAI-compatible
// endpoint.
//
// A [Client] belongs to one connection: a base URL and a key. [Client.Stream]
// runs one step of a turn and reports deltas as they arrive; [Client.Complete]
// asks for a short answer in one piece (titles, the topic check, summaries);
// [Client.Models] is the connection test.
//
// The wire types are those of go-openai, but the client reads streams with a
// decoder of its own: providers disagree about indexes, ids and names of tool
// calls, about how an error looks and about how a stream ends, and a turn has
// to survive all of them. Thoughts are kept apart from the answer, also where a
// server leaves them in its text. What cannot be repaired becomes an [Error] whose
// [Class] says what happened and whether trying again may help.
//
// What goes back is made valid first (history.go) and said in the provider's
// dialect (dialect.go). The client never tries again by itself, with one
// exception: a provider whose refusal teaches how it wants to be asked is asked
// once more, and that is remembered as a [Lesson].
package model

import (
	"encoding/json"
	"strings"

	openai "github.com/sashabaranov/go-openai"
)

// Roles of a [Message].
const (
	RoleSystem    = openai.ChatMessageRoleSystem
	RoleUser      = openai.ChatMessageRoleUser
	RoleAssistant = openai.ChatMessageRoleAssistant
	RoleTool      = openai.ChatMessageRoleTool
)

// Values of [Response.FinishReason] that callers act upon. Providers may send
// others.
const (
	FinishStop      = string(openai.FinishReasonStop)
	FinishLength    = string(openai.FinishReasonLength)
	FinishToolCalls = string(openai.FinishReasonToolCalls)
)

// Message is one entry of a conversation. ToolCalls and Kept belong to assistant
// messages, ToolCallID to tool messages.
type Message struct {
	Role       string     `json:"role"`
	Content    string     `json:"content"`
	ToolCalls  []ToolCall `json:"toolCalls,omitempty"`
	ToolCallID string     `json:"toolCallId,omitempty"`
	Kept       *Kept      `json:"kept,omitempty"`
}

// ToolCall is a model's wish to use a tool. Name is the name on the wire.
// Arguments is JSON as the model wrote it: it may be malformed, and it is
// "{}" where the model wrote nothing.
type ToolCall struct {
	ID        string `json:"id"`
	Name      string `json:"name"`
	Arguments string `json:"arguments"`
}

// Tool is what a model is told about a tool. Parameters is a JSON schema and
// has to be valid JSON.
type Tool struct {
	Name        string          `json:"name"`
	Description string          `json:"description"`
	Parameters  json.RawMessage `json:"parameters"`
}

// Request is one model call. MaxTokens of zero leaves the limit to the
// provider. User is an opaque identifier for the provider's abuse monitoring;
// it must not identify a person. NoCalls asks for words although there are tools:
// many providers refuse a history with calls when the tools are gone. CacheKey is
// the same for requests that begin alike, CacheMarks asks to keep what will come
// again; both are for providers that take such hints.
type Request struct {
	Model     string
	Messages  []Message
	Tools     []Tool
	NoCalls   bool
	MaxTokens int
	User      string

	CacheKey   string
	CacheMarks bool
}

// Usage is what the provider charged. Reported is false when it did not say.
type Usage struct {
	InputTokens  int `json:"inputTokens"`
	OutputTokens int `json:"outputTokens"`
	// CachedTokens is the part of InputTokens that the provider had in its cache.
	CachedTokens int  `json:"cachedTokens,omitempty"`
	Reported     bool `json:"reported"`
}

// Response is a model's whole answer. ToolCalls have unique ids. Model and ID
// are the provider's own words. Kept is nil when nothing has to go back.
type Response struct {
	Text         string
	Reasoning    string
	ToolCalls    []ToolCall
	Kept         *Kept
	FinishReason string
	Usage        Usage
	Model        string
	ID           string
}

// Empty reports that the model said nothing and called nothing.
func (r Response) Empty() bool {
	return len(r.ToolCalls) == 0 && strings.TrimSpace(r.Text) == ""
}

// Delta is a piece of an answer. At least one field is set. Restart takes back what has been said: it comes again, as what
// it has turned out to be.
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
