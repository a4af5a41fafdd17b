package model

import (
	"slices"
	"strings"
)

// dialect is a set of deviations from what OpenAI takes.
type dialect uint32

const (
	withoutStreamOptions dialect = 1 << iota
	withoutUser
	withCompletionTokens
	withoutThoughts
	withReasoning
	withSignatures
	withDetails
	withShortIDs
	withTurns
	withPlainSchemas
	withContent
	withoutChoice
	withoutLastTools
	withSomeTool
	withDeveloper
	withoutSystem
	withoutCacheKey
	withoutCacheMarks
)

// Lesson names a deviation that a provider's refusal has taught. It is what is stored.
type Lesson string

// Learned is a lesson with the model that it was taught for: one connection can lead to models of many families.
type Learned struct {
	Model  string `json:"model"`
	Lesson Lesson `json:"lesson"`
}

// deviation is what one refusal teaches: a refusal counts when it has a text of every group and none of never. Texts are
// in lower case.
type deviation struct {
	lesson Lesson
	bit    dialect
	// says is what a person reads.
	says   string
	groups [][]string
	never  []string
	// call is set where the refusal is about what the model wrote, not about the request.
	call bool
}

// unwanted is how servers say that they do not take a member.
var unwanted = []string{
	"extra",
	"unknown",
	"unrecognized",
	"unexpected",
	"unsupported",
	"not supported",
	"does not support",
	"not permitted",
	"not allowed",
	"additional properties",
}

