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
	source := tool("two", compactObject{"agent": "example", "rev": "draft", "tool": "other"})
	apitest.Conform(t, apitest.Subject{
		Server: a.Server, Module: a.module, Foreign: []string{"vault.secret.read"},
		Widening: map[string]string{"agent.agent.read": "it opens all agents that are not private; grants open single ones"},
		Records: []apitest.Record{{
			Path: agents, New: func(n int) compactObject {
				return compactObject{
					"slug":        fmt.Sprintf("agent-%d-%s", n, uuid.NewString()[:8]),
					"name":        fmt.Sprintf("Agent %d", n),
					"description": "An example.",
					"private":     false,
				}
			},
			Change: compactObject{"description": "Changed."},
			Parts: map[string]any{
				"/revisions":                             compactObject{},
				"/revisions/{rev}/bundle":                compactObject{"agent_md": "", "tools": []any{}, "spec": compactObject{}},
				"/revisions/{rev}/agent_md":              compactObject{"content": ""},
				"/revisions/{rev}/spec":                  compactObject{"spec": compactObject{}},
				"/revisions/{rev}/skills/{skill}":        compactObject{"description": "d", "content": "c"},
				"/revisions/{rev}/tools/{tool}":          tool("one"),
				"/revisions/{rev}/tools/{tool}/check":    tool("one"),
				"/revisions/{rev}/tools/{tool}/dry_run":  compactObject{"args": compactObject{}},
				"/revisions/{rev}/tools/{tool}/examples": compactObject{"examples": []any{}},
				"/revisions/{rev}/clone_from":            compactObject{"source_revision_id": uuid.NewString()},
			},
		}},
		Calls: map[string]apitest.Call{
			"agent.get":         apitest.Input(compactObject{"agent": "example"}),
			"agent.testTool":    apitest.Input(compactObject{"agent": "example", "rev": "1", "tool": "echo", "args": compactObject{}}),
			"agent.proposeTool": {Elsewhere: true, Input: func(testing.TB, string) map[string]any { return source }},
		},
		Unpaged: map[string]string{
			"/api/agents/{id}/revisions/{rev}/tools/{tool}/examples": "the saved examples of one tool, at most 20",
			"/api/agents/{id}/revisions/{rev}/diff":                  "the files of two bundles, of which there are a few hundred",
		},
	})
}
