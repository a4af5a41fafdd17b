package model_test

import (
	"errors"
	"strconv"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"

	"countersign/model"
)

// Gateways put many things beside, around and into the events of an answer.
func TestFramingOfManyKinds(t *testing.T) {
	t.Parallel()
	const hello = `"content":"Hello"`
	whole := `{"id":"x","choices":[{"index":0,"message":{"role":"assistant","content":"Hello"},"finish_reason":"stop"}]}`
	end := events(finish("stop"), done)
	for name, text := range map[string]string{
		"a word":                        "data: ping\n\n" + events(delta(hello)) + "data: keep-alive\n\n" + end,
		"a comment as data":             "data: : OPENROUTER PROCESSING\n\n" + events(delta(hello)) + end,
		"nothing":                       "data:\n\ndata: \n\n" + events(delta(hello)) + end,
		"an empty string":               `data: ""` + "\n\n" + events(delta(hello)) + end,
		"null":                          "data: null\n\n" + events(delta(hello)) + end,
		"true":                          "data: true\n\n" + events(delta(hello)) + end,
		"a number":                      "data: 0\n\n" + events(delta(hello)) + end,
		"an empty object":               "data: {}\n\n" + events(delta(hello)) + end,
		"an empty list":                 "data: []\n\n" + events(delta(hello)) + end,
		"a keep-alive in brackets":      "data: [HEARTBEAT]\n\n" + events(delta(hello)) + "data: [keep-alive]\n\n" + end,
		"a ping object":                 `data: {"type":"ping"}` + "\n\n" + events(delta(hello)) + end,
		"a ping event":                  "event: ping\ndata: {\"type\": \"ping\"}\n\n" + events(delta(hello)) + end,
		"the mark in quotes":            events(delta(hello), finish("stop")) + `data: "[DONE]"` + "\n\n",
		"the mark in other quotes":      events(delta(hello), finish("stop")) + "data: '[DONE]'\n\n",
		"events framed twice":           strings.ReplaceAll(events(delta(hello), finish("stop"), done), "data: ", "data: data: "),
		"an envelope of nothing":        events(`{"code":0,"message":"ok","data":`+delta(hello)+`}`, `{"code":0,"message":"ok","data":null}`) + end,
		"an output":                     events(`{"output":`+delta(hello)+`,"request_id":"r"}`) + end,
		"the mark in small letters":     events(delta(hello), finish("stop")) + "data: [done]\n\n",
		"the mark without brackets":     events(delta(hello), finish("stop")) + "data: DONE\n\n",
		"the mark without data":         events(delta(hello), finish("stop")) + "[DONE]\n\n",
		"the mark twice":                events(delta(hello), finish("stop"), done, done),
		"no mark":                       events(delta(hello), finish("stop")),
		"no reason":                     events(delta(hello), done),
		"neither, but usage":            events(delta(hello), `{"choices":[],"usage":{"prompt_tokens":3,"completion_tokens":1}}`),
		"no blank after data":           strings.ReplaceAll(events(delta(hello)), "data: ", "data:") + end,
		"no empty line between":         strings.ReplaceAll(events(delta(hello))+end, "\n\n", "\n"),
		"carriage returns":              strings.ReplaceAll(events(delta(hello))+end, "\n", "\r"),
		"both":                          strings.ReplaceAll(events(delta(hello))+end, "\n", "\r\n"),
		"a byte order mark":             "\uFEFF" + events(delta(hello)) + end,
		"ids and retries":               "retry: 3000\nid: 1\n" + events(delta(hello)) + "id: 2\n" + end,
		"lines of one event":            "data: {\"choices\":\ndata: [{\"delta\":{" + hello + "}}]}\n\n" + end,
		"choices without a delta":       events(`{"choices":[{"index":0}]}`, delta(hello)) + end,
		"empty choices":                 events(`{"choices":[]}`, delta(hello), `{"choices":[]}`) + end,
		"choices of null":               events(`{"choices":null}`, delta(hello)) + end,
		"a delta of null":               events(`{"choices":[{"delta":null}]}`, delta(hello)) + end,
		"filter results first":          events(`{"choices":[],"prompt_filter_results":[{"prompt_index":0}]}`, delta(hello)) + end,
		"content of null":               events(delta(`"role":"assistant","content":null`), delta(hello)) + end,
		"an unknown role":               events(delta(`"role":"model",`+hello)) + end,
		"a role of null":                events(delta(`"role":null,`+hello)) + end,
		"parts":                         events(delta(`"content":[{"type":"text","text":"Hel"},{"type":"text","text":"lo"}]`)) + end,
		"a part alone":                  events(delta(`"content":{"type":"text","text":"Hello"}`)) + end,
		"parts of strings":              events(delta(`"content":["Hel","lo"]`)) + end,
		"output_text parts":             events(delta(`"content":[{"type":"output_text","text":"Hello"}]`)) + end,
		"a legacy completion":           events(`{"choices":[{"index":0,"text":"Hello","finish_reason":null}]}`) + end,
		"a message in place of a delta": events(`{"choices":[{"index":0,"message":{`+hello+`}}]}`) + end,
		"an envelope in the stream":     events(`{"data":`+delta(hello)+`}`, `{"data":`+finish("stop")+`}`, done),
		"an envelope":                   `{"data":` + whole + `,"success":true}`,
		"a result":                      `{"result":` + whole + `,"errors":[],"messages":[]}`,
		"a response":                    `{"response":` + whole + `}`,
		"a body":                        `{"statusCode":200,"body":` + whole + `}`,
		"a body as text":                `{"statusCode":200,"body":` + strconv.Quote(whole) + `}`,
		"a list of one":                 `[` + whole + `]`,
		"a code of success":             `{"code":0,"msg":"success","data":` + whole + `}`,
		"an error of null":              events(`{"error":null,"choices":[{"delta":{`+hello+`}}]}`) + end,
		"an empty error":                events(`{"error":{},"choices":[{"delta":{`+hello+`}}]}`) + end,
		"an error without a message":    events(`{"error":{"message":"","code":0},"choices":[{"delta":{`+hello+`}}]}`) + end,
		"a document behind blank lines": "\n\n  " + whole,
		"a document as an event":        events(whole, done),
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			response, _, err := stream(t, text)
			require.NoError(t, err)
			require.Equal(t, "Hello", response.Text)
			require.Equal(t, model.FinishStop, response.FinishReason)
		})
	}
}

