package app_test

import "github.com/google/uuid"

func newAgent() map[string]any {
	return map[string]any{"slug": "agent-" + uuid.NewString()[:8], "name": unique("Agent")}
}

func newTool() map[string]any {
	return map[string]any{
		"description": "Counts.",
		"args_schema": map[string]any{},
		"source":      "export default { actions: { default: () => 1 } }",
	}
}

func (s stage) agent() string { return "/api/agents/" + s.made("/api/agents", newAgent()) }
