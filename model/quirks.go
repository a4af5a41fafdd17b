package model

import (
	"regexp"
	"slices"
	"strings"
)

// quirks is a bit set of a provider's quirkRules from the OpenAI API.
type quirks uint32

const (
	withoutStreamOptions quirks = 1 << iota
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
	onlyStreamed
	neverStreamed
	withoutEffort
	writesMarkedCalls
	writesBareCalls
)

// Quirk names a quirkRule that a provider's refusal has revealed. The name is stored.
type Quirk string

// ModelQuirk is a quirk of one model: one connection can lead to models of many families.
type ModelQuirk struct {
	Model string `json:"model"`
	Quirk Quirk  `json:"lesson"`
}

// quirkRule detects a quirk in a refusal: the text, in lower case, contains a string of every group and none of never. One
// without groups is not detected in refusals.
type quirkRule struct {
	quirk Quirk
	bit   quirks
	// description completes the sentence "This provider ...", which people read.
	description string
	groups      [][]string
	// about is found as well, where it is not nil.
	about *regexp.Regexp
	never []string
	// sent limits the rule to requests that were streamed, or that were not.
	sent sentAs
	// call is set where the refusal concerns the model's output, not the request.
	call bool
}

// unwanted are the phrases by which servers reject a member.
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

// sentAs is how a request was sent: streamed or not; zero is either.
type sentAs int

const (
	streamed sentAs = iota + 1
	unstreamed
)

// streaming names it as a word of its own: "upstream" and "stream_options" do not.
var streaming = regexp.MustCompile(`(?:^|[^a-z])(?:non-?)?stream(?:ing|ed)?(?:[^a-z_]|$)|流式|流输出`)

