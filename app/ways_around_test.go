package app_test

import (
	"net/http"
	"strings"
	"testing"

	"github.com/google/uuid"
	"github.com/stretchr/testify/require"

	"countersign/app/apptest"
	"countersign/internal/problem"
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
		"another address":   {http.MethodPatch, "/api/users/" + sleeper.ID.String(), map[string]any{"email": "mine@example.com"}},
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

	require.Zero(t, p.Count(t, `SELECT count(*) FROM users WHERE email = 'mine@example.com'`))

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
	person.Refused(
		t,
		problem.Forbidden,
		http.MethodPost,
		"/api/ai/memories",
		map[string]any{"scope": "user", "recallHint": "Else", "content": "Else"},
	)
	person.Refused(t, problem.Forbidden, http.MethodPatch, at, map[string]any{"content": "At one"})
	person.Refused(t, problem.Forbidden, http.MethodPut, at+"/always-inject", map[string]any{"alwaysInject": true})
}

// A program is nobody's second person, whoever's token it has and however many programs stand in between.
func TestAnApplicationIsNobodysSecondPerson(t *testing.T) {
	t.Parallel()
	p := apptest.Start(t, apptest.Options{})
	maker := p.Person(t, administrators)
	made := func(c *apptest.Client, name string) *apptest.Client {
		var one struct {
			Application struct{ ID uuid.UUID }
			Token       string
		}
		c.Post(t, "/api/applications", map[string]any{"name": name, "roleIds": []uuid.UUID{administrators}}, &one)
		return p.Bearer(one.Application.ID, one.Token)
	}
	robot := made(maker, "Robot")
	grandchild := made(made(robot, "Child"), "Grandchild")
	system := newSystem(t, maker, "Payments API")
	setPolicy(t, p, "catalog.updateSystem", map[string]any{"twoPerson": true})
	path := "/api/catalog/systems/" + system.String()

	mine := waits(t, maker, http.MethodPatch, path, map[string]any{"description": "by hand"})
	token := p.Second(t).Proposal(t, mine.ProposalID).Token
	for name, one := range map[string]*apptest.Client{"robot": robot, "grandchild": grandchild} {
		require.Contains(t, one.Proposal(t, mine.ProposalID).Blocked, "an application is not a person", name)
		e := one.Refused(t, problem.Forbidden, http.MethodPost, "/api/ai/proposals/apply", map[string]any{"token": token})
		require.Contains(t, e.Detail, "an application is not a person", name)
		w := waits(t, one, http.MethodPatch, path, map[string]any{"description": "by " + name})
		require.Contains(t, maker.Proposal(t, w.ProposalID).Blocked, "whose token you have made", name)
		e = maker.Refused(
			t,
			problem.Forbidden,
			http.MethodPost,
			"/api/ai/proposals/apply",
			map[string]any{"token": p.Second(t).Proposal(t, w.ProposalID).Token},
		)
		require.Contains(t, e.Detail, "whose token you have made", name)
	}
	// Whoever replaces the token stands behind it from then on, and the one before for what was proposed with theirs.
	before := waits(t, robot, http.MethodPatch, path, map[string]any{"description": "before"})
	var replaced struct{ Token string }
	p.Admin.Post(t, "/api/applications/"+robot.ID.String()+"/token", map[string]any{}, &replaced)
	after := waits(t, p.Bearer(robot.ID, replaced.Token), http.MethodPatch, path, map[string]any{"description": "after"})
	require.Contains(t, maker.Proposal(t, before.ProposalID).Blocked, "whose token you have made")
	require.Contains(t, p.Admin.Proposal(t, after.ProposalID).Blocked, "whose token you have made")
	require.NotEmpty(t, maker.Proposal(t, after.ProposalID).Token)
	require.Equal(t, proposal.Applied, p.Second(t).Apply(t, mine.ProposalID).Status)
}
