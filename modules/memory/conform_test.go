package memory_test

import (
	"fmt"
	"testing"

	"countersign/api/apitest"
)

func TestTheMemoriesConform(t *testing.T) {
	t.Parallel()
	a := newApp(t)
	words := []string{"apples", "bridges", "clouds", "deserts", "engines", "forests", "gardens", "harbours", "islands", "jungles"}
	apitest.Conform(t, apitest.Subject{
		Server: a.Server, Module: a.module,
		Records: []apitest.Record{{
			// Recall hints that resemble each other are those of one memory.
			Path: memories, Change: object{"content": "Changed."}, New: func(n int) object {
				return object{
					"scope":      "user",
					"recallHint": fmt.Sprintf("%s %s%d", words[n%10], words[n/10%10], n),
					"content":    "An example.",
					"tags":       []string{"a"},
				}
			},
			Parts: map[string]any{"/always-inject": object{"alwaysInject": true}},
		}},
		Calls: map[string]apitest.Call{
			"ai.searchMemory": apitest.Input(object{"query": "apples"}),
			"ai.saveMemory":   apitest.About(memories, "replaces", object{"scope": "user", "recallHint": "Lunch", "content": "At noon."}),
			"ai.deleteMemory": apitest.About(memories, "id", nil),
		},
	})
}
