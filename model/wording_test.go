package model_test

import (
	"errors"
	"net/http"
	"strconv"
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"countersign/model"
)

// refused is the failure of a call that a provider answers with a status and a body.
func refused(t *testing.T, status int, header map[string]string, body string) *model.Error {
	t.Helper()
	client := answering(t, func(w http.ResponseWriter, _ *http.Request) {
		w.Header().Set("Content-Type", "application/json")
		for name, value := range header {
			w.Header().Set(name, value)
		}
		w.WriteHeader(status)
		_, _ = w.Write([]byte(body))
	})
	_, err := client.Stream(t.Context(), hello, nil)
	failure, ok := errors.AsType[*model.Error](err)
	require.True(t, ok)
	return failure
}

// message is the usual body of a refusal.
func message(text string) string { return `{"error":{"message":` + strconv.Quote(text) + `}}` }

// A conversation over the window is one in the words of every provider and server.
func TestTheWindowInWordsOfManyProviders(t *testing.T) {
	t.Parallel()
	for provider, texts := range map[string][]string{
		"OpenAI": {
			"This model's maximum context length is 128000 tokens. However, your messages resulted in 130000 tokens. Please reduce the length of the messages.",
			"Your input exceeds the context window of this model. Please adjust your input and try again.",
			"Invalid 'messages[1].content': string too long. Expected a string with maximum length 1048576, but got a string with length 1200000 instead.",
			"Invalid 'input[3].output': string too long. Expected a string with maximum length 10485760, but got a string with length 12000000 instead.",
			"Invalid 'messages': array too long. Expected an array with maximum length 2048, but got an array with length 2100 instead.",
		},
		"Anthropic": {
			"prompt is too long: 210000 tokens > 200000 maximum",
			"input length and `max_tokens` exceed context limit: 190000 + 20000 > 200000, decrease input length or `max_tokens` and try again",
			"Request exceeds the maximum allowed number of bytes.",
		},
		"Gemini": {
			"The input token count (1200000) exceeds the maximum number of tokens allowed (1048576).",
			"Unable to submit request because the input token count is 40000 but model only supports up to 32768. Reduce the input token count and try again.",
			"Request payload size exceeds the limit: 20971520 bytes.",
		},
		"Mistral": {
			"Prompt contains 40000 tokens and 0 draft tokens, too large for model with 32768 maximum context length",
			"Prompt contains 65673 tokens, too large for model with 32768 token limit",
		},
		"Groq":     {"Please reduce the length of the messages or completion."},
		"Together": {"Input validation error: `inputs` tokens + `max_new_tokens` must be <= 8193. Given: 8192 `inputs` tokens and 512 `max_new_tokens`"},
		"DeepSeek": {"This model's maximum context length is 65536 tokens. However, you requested 70000 tokens (66000 in the messages, 4000 in the completion)."},
		"DashScope": {
			"Range of input length should be [1, 30720]",
			"<400> InternalError.Algo.InvalidParameter: Range of input length should be [1, 98304]",
			"Input length 40000 exceeds the maximum length 30720",
		},
		"Zhipu":    {"Prompt exceeds max length", "Prompt 超长", "输入长度超过模型限制", "请求的 tokens 数量超出模型最大长度"},
		"Moonshot": {"Invalid request: Your request exceeded model token limit: 262144", "Input token length too long"},
		"vLLM": {
			"The decoder prompt (length 4100) is longer than the maximum model length of 4096. Make sure that `max_model_len` is no smaller than the number of text tokens.",
			"The prompt (total length 4100) is too long to fit into the model (context length 4096).",
			"'max_tokens' or 'max_completion_tokens' is too large: 2000. This model's maximum context length is 4096 tokens and your request has 2104 input tokens (2000 > 4096 - 2104).",
			"max_tokens must be at least 1, got -2144.",
			"You passed 4097 input tokens and requested 1000 output tokens. However, the model's context length is only 4096 tokens, resulting in a maximum input length of 3096 tokens.",
		},
		"llama.cpp": {
			"the request exceeds the available context size. try increasing the context size or enable context shift",
			"request (9000 tokens) exceeds the available context size (8192 tokens), try increasing it",
		},
		"llama-cpp-python": {"Requested tokens (2100) exceed context window of 2048"},
		"Ollama": {
			"input length exceeds maximum context length", "prompt too long; exceeded max context length by 123 tokens",
			"the input length exceeds the context length", "the prompt is too long for the model's context",
		},
		"LM Studio": {
			"The number of tokens to keep from the initial prompt is greater than the context length. Try to load the model with a larger context length, or provide a shorter input",
			"Trying to keep the first 4096 tokens when context the overflows. However, the model is loaded with context length of only 4096 tokens, which is not enough.",
			"Reached context length of 4096 tokens with model (arch: llama) that does not currently support mid-generation context overflow.",
			"The context overflows: shorten the prompt.",
		},
		"TGI": {"Input validation error: `inputs` must have less than 4095 tokens. Given: 5000"},
		"SGLang": {
			"The input (9000 tokens) is longer than the model's context length (8192 tokens).",
			"Requested token count exceeds the model's maximum context length of 8192 tokens. You requested a total of 9000 tokens.",
			"Input length (9000 tokens) exceeds the maximum allowed length (8186 tokens). Use a shorter input or enable --allow-auto-truncate.",
		},
		"TensorRT": {
			"The sum of prompt length (5000.0), query length (0) should not exceed max_num_tokens (4096)",
			"Prompt length (5000) exceeds maximum input length (4096).", "prompt length 5000 is over the maximum sequence length of 4096",
		},
		"LiteLLM": {
			"litellm.ContextWindowExceededError: litellm.BadRequestError: OpenAIException - too long", "ContextWindowExceededError: refused",
			"litellm.BadRequestError: BedrockException - Context Window Error - Input is too long for requested model.",
		},
		"OpenRouter": {"This endpoint's maximum context length is 131072 tokens. However, you requested about 132463 tokens (1463 of text input, 131000 in the output)."},
		"Bedrock": {
			"Input is too long for requested model.", "Too many input tokens. Max input tokens: 200000, request input token count: 210000",
			"Malformed input request: expected maxLength: 512000, actual: 600000, please reformat your input and try again.",
			"The model returned the following errors: Input Tokens Exceeded: Number of input tokens exceeds maximum length.",
		},
		"Azure":         {"Request body too large for gpt-4o model. Max size: 8000 tokens."},
		"Cohere":        {"too many tokens: total number of tokens in the prompt cannot exceed 4081 - received 5000. Try using a shorter prompt."},
		"xAI":           {"This model's maximum prompt length is 131072 but the request contains 537812 tokens."},
		"Cerebras":      {"Please reduce the length of the messages or completion. Current length is 9000 while limit is 8192"},
		"Fireworks":     {"The prompt is too long: 40000, model maximum context length: 32767"},
		"Anyscale":      {"Messages have 17000 tokens, which exceeds the max limit of 16384 tokens."},
		"Cloudflare":    {"The estimated number of input and maximum output tokens (8200) exceeded this model context window limit (7968)."},
		"Copilot":       {"prompt token count of 70000 exceeds the limit of 64000"},
		"MiniMax":       {"invalid params, context window exceeds limit (2013)"},
		"watsonx":       {"the number of input tokens 9000 cannot exceed the total tokens limit 8192 for this model"},
		"AI21":          {"Prompt has 300000 tokens, which is over the limit of 256000."},
		"TabbyAPI":      {"Prompt length 5000 is greater than max_seq_len 4096"},
		"Databricks":    {"Bad request: prompt token count (9000) cannot exceed 4096."},
		"Predibase":     {"Request failed: input tokens 9000 greater than model limit 8192"},
		"Volcengine":    {"Total tokens of image and text exceed max message tokens"},
		"Baidu":         {"the max input characters is 20000"},
		"Chinese words": {"输入内容过长，请缩短后重试", "上下文长度超过限制", "超出模型最大上下文"},
	} {
		for _, text := range texts {
			failure := refused(t, http.StatusBadRequest, nil, message(text))
			require.Equal(t, model.ContextLength, failure.Class, "%s: %s", provider, text)
			require.False(t, failure.Retryable())
		}
	}
}