// An answer whose end is missing is complete where it ends like one.
func TestAnAnswerWithoutAnEnd(t *testing.T) {
	t.Parallel()
	for text, complete := range map[string]bool{
		"All three systems are healthy.": true, "Is it healthy?": true, "“It is.”": true, "**Done!**": true, "支付系统很慢。": true, "すべて正常です。": true,
		"All three systems are": false, "All three systems are healthy,": false, "The version is 1.2": false, "": false, "```\ncode": false,
	} {
		response, _, err := stream(t, events(delta(`"content":`+strconv.Quote(text))))
		require.Equal(t, complete, err == nil, "%q: %v", text, err)
		require.Equal(t, text, response.Text)
	}
	for arguments, complete := range map[string]bool{`{"a":1}`: true, `{}`: true, `{"a":`: false, ``: false} {
		response, _, err := stream(t, events(callDelta(call(`"index":0,"id":"c"`, `"name":"a","arguments":`+strconv.Quote(arguments)))))
		require.Equal(t, complete, err == nil, "%q: %v", arguments, err)
		require.Len(t, response.ToolCalls, 1)
	}
}

// Thoughts come under many names, and never in the answer.
func TestThoughtsOfManyNames(t *testing.T) {
	t.Parallel()
	for name, members := range map[string]string{
		"reasoning_content": `"reasoning_content":"Hm."`,
		"reasoning":         `"reasoning":"Hm."`,
		"reasoning_text":    `"reasoning_text":"Hm."`,
		"thinking":          `"thinking":"Hm."`,
		"thoughts":          `"thoughts":"Hm."`,
		"thought":           `"thought":"Hm."`,
		"an object":         `"reasoning":{"content":"Hm."}`,
		"text of an object": `"reasoning":{"text":"Hm."}`,
		"details":           `"reasoning_details":[{"type":"reasoning.text","text":"Hm."}]`,
		"a summary":         `"reasoning_details":[{"type":"reasoning.summary","summary":"Hm."}]`,
		"blocks":            `"thinking_blocks":[{"type":"thinking","thinking":"Hm.","signature":"x"}]`,
		"two names":         `"reasoning":"Hm.","reasoning_content":"Hm."`,
		"parts":             `"content":[{"type":"thinking","thinking":"Hm."}]`,
		"parts of parts":    `"content":[{"type":"thinking","thinking":[{"type":"text","text":"Hm."}]}]`,
		"reasoning parts":   `"content":[{"type":"reasoning","text":"Hm."}]`,
		"tags of cohere":    `"content":"<|START_THINKING|>Hm.<|END_THINKING|>"`,
		"tags":              `"content":"<think>Hm.</think>\n\n"`,
		"cohere":            `"content":{"thinking":"Hm."}`,
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			response, _, err := stream(t, events(delta(members), delta(`"content":"Yes"`), finish("stop"), done))
			require.NoError(t, err)
			require.Equal(t, "Hm.", response.Reasoning)
			require.Equal(t, "Yes", response.Text)
		})
	}
}

