package app_test

import (
	"encoding/json"
	"net/http"
	"slices"
	"testing"

	"github.com/google/uuid"
	"github.com/stretchr/testify/require"

	"countersign/app/apptest"
	"countersign/internal/problem"
	"countersign/tool"
)

// covered are the tools whose effect each write has among its own, so that their policies hold for it too. A new write is
// added here: what could be achieved by it that another one's policy is about?
var covered = map[string][]string{
	// What a system is created with is what could be added to it.
	"catalog.createSystem": {
		"auth.deleteGrants", "auth.setGrants", "catalog.addSystemContact", "catalog.addSystemLink", "catalog.addSystemToGroup",
		"catalog.setSystemEnvironments", "catalog.setSystemOwner",
	},
	"catalog.updateSystem": nil, // owners, contacts, links, groups and environments are no fields of it
	// What goes with a system says nothing about one that stays.
	"catalog.deleteSystem":  nil,
	"catalog.addSystemLink": nil, "catalog.removeSystemLink": nil, "catalog.addSystemContact": nil, "catalog.removeSystemContact": nil,
	"catalog.setSystemEnvironments": nil,
	"catalog.setSystemOwner":        {"auth.deleteGrants", "auth.setGrants"},
	"catalog.createGroup":           {"catalog.addSystemToGroup"}, "catalog.updateGroup": nil,
	"catalog.deleteGroup":      {"catalog.removeSystemFromGroup"},
	"catalog.addSystemToGroup": nil, "catalog.removeSystemFromGroup": nil,
	"catalog.createEnvironment": {"catalog.setSystemEnvironments"}, "catalog.updateEnvironment": nil,
	"catalog.deleteEnvironment": {"catalog.setSystemEnvironments"},
	"auth.setGrants":            {"auth.deleteGrants", "catalog.setSystemOwner"},
	"auth.deleteGrants":         {"auth.setGrants", "catalog.setSystemOwner"},
	// Accounts, passwords, roles and memberships: while anything takes two, each of them does.
	"auth.createUser": nil, "auth.updateUser": nil, "auth.updateRole": nil, "auth.addTeamMember": nil,
	"auth.deleteUser":  {"auth.updateUser"},
	"auth.deleteRole":  {"auth.updateRole", "auth.updateUser"},
	"ai.setToolPolicy": nil,
	// A new check can be assigned with it; a change of one can pause it. What goes with a check or a system says nothing about what stays.
	// What is imported is made, or changed; it is assigned to nothing.
	"healthcheck.import":  {"healthcheck.propose", "healthcheck.setPaused", "healthcheck.update"},
	"healthcheck.propose": {"healthcheck.assign"}, "healthcheck.update": {"healthcheck.setPaused"}, "healthcheck.delete": nil,
	"healthcheck.setPaused": nil, "healthcheck.assign": nil, "healthcheck.unassign": nil, "healthcheck.runNow": nil,
	// What a request changes lies elsewhere.
	"http.request": nil, "healthcheck.testDraft": nil, "healthcheck.testScript": nil, "automation.testScript": nil,
	// A draft runs for nobody.
	"agent.proposeTool": nil,
	// What is one's own takes nobody else, and nobody else's policy is about it.
	"ai.saveMemory": nil, "ai.deleteMemory": nil,
}

func TestEveryWriteSaysWhatItCovers(t *testing.T) {
	t.Parallel()
	registry := registryOf(t)
	for _, one := range registry.All() {
		if one.Effect == tool.Read {
			require.Empty(t, one.Policy.Covers, one.Name)
			continue
		}
		if one.Identity.Title != "" {
			// An administrative operation has no effect of a tool among its own but those that it loosens.
			require.Empty(t, one.Policy.Covers, one.Name)
			continue
		}
		want, listed := covered[one.Name]
		require.True(t, listed, "%s is a new write: whose effect does it have among its own?", one.Name)
		got := slices.Clone(one.Policy.Covers)
		if one.Policy.ConditionalCovers != nil {
			got = append(
				got,
				one.Policy.ConditionalCovers(
					json.RawMessage(
						`{"objectType":"catalog.system","ownerTeamId":"0199aa00-0000-7000-8000-000000000001","assignToSystemId":"0199aa00-0000-7000-8000-000000000001","paused":true,
				"contacts":[{"type":"mailbox"}],"links":[{"url":"x"}],"environmentIds":["0199aa00-0000-7000-8000-000000000001"],
				"groupIds":["0199aa00-0000-7000-8000-000000000001"],"systemIds":["0199aa00-0000-7000-8000-000000000001"]}`,
					),
				)...)
		}
		slices.Sort(got)
		require.Equal(t, want, slices.Compact(got), one.Name)
		for _, name := range got {
			_, ok := registry.Fixed(name)
			require.True(t, ok, "%s covers %s, which does not exist", one.Name, name)
		}
	}
	for name := range covered {
		_, ok := registry.Fixed(name)
		require.True(t, ok, name)
	}
}

