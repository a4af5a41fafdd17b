package attack_test

import (
	"net/http"
	"testing"

	"github.com/stretchr/testify/require"

	"countersign/app/apptest"
	"countersign/tool/proposal"
)

func idOf(t *testing.T, a apptest.Answer) string {
	t.Helper()
	require.Less(t, a.Status, 300, "%s", a.Body)
	var record struct{ ID string }
	a.Decode(t, &record)
	return record.ID
}

// hide makes a record private, with one owner.
func hide(t *testing.T, p *apptest.Product, objectType, id string, owner *apptest.Client) {
	t.Helper()
	answer := p.Admin.Call(t, http.MethodPut, "/api/grants/"+objectType+"/"+id, map[string]any{
		"private": true, "grants": []any{map[string]any{"subjectType": "user", "subjectId": owner.ID, "relation": "owner"}},
	})
	require.Less(t, answer.Status, 300, "%s", answer.Body)
}

// Whoever only sees a record cannot make worthless what waits about it.
func TestToSeeIsNotToSpoil(t *testing.T) {
	t.Parallel()
	p := apptest.Start(t, apptest.Options{})
	spoiler := p.Person(t, p.Role(t, "catalog.group.manage"))
	member := p.Person(t)
	path := func(kind, id string) string { return "/api/catalog/" + kind + "/" + id }
	made := func(by *apptest.Client, kind, name string) string {
		return idOf(t, by.Call(t, http.MethodPost, "/api/catalog/"+kind, map[string]any{"name": name}))
	}
	system, environment := made(p.Admin, "systems", "Payments"), made(p.Admin, "environments", "Production")
	group, own := made(spoiler, "groups", "Mine"), made(p.Admin, "systems", "Own")
	p.Admin.Call(
		t,
		http.MethodPut,
		"/api/grants/catalog.system/"+own,
		map[string]any{"private": false, "grants": []any{map[string]any{"subjectType": "user", "subjectId": member.ID, "relation": "owner"}}},
	)
	propose := func(tool, id string) proposal.Card {
		return p.Admin.Propose(t, tool, map[string]any{"id": id, "description": "New"})
	}
	spoil := func(by *apptest.Client, method, path string, body any) {
		a := by.Call(t, method, path, body)
		require.Less(t, a.Status, 300, "%s", a.Body)
	}
	first := propose("catalog.updateSystem", system)
	spoil(spoiler, http.MethodPut, path("groups", group)+"/systems/"+system, nil)
	require.Equal(t, proposal.Applied, p.Admin.Apply(t, first.ProposalID).Status)
	second := p.Admin.Propose(t, "catalog.updateSystem", map[string]any{"id": system, "description": "Newer"})
	spoil(spoiler, http.MethodDelete, path("groups", group), nil)
	require.Equal(t, proposal.Applied, p.Admin.Apply(t, second.ProposalID).Status)

	third := propose("catalog.updateEnvironment", environment)
	spoil(member, http.MethodPut, path("systems", own)+"/environments", map[string]any{"environmentIds": []string{environment}})
	spoil(member, http.MethodDelete, path("systems", own), nil)
	require.Equal(t, proposal.Applied, p.Admin.Apply(t, third.ProposalID).Status)
}

// The answer that is kept for a key is not given again to somebody from whom the record was taken since.
func TestAKeptAnswerIsOfWhatOneSees(t *testing.T) {
	t.Parallel()
	p := apptest.Start(t, apptest.Options{})
	person := p.Person(t, p.Role(t, "catalog.system.manage"))
	key := func(k string) apptest.Header { return apptest.Header{Name: "Idempotency-Key", Value: k} }
	writes := []func() apptest.Answer{
		func() apptest.Answer {
			return person.Call(t, http.MethodPost, "/api/catalog/systems", map[string]any{"name": "Private"}, key("create"))
		},
	}
	id := idOf(t, writes[0]())
	system := "/api/catalog/systems/" + id
	writes = append(writes, func() apptest.Answer {
		return person.Call(t, http.MethodPatch, system, map[string]any{"description": "of before"}, key("change"))
	}, func() apptest.Answer {
		return person.Call(t, http.MethodPost, system+"/links", map[string]any{"url": "https://example.org/before"}, key("link"))
	})
	for _, again := range [][]func() apptest.Answer{writes, writes} {
		for _, write := range again {
			a := write()
			require.Less(t, a.Status, 300, "%s", a.Body)
		}
	}
	hide(t, p, "catalog.system", id, p.Admin)
	require.Equal(t, http.StatusNotFound, person.Call(t, http.MethodGet, system, nil).Status)
	for _, write := range writes {
		a := write()
		require.Equal(t, http.StatusNotFound, a.Status, "%s", a.Body)
		require.NotContains(t, string(a.Body), "before")
		require.NotContains(t, string(a.Body), "Private")
	}
}

// The session of who decides is no business of who asked.
func TestWhoAskedIsNotToldTheSessionOfWhoDecided(t *testing.T) {
	t.Parallel()
	p := apptest.Start(t, apptest.Options{})
	asker, decider := p.Person(t, p.Role(t, "catalog.system.manage")), p.Second(t)
	system := idOf(t, asker.Call(t, http.MethodPost, "/api/catalog/systems", map[string]any{"name": "Payments"}))
	p.Admin.Patch(t, "/api/ai/policies/catalog.updateSystem", map[string]any{"twoPerson": true}, nil)
	card := asker.Propose(t, "catalog.updateSystem", map[string]any{"id": system, "description": "Asked"})
	decider.Apply(t, card.ProposalID)
	session := p.Column(
		t,
		`SELECT DISTINCT session_id::text FROM ai_audit_entries WHERE proposal_id = $1 AND applied_by_id = $2`,
		card.ProposalID,
		decider.ID,
	)
	require.Len(t, session, 1)
	paths := []string{
		"/api/ai/audit/changes?mine=true",
		"/api/ai/audit/changes/export?mine=true&format=ndjson",
		"/api/ai/audit/changes/export?mine=true&format=csv",
		"/api/history/catalog.system/" + system,
	}
	require.Contains(
		t,
		string(p.Admin.Call(t, http.MethodGet, "/api/ai/audit/changes", nil).Body),
		session[0],
		"readers of the audit log are told",
	)
	for _, path := range paths {
		a := asker.Call(t, http.MethodGet, path, nil)
		require.Equal(t, http.StatusOK, a.Status, "%s", a.Body)
		require.Contains(t, string(a.Body), card.ProposalID.String(), "%s tells of the change", path)
		require.NotContains(t, string(a.Body), session[0], path)
		require.Contains(t, string(decider.Call(t, http.MethodGet, path, nil).Body), session[0], "%s tells it to whom it belongs", path)
	}
}