// Limits of the answer, of a member, of a rate and of an account are none of the conversation.
func TestOtherLimitsAreNotTheWindow(t *testing.T) {
	t.Parallel()
	for text, class := range map[string]model.Class{
		"max_tokens is too large: 100000. This model supports at most 16384 completion tokens, whereas you provided 100000.": model.Invalid,
		"max_tokens: 128000 > 64000, which is the maximum allowed number of output tokens for the model":                     model.Invalid,
		"Range of max_tokens should be [1, 8192]": model.Invalid,
		"Invalid 'tools[0].function.description': string too long. Expected a string with maximum length 1024, but got a string with length 1100 instead.": model.Invalid,
		"Invalid 'messages[2].tool_calls[0].id': string too long. Expected a string with maximum length 40, but got a string with length 53 instead.":      model.Invalid,
		"Invalid 'user': string too long. Expected a string with maximum length 64, but got a string with length 90 instead.":                              model.Invalid,
		"Invalid 'stop': array too long. Expected an array with maximum length 4, but got an array with length 5 instead.":                                 model.Invalid,
		"image exceeds 5 MB maximum: 6000000 bytes > 5242880 bytes":                                                                                        model.Invalid,
		"The schema is too large: 120 properties":      model.Invalid,
		"The file is too large":                        model.Invalid,
		"messages: at least one message is required":   model.Invalid,
		"Input should be greater than or equal to 1":   model.Invalid,
		"Input should be less than or equal to 2":      model.Invalid,
		"String should have at most 64 characters":     model.Invalid,
		"max_tokens 参数超出范围":                            model.Invalid,
		"每分钟 tokens 超过限制":                              model.Invalid,
		"The context is missing":                       model.Invalid,
		"temperature exceeds the maximum of 2":         model.Invalid,
		"Rate limit exceeded: 30000 tokens per minute": model.RateLimited,
		"Your account has exceeded its token quota":    model.Invalid,
		"model 'x' has no context":                     model.Invalid,
	} {
		require.Equal(t, class, refused(t, http.StatusBadRequest, nil, message(text)).Class, text)
	}
}