// deviations is the one table of what refusals teach; the first that fits and is not known yet counts.
var deviations = []deviation{
	{
		lesson: "no_stream_options",
		bit:    withoutStreamOptions,
		says:   "does not take stream_options, so it may not report how many tokens it used",
		groups: [][]string{{"stream_options", "include_usage"}},
	},
	{
		lesson: "max_completion_tokens", bit: withCompletionTokens, says: "takes max_completion_tokens instead of max_tokens",
		groups: [][]string{{"max_completion_tokens"}}, never: []string{"limit was reached", "context length"},
	},
	// DeepSeek and Kimi, for histories that other models have written.
	{
		lesson: "reasoning_content", bit: withReasoning, says: "demands reasoning_content with every answer, also with those that came without",
		groups: [][]string{{"reasoning_content"}, {"missing", "must be passed back", "required", "must be provided", "must include"}},
	},
	// Gemini 3, the second through OpenRouter.
	{
		lesson: "reasoning_details",
		bit:    withDetails,
		says:   "demands reasoning_details with the first call of an answer, also with those that another model made",
		groups: [][]string{
			{"thought_signature", "thought signature", "reasoning details"},
			{"reasoning details to be preserved", "openrouter.ai/docs"},
		},
	},
	{
		lesson: "thought_signature",
		bit:    withSignatures,
		says:   "demands a thought signature with the first call of an answer, also with those that another model made",
		groups: [][]string{{"thought_signature", "thoughtsignature", "thought signature"}, {"missing", "required", "invalid"}},
	},
	{
		lesson: "no_reasoning",
		bit:    withoutThoughts,
		says:   "does not take the reasoning of earlier answers back",
		groups: [][]string{
			{"reasoning_content", "reasoning_details", "'reasoning'", `"reasoning"`, "`reasoning`", "thinking"},
			append([]string{"invalid `signature`", "invalid signature"}, unwanted...),
		},
	},
	// Mistral, and its templates in other servers.
	{
		lesson: "short_call_ids", bit: withShortIDs, says: "takes call ids of 9 letters and digits only",
		groups: [][]string{{"tool call id", "tool_call_id", "tool call ids", "tool_calls"}, {"length of 9", "length 9", "9 characters"}},
	},
	{
		lesson: "strict_turns", bit: withTurns, says: "wants person and assistant to take turns",
		groups: [][]string{
			{
				"unexpected role",
				"roles must alternate",
				"alternate user/assistant",
				"alternate between user and assistant",
				"roles should be alternating",
				"should alternate with assistant",
				"same number of function calls and responses",
				"incorrect role information",
				"comes immediately after a user turn",
				"immediately after a function call turn",
			},
		},
		never: []string{"role 'system'", "role 'developer'"},
	},
	{
		lesson: "plain_schemas", bit: withPlainSchemas, says: "takes simple schemas of tools only: formats and patterns are told in words",
		groups: [][]string{
			{
				"additionalproperties",
				"only allowed for object type",
				"should be non-empty for object type",
				"proto field is not repeating",
				"reference to undefined schema",
				"formats are supported for string type",
				"are supported for string type",
				"only allowed for string type",
				"functiondeclaration",
				"flavored json schema",
				"invalid schema for function",
				"input_schema does not support",
				"unrecognized schema",
				"failed to parse grammar",
				"failed to convert json schema",
				"error parsing grammar",
				"unsupported json schema",
				"allof must have",
				"function_declarations[",
				"pattern must start with",
			},
		},
		never: []string{"thought_signature"},
	},
	{
		lesson: "no_null_content", bit: withContent, says: "wants a content with every message, be it an empty one",
		groups: [][]string{
			{"content"},
			{
				"<nil>",
				"received null",
				"cannot be null",
				"must not be null",
				"can't be null",
				"none is not",
				"input should be a valid string",
				"got null",
				"field required",
				"expected string",
				"must be a string",
				"should be a string",
				"content is required",
				"content field is a required",
				"missing field content",
				"missing field `content`",
				"'string' not in 'null'",
			},
		},
	},
	// The last step of a turn.
	{
		lesson: "no_last_tools",
		bit:    withoutLastTools,
		says:   "fails when its model calls a tool in the last step, so that step is sent without tools",
		groups: [][]string{{"tool choice is none"}},
		call:   true,
	},
	{
		lesson: "no_tool_choice",
		bit:    withoutChoice,
		says:   "does not take tool_choice, so the last step says in words that no tools are left",
		groups: [][]string{
			{"tool_choice", "toolchoice", "tool choice"},
			append([]string{"invalid", "enable-auto-tool-choice", "no endpoints found"}, unwanted...),
		},
	},
	// LiteLLM and what stands before Claude and Bedrock.
	{
		lesson: "some_tool",
		bit:    withSomeTool,
		says:   "refuses a history with calls when no tool is offered, so one that does nothing is",
		groups: [][]string{
			{"tools= param", "`tools=` param", "`tools` param", "toolconfig field must be defined", "tools param", "`tools` must be"},
		},
	},
	{
		lesson: "developer_role", bit: withDeveloper, says: "takes its instructions from the developer role",
		groups: [][]string{{"does not support 'system'", "use 'developer'", "use the developer role"}},
	},
	{
		lesson: "no_system_role", bit: withoutSystem, says: "has no system role, so the instructions stand before the first message",
		groups: [][]string{
			{
				"does not support 'system'",
				"does not support 'developer'",
				"system role not supported",
				"system role is not supported",
				"developer instruction is not enabled",
				"system messages are not supported",
				"unexpected role 'system'",
				"unexpected role 'developer'",
			},
		},
	},
	{
		lesson: "no_prompt_cache_key",
		bit:    withoutCacheKey,
		says:   "does not take prompt_cache_key, so it chooses by itself what it keeps in its cache",
		groups: [][]string{{"prompt_cache_key"}},
	},
	{
		lesson: "no_cache_control",
		bit:    withoutCacheMarks,
		says:   "does not take cache_control, so it is not told what is worth keeping in its cache",
		groups: [][]string{{"cache_control"}},
	},
	{
		lesson: "no_user", bit: withoutUser, says: "does not take the field user",
		groups: [][]string{{`"user"`, "'user'", "`user`"}, unwanted}, never: []string{"role"},
	},
}

