package app_test

import (
	"net/http"
	"testing"

	"github.com/stretchr/testify/require"

	"countersign/app/apptest"
	"countersign/internal/problem"
)

func TestAllThatRemovesSomethingGetsASecondPersonAtOnce(t *testing.T) {
	t.Parallel()
	p := apptest.Start(t, apptest.Options{})
	const path = "/api/ai/policies/second-person"
	set := func() int {
		return p.Count(t, `SELECT count(*) FROM ai_tool_policies WHERE two_person`)
	}
	tools := func(revisions ...int) map[string]any {
		all := []any{}
		for i, name := range []string{"catalog.deleteSystem", "catalog.deleteGroup", "catalog.deleteEnvironment"} {
			all = append(all, map[string]any{"tool": name, "revision": revisions[i]})
		}
		return map[string]any{"tools": all, "anyway": true}
	}
	p.Admin.Refused(t, problem.Precondition, http.MethodPost, path, tools(1, 1, 7))
	require.Zero(t, set(), "none of them")

	// What governs single changes governs this one.
	setPolicy(t, p, "ai.setToolPolicy", map[string]any{"alwaysConfirm": true})
	var answer struct {
		Policies []struct{ ToolName string }
	}
	p.Admin.Post(t, path, tools(1, 1, 1), &answer)
	require.Len(t, answer.Policies, 3)
	require.Equal(t, 3, set())
	// Some tools ask for a second person now, which this takes from none.
	p.Admin.Post(t, path, map[string]any{"tools": []any{map[string]any{"tool": "auth.deleteUser", "revision": 1}}, "anyway": true}, &answer)
	require.Equal(t, 4, set())
	setPolicy(t, p, "ai.setToolPolicy", map[string]any{"twoPerson": true, "anyway": true})
	e := p.Admin.Refused(
		t,
		problem.Forbidden,
		http.MethodPost,
		path,
		map[string]any{"tools": []any{map[string]any{"tool": "auth.deleteRole", "revision": 1}}, "anyway": true},
	)
	require.Contains(t, e.Detail, "ai.setToolPolicy")
	require.Equal(t, 5, set())
}