// Calls come in many forms, and in pieces that disagree.
func TestCallsOfManyForms(t *testing.T) {
	t.Parallel()
	const arguments = `{"city": "Oslo"}`
	encoded := strconv.Quote(arguments)
	twice := strconv.Quote(encoded)
	one := func(written string) string {
		return events(
			callDelta(call(`"index":0,"id":"a"`, `"name":"get_weather","arguments":`+strconv.Quote(written))),
			finish("tool_calls"),
			done,
		)
	}
	for name, text := range map[string]string{
		"as it should be":          one(arguments),
		"encoded twice":            one(encoded),
		"encoded three times":      one(twice),
		"an object":                events(callDelta(call(`"index":0,"id":"a"`, `"name":"get_weather","arguments":`+arguments)), finish("tool_calls"), done),
		"a list of one":            one(`[` + arguments + `]`),
		"a list of one, encoded":   one(strconv.Quote(`[` + arguments + `]`)),
		"a fence":                  one("```json\n" + arguments + "\n```"),
		"a fence without a word":   one("```\n" + arguments + "\n```"),
		"a fence on one line":      one("```" + arguments + "```"),
		"a fence, word, one line":  one("```json " + arguments + " ```"),
		"a fence of tildes":        one("~~~json\n" + arguments + "\n~~~"),
		"an open fence":            one("```json\n" + arguments),
		"a bracket too many":       one(arguments + "}"),
		"two brackets too many":    one(arguments + "}]"),
		"a list's end":             one(arguments + "]"),
		"blanks around":            one(" \n" + arguments + "\n "),
		"twice the same":           one(arguments + arguments),
		"an empty one first":       one("{}" + arguments),
		"an end mark":              one(arguments + "<|im_end|>"),
		"a closing tag":            one(arguments + "</tool_call>"),
		"a stray comma":            one(`{"city": "Oslo",}`),
		"a line break in a string": one("{\"city\": \"Oslo\"\n,\n}"),
		"arguments of a call":      one(`{"arguments": ` + arguments + `, "name": "get_weather"}`),
		"parameters of a call":     one(`{"name": "get_weather", "parameters": ` + arguments + `}`),
		"two indexes for one id":   events(callDelta(call(`"index":0,"id":"a"`, `"name":"get_weather","arguments":""`)), callDelta(call(`"index":1,"id":"a"`, `"arguments":`+encoded)), finish("tool_calls"), done),
		"the id at the end":        events(callDelta(call(`"index":0`, `"name":"get_weather","arguments":`+encoded)), callDelta(call(`"index":0,"id":"a"`, `"arguments":""`)), finish("tool_calls"), done),
		"an id in every piece":     events(callDelta(call(`"index":0,"id":"a"`, `"name":"get_weather","arguments":"{\"city\": "`)), callDelta(call(`"index":0,"id":"a"`, `"arguments":"\"Oslo\"}"`)), finish("tool_calls"), done),
		"an empty id afterwards":   events(callDelta(call(`"index":0,"id":"a"`, `"name":"get_weather","arguments":"{\"city\": "`)), callDelta(call(`"index":0,"id":""`, `"name":"","arguments":"\"Oslo\"}"`)), finish("tool_calls"), done),
		"an id of null":            events(callDelta(call(`"index":0,"id":"a"`, `"name":"get_weather","arguments":"{\"city\": "`)), callDelta(call(`"index":0,"id":null`, `"name":null,"arguments":"\"Oslo\"}"`)), finish("tool_calls"), done),
		"an index as text":         events(callDelta(call(`"index":"0","id":"a"`, `"name":"get_weather","arguments":"{\"city\": "`)), callDelta(call(`"index":"0"`, `"arguments":"\"Oslo\"}"`)), finish("tool_calls"), done),
		"a call without a list":    events(delta(`"tool_calls":`+call(`"index":0,"id":"a"`, `"name":"get_weather","arguments":`+encoded)), finish("tool_calls"), done),
		"a flat call":              events(delta(`"tool_calls":[{"index":0,"id":"a","name":"get_weather","arguments":`+encoded+`}]`), finish("tool_calls"), done),
		"a legacy call":            events(delta(`"function_call":{"name":"get_weather","arguments":`+encoded+`}`), finish("function_call"), done),
		"a legacy call in pieces":  events(delta(`"function_call":{"name":"get_weather"}`), delta(`"function_call":{"arguments":"{\"city\": "}`), delta(`"function_call":{"arguments":"\"Oslo\"}"}`), finish("function_call"), done),
		"a further choice":         events(`{"choices":[{"index":0,"delta":{"content":null}},{"index":1,"delta":{"tool_calls":[`+call(`"index":0,"id":"a"`, `"name":"get_weather","arguments":`+encoded)+`]}}]}`, finish("tool_calls"), done),
		"a choice of its own":      events(`{"choices":[{"index":1,"delta":{"tool_calls":[`+call(`"index":0,"id":"a"`, `"name":"get_weather","arguments":`+encoded)+`]}}]}`, finish("tool_calls"), done),
		"a whole further choice":   `{"choices":[{"index":0,"message":{"content":null},"finish_reason":"stop"},{"index":1,"message":{"tool_calls":[` + call(`"id":"a"`, `"name":"get_weather","arguments":`+encoded) + `]},"finish_reason":"tool_calls"}]}`,
		"the reason stop":          events(callDelta(call(`"index":0,"id":"a"`, `"name":"get_weather","arguments":`+encoded)), finish("stop"), done),
		"the reason too early":     events(finish("tool_calls"), callDelta(call(`"index":0,"id":"a"`, `"name":"get_weather","arguments":`+encoded)), done),
		"an empty call beside":     events(callDelta(call(`"index":0,"id":"a"`, `"name":"get_weather","arguments":`+encoded), `{"index":1,"id":"","type":"function","function":{}}`), finish("tool_calls"), done),
		"a list of null":           events(delta(`"content":null,"tool_calls":null`), delta(`"tool_calls":[]`), delta(`"tool_calls":[null]`), callDelta(call(`"index":0,"id":"a"`, `"name":"get_weather","arguments":`+encoded)), finish("tool_calls"), done),
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			response, _, err := stream(t, text)
			require.NoError(t, err)
			require.Empty(t, response.Text)
			require.Len(t, response.ToolCalls, 1)
			require.Equal(t, "get_weather", response.ToolCalls[0].Name)
			require.JSONEq(t, arguments, response.ToolCalls[0].Arguments)
			require.Equal(t, model.FinishToolCalls, response.FinishReason)
		})
	}
}

