package auth_test

import (
	"net/http"
	"testing"

	"github.com/google/uuid"
	"github.com/stretchr/testify/require"

	"countersign/auth"
	"countersign/internal/access"
)

// grant gives a subject access to an object that is private to everybody else.
func (a *app) grant(t testing.TB, object uuid.UUID, private bool, grants ...auth.Grant) {
	t.Helper()
	_, err := a.Grants.SetAccess(t.Context(), system, object, auth.Access{Private: private, Grants: grants})
	require.NoError(t, err)
}

func of(kind string, id uuid.UUID, level access.Level) auth.Grant {
	return auth.Grant{SubjectType: kind, SubjectID: id, Relation: level}
}

func TestAPasswordIsSetOnlyByWhoHoldsAllThatItOpens(t *testing.T) {
	t.Parallel()
	a := newApp(t)
	clerks := a.role(t, "Clerks", auth.RuleUsersManage, auth.RuleApplicationsManage)
	clerk := a.user(t, "clerk@example.org", clerks.ID)
	session := func() with { return a.signIn(t, "clerk@example.org") }
	plain, owner, member := a.user(t, "plain@example.org"), a.user(t, "owner@example.org"), a.user(t, "member@example.org")
	team, object := a.team(t, "Payments"), uuid.New()
	a.grant(t, object, true, of("user", owner.ID, access.Edit))
	_, err := a.Directory.AddMember(t.Context(), team.ID, member.ID, nil)
	require.NoError(t, err)
	set := func(id uuid.UUID, change map[string]any) int {
		return a.do(t, http.MethodPatch, "/api/users/"+id.String(), change, session()).status
	}
	for name, change := range map[string]map[string]any{"password": {"password": "taken over"}, "address": {"email": "taken@example.org"}} {
		require.Equal(t, http.StatusForbidden, set(owner.ID, change), name)
		require.Equal(t, http.StatusForbidden, set(member.ID, change), name)
	}
	require.Equal(t, http.StatusOK, set(owner.ID, map[string]any{"name": "Olga"}), "what opens nothing")
	require.Equal(t, http.StatusOK, set(plain.ID, map[string]any{"password": "another horse"}))
	require.Equal(t, http.StatusOK, a.login(t, "owner@example.org", goodPassword).status)

	a.grant(t, object, true, of("user", owner.ID, access.Edit), of("user", clerk.ID, access.View))
	require.Equal(t, http.StatusForbidden, set(owner.ID, map[string]any{"password": "taken over"}), "a lower level is not enough")
	a.grant(t, object, true, of("user", owner.ID, access.Edit), of("user", clerk.ID, access.Own))
	require.Equal(t, http.StatusOK, set(owner.ID, map[string]any{"password": "another horse"}))
	_, err = a.Directory.AddMember(t.Context(), team.ID, clerk.ID, nil)
	require.NoError(t, err)
	require.Equal(t, http.StatusOK, set(member.ID, map[string]any{"password": "another horse"}), "a member of all of the teams")
}

func TestATokenIsIssuedOnlyByWhoHoldsAllThatItOpens(t *testing.T) {
	t.Parallel()
	a := newApp(t)
	clerks := a.role(t, "Clerks", auth.RuleApplicationsManage)
	a.user(t, "clerk@example.org", clerks.ID)
	application, token := a.application(t, "CI")
	object := uuid.New()
	a.grant(t, object, false, of("application", application.ID, access.Edit))
	replace := func() int {
		return a.do(
			t,
			http.MethodPost,
			"/api/applications/"+application.ID.String()+"/token",
			map[string]any{},
			a.signIn(t, "clerk@example.org"),
		).status
	}
	require.Equal(t, http.StatusForbidden, replace())
	require.Equal(t, http.StatusOK, a.do(t, http.MethodGet, "/api/me", nil, bearer(token)).status, "the old one stands")
	editors := a.role(t, "Editors", "catalog.system.manage")
	a.exec(t, "INSERT INTO user_roles (user_id, role_id) SELECT id, $1 FROM users WHERE email = 'clerk@example.org'", editors.ID)
	require.Less(t, replace(), 300, "a rule opens it as well")
	a.grant(t, object, true, of("application", application.ID, access.Edit))
	require.Equal(t, http.StatusForbidden, replace(), "but not what is private")
}

func TestNobodyJoinsATeamToGetWhatItHolds(t *testing.T) {
	t.Parallel()
	a := newApp(t)
	managers := a.role(t, "Managers", auth.RuleTeamsManage)
	manager := a.user(t, "manager@example.org", managers.ID)
	team, empty, object := a.team(t, "Payments"), a.team(t, "New"), uuid.New()
	a.grant(t, object, true, of("team", team.ID, access.Own))
	join := func(team auth.Team) int {
		return a.do(
			t,
			http.MethodPut,
			"/api/teams/"+team.ID.String()+"/members/"+manager.ID.String(),
			nil,
			a.signIn(t, "manager@example.org"),
		).status
	}
	require.Equal(t, http.StatusForbidden, join(team))
	require.Zero(t, a.count(t, "SELECT count(*) FROM team_members"))
	require.Less(t, join(empty), 300)
	a.exec(t, "INSERT INTO team_members (team_id, user_id) VALUES ($1, $2)", team.ID, manager.ID)
	require.Less(t, join(team), 300, "a member may add others")
}

func TestNobodyGrantsMoreAccessToAnObjectThanTheyHave(t *testing.T) {
	t.Parallel()
	a := newApp(t)
	managers := a.role(t, "Managers", auth.RuleTeamsManage)
	manager, other := a.user(t, "manager@example.org", managers.ID), a.user(t, "other@example.org")
	owner := of("user", a.user(t, "owner@example.org").ID, access.Own)
	object := uuid.New()
	path := "/api/grants/" + system + "/" + object.String()
	set := func(wanted auth.Access) int {
		return a.do(t, http.MethodPut, path, wanted, a.signIn(t, "manager@example.org")).status
	}
	grants := func(private bool, all ...auth.Grant) auth.Access {
		return auth.Access{Private: private, Grants: append([]auth.Grant{}, all...)}
	}
	a.grant(t, object, true, owner, of("user", other.ID, access.Own))
	require.Equal(t, http.StatusForbidden, set(grants(true, owner, of("user", other.ID, access.Own), of("user", manager.ID, access.View))))
	require.Equal(t, http.StatusForbidden, set(grants(false)), "private no more")
	require.Equal(t, http.StatusForbidden, a.do(t, http.MethodDelete, path, nil, a.signIn(t, "manager@example.org")).status)
	require.Equal(t, http.StatusOK, set(grants(true, owner, of("user", other.ID, access.Edit))), "to take access away is not to give it")

	a.grant(t, object, true, owner, of("user", manager.ID, access.Edit))
	require.Equal(t, http.StatusForbidden, set(grants(true, owner, of("user", manager.ID, access.Own))))
	require.Equal(t, http.StatusOK, set(grants(true, owner, of("user", manager.ID, access.Edit), of("user", other.ID, access.Edit))))
	a.grant(t, object, false)
	require.Equal(t, http.StatusOK, set(grants(false, of("user", other.ID, access.View))), "what everybody sees by a rule")
	require.Equal(t, http.StatusForbidden, set(grants(false, of("user", other.ID, access.Own))))
}