// quirkRules is the only table of quirks; the first rule that matches and is not known yet counts.
var quirkRules = []quirkRule{
	{
		quirk:       "no_stream_options",
		bit:         withoutStreamOptions,
		description: "does not take stream_options, so it may not report how many tokens it used",
		groups:      [][]string{{"stream_options", "include_usage"}},
	},
	{
		quirk: "max_completion_tokens", bit: withCompletionTokens, description: "takes max_completion_tokens instead of max_tokens",
		groups: [][]string{{"max_completion_tokens"}}, never: []string{"limit was reached", "context length"},
	},
	// Qwen at DashScope and ModelScope, and gateways before services that stream. A request that was not streamed and is
	// refused with a word of streaming is sent streamed; if that does not help, nothing is learned.
	{
		quirk: "only_streams", bit: onlyStreamed, sent: unstreamed,
		description: "answers as a stream only, so short answers are streamed as well",
		about:       streaming,
		groups: [][]string{append([]string{
			"only", "must", "require", "enable", "non-stream", "nonstream", "non stream", "true", "need", "please", "can not be support",
			"cannot be", "非流", "仅支持", "只支持", "必须",
		}, unwanted...)},
	},
	// OpenAI's organizations that are not verified, models of Bedrock that cannot stream calls, and small servers.
	{
		quirk: "no_streaming", bit: neverStreamed, sent: streamed,
		description: "does not stream, so its answers appear as a whole",
		about:       streaming,
		groups: [][]string{
			{
				"doesn't support",
				"does not support",
				"not support",
				"unsupported",
				"not permitted",
				"not allowed",
				"not been implemented",
				"not implemented",
				"not enabled",
				"not available",
				"not compatible",
				"incompatible",
				"disabled",
				"must be false",
				"set to false",
				"default (false)",
				"supported values are: false",
				"stream=false",
				"only non-stream",
				"only nonstream",
				"verified to stream",
				"tools with stream",
				"cannot stream",
				"can't stream",
				"cannot be streamed",
				"can't be streamed",
				"unable to stream",
				"unrecognized request argument",
				"unknown field",
				"unknown parameter",
				"unrecognized field",
				"unrecognized parameter",
				"不支持",
			},
		},
		never: []string{"unexpected end", "unexpected eof", "stream error", "stream was"},
	},
	{
		quirk: "no_reasoning_effort", bit: withoutEffort,
		description: "does not take the reasoning effort of the connection, so it thinks as much as it wants",
		groups: [][]string{
			{"reasoning_effort", "reasoningeffort", "reasoning effort", "reasoning.effort"},
			append(
				[]string{"invalid", "not a valid", "not valid", "supported values", "must be one of", "should be", "cannot be used"},
				unwanted...),
		},
	},
	// DeepSeek and Kimi, for histories that other models have written.
	{
		quirk: "reasoning_content", bit: withReasoning, description: "demands reasoning_content with every answer, also " +
			"with those that came without",
		groups: [][]string{{"reasoning_content"}, {"missing", "must be passed back", "required", "must be provided", "must include"}},
	},
	// Gemini 3, the second through OpenRouter.
	{
		quirk:       "reasoning_details",
		bit:         withDetails,
		description: "demands reasoning_details with the first call of an answer, also with those that another model made",
		groups: [][]string{
			{"thought_signature", "thought signature", "reasoning details"},
			{"reasoning details to be preserved", "openrouter.ai/docs"},
		},
	},
	{
		quirk:       "thought_signature",
		bit:         withSignatures,
		description: "demands a thought signature with the first call of an answer, also with those that another model made",
		groups:      [][]string{{"thought_signature", "thoughtsignature", "thought signature"}, {"missing", "required", "invalid"}},
	},
	{
		quirk:       "no_reasoning",
		bit:         withoutThoughts,
		description: "does not take the reasoning of earlier answers back",
		groups: [][]string{
			{"reasoning_content", "reasoning_details", "'reasoning'", `"reasoning"`, "`reasoning`", "thinking"},
			append([]string{"invalid `signature`", "invalid signature"}, unwanted...),
		},
	},
	// Mistral, and its templates in other servers.
	{
		quirk: "short_call_ids", bit: withShortIDs, description: "takes call ids of 9 letters and digits only",
		groups: [][]string{{"tool call id", "tool_call_id", "tool call ids", "tool_calls"}, {"length of 9", "length 9", "9 characters"}},
	},
	{
		quirk: "strict_turns", bit: withTurns, description: "wants person and assistant to take turns",
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
		quirk: "plain_schemas", bit: withPlainSchemas, description: "takes simple tool schemas only, so formats and " +
			"patterns go into descriptions",
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
		quirk: "no_null_content", bit: withContent, description: "wants a content with every message, be it an empty one",
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
		quirk:       "no_last_tools",
		bit:         withoutLastTools,
		description: "fails when its model calls a tool in the last step, so that step is sent without tools",
		groups:      [][]string{{"tool choice is none"}},
		call:        true,
	},
	{
		quirk:       "no_tool_choice",
		bit:         withoutChoice,
		description: "does not take tool_choice, so the last step says in words that no tools are left",
		groups: [][]string{
			{"tool_choice", "toolchoice", "tool choice"},
			append([]string{"invalid", "enable-auto-tool-choice", "no endpoints found"}, unwanted...),
		},
	},
	// LiteLLM and what stands before Claude and Bedrock.
	{
		quirk:       "some_tool",
		bit:         withSomeTool,
		description: "refuses a history with calls when no tool is offered, so one that does nothing is",
		groups: [][]string{
			{"tools= param", "`tools=` param", "`tools` param", "toolconfig field must be defined", "tools param", "`tools` must be"},
		},
	},
	{
		quirk: "developer_role", bit: withDeveloper, description: "takes its instructions from the developer role",
		groups: [][]string{{"does not support 'system'", "use 'developer'", "use the developer role"}},
	},
	{
		quirk: "no_system_role", bit: withoutSystem, description: "has no system role, so the instructions stand before the first message",
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
		quirk:       "no_prompt_cache_key",
		bit:         withoutCacheKey,
		description: "does not take prompt_cache_key, so it chooses by itself what it keeps in its cache",
		groups:      [][]string{{"prompt_cache_key"}},
	},
	{
		quirk:       "no_cache_control",
		bit:         withoutCacheMarks,
		description: "does not take cache_control, so it chooses by itself what it keeps in its cache",
		groups:      [][]string{{"cache_control"}},
	},
	{
		quirk: "no_user", bit: withoutUser, description: "does not take the field user",
		groups: [][]string{{`"user"`, "'user'", "`user`"}, unwanted}, never: []string{"role"},
	},
	// Answers reveal these, no refusals.
	{
		quirk: textCallsQuirk, bit: writesMarkedCalls,
		description: "leaves tool calls in the text of answers, in the marks of the model's template, so they are made from there",
	},
	{
		quirk: bareCallsQuirk, bit: writesBareCalls,
		description: "leaves tool calls in the text of answers, as JSON, so they are made from there",
	},
}

