package model

import (
	"net/http"
	"regexp"
	"slices"
	"strings"
)

// wording recognizes a failure by the provider's text. Every given condition has to match: the status, and any of the
// codes or texts.
type wording struct {
	class  Class
	reason Reason
	// statuses limit the wording; none is any. Zero is a report inside a stream.
	statuses []int
	// codes are whole codes or types; parts are found anywhere in them; texts are found in the message, and
	// details in the whole body.
	codes, parts, texts, details []string
	// tells finds the wording in the message.
	tells func(message string) bool
	// always matches by the status alone; refused needs a status other than 429 and 5xx.
	always, refused bool
}

// Groups of statuses.
var (
	refusals = []int{0, 400, 401, 402, 403, 404, 405, 406, 409, 410, 412, 413, 415, 422, 424, 429, 451}
	// wrapped are statuses under which gateways pass on a provider's refusal.
	wrapped = append([]int{500, 502, 503}, refusals...)
)

// wordings is the only table of error wordings; the first that matches counts. Codes come before statuses, as the same
// status is used for very different things. Everything is in lower case.
var wordings = []wording{
	// The provider could not parse the model's output.
	{
		class: Malformed, reason: ToolCallUnread, codes: []string{"tool_use_failed", "output_parse_failed"},
		texts: []string{
			"failed to call a function", "tool call validation failed", "failed to parse tool call", "error parsing tool call",
			"failed to parse input at pos", "model produced output that does not match",
		},
		statuses: wrapped,
	},

	// Content filters.
	{
		class: ContentFilter,
		parts: []string{"content_filter", "content_policy", "responsibleaipolicy", "data_inspection_failed", "datainspectionfailed"},
	},
	{class: ContentFilter, codes: []string{"1301"}, statuses: []int{0, 400}},
	{class: ContentFilter, parts: []string{"prohibited_content", "content_moderation", "safety_check"}, statuses: refusals, texts: []string{
		"data may contain inappropriate content", "content management policy", "content violates usage guidelines", "input new_sensitive",
		"output new_sensitive", "content exists risk", "considered high risk", "input_sensitive",
	}},
	{class: ContentFilter, statuses: []int{403}, texts: []string{"moderation", "flagged"}},

	// Account rules, independent of key and model.
	{class: Invalid, reason: Policy, statuses: refusals, texts: []string{
		"data policy",
		"guardrail restrictions",
		"privacy settings",
		"zero data retention",
		"settings/privacy",
		"terms acceptance",
		"accept the terms",
	}},
	{class: Unauthorized, reason: Region, statuses: refusals, parts: []string{"unsupported_country"}, texts: []string{
		"country not supported", "country, region, or territory not supported", "location is not supported", "not available in your country",
		"not available in your region",
	}},

	// Credit and quota, under any status: 402, 403 or 429. Google says "quota" of rates as well.
	{class: RateLimited, reason: Quota, details: []string{"requestsperday", "tokensperday"}, statuses: []int{429}},
	{class: RateLimited, codes: []string{"resource_exhausted"}},
	{class: RateLimited, parts: []string{"token_quota_exceeded", "request_quota_exceeded"}, statuses: []int{429}},
	{
		class:    RateLimited,
		reason:   Quota,
		statuses: wrapped,
		codes:    []string{"1113", "1308", "1309", "1310", "arrearage", "payment_required", "credits_exhausted"},
		parts: []string{
			"insufficient_quota",
			"insufficient_user_quota",
			"token_quota_failed",
			"billing_",
			"insufficient_balance",
			"exceeded_current_quota",
			"insufficient_credit",
			"quota_exceeded",
			"budget_exceeded",
			"spending-limit",
			"token_quota_reached",
		},
		texts: []string{
			"insufficient balance",
			"insufficient account balance",
			"insufficient credit",
			"insufficient funds",
			"insufficient quota",
			"not enough credits",
			"exceeded your current quota",
			"exceeded current quota",
			"check your plan and billing",
			"any credits",
			"no credits",
			"out of credits",
			"used all available credits",
			"requires more credits",
			"credit balance",
			"credit limit",
			"credits expired",
			"spending limit",
			"spend limit",
			"monthly included credits",
			"depleted your",
			"account is in good standing",
			"overdue-payment",
			"please recharge",
			"free tier of the model has been exhausted",
			"free quota",
			"daily free allocation",
			"usage limit",
			"余额不足",
			"额度不足",
			"额度已用尽",
			"额度失败",
			"欠费",
			"prompt tokens limit exceeded",
			"free-models-per-day",
			"out of quota",
			"out of credit",
			"budget has been exceeded",
			"exceededbudget",
			"calls / month",
			"quota is not enough",
		},
	},
	{class: RateLimited, reason: Quota, statuses: []int{402}, always: true},

	// Over the context window, or over the size limit of a request.
	{class: ContextLength, reason: RequestSize, statuses: []int{413, 429}, texts: []string{"request too large for"}},
	{class: ContextLength, statuses: []int{413}, always: true},
	{
		class: ContextLength,
		codes: []string{"1261"},
		parts: []string{"context_length", "exceed_context_size", "context_window", "tokens_limit_reached", "prompt_too_long"},
	},
	{class: ContextLength, refused: true, tells: tellsOfWindow},
	{class: ContextLength, statuses: []int{500}, texts: []string{"exceeds the available context size", "maximum context length is"}},

	// Rate limits and overload.
	{
		class:    RateLimited,
		reason:   Overloaded,
		statuses: []int{429},
		parts:    []string{"engine_overloaded", "overloaded_error", "capacity"},
		texts: []string{
			"overloaded",
			"at capacity",
			"over capacity",
			"capacity exceeded",
			"capacity temporarily exceeded",
			"no capacity",
			"insufficient capacity",
		},
	},
	{class: RateLimited, statuses: []int{429}, always: true},
	{
		class: RateLimited, codes: []string{"1302", "1303", "1305", "throttling", "request_limit_exceeded", "queue_exceeded"},
		parts: []string{"rate_limit", "ratelimit", "resource_exhausted", "too_many_requests", "throttling", "limit_requests"},
	},
	{
		class:    RateLimited,
		statuses: []int{0, 400, 403},
		texts:    []string{"rate limit", "too many requests", "tokens per minute", "requests per minute"},
	},

	// Faults of a request whatever its status: an outage of the provider; the model; the key.
	{
		class:    Unavailable,
		statuses: []int{400, 404},
		texts:    []string{"degraded function", "model is loading", "currently loading", "model_not_ready"},
	},
	{class: NotFound, reason: Unsupported, statuses: []int{400, 404, 422}, texts: []string{
		"that support tool use",
		"does not support tools",
		"does not support tool",
		"not support function calling",
		"tool choice is not supported",
	}},
	{
		class:    NotFound,
		statuses: []int{0, 400, 403, 404, 422},
		codes: []string{
			"1211",
			"model_not_found",
			"invalid_model",
			"model_not_supported",
			"unknown_model",
			"unavailable_model",
			"model_decommissioned",
			"model_not_available",
		},
		texts: []string{
			"not a valid model id",
			"model not exist",
			"invalid model",
			"unknown model",
			"invalid model name",
			"model does not exist",
			"is not supported by any provider",
			"no such model",
			"has been decommissioned",
			"model not found",
			"model identifier is invalid",
		},
	},
	// A router answered, not a model's API, which would name the model that it does not have.
	{class: Invalid, reason: Address, statuses: []int{404}, tells: bareNotFound.MatchString},
	{
		class:    Invalid,
		reason:   Address,
		statuses: []int{404, 405},
		texts: []string{
			"page not found", "file not found", "resource not found", "unknown request url", "invalid url", "cannot post", "no route match",
			"unexpected endpoint",
		},
	},
	{
		class: Unauthorized, statuses: []int{0, 400}, codes: []string{"unauthenticated"},
		texts: []string{"api key not valid", "invalid api key", "incorrect api key", "api key expired", "api_key_invalid"},
	},
	{class: Unauthorized, statuses: []int{401}, always: true},
	{
		class:    Unauthorized,
		reason:   Forbidden,
		statuses: []int{403},
		texts:    []string{"has been suspended"},
		details:  []string{"consumer_suspended"},
	},
	{
		class:    Unauthorized,
		statuses: []int{403},
		texts:    []string{"api key", "api_key", "apikey", "invalid token", "authorization failed", "authentication", "credentials"},
	},
	{class: Unauthorized, reason: Forbidden, statuses: []int{403}, always: true},
	{class: Unauthorized, reason: Forbidden, codes: []string{"1311"}, parts: []string{"permission_denied", "permission-denied"}},
	{class: Unauthorized, parts: []string{"invalid_api_key", "authentication", "unauthorized"}},
	{class: NotFound, statuses: []int{404}, always: true},
	{class: NotFound, parts: []string{"model_not_found", "not_found"}},
}

