package app_test

import (
	"encoding/json"
	"maps"
	"net/http"
	"strings"
	"testing"

	"github.com/google/uuid"
	"github.com/stretchr/testify/require"

	"countersign/app/apptest"
)

type respondedEvent struct {
	Type     string `json:"type"`
	Number   int    `json:"sequence_number"`
	Delta    string `json:"delta"`
	Text     string `json:"text"`
	Response struct {
		ID     string `json:"id"`
		Status string `json:"status"`
		Output []struct {
			ID      string `json:"id"`
			Content []struct {
				Text string `json:"text"`
			} `json:"content"`
		} `json:"output"`
		Usage *struct {
			TotalTokens int `json:"total_tokens"`
		} `json:"usage"`
		Error *struct{ Message string } `json:"error"`
	} `json:"response"`
}

func responded(t *testing.T, body []byte) (events []respondedEvent) {
	t.Helper()
	for block := range strings.SplitSeq(strings.TrimSpace(string(body)), "\n\n") {
		name, raw, found := strings.Cut(block, "\ndata: ")
		if !found {
			continue
		}
		var e respondedEvent
		require.NoError(t, json.Unmarshal([]byte(raw), &e), raw)
		require.Equal(t, "event: "+e.Type, name)
		require.Equal(t, len(events), e.Number)
		events = append(events, e)
	}
	return events
}

func TestResponsesAreAnotherFormOfTheSameChat(t *testing.T) {
	t.Parallel()
	provider := apptest.NewProvider(t)
	p := apptest.Start(t, apptest.Options{Env: provider.Env()})
	ada := p.Person(t)
	program := p.Bearer(ada.ID, newChatToken(t, ada).Token)
	send := func(members map[string]any) (apptest.Answer, string) {
		t.Helper()
		body := map[string]any{"model": "countersign", "store": false}
		maps.Copy(body, members)
		answer := program.Post(t, "/v1/responses", body, nil)
		return answer, answer.Header.Get("Countersign-Conversation")
	}
	answer, chat := send(map[string]any{"input": `script: text="One."`, "instructions": "Speak like a pirate"})
	var first struct {
		ID, Object, Status string
		Store              bool
		Output             []struct {
			ID, Type, Role string
			Content        []struct{ Type, Text string }
		}
		Usage struct {
			TotalTokens int `json:"total_tokens"`
		}
	}
	require.NoError(t, json.Unmarshal(answer.Body, &first))
	require.Equal(t, "completed", first.Status)
	require.Equal(t, "One.", first.Output[0].Content[0].Text)
	require.Positive(t, first.Usage.TotalTokens)
	require.False(t, first.Store)
	require.Contains(t, fencedIn(t, told(provider)), "Speak like a pirate")

	t.Log("the conversation is found by items, by references to items, and by the response before")
	user := func(text string) map[string]any {
		return map[string]any{"role": "user", "content": []any{map[string]any{"type": "input_text", "text": text}}}
	}
	items := []any{
		user(`script: text="One."`),
		map[string]any{"type": "reasoning", "id": "rs_1", "summary": []any{}},
		map[string]any{"type": "message", "role": "assistant", "content": []any{map[string]any{"type": "output_text", "text": "One."}}},
	}
	stream, same := send(map[string]any{"stream": true, "input": append(items, user(`script: text="Two."`))})
	require.Equal(t, chat, same)
	events := responded(t, stream.Body)
	types := []string{}
	text := ""
	for _, e := range events {
		if len(types) == 0 || types[len(types)-1] != e.Type {
			types = append(types, e.Type)
		}
		text += e.Delta
	}
	require.Equal(t, []string{
		"response.created", "response.in_progress", "response.output_item.added", "response.content_part.added",
		"response.output_text.delta",
		"response.output_text.done", "response.content_part.done", "response.output_item.done", "response.completed",
	}, types)
	last := events[len(events)-1].Response
	require.Equal(t, "Two.", text)
	require.Equal(t, "Two.", last.Output[0].Content[0].Text)
	require.Positive(t, last.Usage.TotalTokens)
	_, same = send(map[string]any{"input": []any{
		user("cut"),
		map[string]any{"type": "item_reference", "id": last.Output[0].ID},
		user(`script: text="Three."`),
	}})
	require.Equal(t, chat, same)
	three := ada.Known(uuid.MustParse(chat))
	require.Len(t, three.Messages(t), 6)
	turn := three.Last(t)
	require.NotEmpty(t, turn.ID)
	_, same = send(map[string]any{"previous_response_id": "resp_" + strings.TrimPrefix(turn.ID, "msg_"), "input": `script: text="Four."`})
	require.Equal(t, chat, same)
	require.Len(t, three.Messages(t), 8)

	t.Log("what tools of the client returned elsewhere is told as data")
	_, other := send(map[string]any{"input": []any{
		user("Look it up"),
		map[string]any{"type": "function_call", "call_id": "c", "name": "lookup", "arguments": "{}"},
		map[string]any{"type": "function_call_output", "call_id": "c", "output": "the pager is 4711"},
		user(`script: text="Yes."`),
	}})
	require.NotEqual(t, chat, other)
	require.Contains(t, fencedIn(t, told(provider)), "the pager is 4711")

	t.Log("a failure ends a stream as one, and is an error without one")
	stream, _ = send(map[string]any{"stream": true, "input": "script: fault=invalid_key@1x*"})
	events = responded(t, stream.Body)
	require.Equal(t, "response.failed", events[len(events)-1].Type)
	require.NotEmpty(t, events[len(events)-1].Response.Error.Message)
	failed := program.Call(t, http.MethodPost, "/v1/responses",
		map[string]any{"model": "countersign", "input": "script: fault=invalid_key@1x*"})
	require.Equal(t, http.StatusBadGateway, failed.Status)
}

