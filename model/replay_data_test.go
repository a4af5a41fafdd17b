package model_test

import (
	"encoding/json"
	"fmt"
	"io"
	"net/http"
	"net/http/httptest"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"

	"countersign/model"
)

// echo is a server that answers with one body and remembers the last request.
type echo struct {
	answer string
	sent   struct {
		Messages []json.RawMessage
	}
}

func (e *echo) client(t *testing.T, id string) *model.Client {
	t.Helper()
	server := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		e.sent.Messages = nil
		if err := json.NewDecoder(r.Body).Decode(&e.sent); err != nil {
			t.Error(err)
		}
		_, _ = io.WriteString(w, e.answer)
	}))
	t.Cleanup(server.Close)
	return model.New(model.Options{BaseURL: server.URL, ID: id, HTTPClient: server.Client()})
}

// asked is a conversation that goes on after an answer, as it is stored and read again.
func asked(t *testing.T, r model.Response) model.Request {
	t.Helper()
	answer := model.Message{Role: model.RoleAssistant, Content: r.Text, ToolCalls: r.ToolCalls, ReplayData: r.ReplayData}
	raw, err := json.Marshal(answer)
	require.NoError(t, err)
	var stored model.Message
	require.NoError(t, json.Unmarshal(raw, &stored))
	request := model.Request{Model: hello.Model, Messages: []model.Message{hello.Messages[0], stored}}
	for _, c := range r.ToolCalls {
		request.Messages = append(request.Messages, model.Message{Role: model.RoleTool, ToolCallID: c.ID, Content: "[]"})
	}
	return request
}

