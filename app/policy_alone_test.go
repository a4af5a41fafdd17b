package app_test

import (
	"net/http"
	"testing"

	"github.com/stretchr/testify/require"

	"countersign/app/apptest"
	"countersign/internal/problem"
)

// A second person whom nobody could be is refused in words, and set by whoever confirms it.
func TestASecondPersonWhomNobodyCouldBeIsConfirmed(t *testing.T) {
	t.Parallel()
	p := apptest.Start(t, apptest.Options{})
	const path, accounts = "/api/ai/policies/catalog.deleteSystem", "/api/ai/policies/auth.createUser"
	ask := map[string]any{"twoPerson": true}
	e := p.Admin.Refused(t, problem.Conflict, http.MethodPatch, path, ask)
	require.Contains(t, e.Detail, "Fewer than two people hold ai.policy.manage, so nobody could take this back")
	require.Equal(
		t,
		[]problem.Issue{
			{
				Path:    "anyway",
				Message: "Fewer than two people hold ai.policy.manage, so nobody could take this back, which takes two people as well.",
			},
		},
		e.Issues,
	)
	// An application is nobody, and neither is somebody who cannot sign in.
	p.Application(t, administrators)
	gone := p.Person(t, administrators)
	p.Admin.Patch(t, "/api/users/"+gone.ID.String(), map[string]any{"disabled": true}, nil)
	p.Admin.Refused(t, problem.Conflict, http.MethodPatch, path, ask)

	p.Person(t, p.Role(t, "ai.policy.manage"))
	e = p.Admin.Refused(t, problem.Conflict, http.MethodPatch, accounts, ask)
	require.Contains(t, e.Detail, "Fewer than two people hold auth.users.manage, so nobody could apply what another user proposes")
	require.Equal(
		t,
		[]problem.Issue{
			{Path: "anyway", Message: "Fewer than two people hold auth.users.manage, so nobody could apply what another user proposes."},
		},
		e.Issues,
	)
	p.Admin.Patch(t, path, ask, nil)
	p.Admin.Patch(t, path, ask, nil)
	p.Admin.Patch(t, accounts, map[string]any{"twoPerson": true, "anyway": true}, nil)
}

// The way out is a command for whoever runs the installation, and it is on record.
func TestWhoRunsTheInstallationTakesASecondPersonAway(t *testing.T) {
	t.Parallel()
	p := apptest.Start(t, apptest.Options{})
	const path = "/api/ai/policies/ai.setToolPolicy"
	p.Admin.Patch(t, path, map[string]any{"twoPerson": true, "anyway": true}, nil)
	locked := waits(t, p.Admin, http.MethodPatch, path, map[string]any{"twoPerson": false})
	require.Contains(t, p.Admin.Proposal(t, locked.ProposalID).Blocked, "you have proposed it yourself")

	status, printed := p.Command(t, "policies", "list")
	require.Zero(t, status)
	require.Equal(t, "ai.setToolPolicy\n", printed)
	for _, wrong := range [][]string{{}, {"release"}, {"list", "ai.setToolPolicy"}, {"drop", "ai.setToolPolicy"}, {"release", "no.suchTool"}, {"release", "catalog.deleteSystem"}} {
		status, printed = p.Command(t, append([]string{"policies"}, wrong...)...)
		require.Equal(t, 1, status, printed)
	}
	status, printed = p.Command(t, "policies", "release", "ai.setToolPolicy")
	require.Zero(t, status, printed)
	var policy toolPolicy
	p.Admin.Get(t, path, &policy)
	require.False(t, policy.TwoPerson)
	require.Equal(t, int64(3), policy.Revision)
	require.Equal(t, "a command on the server", policy.UpdatedBy)
	require.Equal(
		t,
		[]string{"service system command-policies-release The second person was taken away by a command on the server"},
		p.Column(
			t,
			`SELECT concat_ws(' ', principal_kind, transport, operation, summary) FROM ai_audit_entries WHERE object_type = 'ai.tool_policy' AND principal_kind = 'service'`,
		),
	)
	p.Admin.Patch(t, "/api/ai/policies/catalog.deleteSystem", map[string]any{"enabled": false}, nil)
}