func TestWhatAResponseCannotHaveIsSaid(t *testing.T) {
	t.Parallel()
	p := apptest.Start(t, apptest.Options{})
	program := p.Bearer(p.Admin.ID, newChatToken(t, p.Admin).Token)
	for name, c := range map[string]struct {
		members map[string]any
		status  int
		param   string
	}{
		"no input": {map[string]any{"input": nil}, http.StatusBadRequest, "input"},
		"nothing":  {map[string]any{"input": []any{}}, http.StatusBadRequest, "input"},
		"an answer last": {
			map[string]any{"input": []any{map[string]any{"role": "assistant", "content": "x"}}},
			http.StatusBadRequest, "input.role",
		},
		"a stranger's": {map[string]any{"previous_response_id": "resp_68f0"}, http.StatusBadRequest, "previous_response_id"},
		"one that is gone": {
			map[string]any{"previous_response_id": "resp_" + uuid.NewString()},
			http.StatusNotFound,
			"previous_response_id",
		},
		"background":     {map[string]any{"background": true}, http.StatusBadRequest, "background"},
		"a conversation": {map[string]any{"conversation": "conv_1"}, http.StatusBadRequest, "conversation"},
		"a form": {
			map[string]any{"text": map[string]any{"format": map[string]any{"type": "json_schema"}}},
			http.StatusBadRequest, "text",
		},
		"an unknown model": {map[string]any{"model": "gpt-5"}, http.StatusNotFound, "model"},
	} {
		body := map[string]any{"model": "countersign", "input": "Hello"}
		maps.Copy(body, c.members)
		answer := program.Call(t, http.MethodPost, "/v1/responses", body)
		require.Equal(t, c.status, answer.Status, "%s: %s", name, answer.Body)
		var refused struct {
			Error struct{ Message, Type, Code, Param string } `json:"error"`
		}
		require.NoError(t, json.Unmarshal(answer.Body, &refused))
		require.NotEmpty(t, refused.Error.Message)
		require.Equal(t, c.param, refused.Error.Param, name)
	}
	require.Zero(t, p.Count(t, `SELECT count(*) FROM ai_turns`))
}

// Each failure below /v1 is an error of the protocol.
func TestErrorsBelowV1HaveTheFormOfTheProtocol(t *testing.T) {
	t.Parallel()
	p := apptest.Start(t, apptest.Options{})
	program := p.Bearer(p.Admin.ID, newChatToken(t, p.Admin).Token)
	for _, c := range []struct {
		client       *apptest.Client
		method, path string
		status       int
		headers      []apptest.Header
	}{
		{program, http.MethodGet, "/v1/embeddings", http.StatusNotFound, nil},
		{program, http.MethodPost, "/v1/audio/speech", http.StatusNotFound, nil},
		{program, http.MethodGet, "/v1/", http.StatusNotFound, nil},
		{program, http.MethodPost, "/v1", http.StatusUnauthorized, nil},
		{p.Admin, http.MethodPost, "/v1", http.StatusNotFound, nil},
		{program, http.MethodGet, "/v1/chat/completions", http.StatusNotFound, nil},
		{program, http.MethodGet, "/v1/responses/resp_1", http.StatusNotFound, nil},
		{program, http.MethodDelete, "/v1/models", http.StatusMethodNotAllowed, nil},
		{program, http.MethodGet, "/v1/models/none", http.StatusNotFound, nil},
		{p.Anonymous(), http.MethodGet, "/v1/models", http.StatusUnauthorized, nil},
		{p.Anonymous(), http.MethodPost, "/v1/nothing", http.StatusForbidden, []apptest.Header{{
			Name:  "Origin",
			Value: "https://evil.example",
		}, {Name: "Sec-Fetch-Site", Value: "cross-site"}}},
		{program, http.MethodGet, "/v1/models?x=%00", http.StatusBadRequest, nil},
	} {
		answer := c.client.Call(t, c.method, c.path, nil, c.headers...)
		require.Equal(t, c.status, answer.Status, "%s %s: %s", c.method, c.path, answer.Body)
		require.Equal(t, "application/json", answer.Header.Get("Content-Type"), "%s %s", c.method, c.path)
		var refused struct {
			Error struct{ Message, Type, Code string } `json:"error"`
		}
		require.NoError(t, json.Unmarshal(answer.Body, &refused), "%s %s: %s", c.method, c.path, answer.Body)
		require.NotEmpty(t, refused.Error.Message)
		require.NotEmpty(t, refused.Error.Type)
		require.NotEmpty(t, refused.Error.Code)
	}
}