// maxAdaptations bounds how often one request is adapted and sent again.
const maxAdaptations = 5

// adaptable are the statuses under which servers and gateways refuse unsupported requests.
var adaptable = []int{400, 404, 405, 406, 422, 500, 501, 502}

// detect returns the rule of a quirk that a refusal reveals and that is not known yet; nil for none.
func (q quirks) detect(e *Error, text string, sent sentAs) *quirkRule {
	if e.Status != 0 && !slices.Contains(adaptable, e.Status) || e.Class == ContextLength || e.Class == RateLimited ||
		e.Class == Unauthorized {
		return nil
	}
	// The body is JSON, in whose texts quotes are escaped.
	text = strings.ReplaceAll(strings.ToLower(text[:min(len(text), maxMatched)]), `\"`, `"`)
	for i := range quirkRules {
		v := &quirkRules[i]
		if q&v.bit == 0 && (v.call || e.Reason != ToolCallUnread) && (v.sent == 0 || v.sent == sent) && v.matches(text) {
			return v
		}
	}
	return nil
}

func (v *quirkRule) matches(text string) bool {
	if len(v.groups) == 0 || v.about != nil && !v.about.MatchString(text) {
		return false
	}
	for _, group := range v.groups {
		if !containsAny(text, group...) {
			return false
		}
	}
	return !containsAny(text, v.never...)
}

// Description explains a quirk to people; "" for an unknown one.
func (q Quirk) Description() string {
	if v := q.rule(); v != nil {
		return "This provider " + v.description + "."
	}
	return ""
}

func (q Quirk) rule() *quirkRule {
	for i := range quirkRules {
		if quirkRules[i].quirk == q {
			return &quirkRules[i]
		}
	}
	return nil
}

// knownQuirks returns the quirks implied by address and model family. It lists only certain ones that other servers
// accept as well.
func knownQuirks(host, model string) quirks {
	var d quirks
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

// mistrals are the model families with Mistral's templates.
var mistrals = []string{"mistral", "mixtral", "ministral", "magistral", "devstral", "codestral", "pixtral", "voxtral"}

// quirksOf returns the known quirks of a provider: by address, by model, and detected ones. A connection that says
// whether to stream learns nothing of it.
func (c *Client) quirksOf(model string) quirks {
	c.quirksMu.RLock()
	defer c.quirksMu.RUnlock()
	q := knownQuirks(c.host, model) | c.detected[model]
	if c.streaming != "" {
		q |= onlyStreamed | neverStreamed
	}
	return q
}

// streams reports how to send a request: as the connection says, else as its model takes it, else as the caller asks.
func (c *Client) streams(q quirks, asked bool) sentAs {
	switch q & (onlyStreamed | neverStreamed) {
	case onlyStreamed:
		asked = true
	case neverStreamed:
		asked = false
	}
	if c.streaming != "" {
		asked = c.streaming == StreamAlways
	}
	if asked {
		return streamed
	}
	return unstreamed
}

// AddQuirks adds stored quirks. Quirks that could not be stored stay known.
func (c *Client) AddQuirks(list []ModelQuirk) {
	c.quirksMu.Lock()
	defer c.quirksMu.Unlock()
	for _, l := range list {
		if v := l.Quirk.rule(); v != nil {
			c.addQuirk(l.Model, v)
		}
	}
}

func (c *Client) addQuirk(model string, v *quirkRule) {
	if c.detected == nil {
		c.detected = map[string]quirks{}
	}
	c.detected[model] |= v.bit
}

// noteIgnoredToolChoice records that a model calls tools despite tool_choice "none", which not all servers honour. The
// next request omits them.
func (c *Client) noteIgnoredToolChoice(model string) {
	if c.quirksOf(model)&withoutLastTools == 0 {
		c.record(model, []*quirkRule{Quirk("no_last_tools").rule()})
	}
}

// record keeps detected quirks and reports them to OnQuirks.
func (c *Client) record(model string, rules []*quirkRule) {
	if len(rules) == 0 {
		return
	}
	detected := make([]ModelQuirk, 0, len(rules))
	c.quirksMu.Lock()
	for _, v := range rules {
		c.addQuirk(model, v)
		detected = append(detected, ModelQuirk{Model: model, Quirk: v.quirk})
	}
	c.quirksMu.Unlock()
	if c.onQuirks != nil {
		c.onQuirks(detected)
	}
}
