package model_test

import (
	"encoding/json"
	"errors"
	"fmt"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"

	"countersign/model"
)

// call is one entry of "tool_calls".
func call(members, function string) string {
	if members != "" {
		members += ","
	}
	return `{` + members + `"type":"function","function":{` + function + `}}`
}

func callDelta(calls ...string) string {
	return delta(`"tool_calls":[` + strings.Join(calls, ",") + `]`)
}

func TestStreamAssemblesToolCalls(t *testing.T) {
	t.Parallel()
	const args = `"arguments":"{\"q\":1}"`
	search := model.ToolCall{ID: "c1", Name: "ai_searchDocs", Arguments: `{"q":1}`}
	list := model.ToolCall{ID: "c2", Name: "ai_listDocs", Arguments: `{}`}
	for name, test := range map[string]struct {
		chunks []string
		want   []model.ToolCall
	}{
		"as documented": {[]string{
			callDelta(call(`"index":0,"id":"c1"`, `"name":"ai_searchDocs","arguments":""`)),
			callDelta(call(`"index":0`, `"arguments":"{\"q\""`)),
			callDelta(call(`"index":0`, `"arguments":":1}"`)),
			callDelta(call(`"index":1,"id":"c2"`, `"name":"ai_listDocs","arguments":"{}"`)),
		}, []model.ToolCall{search, list}},
		"interleaved": {[]string{
			callDelta(call(`"index":0,"id":"c1"`, `"name":"ai_searchDocs"`), call(`"index":1,"id":"c2"`, `"name":"ai_listDocs"`)),
			callDelta(call(`"index":1`, `"arguments":"{"`), call(`"index":0`, `"arguments":"{\"q\":"`)),
			callDelta(call(`"index":0`, `"arguments":"1}"`), call(`"index":1`, `"arguments":"}"`)),
		}, []model.ToolCall{search, list}},
		"without index": {[]string{
			callDelta(call(`"id":"c1"`, `"name":"ai_searchDocs"`)),
			callDelta(call(``, `"arguments":"{\"q\":1}"`)),
			callDelta(call(`"id":"c2"`, `"name":"ai_listDocs","arguments":"{}"`)),
		}, []model.ToolCall{search, list}},
		"id in every chunk": {[]string{
			callDelta(call(`"index":0,"id":"c1"`, `"name":"ai_searchDocs"`)),
			callDelta(call(`"index":0,"id":"c1"`, `"arguments":"{\"q\":"`)),
			callDelta(call(`"index":0,"id":"c1"`, `"arguments":"1}"`)),
		}, []model.ToolCall{search}},
		"id and name in every chunk, without index": {[]string{
			callDelta(call(`"id":"c1"`, `"name":"ai_searchDocs","arguments":"{\"q\":"`)),
			callDelta(call(`"id":"c1"`, `"name":"ai_searchDocs","arguments":"1}"`)),
			callDelta(call(`"id":"c1"`, `"name":"ai_searchDocs","arguments":""`)),
		}, []model.ToolCall{search}},
		"name in pieces": {[]string{
			callDelta(call(`"index":0,"id":"c1"`, `"name":"ai_"`)),
			callDelta(call(`"index":0`, `"name":"searchDocs"`)),
			callDelta(call(`"index":0`, args)),
		}, []model.ToolCall{search}},
		"one index for all": {[]string{
			callDelta(call(`"index":0,"id":"c1"`, `"name":"ai_searchDocs",`+args)),
			callDelta(call(`"index":0,"id":"c2"`, `"name":"ai_listDocs","arguments":"{}"`)),
		}, []model.ToolCall{search, list}},
		"arguments as an object": {[]string{
			callDelta(call(`"index":0,"id":"c1"`, `"name":"ai_searchDocs","arguments":{"q":1}`)),
		}, []model.ToolCall{search}},
		"no arguments": {[]string{
			callDelta(call(`"index":0,"id":"c2"`, `"name":"ai_listDocs"`)),
		}, []model.ToolCall{list}},
		"null arguments": {[]string{
			callDelta(call(`"index":0,"id":"c2"`, `"name":"ai_listDocs","arguments":null`)),
		}, []model.ToolCall{list}},
		"malformed arguments are kept": {[]string{
			callDelta(call(`"index":0,"id":"c1"`, `"name":"ai_searchDocs","arguments":"{\"q\":"`)),
		}, []model.ToolCall{{ID: "c1", Name: "ai_searchDocs", Arguments: `{"q":`}}},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			// A finish reason that contradicts the calls is corrected.
			response, deltas, err := stream(t, events(append(test.chunks, finish("stop"), done)...))
			require.NoError(t, err)
			require.Equal(t, test.want, response.ToolCalls)
			require.Equal(t, model.FinishToolCalls, response.FinishReason)
			require.Equal(t, test.want, joined(deltas), "the deltas add up to the calls")
		})
	}
}

// joined assembles calls from deltas as a reader of the stream would.
func joined(deltas []model.Delta) []model.ToolCall {
	var calls []model.ToolCall
	for _, d := range deltas {
		if d.Call.Index == len(calls) {
			calls = append(calls, model.ToolCall{ID: d.Call.ID})
		}
		calls[d.Call.Index].Name += d.Call.Name
		calls[d.Call.Index].Arguments += d.Call.Arguments
	}
	for i := range calls {
		if calls[i].Arguments == "" {
			calls[i].Arguments = "{}"
		}
	}
	return calls
}