// Credit that is used up comes under many statuses.
func TestUsedUpCreditInWordsOfManyProviders(t *testing.T) {
	t.Parallel()
	for text, status := range map[string]int{
		"You exceeded your current quota, please check your plan and billing details.":                                             429,
		"Your credit balance is too low to access the Anthropic API. Please go to Plans & Billing to upgrade or purchase credits.": 400,
		"Insufficient Balance": 402,
		"This request requires more credits, or fewer max_tokens. You requested up to 4096 tokens, but can only afford 2000.":                     402,
		"Your account org-x <ak-x> is suspended due to insufficient balance, please recharge your account or check your plan and billing details": 429,
		"余额不足或无可用资源包,请充值。": 429,
		"账户已欠费": 403,
		"Insufficient credits. Add more using https://openrouter.ai/settings/credits":                                                         402,
		"Your team x has either used all available credits or reached its monthly spending limit.":                                            429,
		"Account x is suspended, possibly due to reaching the monthly spending limit or failure to pay past invoices.":                        412,
		"You are using a Trial key, which is limited to 1000 API calls / month.":                                                              429,
		"You have exceeded your monthly included credits for Inference Providers. Subscribe to PRO to get 20x more monthly included credits.": 402,
		"Budget has been exceeded! Current cost: 10.1, Max budget: 10.0":                                                                      400,
		"ExceededBudget: User=u over budget. Spend=10.1, Budget=10.0":                                                                         400,
		"You have reached your specified API usage limits. You will regain access on 2025-10-01 at 00:00 UTC.":                                400,
		"You have reached your weekly usage limit, please upgrade for higher limits":                                                          429,
		"预扣费额度失败, 用户剩余额度: ＄0.01, 需要预扣费额度: ＄0.05":                                                                                              403,
		"该令牌额度已用尽":                                                          401,
		"free-models-per-day":                                               429,
		"Hard limit of the billing cycle reached: out of credit":            429,
		"Access denied, please make sure your account is in good standing.": 400,
		"Payment required":                                                  402,
	} {
		failure := refused(t, status, nil, message(text))
		require.Equal(t, model.RateLimited, failure.Class, text)
		require.Equal(t, model.Quota, failure.Reason, text)
		require.False(t, failure.Retryable())
	}
}

