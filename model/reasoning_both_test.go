package model_test

import (
	"encoding/json"
	"io"
	"net/http"
	"testing"

	"github.com/stretchr/testify/require"

	"countersign/model"
)

// A provider can answer with reasoning_details and demand reasoning_content: it gets both.
func TestReasoningDetailsComeAndReasoningContentGoes(t *testing.T) {
	t.Parallel()
	requests := 0
	client := serve(t, http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		requests++
		var asked struct{ Messages []map[string]any }
		if err := json.NewDecoder(r.Body).Decode(&asked); err != nil {
			t.Error(err)
		}
		for _, m := range asked.Messages {
			if m["role"] == "assistant" && m["reasoning_content"] == nil {
				body(http.StatusBadRequest, "application/json", `{"error":{"message":"thinking is enabled but reasoning_content is missing in `+
					`assistant tool call message at index 2","type":"invalid_request_error"}}`)(w, r)
				return
			}
			if m["role"] == "assistant" && m["reasoning_details"] == nil {
				t.Error("the details are lost")
			}
		}
		if len(asked.Messages) == 1 {
			_, _ = io.WriteString(w, events(
				delta(`"reasoning_details":[{"type":"reasoning.text","text":"I look.","index":0}]`),
				delta(`"tool_calls":[{"index":0,"id":"call_1","type":"function","function":{"name":"get","arguments":"{}"}}]`),
				finish("tool_calls"), done,
			))
			return
		}
		_, _ = io.WriteString(w, events(delta(`"content":"ok"`), finish("stop"), done))
	}), func(o *model.Options) { o.ID = "c1" })
	first, err := client.Stream(t.Context(), model.Request{Model: "m", Messages: []model.Message{person("hi")}}, nil)
	require.NoError(t, err)
	messages := []model.Message{
		person("hi"),
		{Role: model.RoleAssistant, ToolCalls: first.ToolCalls, ReplayData: first.ReplayData},
		{Role: model.RoleTool, ToolCallID: "call_1", Content: "x"},
	}
	for range 2 {
		second, err := client.Stream(t.Context(), model.Request{Model: "m", Messages: messages}, nil)
		require.NoError(t, err)
		require.Equal(t, "ok", second.Text)
	}
	require.Equal(t, 4, requests, "one refusal, and both ways are known from then on")
}
