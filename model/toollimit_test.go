package model_test

import (
	"errors"
	"fmt"
	"net/http"
	"testing"

	"github.com/stretchr/testify/require"

	"countersign/model"
)

// Bedrock counts the members of its list of tools.
func TestBedrockSaysHowManyToolsItTakes(t *testing.T) {
	t.Parallel()
	failure := refusedWith(t, 325, http.StatusBadRequest, `{"message":"1 validation error detected: Value at 'toolConfig.tools' failed to `+
		`satisfy constraint: Member must have length less than or equal to 100"}`)
	require.Equal(t, model.TooManyTools, failure.Reason)
	require.Equal(t, 100, failure.MaxTools)
}

// refusedWith is the failure of a request with so many tools.
func refusedWith(t *testing.T, tools, status int, refusal string) *model.Error {
	t.Helper()
	client := serve(t, body(status, "application/json", refusal))
	request := hello
	for i := range tools {
		request.Tools = append(request.Tools, model.Tool{Name: fmt.Sprintf("tool%d", i)})
	}
	_, err := client.Stream(t.Context(), request, nil)
	failure, ok := errors.AsType[*model.Error](err)
	require.True(t, ok)
	return failure
}

func TestProvidersSayHowManyToolsTheyTake(t *testing.T) {
	t.Parallel()
	for refusal, want := range map[string]int{
		`{"error":{"message":"Invalid 'tools': array too long. Expected an array with maximum length 128, but got an array with length 325 instead.","type":"invalid_request_error","param":"tools","code":"array_above_max_length"}}`: 128,
		`{"error":{"message":"Error from provider(openai,gpt-5-mini: 400): {\"error\":{\"message\":\"Invalid 'tools': array too long. Expected an array with maximum length 128, but got an array with length 325 instead.\"}}"}}`:     128,
		`{"error":{"message":"'tools' : maximum number of items is 128","type":"invalid_request_error"}}`:                                                                                                                              128,
		`{"error":{"message":"(HTTP 400: 'tools' : maximum number of items is 128)"}}`:                                                                                                                                                 128,
		`{"error":{"message":"You may not include more than 128 tools in your request."}}`:                                                                                                                                             128,
		`{"error":"Bad Request: Maximum tools limit reached. 325 tools have been provided but the maximum is 200."}`:                                                                                                                   200,
		`{"error":{"code":400,"message":"The GenerateContentRequest proto is invalid:\n  * tools[0].function_declarations: [FIELD_INVALID] At most 64 function declarations can be specified.","status":"INVALID_ARGUMENT"}}`:          64,
		`{"detail":[{"type":"too_long","loc":["body","tools"],"msg":"List should have at most 100 items after validation, not 325"}]}`:                                                                                                 100,
		`{"error":{"message":"number of tools exceeds 128: number of tools exceeds 128"}}`:                                                                                                                                             128,
		`{"error":{"message":"Too many tools: 325 > 96"}}`:                                                                                                                                                                             96,
		`{"error":{"message":"You provided 325 tools, but the limit is 40."}}`:                                                                                                                                                         40,
		`{"error":{"message":"A maximum of 20 functions is supported"}}`:                                                                                                                                                               20,
		`{"error":{"message":"tools数量不能超过128"}}`:                                                                                                                                                                                       128,
		`{"error":{"message":"Too many tools provided"}}`:                                                                                                                                                                              128,
	} {
		failure := refusedWith(t, 325, http.StatusBadRequest, refusal)
		require.Equal(t, model.TooManyTools, failure.Reason, refusal)
		require.Equal(t, want, failure.MaxTools, refusal)
		require.False(t, failure.Retryable())
	}
	for sent, want := range map[int]int{325: 8, 9: 8, 8: 0, 3: 0} {
		refusal := `{"error":{"message":"Error from provider(openai,gpt-5): too many tools, at most 4 allowed"}}`
		failure := refusedWith(t, sent, http.StatusBadRequest, refusal)
		require.Equal(t, model.TooManyTools, failure.Reason)
		require.Equal(t, want, failure.MaxTools, "a turn needs some tools")
	}
	require.Equal(t, 32, refusedWith(t, 40, http.StatusUnprocessableEntity, `{"error":{"message":"Too many tools"}}`).MaxTools)
}

// A refusal of one tool, of calls or of the whole request's length is none of their number.
func TestOtherRefusalsOfToolsAreNotAboutTheirNumber(t *testing.T) {
	t.Parallel()
	for _, refusal := range []string{
		`{"error":{"message":"Invalid 'tools[5].function.name': string too long. Expected a string with maximum length 64, but got a string with length 70 instead."}}`,
		`{"error":{"message":"tools.130.custom.input_schema: JSON schema is invalid"}}`,
		`{"error":{"message":"This model does not support tools"}}`,
		`{"error":{"message":"At most 16 tool calls are allowed in one message"}}`,
		`{"error":{"message":"This model's maximum context length is 8192 tokens, of which 4000 are in functions"}}`,
		`{"error":{"message":"Unknown tool tool4"}}`,
	} {
		failure := refusedWith(t, 200, http.StatusBadRequest, refusal)
		require.NotEqual(t, model.TooManyTools, failure.Reason, refusal)
	}
	require.Equal(
		t,
		model.RateLimited,
		refusedWith(t, 200, http.StatusTooManyRequests, `{"error":{"message":"too many tools, retry in 5 s"}}`).Class,
	)
}