// A wait is found wherever and however a provider states it.
func TestWaitsOfManyForms(t *testing.T) {
	t.Parallel()
	const date = "Fri, 05 Sep 2025 10:00:00 GMT"
	for text, want := range map[string]time.Duration{
		"Rate limit reached for gpt-4o on tokens per min (TPM): Limit 30000, Used 29000, Requested 2000. Please try again in 2s.": 2 * time.Second,
		"Please try again in 6ms.":                         6 * time.Millisecond,
		"Please try again in 1m30s.":                       90 * time.Second,
		"Please try again in 7m12.864s. Need more tokens?": 7*time.Minute + 12864*time.Millisecond,
		"Please try again in 1h2m3s":                       time.Hour,
		"Please try again in 20s":                          20 * time.Second,
		"Please retry after 5 seconds.":                    5 * time.Second,
		"Please retry in 23.5s.":                           23500 * time.Millisecond,
		"have exceeded token rate limit. Please retry after 26 seconds. Please go here": 26 * time.Second,
		"Too many requests, please wait 12 seconds before trying again":                 12 * time.Second,
		"Wait for 30 sec and retry":                    30 * time.Second,
		"Retry after 45 secs":                          45 * time.Second,
		"Please try again in approximately 15 seconds": 15 * time.Second,
		"try again in 2 minutes and 30 seconds":        150 * time.Second,
		"Try again after 1 minute":                     time.Minute,
		"try again in 3 mins":                          3 * time.Minute,
		"Requests are limited; retry-after: 9":         9 * time.Second,
		"Rate limited. Retry after 8":                  8 * time.Second,
		"Quota resets in 42 seconds":                   42 * time.Second,
		"Your limit will reset in 1m":                  time.Minute,
		"Limit resets at: 2025-09-05 10:00:30 UTC":     30 * time.Second,
		"Rate limit resets at 2025-09-05T10:00:45Z.":   45 * time.Second,
		"请求过于频繁，请在 30 秒后重试":                            30 * time.Second,
		"请求频率超限，请1分钟后再试":                               time.Minute,
		"Slow down":                              0,
		"Limit 30 requests in 60 seconds":        0,
		"You can make 3 requests per 10 seconds": 0,
		"Do not retry":                           0,
	} {
		failure := refused(t, 429, map[string]string{"Date": date}, message(text))
		require.Equal(t, want, failure.RetryAfter, text)
	}
	failure := refused(t, 429, nil, message("You are using a Trial key, which is limited to 10 API calls / minute."))
	require.True(t, failure.Retryable(), "a rate is no quota")
	for body, want := range map[string]time.Duration{
		`{"error":{"code":429,"message":"Quota","status":"RESOURCE_EXHAUSTED","details":[{"@type":"type.googleapis.com/google.rpc.RetryInfo","retryDelay":"17s"}]}}`: 17 * time.Second,
		`{"error":{"code":429,"message":"Quota","details":[{"@type":"type.googleapis.com/google.rpc.RetryInfo","retryDelay":"7.5s"}]}}`:                              7500 * time.Millisecond,
		`{"error":{"code":429,"message":"Quota","details":[{"@type":"type.googleapis.com/google.rpc.RetryInfo","retryDelay":{"seconds":"11","nanos":0}}]}}`:          11 * time.Second,
		`[{"error":{"code":429,"message":"Quota","details":[{"@type":"type.googleapis.com/google.rpc.RetryInfo","retryDelay":"3s"}]}}]`:                              3 * time.Second,
		`{"error":{"message":"Slow","retry_after":12}}`:                            12 * time.Second,
		`{"error":{"message":"Slow","retryAfter":12}}`:                             12 * time.Second,
		`{"error":{"message":"Slow","retry_after_ms":2500}}`:                       2500 * time.Millisecond,
		`{"error":{"message":"Slow","retryAfterMs":2500}}`:                         2500 * time.Millisecond,
		`{"error":{"message":"Slow","retry_after_seconds":"9"}}`:                   9 * time.Second,
		`{"error":{"message":"Slow","retryAfterSeconds":9}}`:                       9 * time.Second,
		`{"error":{"message":"Slow","retry_after":"20s"}}`:                         20 * time.Second,
		`{"error":{"message":"Slow","metadata":{"headers":{"Retry-After":"14"}}}}`: 14 * time.Second,
		`{"detail":"Too many requests","retry_after":4}`:                           4 * time.Second,
		`{"error":{"message":"Provider returned error","code":429,"metadata":{"raw":"{\"error\":{\"message\":\"Please try again in 3s\"}}"}}}`: 3 * time.Second,
	} {
		require.Equal(t, want, refused(t, 429, nil, body).RetryAfter, body)
	}
	for name, test := range map[string]struct {
		headers map[string]string
		want    time.Duration
	}{
		"seconds with a unit": {map[string]string{"Retry-After": "20s"}, 20 * time.Second},
		"minutes":             {map[string]string{"Retry-After": "1m30s"}, 90 * time.Second},
		"a time":              {map[string]string{"Retry-After": "2025-09-05T10:00:20Z"}, 20 * time.Second},
		"a time since 1970":   {map[string]string{"Retry-After": "1757066425"}, 25 * time.Second},
		"milliseconds":        {map[string]string{"X-Retry-After-Ms": "1500"}, 1500 * time.Millisecond},
		"requests used up":    {map[string]string{"X-Ratelimit-Remaining-Requests": "0", "X-Ratelimit-Reset-Requests": "1m30s"}, 90 * time.Second},
		"tokens used up":      {map[string]string{"X-Ratelimit-Remaining-Tokens": "0", "X-Ratelimit-Reset-Tokens": "7.66s", "X-Ratelimit-Remaining-Requests": "9", "X-Ratelimit-Reset-Requests": "2m"}, 7660 * time.Millisecond},
		"a reset alone":       {map[string]string{"X-Ratelimit-Reset-Requests": "1m30s"}, 90 * time.Second},
		"resets alone":        {map[string]string{"X-Ratelimit-Reset-Requests": "30s", "X-Ratelimit-Reset-Tokens": "6m0s"}, 6 * time.Minute},
		"nothing used up":     {map[string]string{"X-Ratelimit-Remaining-Requests": "3", "X-Ratelimit-Reset-Requests": "30s"}, 0},
		"the draft's":         {map[string]string{"Ratelimit-Remaining": "0", "Ratelimit-Reset": "30"}, 30 * time.Second},
		"the draft's, alone":  {map[string]string{"Ratelimit-Reset": "30"}, 30 * time.Second},
		"reset after":         {map[string]string{"X-Ratelimit-Reset-After": "1.5"}, 1500 * time.Millisecond},
		"reset, milliseconds": {map[string]string{"X-Ratelimit-Reset": "1757066430000"}, 30 * time.Second},
		"reset, seconds":      {map[string]string{"X-Ratelimit-Reset": "1757066430"}, 30 * time.Second},
		"reset, from now":     {map[string]string{"X-Ratelimit-Reset": "12"}, 12 * time.Second},
		"reset, with a unit":  {map[string]string{"X-Ratelimit-Reset": "12s"}, 12 * time.Second},
		"Anthropic":           {map[string]string{"Anthropic-Ratelimit-Input-Tokens-Remaining": "0", "Anthropic-Ratelimit-Input-Tokens-Reset": "2025-09-05T10:00:40Z"}, 40 * time.Second},
	} {
		test.headers["Date"] = date
		require.Equal(t, test.want, refused(t, 429, test.headers, message("Slow down")).RetryAfter, name)
	}
}