// maxAdaptations is how often one request is changed and sent again.
const maxAdaptations = 5

// adaptable are the statuses under which servers and the gateways before them refuse what they do not take.
var adaptable = []int{400, 404, 422, 500, 501, 502}

// adapt finds what a refusal teaches that is not known yet; nil for nothing.
func (d dialect) adapt(e *Error, said string) *deviation {
	if e.Status != 0 && !slices.Contains(adaptable, e.Status) || e.Class == ContextLength || e.Class == RateLimited ||
		e.Class == Unauthorized {
		return nil
	}
	// The body is JSON, in whose texts quotes are escaped.
	said = strings.ReplaceAll(strings.ToLower(said[:min(len(said), maxMatched)]), `\"`, `"`)
	for i := range deviations {
		if v := &deviations[i]; d&v.bit == 0 && (v.call || e.Reason != ToolCallUnread) && v.taughtBy(said) {
			return v
		}
	}
	return nil
}

func (v *deviation) taughtBy(said string) bool {
	for _, group := range v.groups {
		if !containsAny(said, group...) {
			return false
		}
	}
	return !containsAny(said, v.never...)
}

// Says is what a person reads of a lesson; "" for one that nobody knows any more.
func (l Lesson) Says() string {
	if v := l.deviation(); v != nil {
		return "This provider " + v.says + "."
	}
	return ""
}

func (l Lesson) deviation() *deviation {
	for i := range deviations {
		if deviations[i].lesson == l {
			return &deviations[i]
		}
	}
	return nil
}

// known is the dialect of a provider that its address or the family of its model is enough for. Only what is certain
// stands here, and what nobody else minds.
func known(host, model string) dialect {
	var d dialect
	model = strings.ToLower(model)
	switch {
	case host == "api.openai.com":
		d |= withCompletionTokens
	case host == "generativelanguage.googleapis.com" || strings.HasSuffix(host, "aiplatform.googleapis.com"):
		d |= withPlainSchemas
	case host == "mistral.ai" || strings.HasSuffix(host, ".mistral.ai"):
		d |= withShortIDs | withTurns
	}
	if containsAny(model, mistrals...) {
		d |= withShortIDs | withTurns
	}
	return d
}

// mistrals are the families of models with the templates of Mistral.
var mistrals = []string{"mistral", "mixtral", "ministral", "magistral", "devstral", "codestral", "pixtral", "voxtral"}

// dialectFor is what is known of a provider by its address, by the model, and by what it has taught.
func (c *Client) dialectFor(model string) dialect {
	c.lessons.RLock()
	defer c.lessons.RUnlock()
	return known(c.host, model) | c.taught[model]
}

// Know adds what is stored of what the provider has taught. What could not be stored stays known.
func (c *Client) Know(learned []Learned) {
	c.lessons.Lock()
	defer c.lessons.Unlock()
	for _, l := range learned {
		if v := l.Lesson.deviation(); v != nil {
			c.teach(l.Model, v)
		}
	}
}

func (c *Client) teach(model string, v *deviation) {
	if c.taught == nil {
		c.taught = map[string]dialect{}
	}
	c.taught[model] |= v.bit
}

// rememberLastTools keeps that a model calls tools although it is told not to: not all servers heed tool_choice. Whoever asks
// again gets an answer.
func (c *Client) rememberLastTools(model string) {
	if c.dialectFor(model)&withoutLastTools == 0 {
		c.remember(model, []*deviation{Lesson("no_last_tools").deviation()})
	}
}

// remember keeps what a provider has taught.
func (c *Client) remember(model string, taught []*deviation) {
	if len(taught) == 0 {
		return
	}
	learned := make([]Learned, 0, len(taught))
	c.lessons.Lock()
	for _, v := range taught {
		c.teach(model, v)
		learned = append(learned, Learned{Model: model, Lesson: v.lesson})
	}
	c.lessons.Unlock()
	if c.learned != nil {
		c.learned(learned)
	}
}
