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

// Whoever takes hints for its cache is told what comes again: a key for the conversation, or marks behind the instructions and
// behind the last two messages of the person. Anybody else sees nothing of it.
func TestTheCacheIsToldWhatComesAgain(t *testing.T) {
	t.Parallel()
	var bodies []string
	server := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		raw, _ := io.ReadAll(r.Body)
		bodies = append(bodies, string(raw))
		_, _ = io.WriteString(w, events(delta(`"content":"Hi"`), finish("stop"), done))
	}))
	t.Cleanup(server.Close)
	client := model.New(model.Options{BaseURL: server.URL, HTTPClient: server.Client()})
	plain := model.Request{Model: "m-1", Messages: []model.Message{
		{Role: model.RoleSystem, Content: "Be brief."},
		person("one"),
		{Role: model.RoleAssistant, Content: "1"},
		person("two"), calls("call_1"), result("call_1"),
		{Role: model.RoleAssistant, Content: "2"},
		person("three"),
	}}
	keyed, marked := plain, plain
	keyed.CacheKey, marked.CacheMarks = "c-1", true
	for _, request := range []model.Request{plain, keyed, marked} {
		_, err := client.Stream(t.Context(), request, nil)
		require.NoError(t, err)
	}
	require.NotContains(t, bodies[0], "cache")
	require.Contains(t, bodies[1], `"prompt_cache_key":"c-1"`)
	require.NotContains(t, bodies[1], "cache_control")
	var sent struct {
		Messages []struct {
			Content json.RawMessage `json:"content"`
		} `json:"messages"`
	}
	require.NoError(t, json.Unmarshal([]byte(bodies[2]), &sent))
	part := func(text string) string {
		return `[{"type":"text","text":"` + text + `","cache_control":{"type":"ephemeral"}}]`
	}
	require.Equal(t, part("Be brief."), string(sent.Messages[0].Content))
	require.Equal(t, `"one"`, string(sent.Messages[1].Content))
	require.Equal(t, part("two"), string(sent.Messages[3].Content))
	require.Equal(t, part("three"), string(sent.Messages[7].Content))
}
