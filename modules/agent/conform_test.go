package agent_test

import (
	"fmt"
	"testing"

	"github.com/google/uuid"

	"countersign/api/apitest"
)

func TestTheAgentsConform(t *testing.T) {
	t.Parallel()
	a := newApp(t)
	a.agent(t, "example")
	a.ok(t, "PUT", a.draft(t, "example")+"/tools/echo", tool("one"))
	source := tool("two", object{"agent": "example", "rev": "draft", "tool": "other"})
	apitest.Conform(t, apitest.Subject{
		Server: a.Server, Module: a.module, Foreign: []string{"vault.secret.read"},
		Widening: map[string]string{"agent.agent.read": "it opens all agents that are not private; grants open single ones"},
		Records: []apitest.Record{{
			Path: agents, New: func(n int) object {
				return object{
					"slug":        fmt.Sprintf("agent-%d-%s", n, uuid.NewString()[:8]),
					"name":        fmt.Sprintf("Agent %d", n),
					"description": "An example.",
					"private":     false,
				}
			},
			Change: object{"description": "Changed."},
			Parts: map[string]any{
				"/revisions":                             object{},
				"/revisions/{rev}/bundle":                object{"agent_md": "", "tools": []any{}, "spec": object{}},
				"/revisions/{rev}/agent_md":              object{"content": ""},
				"/revisions/{rev}/spec":                  object{"spec": object{}},
				"/revisions/{rev}/skills/{skill}":        object{"description": "d", "content": "c"},
				"/revisions/{rev}/tools/{tool}":          tool("one"),
				"/revisions/{rev}/tools/{tool}/check":    tool("one"),
				"/revisions/{rev}/tools/{tool}/dry_run":  object{"args": object{}},
				"/revisions/{rev}/tools/{tool}/examples": object{"examples": []any{}},
				"/revisions/{rev}/clone_from":            object{"source_revision_id": uuid.NewString()},
			},
		}},
		Calls: map[string]apitest.Call{
			"agent.get":         apitest.Input(object{"agent": "example"}),
			"agent.testTool":    apitest.Input(object{"agent": "example", "rev": "1", "tool": "echo", "args": object{}}),
			"agent.proposeTool": {Elsewhere: true, Input: func(testing.TB, string) map[string]any { return source }},
		},
		Unpaged: map[string]string{
			"/api/agents/{id}/revisions/{rev}/tools/{tool}/examples": "the saved examples of one tool, at most 20",
			"/api/agents/{id}/revisions/{rev}/diff":                  "the files of two bundles, of which there are a few hundred",
		},
	})
}