// bareNotFound is a message in lower case that names nothing.
var bareNotFound = regexp.MustCompile(`^(?:404:? )?(?:not found\.?)?$`)

// contextTexts are providers' wordings for a conversation over the context window.
var contextTexts = []string{
	"maximum context length",
	"context length",
	"context window",
	"context size",
	"context limit",
	"prompt is too long",
	"too many tokens",
	"input is too long",
	"maximum prompt length",
	"input token count",
	"maximum number of tokens allowed",
	"range of input length",
	"reduce the length of the messages",
	"exceeded model token limit",
	"token limit exceeded",
	"tokens + `max_new_tokens`",
	"prompt token count",
	"maximum input length",
	"input length exceeds",
	"max_tokens must be at least 1, got -",
	"prompt too long",
	"prompt exceeds max length",
	"is longer than the model's",
	"context the overflows",
	"context overflow",
	"contextwindowexceeded",
	"max_seq_len",
	"max_num_tokens",
	"maximum sequence length",
	"sequence length exceeds",
	"maximum context tokens",
	"максимальное количество токенов",
	"exceeds the maximum length",
	"longer than the maximum",
	"max length exceeded",
	"too many input tokens",
	"max input characters",
	"最大上下文",
	"上下文长度",
}

var (
	// windowPhrase is a sentence about the size of a conversation: what is too large, and that it is.
	windowPhrase = regexp.MustCompile(
		`\b(?:tokens?|characters?|message size|inputs?|prompts?|messages|conversation|request (?:body|payload))\b` +
			`[^.;]{0,80}\b(?:exceeds?|exceeded|exceeding|(?:is|are) too (?:large|long|big)|too (?:large|long|big) for|too long$|` +
			`(?:greater|longer|larger|more) than (?:the )?(?:model|max|limit|context|allowed)|not exceed|have less than \d+ tokens|(?:over|above) the (?:limit|maximum))\b|` +
			`\b(?:request|conversation|messages?|inputs?|prompts?|history) too (?:large|long|big)\b|` +
			`\brequest exceeds the (?:maximum|limit|size)|` +
			`(?:prompt|messages|输入|消息|上下文|\btokens?\b)[^。；]{0,20}(?:超长|过长|超过|超出)`,
	)
	// partTooLong is a part of the conversation that is too long, or too many of them, by its place in the request.
	partTooLong = regexp.MustCompile(`'(?:messages|input)(?:\[\d+\]\.(?:content|output)[^']*)?': (?:string|array) too long|` +
		`malformed input request: expected maxlength: \d{5}`)
	// otherLimit are limits that a shorter conversation does not keep.
	otherLimit = regexp.MustCompile(`max_(?:completion_|output_)?tokens|output|completion|per[ -](?:minute|day|hour|second)|\brate\b|quota|` +
		`image (?:size|input)|file|schema|\btools?\b|\bfunctions?\b|stop sequence|每分钟|每天|频率|额度`)
)