// Where one operation takes two, so does each other one that has its effect.
func TestWhatHasTheEffectOfAnotherComesUnderItsPolicy(t *testing.T) {
	t.Parallel()
	p := apptest.Start(t, apptest.Options{})
	system, second := newSystem(t, p.Admin, "Payments API").String(), newSystem(t, p.Admin, "Orders API").String()
	role := p.Role(t, "catalog.system.manage")
	somebody := p.Person(t, role).ID
	var team, group, environment struct{ ID uuid.UUID }
	p.Admin.Post(t, "/api/teams", map[string]any{"name": "Reliability"}, &team)
	p.Admin.Post(t, "/api/catalog/groups", map[string]any{"name": "Shop"}, &group)
	p.Admin.Post(t, "/api/catalog/environments", map[string]any{"name": "Production"}, &environment)
	at, grants := "/api/catalog/systems/"+system, "/api/grants/catalog.system/"+second
	owned := map[string]any{
		"private": false,
		"grants":  []any{map[string]any{"subjectType": "team", "subjectId": team.ID, "relation": "owner"}},
	}
	require.Equal(t, http.StatusOK, p.Admin.Call(t, http.MethodPut, "/api/grants/catalog.system/"+second, owned).Status)

	imported := stage{t, p}.importOfChecks()
	for _, c := range []struct {
		policy, method, path string
		body                 any
	}{
		{"auth.setGrants", http.MethodPut, at + "/owner", map[string]any{"teamId": team.ID}},
		{"auth.setGrants", http.MethodPut, "/api/catalog/systems/" + second + "/owner", map[string]any{"teamId": nil}},
		{"auth.setGrants", http.MethodPost, "/api/catalog/systems", map[string]any{"name": "Stock API", "ownerTeamId": team.ID}},
		{"auth.setGrants", http.MethodDelete, grants, nil},
		{"auth.deleteGrants", http.MethodPut, grants, map[string]any{"private": false, "grants": []any{}}},
		{"auth.deleteGrants", http.MethodPut, "/api/catalog/systems/" + second + "/owner", map[string]any{"teamId": nil}},
		{"catalog.setSystemOwner", http.MethodPost, "/api/catalog/systems", map[string]any{"name": "Stock API", "ownerTeamId": team.ID}},
		{"catalog.setSystemOwner", http.MethodDelete, grants, nil},
		{"auth.updateUser", http.MethodDelete, "/api/users/" + somebody.String(), nil},
		{"auth.updateUser", http.MethodDelete, "/api/roles/" + role.String(), nil},
		{"auth.updateRole", http.MethodDelete, "/api/roles/" + role.String(), nil},
		{"catalog.removeSystemFromGroup", http.MethodDelete, "/api/catalog/groups/" + group.ID.String(), nil},
		{"healthcheck.propose", imported.method, imported.path, imported.body},
		{"healthcheck.update", imported.method, imported.path, imported.body},
		{"healthcheck.setPaused", imported.method, imported.path, imported.body},
		{"catalog.setSystemEnvironments", http.MethodDelete, "/api/catalog/environments/" + environment.ID.String(), nil},
	} {
		setPolicy(t, p, c.policy, map[string]any{"twoPerson": true})
		w := waits(t, p.Admin, c.method, c.path, c.body)
		require.True(t, w.TwoPerson, "%s %s", c.policy, c.path)
		require.Contains(t, p.Admin.Proposal(t, w.ProposalID).Blocked, "A second person", c.policy)
		p.Admin.Post(t, "/api/ai/proposals/"+w.ProposalID.String()+"/decline", nil, nil)
		setPolicy(t, p, c.policy, map[string]any{"twoPerson": false})

		setPolicy(t, p, c.policy, map[string]any{"enabled": false})
		e := p.Admin.Refused(t, problem.Forbidden, c.method, c.path, c.body)
		require.Contains(t, e.Detail, "switched", "%s %s", c.policy, c.path)
		setPolicy(t, p, c.policy, map[string]any{"enabled": true})
	}
	p.Admin.Post(t, "/api/catalog/systems", map[string]any{"name": "Of nobody"}, nil)
}

// An owner may decide about what is owned, so setting one makes somebody a second person.
func TestAnOwningTeamIsNoWayToASecondPerson(t *testing.T) {
	t.Parallel()
	p := apptest.Start(t, apptest.Options{})
	operator, sleeper := p.Person(t, p.Role(t, "catalog.system.manage")), p.Person(t)
	var team struct{ ID uuid.UUID }
	p.Admin.Post(t, "/api/teams", map[string]any{"name": "Anything"}, &team)
	require.Equal(
		t,
		http.StatusNoContent,
		p.Admin.Call(t, http.MethodPut, "/api/teams/"+team.ID.String()+"/members/"+sleeper.ID.String(), nil).Status,
	)
	system := newSystem(t, operator, "Payments API")
	setPolicy(t, p, "catalog.deleteSystem", map[string]any{"twoPerson": true})
	at := "/api/catalog/systems/" + system.String()

	deletion := waits(t, operator, http.MethodDelete, at, nil)
	owner := waits(t, operator, http.MethodPut, at+"/owner", map[string]any{"teamId": team.ID})
	require.True(t, owner.TwoPerson)
	require.Zero(t, p.Count(t, `SELECT count(*) FROM relation_tuples WHERE object_id = $1`, system))
	for _, w := range []proposedWrite{deletion, owner} {
		sleeper.Refused(t, problem.NotFound, http.MethodGet, "/api/ai/proposals/"+w.ProposalID.String(), nil)
	}
	p.Second(t).Apply(t, owner.ProposalID)
	// To take an owner away gives nobody anything.
	require.Equal(t, http.StatusOK, operator.Call(t, http.MethodPut, at+"/owner", map[string]any{"teamId": nil}).Status)
}
