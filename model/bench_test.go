package model_test

import (
	"encoding/json"
	"fmt"
	"net/http"
	"slices"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"

	"countersign/model"
)

// BenchmarkStream reads an answer of 450 deltas; the network is left out.
func BenchmarkStream(b *testing.B) {
	chunks := make([]string, 450)
	for i := range chunks {
		chunks[i] = `{"id":"chatcmpl-B9MHDbslfkBeAs8l4bebGdFOJ6PeG","object":"chat.completion.chunk","created":1741570283,` +
			`"model":"m-1","service_tier":"default","system_fingerprint":"fp_fc9f1d7035","choices":[{"index":0,"delta":` +
			`{"content":" hello"},"logprobs":null,"finish_reason":null}],"usage":null}`
	}
	text := events(append(slices.Clone(chunks), finish("stop"), done)...)
	client := model.New(model.Options{BaseURL: "http://model", HTTPClient: &http.Client{Transport: canned(text)}})
	b.SetBytes(int64(len(text)))
	b.ReportAllocs()
	for b.Loop() {
		_, err := client.Stream(b.Context(), hello, func(model.Delta) {})
		require.NoError(b, err)
	}
}

// BenchmarkRequest sends a conversation with 25 tools and 4 tool results.
func BenchmarkRequest(b *testing.B) {
	request := model.Request{Model: "m-1", Messages: []model.Message{
		{Role: model.RoleSystem, Content: strings.Repeat("You are an operations assistant. ", 150)},
		{Role: model.RoleUser, Content: "Which systems exist?"},
	}}
	for i := range 4 {
		id := fmt.Sprint("call_", i)
		request.Messages = append(request.Messages,
			model.Message{Role: model.RoleAssistant, ToolCalls: []model.ToolCall{{ID: id, Name: "x", Arguments: "{}"}}},
			model.Message{Role: model.RoleTool, ToolCallID: id, Content: strings.Repeat(`{"id":"abc","name":"x"},`, 80)})
	}
	schema := json.RawMessage(
		`{"type":"object","properties":{"name":{"type":"string","description":"` + strings.Repeat("the name ", 50) + `"}}}`,
	)
	for i := range 25 {
		request.Tools = append(request.Tools, model.Tool{
			Name: fmt.Sprint("tool_", i), Description: strings.Repeat("does a thing. ", 20), Parameters: schema,
		})
	}
	client := model.New(model.Options{BaseURL: "http://model", HTTPClient: &http.Client{Transport: canned(events(finish("stop"), done))}})
	b.ReportAllocs()
	for b.Loop() {
		_, err := client.Stream(b.Context(), request, nil)
		require.NoError(b, err)
	}
}