// tellsOfWindow reports whether a message in lower case says that the conversation is over the context window.
func tellsOfWindow(message string) bool {
	if containsAny(message, contextTexts...) || partTooLong.MatchString(message) {
		return true
	}
	return windowPhrase.MatchString(message) && !otherLimit.MatchString(message)
}

// statusCodes are the codes of "base_resp".
var statusCodes = map[string]wording{
	"1001": {class: Unavailable},
	"1002": {class: RateLimited},
	"1004": {class: Unauthorized},
	"1008": {class: RateLimited, reason: Quota},
	"1013": {class: Unavailable},
	"1024": {class: Unavailable},
	"1026": {class: ContentFilter},
	"1027": {class: ContentFilter},
	"1033": {
		class: Unavailable,
	},
	"1039": {class: RateLimited},
	"1041": {class: RateLimited},
	"2013": {class: Invalid},
	"2049": {class: Unauthorized},
	"2056": {class: RateLimited, reason: Quota},
}

// classify maps a failure to its class and reason.
func classify(status int, rep report) (Class, Reason) {
	rep.code, rep.kind, rep.message = strings.ToLower(rep.code), strings.ToLower(rep.kind), strings.ToLower(rep.message)
	if rep.kind == statusKind && !tellsOfWindow(rep.message) {
		if found, ok := statusCodes[rep.code]; ok {
			return found.class, found.reason
		}
		return Unavailable, ""
	}
	for i := range wordings {
		if w := &wordings[i]; w.matches(status, rep) {
			return w.class, w.reason
		}
	}
	switch {
	case status >= 500, status == http.StatusRequestTimeout, status == http.StatusConflict, status == http.StatusTooEarly:
		if containsAny(rep.kind+" "+rep.message, "overloaded", "capacity") {
			return Unavailable, Overloaded
		}
		return Unavailable, ""
	case status >= 300, containsAny(rep.code+" "+rep.kind, "invalid_request", "badrequest", "bad_request"):
		return Invalid, ""
	default:
		return Unavailable, ""
	}
}

func (w *wording) matches(status int, rep report) bool {
	if len(w.statuses) > 0 && !slices.Contains(w.statuses, status) {
		return false
	}
	if w.refused && (status >= 500 || status == http.StatusTooManyRequests) {
		return false
	}
	return w.always || slices.Contains(w.codes, rep.code) || slices.Contains(w.codes, rep.kind) ||
		containsAny(rep.code+" "+rep.kind, w.parts...) || containsAny(rep.message, w.texts...) || containsAny(rep.body, w.details...) ||
		w.tells != nil && w.tells(rep.message)
}
