package modeltest_test

import (
	"strings"
	"testing"

	"github.com/stretchr/testify/require"

	"countersign/model"
	"countersign/model/modeltest"
)

// Every provider answers in its own way, and all ways are read alike.
func TestEveryProviderIsUnderstood(t *testing.T) {
	t.Parallel()
	for _, p := range modeltest.All() {
		if p.Name == "azure" {
			continue // its key goes elsewhere
		}
		t.Run(p.Name, func(t *testing.T) {
			t.Parallel()
			s := modeltest.Start(t, p)
			client := model.New(model.Options{BaseURL: s.BaseURL(), APIKey: modeltest.Key})
			request := model.Request{
				Model: p.Model,
				Messages: []model.Message{
					{Role: model.RoleUser, Content: `script: tool=ai.listDocs input={"query":"é"} tool=ai.getDoc text="Two pages."`},
				},
				Tools: []model.Tool{{Name: "ai_listDocs"}, {Name: "ai_getDoc"}},
			}
			asked, err := client.Stream(t.Context(), request, func(model.Delta) {})
			require.NoError(t, err)
			require.Len(t, asked.ToolCalls, 2)
			require.Equal(t, "ai_listDocs", asked.ToolCalls[0].Name)
			require.JSONEq(t, `{"query":"é"}`, asked.ToolCalls[0].Arguments)
			require.Equal(t, model.FinishToolCalls, asked.FinishReason)
			if p.Name != "openai" && p.Name != "gemini" {
				require.True(t, strings.HasPrefix(asked.Reasoning, "Let me see."), asked.Reasoning)
			}
			if p.Name != "vllm" { // it has refused to tell
				require.Equal(t, 1200, asked.Usage.InputTokens)
			}

			request.Messages[0].Content = "script: text=hi"
			for _, ask := range []func() (model.Response, error){
				func() (model.Response, error) { return client.Stream(t.Context(), request, func(model.Delta) {}) },
				func() (model.Response, error) { return client.Complete(t.Context(), request) },
			} {
				said, err := ask()
				require.NoError(t, err)
				require.Equal(t, "hi", said.Text)
				require.Equal(t, model.FinishStop, said.FinishReason)
			}
		})
	}
}