// Each provider gets back what it has sent, in the member and the form in which it came.
func TestReasoningGoesBackAsItCame(t *testing.T) {
	t.Parallel()
	one := call(`"index":0,"id":"call_1"`, `"name":"list","arguments":"{}"`)
	const function = `"type":"function","function":{"name":"list","arguments":"{}"}`
	for name, test := range map[string]struct{ answer, back string }{
		"DeepSeek": {
			events(delta(`"reasoning_content":"I sho"`), delta(`"reasoning_content":"uld list."`), callDelta(one), finish("tool_calls"), done),
			`{"role":"assistant","content":null,"reasoning_content":"I should list.","tool_calls":[{"id":"call_1",` + function + `}]}`,
		},
		"vLLM": {
			events(delta(`"reasoning":"I should list.","reasoning_content":null`), callDelta(one), finish("tool_calls"), done),
			`{"role":"assistant","content":null,"reasoning":"I should list.","tool_calls":[{"id":"call_1",` + function + `}]}`,
		},
		"OpenRouter": {
			events(
				delta(`"reasoning":"I sho","reasoning_details":[{"type":"reasoning.text","text":"I sho","format":"anthropic-claude-v1","index":0,"signature":null}]`),
				delta(`"reasoning":"uld.","reasoning_details":[{"type":"reasoning.text","text":"uld.","format":"anthropic-claude-v1","index":0}]`),
				delta(`"reasoning_details":[{"type":"reasoning.text","signature":"c2ln\/+","format":"anthropic-claude-v1","index":0}]`),
				delta(`"reasoning_details":[{"type":"reasoning.encrypted","data":"ZGF0YQ==","id":"rs_1","format":"openai-responses-v1","index":0}]`),
				callDelta(one), finish("tool_calls"), done),
			`{"role":"assistant","content":null,"reasoning_details":[{"type":"reasoning.text","text":"I should.","format":"anthropic-claude-v1","index":0,"signature":"c2ln\/+"},` +
				`{"type":"reasoning.encrypted","data":"ZGF0YQ==","id":"rs_1","format":"openai-responses-v1","index":0}],"tool_calls":[{"id":"call_1",` + function + `}]}`,
		},
		"LiteLLM to Claude": {
			events(
				delta(`"reasoning_content":"One. ","thinking_blocks":[{"type":"thinking","thinking":"One. ","signature":""}]`),
				delta(`"reasoning_content":"","thinking_blocks":[{"type":"thinking","thinking":"","signature":"abc"}]`),
				delta(`"reasoning_content":"Two.","thinking_blocks":[{"type":"thinking","thinking":"Two.","signature":""}]`),
				delta(`"thinking_blocks":[{"type":"thinking","thinking":"","signature":"def"}]`),
				delta(`"thinking_blocks":[{"type":"redacted_thinking","data":"xyz"}]`),
				callDelta(one), finish("tool_calls"), done),
			`{"role":"assistant","content":null,"thinking_blocks":[{"type":"thinking","thinking":"One. ","signature":"abc"},{"type":"thinking","thinking":"Two.","signature":"def"},` +
				`{"type":"redacted_thinking","data":"xyz"}],"tool_calls":[{"id":"call_1",` + function + `}]}`,
		},
		"Mistral": {
			events(
				delta(`"content":[{"type":"thinking","thinking":[{"type":"text","text":"I sho"}]}]`),
				delta(`"content":[{"type":"thinking","thinking":[{"type":"text","text":"uld list."}]}]`),
				delta(`"content":"Listing."`), callDelta(one), finish("tool_calls"), done),
			`{"role":"assistant","content":[{"type":"thinking","thinking":[{"type":"text","text":"I should list."}]},{"type":"text","text":"Listing."}],"tool_calls":[{"id":"call_1",` + function + `}]}`,
		},
		"Gemini": {
			events(callDelta(`{"index":0,"id":"function-call-1","type":"function","function":{"name":"list","arguments":"{}"},"extra_content":{"google":{"thought_signature":"EuIC\u003d+/"}}}`),
				finish("tool_calls"), done),
			`{"role":"assistant","content":null,"tool_calls":[{"id":"function-call-1",` + function + `,"extra_content":{"google":{"thought_signature":"EuIC\u003d+/"}}}]}`,
		},
		"LiteLLM to Gemini": {
			events(callDelta(call(`"index":0,"id":"call_1__thought__`+strings.Repeat("Ab+/", 100)+`"`, `"name":"list","arguments":"{}"`)), finish("tool_calls"), done),
			`{"role":"assistant","content":null,"tool_calls":[{"id":"call_1__thought__` + strings.Repeat("Ab+/", 100) + `",` + function + `}]}`,
		},
		"Kimi": {
			events(callDelta(call(`"index":0,"id":"functions.list:0"`, `"name":"list","arguments":"{}"`)), finish("tool_calls"), done),
			`{"role":"assistant","content":null,"tool_calls":[{"id":"functions.list:0",` + function + `}]}`,
		},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			server := &echo{answer: test.answer}
			client := server.client(t, "a")
			first, err := client.Stream(t.Context(), hello, nil)
			require.NoError(t, err)
			require.Equal(t, "a", first.ReplayData.From)

			for range 2 {
				_, err = client.Stream(t.Context(), asked(t, first), nil)
				require.NoError(t, err)
				require.Equal(t, test.back, string(server.sent.Messages[1]), "each time the same bytes")
			}

			other := &echo{answer: test.answer}
			_, err = other.client(t, "b").Stream(t.Context(), asked(t, first), nil)
			require.NoError(t, err)
			for _, foreign := range []string{"should", "One.", "thought_signature", "__thought__", "functions.", "EuIC", "abc"} {
				require.NotContains(t, string(other.sent.Messages[1]), foreign)
			}
		})
	}
}

// A block that Claude did not come to sign is refused, so it does not go back.
func TestUnsignedBlocksAreLeftOut(t *testing.T) {
	t.Parallel()
	response, _, err := stream(
		t,
		events(delta(`"thinking_blocks":[{"type":"thinking","thinking":"Hm","signature":null}]`), delta(`"content":"Yes"`), finish("stop"), done),
	)
	require.NoError(t, err)
	require.Equal(t, "Hm", response.Reasoning)
	require.Nil(t, response.ReplayData)
}