// Arguments of which nobody can say what they mean stay as the model wrote them.
func TestDoubtfulArgumentsAreNotRepaired(t *testing.T) {
	t.Parallel()
	for _, written := range []string{`[{"a":1},{"b":2}]`, `7`, `"Oslo"`, `city=Oslo`, `{"a":1} and {"b":2}`, `{"a":`, `{'a': 1}`, `{"a":1,"b"}`, `[1]`, `"` + `{` + `"`} {
		response, _, err := stream(
			t,
			events(callDelta(call(`"index":0,"id":"a"`, `"name":"get_weather","arguments":`+strconv.Quote(written))), finish("tool_calls"), done),
		)
		require.NoError(t, err)
		require.Equal(t, written, response.ToolCalls[0].Arguments)
	}
}

// Errors come with the status of a success, in the middle of a stream, and with codes of any type.
func TestErrorsWithinAStream(t *testing.T) {
	t.Parallel()
	partial := delta(`"content":"Hel"`)
	for name, test := range map[string]struct {
		text  string
		class model.Class
	}{
		"a number as text":      {events(partial, `{"error":{"message":"Slow down","code":"429"}}`), model.RateLimited},
		"a number":              {events(partial, `{"error":{"message":"Slow down","code":429}}`), model.RateLimited},
		"a status":              {events(partial, `{"error":{"message":"Overloaded","status":503}}`), model.Unavailable},
		"a status as text":      {events(partial, `{"error":{"message":"Overloaded","status":"503"}}`), model.Unavailable},
		"in a choice":           {events(`{"choices":[{"index":0,"delta":{"content":""},"error":{"code":502,"message":"Upstream failed"},"finish_reason":"error"}]}`), model.Unavailable},
		"a string":              {events(partial, `{"error":"rate limit exceeded"}`), model.RateLimited},
		"an event":              {"event: error\ndata: {\"message\":\"Overloaded\",\"code\":529}\n\n", model.Unavailable},
		"a message alone":       {events(partial, `{"message":"rate limit exceeded","code":429}`), model.RateLimited},
		"an object":             {events(partial, `{"object":"error","message":"rate limit exceeded","type":"rate_limit","code":429}`), model.RateLimited},
		"a list":                {events(partial, `[{"error":{"code":429,"message":"Resource exhausted","status":"RESOURCE_EXHAUSTED"}}]`), model.RateLimited},
		"a code beside":         {events(partial, `{"code":"429","message":"Slow down"}`), model.RateLimited},
		"a document":            {`{"error":{"message":"Slow down","code":"429"}}`, model.RateLimited},
		"a code in an envelope": {`{"code":429,"msg":"rate limit exceeded","data":null}`, model.RateLimited},
		"an envelope":           {`{"data":{"error":{"message":"Slow down","code":429}}}`, model.RateLimited},
		"not successful":        {`{"success":false,"error":{"message":"Slow down","code":429}}`, model.RateLimited},
		"the key":               {events(`{"error":{"message":"Incorrect API key provided","code":"invalid_api_key"}}`), model.Unauthorized},
		"the window":            {events(`{"error":{"message":"This model's maximum context length is 8192 tokens","code":"context_length_exceeded"}}`), model.ContextLength},
		"a finish of error":     {events(partial, finish("error"), done), model.Unavailable},
		"garbage":               {events(partial, `{"choices":[{"delta":{"content":`, done), model.Malformed},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			_, _, err := stream(t, test.text)
			failure, ok := errors.AsType[*model.Error](err)
			require.True(t, ok, "no failure")
			require.Equal(t, test.class, failure.Class, failure.Message)
		})
	}
}

// Halves of one character come in two events, in the text, in thoughts and in arguments.
func TestCharactersSplitOverEvents(t *testing.T) {
	t.Parallel()
	response, _, err := stream(t, events(
		delta(
			`"reasoning_content":"r\ud83d"`,
		),
		delta(`"reasoning_content":"\ude00"`),
		delta(`"content":"a\ud83d"`),
		delta(`"content":"\udc4d b"`),
		callDelta(
			call(`"index":0,"id":"a"`, `"name":"f","arguments":"{\"x\":\"\ud83d"`),
		),
		callDelta(call(`"index":0`, `"arguments":"\ude00\"}"`)),
		finish("tool_calls"),
		done,
	))
	require.NoError(t, err)
	require.Equal(t, "r😀", response.Reasoning)
	require.Equal(t, "a👍 b", response.Text)
	require.JSONEq(t, `{"x":"😀"}`, response.ToolCalls[0].Arguments)

	response, _, err = stream(t, events(delta(`"content":"a\ud83d"`), delta(`"content":"b"`), finish("stop"), done))
	require.NoError(t, err)
	require.Equal(t, "a\uFFFDb", response.Text)
}
