package app_test

import (
	"encoding/json"
	"net/http"
	"slices"
	"testing"

	"github.com/google/uuid"
	"github.com/stretchr/testify/require"

	"countersign/app/apptest"
	"countersign/app/apptest/declaredtest"
	"countersign/internal/problem"
	"countersign/tool"
)

func TestEveryWriteSaysWhatItCovers(t *testing.T) {
	t.Parallel()
	registry, known, covering := registryOf(t), declaredtest.Load(t), 0
	for _, one := range registry.All() {
		if one.Effect == tool.Read {
			require.Empty(t, one.Policy.Covers, one.Name)
			require.Nil(t, known.Tools[one.Name].Covers, "%s reads", one.Name)
			continue
		}
		if one.Identity.Title != "" {
			// An administrative operation has no effect of a tool among its own but those that it loosens.
			require.Empty(t, one.Policy.Covers, one.Name)
			continue
		}
		want := known.Tools[one.Name].Covers
		require.NotNil(t, want, "%s is a new write: whose effect does it have among its own? Say so in "+declaredtest.File, one.Name)
		covering++
		got := slices.Clone(one.Policy.Covers)
		if one.Policy.ConditionalCovers != nil {
			got = append(
				got,
				one.Policy.ConditionalCovers(
					json.RawMessage(
						`{"objectType":"catalog.system","ownerTeamId":"0199aa00-0000-7000-8000-000000000001","assignToSystemId":"0199aa00-0000-7000-8000-000000000001","paused":true,
				"contacts":[{"type":"mailbox"}],"links":[{"url":"x"}],"environmentIds":["0199aa00-0000-7000-8000-000000000001"],
				"groupIds":["0199aa00-0000-7000-8000-000000000001"],"systemIds":["0199aa00-0000-7000-8000-000000000001"],
				"statusChange":"resolved","initialMessage":"x","message":"x","onDuplicate":"update",
				"endAt":"2036-03-01T04:00:00Z"}`,
					),
				)...)
		}
		slices.Sort(got)
		require.Equal(t, want, append([]string{}, slices.Compact(got)...), one.Name)
		for _, name := range got {
			_, ok := registry.Fixed(name)
			require.True(t, ok, "%s covers %s, which does not exist", one.Name, name)
		}
	}
	require.Greater(t, covering, 40)
	for name, declaration := range known.Tools {
		one, ok := registry.Fixed(name)
		require.True(t, ok, "%s is declared and does not exist", name)
		require.True(t, declaration.Covers == nil || one.Effect != tool.Read && one.Identity.Title == "", "%s covers nothing", name)
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

	imported, importing := importedChecks(t), "/api/healthcheck/import"
	incident := func() (made struct{ ID uuid.UUID }) {
		body := map[string]any{"title": "Slow", "severity": "minor", "systemIds": []string{system}}
		p.Admin.Post(t, "/api/incidents", body, &made)
		return made
	}
	merging, into := "/api/incidents/"+incident().ID.String()+"/merge", map[string]any{"into": incident().ID}
	var planned struct{ ID uuid.UUID }
	p.Admin.Post(t, "/api/maintenances", map[string]any{
		"title": "Disks", "systemIds": []string{system}, "startAt": "2036-03-01T02:00:00Z", "endAt": "2036-03-01T04:00:00Z",
		"zone": "UTC", "rule": "FREQ=DAILY",
	}, &planned)
	maintained := "/api/maintenances/" + planned.ID.String()
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
		{"healthcheck.propose", http.MethodPost, importing, imported},
		{"healthcheck.update", http.MethodPost, importing, imported},
		{"healthcheck.setPaused", http.MethodPost, importing, imported},
		{"healthcheck.assign", http.MethodPost, importing, imported},
		{"catalog.createSystem", http.MethodPost, importing, imported},
		{"incident.resolve", http.MethodPost, merging, into},
		{"incident.update", http.MethodPost, merging, into},
		{"maintenance.close", http.MethodPatch, maintained, map[string]any{"endAt": "2036-03-01T02:01:00Z"}},
		{
			"maintenance.close", http.MethodPatch, maintained,
			map[string]any{"occurrence": map[string]any{"at": "2036-03-02T02:00:00Z", "cancelled": true}},
		},
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
