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

// administrators is the role that holds every rule.
var administrators = uuid.MustParse("00000000-0000-4000-8000-0000000000ad")

// What makes a change take two people is asked when it is applied, not only when it was proposed.
func TestAPolicyThatWasTightenedMeanwhileHoldsForWhatWaits(t *testing.T) {
	t.Parallel()
	p := apptest.Start(t, apptest.Options{})
	robot := p.Application(t, administrators)
	sleeper, keeper := p.Person(t), p.Person(t, p.Role(t, "auth.users.manage"))
	system := newSystem(t, p.Admin, "Payments API")
	setPolicy(t, p, "auth.updateUser", map[string]any{"alwaysConfirm": true})
	setPolicy(t, p, "auth.setGrants", map[string]any{"alwaysConfirm": true})
	password := waits(t, robot, http.MethodPatch, "/api/users/"+sleeper.ID.String(), map[string]any{"password": "a password of my own"})
	grant := waits(t, robot, http.MethodPut, "/api/grants/catalog.system/"+system.String(),
		map[string]any{"private": false, "grants": []any{map[string]any{"subjectType": "user", "subjectId": sleeper.ID, "relation": "owner"}}})
	require.False(t, password.TwoPerson)
	token := p.Admin.Proposal(t, password.ProposalID).Token
	require.NotEmpty(t, token, "whoever made the token of the application may decide as long as one person is enough")
	require.Empty(t, inbox(t, keeper))

	setPolicy(t, p, "catalog.deleteSystem", map[string]any{"twoPerson": true})
	mine := p.Admin.Proposal(t, password.ProposalID)
	require.True(t, mine.TwoPerson)
	require.Empty(t, mine.Token)
	require.Contains(t, mine.Blocked, "whose token you have made")
	p.Admin.Refused(t, problem.Forbidden, http.MethodPost, "/api/ai/proposals/apply", map[string]any{"token": token})
	require.Equal(t, []uuid.UUID{password.ProposalID}, inbox(t, keeper), "a second person finds it")
	require.Equal(t, proposal.Applied, p.Second(t).Apply(t, password.ProposalID).Status)

	// So does the policy of a tool that has the same effect.
	setPolicy(t, p, "catalog.setSystemOwner", map[string]any{"enabled": false})
	require.Contains(t, p.Second(t).Proposal(t, grant.ProposalID).Blocked, "switched")
	setPolicy(t, p, "catalog.setSystemOwner", map[string]any{"enabled": true})
	require.Equal(t, proposal.Applied, p.Second(t).Apply(t, grant.ProposalID).Status)
}

// A policy that was loosened meanwhile makes of what waits for a second person nobody's own click.
func TestAPolicyThatWasLoosenedMeanwhileLeavesWhatWaits(t *testing.T) {
	t.Parallel()
	p := apptest.Start(t, apptest.Options{})
	sleeper := p.Person(t)
	setPolicy(t, p, "catalog.deleteSystem", map[string]any{"twoPerson": true})
	w := waits(t, p.Admin, http.MethodPatch, "/api/users/"+sleeper.ID.String(), map[string]any{"password": "a password of my own"})
	setPolicy(t, p, "catalog.deleteSystem", map[string]any{"twoPerson": false})
	mine := p.Admin.Proposal(t, w.ProposalID)
	require.True(t, mine.TwoPerson)
	require.Empty(t, mine.Token)
	require.Equal(t, proposal.Applied, p.Second(t).Apply(t, w.ProposalID).Status)
}