func TestStreamMakesIDsUnique(t *testing.T) {
	t.Parallel()
	for name, chunks := range map[string][]string{
		"missing": {
			callDelta(call(`"index":0`, `"name":"a","arguments":"{"`)), callDelta(call(`"index":0`, `"arguments":"}"`)),
			callDelta(call(`"index":1`, `"name":"b"`)),
		},
		"missing, without index": {callDelta(call(``, `"name":"a"`), call(``, `"name":"b"`))},
		"empty":                  {callDelta(call(`"index":0,"id":""`, `"name":"a"`), call(`"index":1,"id":""`, `"name":"b"`))},
		"duplicate":              {callDelta(call(`"index":0,"id":"x"`, `"name":"a"`)), callDelta(call(`"index":1,"id":"x"`, `"name":"b"`))},
		"duplicate, without index": {
			callDelta(call(`"id":"x"`, `"name":"a","arguments":"{}"`)), callDelta(call(`"id":"x"`, `"name":"b","arguments":"{}"`)),
		},
		"duplicate in one chunk, without index": {callDelta(call(`"id":"x"`, `"name":"a"`), call(`"id":"x"`, `"name":"b"`))},
		"too long":                              {callDelta(call(`"index":0,"id":"`+strings.Repeat("x", 5000)+`"`, `"name":"a"`), call(`"index":1`, `"name":"b"`))},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			response, deltas, err := stream(t, events(append(chunks, finish("tool_calls"), done)...))
			require.NoError(t, err)
			require.Len(t, response.ToolCalls, 2)
			a, b := response.ToolCalls[0], response.ToolCalls[1]
			require.Equal(t, []string{"a", "b"}, []string{a.Name, b.Name})
			require.Equal(t, []string{"{}", "{}"}, []string{a.Arguments, b.Arguments})
			require.NotEqual(t, a.ID, b.ID)
			for _, id := range []string{a.ID, b.ID} {
				require.NotEmpty(t, id)
				require.Less(t, len(id), 300)
			}
			require.Equal(t, a.ID, deltas[0].Call.ID)
			require.Equal(t, b.ID, deltas[len(deltas)-1].Call.ID)
		})
	}
}

func TestStreamMakesArgumentsStorable(t *testing.T) {
	t.Parallel()
	for sent, want := range map[string]string{
		`{"a":"x\u0000y"}`:       `{"a":"x\ufffdy"}`,
		`{"a":"\\u0000"}`:        `{"a":"\\u0000"}`,
		`{"a":"\\\u0000"}`:       `{"a":"\\\ufffd"}`,
		`{"a":"\ud83d\ude00"}`:   `{"a":"\ud83d\ude00"}`,
		`{"a":"\ud83d!"}`:        `{"a":"\ufffd!"}`,
		`{"a":"\ude00\ud83d"}`:   `{"a":"\ufffd\ufffd"}`,
		`{"a":"\u00e9\n\u12"}`:   `{"a":"\u00e9\n\u12"}`,
		`{"a":"\u00\u000000"}`:   `{"a":"\u00\ufffd00"}`,
		`{"a":"trailing\u00`:     `{"a":"trailing\u00`,
		"{\"a\":\"raw\x00NUL\"}": `{"a":"rawNUL"}`,
	} {
		quoted, err := json.Marshal(sent)
		require.NoError(t, err)
		response, _, err := stream(t, events(
			callDelta(call(`"index":0,"id":"c1"`, `"name":"a","arguments":`+string(quoted))), finish("tool_calls"), done))
		require.NoError(t, err)
		require.Equal(t, want, response.ToolCalls[0].Arguments)
	}
}

// A model that makes hundreds of calls is told so: calls that are left out silently would count as made.
func TestTooManyCallsAreAFailure(t *testing.T) {
	t.Parallel()
	const asked, taken = 500, 128
	for name, members := range map[string]func(i int) (begin, more string){
		"with index": func(i int) (string, string) {
			return fmt.Sprintf(`"index":%d,"id":"c%d"`, i, i), fmt.Sprintf(`"index":%d`, i)
		},
		"with id":                          func(i int) (string, string) { return fmt.Sprintf(`"id":"c%d"`, i), fmt.Sprintf(`"id":"c%d"`, i) },
		"with neither after its beginning": func(i int) (string, string) { return fmt.Sprintf(`"id":"c%d"`, i), "" },
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			chunks := []string{delta(`"content":"Let me look."`)}
			for i := range asked {
				begin, more := members(i)
				chunks = append(chunks, callDelta(call(begin, `"name":"a"`)), callDelta(call(more, fmt.Sprintf(`"arguments":"{\"n\":%d}"`, i))))
			}
			response, deltas, err := stream(t, events(append(chunks, finish("tool_calls"), done)...))
			failure, ok := errors.AsType[*model.Error](err)
			require.True(t, ok)
			require.Equal(t, model.TooManyCalls, failure.Reason)
			require.True(t, failure.Retryable())
			require.Equal(t, "Let me look.", response.Text)
			require.Len(t, response.ToolCalls, taken)
			for i, c := range response.ToolCalls {
				require.Equal(t, fmt.Sprintf("c%d", i), c.ID)
				require.Equal(t, fmt.Sprintf(`{"n":%d}`, i), c.Arguments)
			}
			for _, d := range deltas {
				require.True(t, d.Call == nil || d.Call.Index < taken)
			}
		})
	}
}
