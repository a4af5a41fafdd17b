package app_test

import (
	"net/http"
	"testing"

	"github.com/google/uuid"
	"github.com/stretchr/testify/require"

	"countersign/app/apptest"
	"countersign/internal/problem"
	"countersign/tool/proposal"
)

// A change of people, roles, teams, grants or policies that waits for a second person is not made over what was changed
// while it waited.
func TestWhatWaitsIsNotAppliedOverALaterChange(t *testing.T) {
	t.Parallel()
	p := apptest.Start(t, apptest.Options{})
	ada, eve := p.Person(t), p.Person(t)
	role := p.Role(t, "catalog.system.manage")
	system, other := newSystem(t, p.Admin, "Payments API"), newSystem(t, p.Admin, "Orders API")
	var team struct{ ID uuid.UUID }
	p.Admin.Post(t, "/api/teams", map[string]any{"name": "Second Line"}, &team)
	setPolicy(t, p, "catalog.deleteSystem", map[string]any{"twoPerson": true})

	grants := func(to uuid.UUID) map[string]any {
		return map[string]any{"private": false, "grants": []any{map[string]any{"subjectType": "user", "subjectId": to, "relation": "editor"}}}
	}
	rolePath, userPath := "/api/roles/"+role.String(), "/api/users/"+ada.ID.String()
	member := "/api/teams/" + team.ID.String() + "/members/"
	onSystem, onOther := "/api/grants/catalog.system/"+system.String(), "/api/grants/catalog.system/"+other.String()
	p.Countersign(t, p.Admin.Call(t, http.MethodPut, onOther, grants(ada.ID)))
	type write struct {
		method, path string
		body         any
	}
	for name, one := range map[string]struct{ waiting, later write }{
		"rules of a role": {write{http.MethodPatch, rolePath, map[string]any{"rules": []string{"catalog.group.manage"}}}, write{http.MethodPatch, rolePath, map[string]any{"rules": []string{"catalog.system.read"}}}},
		"roles of a user": {write{http.MethodPatch, userPath, map[string]any{"roleIds": []uuid.UUID{role}}}, write{http.MethodPatch, userPath, map[string]any{"name": "Somebody"}}},
		"grants":          {write{http.MethodPut, onSystem, grants(ada.ID)}, write{http.MethodPut, onSystem, grants(eve.ID)}},
		"grants that go":  {write{http.MethodDelete, onOther, nil}, write{http.MethodPut, onOther, grants(eve.ID)}},
		"members":         {write{http.MethodPut, member + ada.ID.String(), nil}, write{http.MethodPut, member + eve.ID.String(), nil}},
		"a looser policy": {write{http.MethodPatch, "/api/ai/policies/catalog.deleteSystem", map[string]any{"twoPerson": false}}, write{http.MethodPatch, "/api/ai/policies/catalog.deleteSystem", map[string]any{"alwaysConfirm": true}}},
	} {
		w := waits(t, p.Admin, one.waiting.method, one.waiting.path, one.waiting.body)
		later := p.Admin.Call(t, one.later.method, one.later.path, one.later.body)
		require.Less(t, later.Status, 300, "%s: %s", name, later.Body)
		p.Countersign(t, later)
		e := p.Second(
			t,
		).Refused(
			t,
			problem.Drift,
			http.MethodPost,
			"/api/ai/proposals/apply",
			map[string]any{"token": p.Second(t).Proposal(t, w.ProposalID).Token},
		)
		require.Contains(t, e.Detail, "has changed since", name)
		require.Equal(t, proposal.Failed, p.Admin.Proposal(t, w.ProposalID).Status, name)
	}
	require.Equal(t, []string{eve.ID.String()}, p.Column(t, `SELECT subject_id::text FROM relation_tuples WHERE object_id = $1`, system))
	require.Equal(t, []string{eve.ID.String()}, p.Column(t, `SELECT subject_id::text FROM relation_tuples WHERE object_id = $1`, other))
	require.Equal(t, []string{eve.ID.String()}, p.Column(t, `SELECT user_id::text FROM team_members WHERE team_id = $1`, team.ID))
	require.Equal(t, []string{"catalog.system.read"}, p.Column(t, `SELECT unnest(rules) FROM roles WHERE id = $1`, role))

	// Who was added and taken out again is not added after all.
	w := waits(t, p.Admin, http.MethodPut, member+ada.ID.String(), nil)
	p.Admin.Delete(t, member+eve.ID.String())
	p.Second(
		t,
	).Refused(
		t,
		problem.Drift,
		http.MethodPost,
		"/api/ai/proposals/apply",
		map[string]any{"token": p.Second(t).Proposal(t, w.ProposalID).Token},
	)

	// What concerns something else about the object is in nobody's way.
	w = waits(t, p.Admin, http.MethodPut, onSystem, grants(ada.ID))
	p.Admin.Patch(t, "/api/catalog/systems/"+system.String(), map[string]any{"description": "changed"}, nil)
	require.Equal(t, proposal.Applied, p.Second(t).Apply(t, w.ProposalID).Status)
}
