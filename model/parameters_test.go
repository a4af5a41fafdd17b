package model_test

import (
	"encoding/json"
	"io"
	"net/http"
	"net/http/httptest"
	"testing"

	"github.com/stretchr/testify/require"

	"countersign/model"
)

// The whole wire of a request, with a text that encoders like to change.
func TestTheWireOfARequest(t *testing.T) {
	t.Parallel()
	bodies := make(chan string, 1)
	server := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		body, _ := io.ReadAll(r.Body)
		bodies <- string(body)
		_, _ = io.WriteString(w, `{"choices":[{"message":{"role":"assistant","content":"Done."},"finish_reason":"stop"}]}`)
	}))
	t.Cleanup(server.Close)
	const schema = `{"type":"object","properties":{"b":{"type":"string"},"a":{"enum":["<&>"]}}}`
	request := model.Request{
		Model: "m<1>&\u2028", MaxTokens: 7, CacheKey: "c", User: "u", NoCalls: true,
		Tools: []model.Tool{{Name: "look", Parameters: json.RawMessage(schema)}},
		Messages: []model.Message{
			{Role: model.RoleUser, Content: "Look <here> & there."},
			{Role: model.RoleAssistant, ToolCalls: []model.ToolCall{{ID: "call00001", Name: "look", Arguments: `{"b":"<&>"}`}}},
			{Role: model.RoleTool, ToolCallID: "call00001", Content: ""},
		},
	}
	const messages = `[{"role":"user","content":"Look <here> & there."},
		{"role":"assistant","content":null,"tool_calls":[{"id":"call00001","type":"function","function":{"name":"look","arguments":"{\"b\":\"<&>\"}"}}]},
		{"role":"tool","content":"","tool_call_id":"call00001"}]`
	const common = `"model":"m<1>&\u2028","max_tokens":7,"prompt_cache_key":"c","user":"u","tool_choice":"none","messages":` + messages +
		`,"tools":[{"type":"function","function":{"name":"look","parameters":` + schema + `}}]`
	client := model.New(model.Options{BaseURL: server.URL + "/v1", APIKey: "k"})
	_, err := client.Stream(t.Context(), request, nil)
	require.NoError(t, err)
	streamed := <-bodies
	require.JSONEq(t, `{`+common+`,"stream":true,"stream_options":{"include_usage":true}}`, streamed)
	require.Contains(t, streamed, schema, "schemas are sent as they are written")
	_, err = client.Complete(t.Context(), request)
	require.NoError(t, err)
	require.JSONEq(t, `{`+common+`,"stream":false}`, <-bodies)
	_, err = client.Complete(t.Context(), model.Request{Model: "m", Messages: request.Messages[:1]})
	require.NoError(t, err)
	require.JSONEq(t, `{"model":"m","stream":false,"messages":[{"role":"user","content":"Look <here> & there."}]}`, <-bodies)
}
