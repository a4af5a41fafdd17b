package app_test

import (
	"net/http"
	"testing"

	"github.com/google/uuid"
	"github.com/stretchr/testify/require"

	"countersign/app/apptest"
	"countersign/tool"
	"countersign/tool/proposal"
)

// Whoever decides about something that goes is told what goes with it, or that nothing does.
func TestEveryToolThatTakesAwaySaysWhatGoesAlong(t *testing.T) {
	t.Parallel()
	said := 0
	for _, one := range registryOf(t).All() {
		switch {
		case one.Effect == tool.Destructive || one.Access.Hidden:
			require.Contains(
				t,
				[]tool.Cascade{tool.CascadeNone, tool.CascadeOthers},
				one.Impact.Cascade,
				"%s does not say what goes with what it removes",
				one.Name,
			)
			said++
		case one.Effect == tool.Read:
			require.Empty(t, one.Impact.Cascade, one.Name)
		}
	}
	require.Greater(t, said, 12)
}

// proposed proposes as one person and returns how the card looks to each of two.
func proposedFor(t *testing.T, by, other *apptest.Client, name string, input map[string]any) (mine, theirs proposal.Card) {
	t.Helper()
	card := by.Propose(t, name, input)
	return by.Proposal(t, card.ProposalID), other.Proposal(t, card.ProposalID)
}

// What goes along is counted by what the reader sees, and anew whenever somebody looks.
func TestWhatGoesAlongIsCountedForItsReader(t *testing.T) {
	t.Parallel()
	p := apptest.Start(t, apptest.Options{})
	rules := p.Role(t, "catalog.system.manage", "catalog.group.manage", "catalog.environment.manage", "ai.memory.manage")
	proposer, second := p.Person(t, rules), p.Person(t, rules)
	s := stage{t, p}
	shared, hidden, open := idOf(s.system()), idOf(s.group()), idOf(s.group())
	for _, group := range []string{hidden, open} {
		s.put("/api/catalog/groups/"+group+"/systems/"+shared, nil)
	}
	only := func(c *apptest.Client) map[string]any {
		return map[string]any{"subjectType": "user", "subjectId": c.ID, "relation": "owner"}
	}
	at := "/api/catalog/systems/" + shared
	p.Admin.Post(t, at+"/contacts", map[string]any{"type": "mailbox", "email": "on-call@example.com"}, nil)
	p.Admin.Post(t, at+"/links", map[string]any{"label": "Runbook", "url": "https://example.com/a"}, nil)
	grant(t, p, "catalog.group/"+hidden, true, only(proposer))
	setPolicy(t, p, "catalog.deleteSystem", map[string]any{"twoPerson": true})
	setPolicy(t, p, "catalog.deleteGroup", map[string]any{"twoPerson": true})
	setPolicy(t, p, "catalog.deleteEnvironment", map[string]any{"twoPerson": true})
	remember := map[string]any{"scope": "system", "systemId": shared, "recallHint": "Deploys", "content": "On Mondays"}
	proposer.Post(t, "/api/ai/memories", remember, nil)

	mine, theirs := proposedFor(t, proposer, second, "catalog.deleteSystem", map[string]any{"id": shared})
	require.Subset(t, mine.Effects, []string{
		"Its contact goes with it.",
		"Its link goes with it.",
		"It is taken out of 2 groups.",
		"The memory that was shared about it goes with it.",
		"There are no grants on it.",
	})
	require.Contains(t, theirs.Effects, "It is taken out of a group.", "the other one is hidden from them")
	require.NotContains(t, theirs.Effects, "It is taken out of 2 groups.")
	list := second.Call(t, http.MethodGet, "/api/ai/proposals", nil)
	require.NotContains(t, string(list.Body), "2 groups", "what the proposer sees is shown to nobody else")

	p.Admin.Post(t, at+"/links", map[string]any{"label": "Board", "url": "https://example.com/b"}, nil)
	for _, c := range []*apptest.Client{proposer, second} {
		require.Contains(t, c.Proposal(t, mine.ProposalID).Effects, "Its 2 links go with it.", "as it is now")
	}

	s.put("/api/catalog/groups/"+open+"/systems/"+idOf(s.system()), nil)
	mine, theirs = proposedFor(t, proposer, second, "catalog.deleteGroup", map[string]any{"id": open})
	require.Contains(t, mine.Effects, "The 2 systems in it stay, and are no longer in it.")
	require.Equal(t, mine.Effects, theirs.Effects)
	environment := idOf(s.environment())
	s.put(at+"/environments", map[string]any{"environmentIds": []string{environment}})
	mine, theirs = proposedFor(t, proposer, second, "catalog.deleteEnvironment", map[string]any{"id": environment})
	require.Equal(t, "The system in it stays, and is no longer in it.", theirs.Effects[0])
	require.Equal(t, mine.Effects, theirs.Effects)
}

// Changes of people and grants have no card in a chat and say the same.
func TestWhatGoesAlongWithPeopleAndGrants(t *testing.T) {
	t.Parallel()
	p := apptest.Start(t, apptest.Options{})
	role := p.Role(t, "catalog.system.manage")
	ada, bob := p.Person(t, role), p.Person(t, role)
	system := newSystem(t, p.Admin, "Payments API")
	holds := func(c *apptest.Client) map[string]any {
		return map[string]any{"subjectType": "user", "subjectId": c.ID, "relation": "owner"}
	}
	grant(t, p, "catalog.system/"+system.String(), true, holds(ada), holds(bob), holds(p.Admin))
	setPolicy(t, p, "catalog.createGroup", map[string]any{"twoPerson": true})
	grants := "/api/grants/catalog.system/" + system.String()
	effects := func(method, path string, body any) []string {
		t.Helper()
		return p.Admin.Proposal(t, waits(t, p.Admin, method, path, body).ProposalID).Effects
	}
	require.Equal(
		t,
		[]string{
			"3 grants go: who has access by them alone loses that, teams with all their members.",
			"It is no longer private: everybody whose roles allow it sees it.",
		},
		effects(http.MethodDelete, grants, nil),
	)
	require.Equal(t, []string{"2 grants go: who has access by them alone loses that, teams with all their members."},
		effects(http.MethodPut, grants, map[string]any{"private": true, "grants": []any{holds(p.Admin)}}))
	require.Equal(
		t,
		[]string{"2 people hold the role and feel it with their next request, as do applications."},
		effects(
			http.MethodPatch,
			"/api/roles/"+role.String(),
			map[string]any{"rules": []string{"catalog.system.manage", "catalog.group.manage"}},
		),
	)
	require.Equal(t, []string{"Their sessions end: they sign in with the new password."},
		effects(http.MethodPatch, "/api/users/"+ada.ID.String(), map[string]any{"password": "another long password"}))
	require.Equal(t, []string{"What their roles let them do changes with their next request."},
		effects(http.MethodPatch, "/api/users/"+bob.ID.String(), map[string]any{"roleIds": []uuid.UUID{}}))
}
