package connection_test

import (
	"fmt"
	"testing"

	"countersign/api/apitest"
	"countersign/modules/connection"
)

func TestTheConnectionsConform(t *testing.T) {
	t.Parallel()
	a := newApp(t)
	apitest.Conform(t, apitest.Subject{
		Server: a.Server, Module: a.Module, Foreign: []string{connection.ChatRead},
		Records: []apitest.Record{{
			Path: path, Change: map[string]any{"defaultModel": "gpt-y"}, Opaque: []string{"apiKey"}, New: func(n int) map[string]any {
				return map[string]any{
					"name":            fmt.Sprint("Connection ", n),
					"baseUrl":         "https://models.example.org/v1",
					"apiKey":          key,
					"defaultModel":    "gpt-x",
					"availableModels": []string{"gpt-z"},
				}
			},
		}},
		Unpaged: map[string]string{
			path: "an administrator makes a handful", "/api/ai/integrations": "those connections, to choose from",
		},
	})
}
