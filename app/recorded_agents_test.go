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

func newExamples() map[string]any {
	return map[string]any{
		"examples": []any{map[string]any{"name": "one", "args": map[string]any{}, "expect": map[string]any{"ok": true, "result": 1}}},
	}
}

func (s stage) agent() string { return "/api/agents/" + s.made("/api/agents", newAgent()) }

// draft is a draft with a text, a skill and a tool.
func (s stage) draft() string {
	agent := s.agent()
	path := agent + "/revisions/" + s.made(agent+"/revisions", map[string]any{})
	s.put(path+"/agent_md", map[string]any{"content": "Help."})
	s.put(path+"/skills/one", map[string]any{"description": "One.", "content": "One."})
	s.put(path+"/tools/one", newTool())
	return path
}

func (s stage) frozen() string {
	path := s.draft()
	s.p.Admin.Post(s, path+"/freeze", nil, nil)
	return path
}
