package policy_test

import (
	"net/http"
	"testing"

	"github.com/google/uuid"
	"github.com/stretchr/testify/require"

	"countersign/api/apitest"
	"countersign/internal/principal"
	"countersign/modules/policy"
)

const several = "/api/ai/policies/second-person"

// All of the tools get a second person, or none does.
func TestASecondPersonForSeveralToolsIsOneChange(t *testing.T) {
	t.Parallel()
	s, _ := mounted(t)
	s.SignIn("manager", principal.Principal{Kind: principal.User, ID: uuid.UUID{1}, Name: "Ada", Rules: []string{policy.Manage}})
	s.SignIn("reader", principal.Principal{Kind: principal.User, ID: uuid.UUID{2}, Rules: []string{"ai.chat.read"}})
	ask := func(who string, tools ...any) apitest.Answer {
		return s.Do(t, who, http.MethodPost, several, map[string]any{"tools": tools})
	}
	one := func(name string, revision int) map[string]any {
		return map[string]any{"tool": name, "revision": revision}
	}
	set := func() int { return s.Count(t, `SELECT count(*) FROM ai_tool_policies WHERE two_person`) }
	entries := func() int {
		return s.Count(t, `SELECT count(*) FROM ai_audit_entries WHERE object_type = 'ai.tool_policy'`)
	}
	const known = "ai.setToolPolicy"
	for name, answer := range map[string]struct {
		apitest.Answer
		status int
	}{
		"nobody":          {ask("", one(known, 1)), http.StatusUnauthorized},
		"no right":        {ask("reader", one(known, 1)), http.StatusForbidden},
		"another unknown": {ask("manager", one(known, 1), one("no.such", 1)), http.StatusNotFound},
		"another version": {ask("manager", one(known, 2)), http.StatusPreconditionFailed},
		"twice":           {ask("manager", one(known, 1), one(known, 1)), http.StatusUnprocessableEntity},
		"none":            {ask("manager"), http.StatusUnprocessableEntity},
	} {
		require.Equal(t, answer.status, answer.Status, "%s: %s", name, answer.Body)
	}
	require.Zero(t, set())
	require.Zero(t, entries())

	done := ask("manager", one(known, 1))
	require.Equal(t, http.StatusOK, done.Status, done.Body)
	require.Equal(t, 1, set())
	require.Equal(t, 1, entries())
	require.Contains(t, done.Body, `"twoPerson":true`)
	require.Equal(t, http.StatusPreconditionFailed, ask("manager", one(known, 1)).Status, "it has been changed since")
}