func TestKeptReasoningIsBounded(t *testing.T) {
	t.Parallel()
	var b strings.Builder
	for i := range 60_000 {
		fmt.Fprintf(&b, "é%x", i)
	}
	long := b.String()
	response, _, err := stream(t, events(delta(`"reasoning_content":"`+long+`"`), delta(`"content":"Yes"`), finish("stop"), done))
	require.NoError(t, err)
	require.LessOrEqual(t, response.ReplayData.Size(), 256<<10)
	require.True(t, strings.HasPrefix(long, response.ReplayData.Text), "cut between characters")

	response, _, err = stream(
		t,
		events(
			delta(`"thinking_blocks":[{"type":"thinking","thinking":"`+long+`","signature":"s"}]`),
			delta(`"content":"Yes"`),
			finish("stop"),
			done,
		),
	)
	require.NoError(t, err)
	require.Nil(t, response.ReplayData, "a signed block is whole or not there")
}

// Credentials are taken out. A signed block that held one would not be what was signed, so it is left out.
func TestKeptReasoningIsScrubbed(t *testing.T) {
	t.Parallel()
	clean := func(text string) string { return strings.ReplaceAll(text, "hunter2", "***") }
	plain := &model.ReplayData{Field: "reasoning_content", Text: "It is hunter2."}
	require.Equal(t, "It is ***.", plain.Scrubbed(clean).Text)

	signed := &model.ReplayData{
		Field:  "thinking_blocks",
		Blocks: `[{"type":"thinking","thinking":"It is hunter2.","signature":"a"},{"type":"thinking","thinking":"Fine.","signature":"hunter2"}]`,
	}
	require.JSONEq(t, `[{"type":"thinking","thinking":"Fine.","signature":"hunter2"}]`, signed.Scrubbed(clean).Blocks)

	unsigned := &model.ReplayData{Field: "reasoning_details", Blocks: `[{"type":"reasoning.text","text":"It is hunter2.","index":0}]`}
	require.JSONEq(t, `[{"type":"reasoning.text","text":"It is ***.","index":0}]`, unsigned.Scrubbed(clean).Blocks)

	require.Nil(
		t,
		(&model.ReplayData{Field: "thinking_blocks", Blocks: `[{"type":"thinking","thinking":"hunter2","signature":"a"}]`}).Scrubbed(clean),
	)
	require.Nil(t, (*model.ReplayData)(nil).Scrubbed(clean))
	calls := model.ReplayData{Calls: []model.CallReplayData{
		{
			Extra: `{"provider_specific_fields":{"note":"It is hunter2.","thought_signature":"a"}}`,
		},
		{Extra: `{"extra_content":{"google":{"thought_signature":"hunter2"}}}`},
	}}
	require.Equal(t, []model.CallReplayData{{}, calls.Calls[1]}, calls.Scrubbed(clean).Calls, "a signature is not looked at")
}

// Whatever comes as blocks, what goes back is a JSON array or nothing.
func FuzzBlocks(f *testing.F) {
	f.Add(`[{"type":"thinking","thinking":"a","signature":null}]`, `[{"type":"thinking","signature":"s"}]`)
	f.Add(`[{"type":"reasoning.text","text":"a","index":0},{"type":"reasoning.summary","summary":"\ud800"}]`, `[1,[],{"a":{}}]`)
	f.Fuzz(func(t *testing.T, first, second string) {
		if !json.Valid([]byte(first)) || !json.Valid([]byte(second)) {
			return
		}
		text := events(delta(`"reasoning_details":`+first), delta(`"reasoning_details":`+second), delta(`"content":"x"`), finish("stop"), done)
		client := model.New(model.Options{BaseURL: "http://model", HTTPClient: &http.Client{Transport: canned(text)}})
		response, err := client.Stream(t.Context(), hello, nil)
		if err != nil || response.ReplayData == nil || response.ReplayData.Blocks == "" {
			return
		}
		var blocks []map[string]any
		require.NoError(t, json.Unmarshal([]byte(response.ReplayData.Blocks), &blocks), response.ReplayData.Blocks)
		if cleaned := response.ReplayData.Scrubbed(strings.ToUpper); cleaned != nil && cleaned.Blocks != "" {
			require.NoError(t, json.Unmarshal([]byte(cleaned.Blocks), &blocks), cleaned.Blocks)
		}
	})
}
