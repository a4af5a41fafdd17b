package app_test

import (
	"net/http"
	"strings"
	"testing"

	"github.com/google/uuid"
	"github.com/stretchr/testify/require"

	"countersign/app/apptest"
	"countersign/problem"
	"countersign/tool/proposal"
)

// One person who could make themselves a second one would need no other.
func TestOnePersonDoesNotBecomeTwo(t *testing.T) {
	t.Parallel()
	p := apptest.Start(t, apptest.Options{})
	role := p.Role(t, "catalog.system.manage")
	sleeper := p.Person(t)
	system := newSystem(t, p.Admin, "Payments API")
	var team struct{ ID uuid.UUID }
	p.Admin.Post(t, "/api/teams", map[string]any{"name": "Second Line"}, &team)
	disabled := p.Person(t, role)
	p.Admin.Patch(t, "/api/users/"+disabled.ID.String(), map[string]any{"disabled": true}, nil)
	setPolicy(t, p, "catalog.deleteSystem", map[string]any{"twoPerson": true})

	const secret = "a password of my own"
	grants := "/api/grants/catalog.system/" + system.String()
	asked := map[string]proposedWrite{}
	for name, call := range map[string]struct {
		method, path string
		body         any
	}{
		"a new account":     {http.MethodPost, "/api/users", map[string]any{"email": "sock@example.com", "name": "Sock", "password": secret, "roleIds": []uuid.UUID{role}}},
		"a new password":    {http.MethodPatch, "/api/users/" + sleeper.ID.String(), map[string]any{"password": secret}},
		"other roles":       {http.MethodPatch, "/api/users/" + sleeper.ID.String(), map[string]any{"roleIds": []uuid.UUID{role}}},
		"an account again":  {http.MethodPatch, "/api/users/" + disabled.ID.String(), map[string]any{"disabled": false}},
		"rules for a role":  {http.MethodPatch, "/api/roles/" + role.String(), map[string]any{"rules": []string{"catalog.system.manage", "catalog.system.read"}}},
		"rules for all":     {http.MethodPatch, "/api/roles/00000000-0000-4000-8000-0000000000d0", map[string]any{"rules": []string{"catalog.system.manage"}}},
		"a team":            {http.MethodPut, "/api/teams/" + team.ID.String() + "/members/" + sleeper.ID.String(), nil},
		"a grant":           {http.MethodPut, grants, map[string]any{"private": false, "grants": []any{map[string]any{"subjectType": "user", "subjectId": sleeper.ID, "relation": "owner"}}}},
		"a looser policy":   {http.MethodPatch, "/api/ai/policies/catalog.deleteSystem", map[string]any{"twoPerson": false}},
		"the change itself": {http.MethodDelete, "/api/catalog/systems/" + system.String(), nil},
	} {
		w := waits(t, p.Admin, call.method, call.path, call.body)
		require.True(t, w.TwoPerson, name)
		require.NotContains(t, w.Summary, secret)
		mine := p.Admin.Proposal(t, w.ProposalID)
		require.Empty(t, mine.Token, name)
		require.NotContains(t, string(mine.Payload), secret, name)
		asked[name] = w
	}
	require.NotContains(t, strings.Join(p.Dump(t), "\n"), secret, "a password that waits is sealed")
	require.Zero(t, p.Count(t, `SELECT count(*) FROM users WHERE email = 'sock@example.com'`))
	require.Zero(t, p.Count(t, `SELECT count(*) FROM team_members WHERE user_id = $1`, sleeper.ID))
	require.Zero(t, p.Count(t, `SELECT count(*) FROM relation_tuples WHERE subject_id = $1`, sleeper.ID))
	p.Admin.Get(t, "/api/catalog/systems/"+system.String(), nil)

	// With somebody else's hand it happens.
	for _, name := range []string{"a new account", "a new password", "a team", "a grant", "an account again"} {
		require.Equal(t, proposal.Applied, p.Second(t).Apply(t, asked[name].ProposalID).Status, name)
	}
	p.SignIn(t, apptest.Credentials{Email: "sock@example.com", Password: secret})
	p.SignIn(t, apptest.Credentials{Email: sleeper.Email, Password: secret})
	require.Equal(t, 1, p.Count(t, `SELECT count(*) FROM team_members WHERE user_id = $1`, sleeper.ID))

	p.Admin.Refused(t, problem.Invalid, http.MethodPatch, "/api/users/"+sleeper.ID.String(), map[string]any{"PASSWORD": secret})

	// What gives nobody anything stays one person's.
	p.Admin.Patch(t, "/api/users/"+disabled.ID.String(), map[string]any{"disabled": true}, nil)
	p.Admin.Patch(t, "/api/users/"+disabled.ID.String(), map[string]any{"name": "Somebody"}, nil)
}

// Replacing the grants of a system replaces its owner, so it comes under the policy of that.
func TestAnOwnerIsNotSetByWayOfGrants(t *testing.T) {
	t.Parallel()
	p := apptest.Start(t, apptest.Options{})
	system := newSystem(t, p.Admin, "Payments API")
	setPolicy(t, p, "catalog.setSystemOwner", map[string]any{"enabled": false})
	grants := "/api/grants/catalog.system/" + system.String()
	e := p.Admin.Refused(t, problem.Forbidden, http.MethodPut, grants, map[string]any{"private": false, "grants": []any{}})
	require.Contains(t, e.Detail, "switched this off")
	p.Admin.Refused(t, problem.Forbidden, http.MethodDelete, grants, nil)
	p.Admin.Refused(t, problem.Forbidden, http.MethodPut, "/api/catalog/systems/"+system.String()+"/owner", map[string]any{"teamId": nil})
}

// A memory is saved, changed and put into every prompt by three operations under one policy.
func TestAMemoryIsSavedUnderOnePolicyOnEveryWay(t *testing.T) {
	t.Parallel()
	p := apptest.Start(t, apptest.Options{})
	person := p.Person(t)
	var memory struct{ ID uuid.UUID }
	body := map[string]any{"scope": "user", "recallHint": "Lunch", "content": "At noon"}
	person.Post(t, "/api/ai/memories", body, &memory)
	setPolicy(t, p, "ai.saveMemory", map[string]any{"enabled": false})
	at := "/api/ai/memories/" + memory.ID.String()
	person.Refused(t, problem.Forbidden, http.MethodPost, "/api/ai/memories", map[string]any{"scope": "user", "recallHint": "Else", "content": "Else"})
	person.Refused(t, problem.Forbidden, http.MethodPatch, at, map[string]any{"content": "At one"})
	person.Refused(t, problem.Forbidden, http.MethodPut, at+"/always-inject", map[string]any{"alwaysInject": true})
}
