package attack_test

import (
	"net/http"
	"testing"

	"github.com/stretchr/testify/require"

	"countersign/app/apptest"
	"countersign/internal/problem"
	"countersign/tool/proposal"
)

// What a deletion keeps is what its proposer saw. Whoever takes it back is told no more than they see themselves, and
// nobody else is told any of it.
func TestWhatIsMadeAgainTellsNothingHidden(t *testing.T) {
	t.Parallel()
	p := apptest.Start(t, apptest.Options{})
	role := p.Role(t, "catalog.system.manage", "catalog.group.manage", "catalog.environment.manage", "ai.proposal.manage")
	ada, bob, stranger := p.Person(t, role), p.Person(t, role), p.Person(t, role)
	made := func(kind string, body map[string]any) string {
		return idOf(t, ada.Call(t, http.MethodPost, "/api/catalog/"+kind, body))
	}
	group := made("groups", map[string]any{"name": "Takeover canary"})
	environment := made("environments", map[string]any{"name": "Production"})
	system := made(
		"systems",
		map[string]any{"name": "Ledger", "description": "Of everybody", "groupIds": []string{group}, "environmentIds": []string{environment}},
	)
	hide(t, p, "catalog.group", group, ada)

	card := ada.Propose(t, "catalog.deleteSystem", map[string]any{"id": system})
	path := "/api/ai/proposals/" + card.ProposalID.String()
	silent := func(what string, answer apptest.Answer) {
		t.Helper()
		require.NotContains(t, string(answer.Body), group, what)
		require.NotContains(t, string(answer.Body), "canary", what)
	}
	for _, c := range []*apptest.Client{bob, stranger} {
		silent("the card while it waits", c.Call(t, http.MethodGet, path, nil))
	}
	require.Equal(t, proposal.Applied, bob.Apply(t, card.ProposalID).Status)
	silent("the card once it is applied", bob.Call(t, http.MethodGet, path, nil))
	for _, step := range []string{"again", "undo"} {
		stranger.Refused(t, problem.NotFound, http.MethodPost, path+"/"+step, nil)
	}

	undo := bob.Call(t, http.MethodPost, path+"/undo", nil)
	require.Equal(t, http.StatusCreated, undo.Status, "%s", undo.Body)
	silent("what the decider proposes", undo)
	require.Contains(t, string(undo.Body), environment, "and what they see is there")
	var of proposal.Card
	undo.Decode(t, &of)
	silent("what it becomes", func() apptest.Answer {
		bob.Apply(t, of.ProposalID)
		return bob.Call(t, http.MethodGet, "/api/ai/proposals/"+of.ProposalID.String(), nil)
	}())
	require.Zero(t, p.Count(t, `SELECT count(*) FROM catalog_group_systems WHERE group_id = $1::uuid`, group))

	// A private record is not made again by a click: the proposal to do so would show it to whoever may decide about new records.
	for kind, name := range map[string]string{"systems": "catalog.system", "groups": "catalog.group"} {
		hidden := made(kind, map[string]any{"name": "Hidden canary", "description": "A canary"})
		hide(t, p, name, hidden, ada)
		gone := ada.Propose(
			t,
			map[string]string{"systems": "catalog.deleteSystem", "groups": "catalog.deleteGroup"}[kind],
			map[string]any{"id": hidden},
		)
		require.Contains(t, gone.Effects, "No undo can make it again, as that would show it to others.")
		ada.Apply(t, gone.ProposalID)
		undo := "/api/ai/proposals/" + gone.ProposalID.String() + "/undo"
		ada.Refused(t, problem.Conflict, http.MethodPost, undo, nil)
		for _, c := range []*apptest.Client{bob, stranger, p.Admin} {
			c.Refused(t, problem.NotFound, http.MethodPost, undo, nil)
			silent("of a private record", c.Call(t, http.MethodGet, "/api/ai/proposals?limit=200", nil))
		}
		require.Zero(t, p.Count(t, `SELECT count(*) FROM ai_proposals WHERE before::text LIKE '%canary%'`))
	}

	// What was kept is sealed.
	last := made("systems", map[string]any{"name": "Last"})
	deleted := ada.Apply(t, ada.Propose(t, "catalog.deleteSystem", map[string]any{"id": last}).ProposalID)
	p.Exec(t, `UPDATE ai_proposals SET before = jsonb_set(before, '{before,name}', '"Evil"') WHERE id = $1`, deleted.ProposalID)
	e := ada.Call(t, http.MethodPost, "/api/ai/proposals/"+deleted.ProposalID.String()+"/undo", nil)
	require.GreaterOrEqual(t, e.Status, 400, "%s", e.Body)
	require.NotContains(t, string(e.Body), "Evil")
	// Who may make no systems any more makes none again.
	p.Exec(t, `DELETE FROM user_roles WHERE user_id = $1`, bob.ID)
	bob.Call(t, http.MethodPost, path+"/undo", nil)
	require.Equal(t, 1, p.Count(t, `SELECT count(*) FROM catalog_systems`), "the one that was made again before")
}
