package model

import "strings"

// ending is the meaning of a finish reason.
type ending uint8

const (
	// endOther: an unknown reason, treated as success.
	endOther ending = iota
	endStop
	endLength
	endTools
	// endWindow: conversation and answer together fill the context window.
	endWindow
	endFilter
	// endFailure: the provider failed during the answer.
	endFailure
	// endCall: the model wrote a tool call that its provider could not parse.
	endCall
)

// endings is the only table of finish reasons, in lower case. The words before a colon, as in "content_filter:
// PROHIBITED_CONTENT", are looked up first.
var endings = map[string]ending{
	// OpenAI, and servers with their own engines.
	"stop": endStop, "eos": endStop, "eos_token": endStop, "end_turn": endStop, "stop_sequence": endStop, "complete": endStop,
	"end": endStop, "finished": endStop, "done": endStop, "finish_reason_stop": endStop, "stop_token": endStop,

	"length": endLength, "max_tokens": endLength, "max_output_tokens": endLength, "max_length": endLength,
	"max_new_tokens": endLength, "finish_reason_max_tokens": endLength, "token_limit": endLength, "incomplete": endLength,

	"tool_calls": endTools, "tool_call": endTools, "tool_use": endTools, "function_call": endTools, "finish_reason_tool_calls": endTools,

	// Mistral; Z.AI and Claude behind gateways.
	"model_length": endWindow, "model_context_window_exceeded": endWindow, "context_length": endWindow,
	"context_length_exceeded": endWindow, "error_limit": endWindow,

	// OpenAI and Azure; Gemini; Zhipu; Claude; Bedrock; Cohere.
	"content_filter": endFilter, "content-filter": endFilter, "safety": endFilter, "recitation": endFilter, "blocklist": endFilter,
	"prohibited_content": endFilter, "spii": endFilter, "image_safety": endFilter, "sensitive": endFilter, "refusal": endFilter,
	"guardrail_intervened": endFilter, "content_filtered": endFilter, "error_toxic": endFilter, "moderation": endFilter,

	// OpenRouter; Zhipu; DeepSeek; SGLang and vLLM.
	"error": endFailure, "network_error": endFailure, "insufficient_system_resource": endFailure, "abort": endFailure,
	"timeout": endFailure, "server_error": endFailure, "overloaded": endFailure, "cancelled": endFailure, "canceled": endFailure,

	"malformed_function_call": endCall, "unexpected_tool_call": endCall, "malformed_tool_call": endCall,
}

// endingOf classifies a finish reason. Reasons that begin like a content filter's count as one, whatever follows.
func endingOf(reason string) ending {
	reason = strings.ToLower(strings.TrimSpace(reason))
	if end, ok := endings[reason]; ok {
		return end
	}
	before, behind, found := strings.Cut(reason, ":")
	if end, ok := endings[strings.TrimSpace(behind)]; found && ok {
		return end
	}
	if end, ok := endings[strings.TrimSpace(before)]; ok {
		return end
	}
	switch {
	case strings.HasPrefix(reason, "content_filter"), strings.HasPrefix(reason, "content-filter"), strings.HasPrefix(reason, "image_"):
		return endFilter
	case strings.HasPrefix(reason, "insufficient_"), strings.HasPrefix(reason, "error_"):
		return endFailure
	}
	return endOther
}

// plainReason returns a finish reason as one of the values that callers act upon, or the provider's own.
func plainReason(reason string) string {
	switch endingOf(reason) {
	case endStop:
		return FinishStop
	case endLength, endWindow:
		return FinishLength
	case endTools:
		return FinishToolCalls
	default:
		return reason
	}
}
