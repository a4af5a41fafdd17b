package auth_test

import (
	"net/http"
	"testing"

	"github.com/google/uuid"
	"github.com/stretchr/testify/require"

	"countersign/auth"
	"countersign/internal/access"
	"countersign/internal/principal"
	"countersign/internal/problem"
)

// What is private has an owner: nobody could open it again otherwise, or say who else sees it.
func TestNothingPrivateIsLeftWithoutAnOwner(t *testing.T) {
	t.Parallel()
	a := newApp(t)
	a.user(t, "admin@example.org", auth.AdminRole)
	admin := a.signIn(t, "admin@example.org")
	ada, team := a.user(t, "ada@example.org"), a.team(t, "Platform")
	robot, _ := a.application(t, "CI")
	owners := map[string]uuid.UUID{"user": ada.ID, "team": team.ID, "application": robot.ID}
	grant := func(kind string, relation access.Level) auth.Grant {
		return auth.Grant{SubjectType: kind, SubjectID: owners[kind], Relation: relation}
	}
	for kind := range owners {
		object := uuid.New()
		path := "/api/grants/catalog.system/" + object.String()
		set := func(private bool, grants ...auth.Grant) answer {
			return a.do(t, http.MethodPut, path, auth.Access{Private: private, Grants: append([]auth.Grant{}, grants...)}, admin)
		}
		live := func() auth.Access { return decode[auth.Access](t, a.do(t, http.MethodGet, path, nil, admin)) }
		refused := func(grants ...auth.Grant) {
			t.Helper()
			before := live()
			answer := set(true, grants...)
			require.Equal(t, http.StatusConflict, answer.status, string(answer.body))
			require.Contains(t, string(answer.body), "Name another owner, or make it public first.")
			require.Equal(t, before, live(), "what is refused changes nothing")
		}
		refused()
		refused(grant(kind, access.View), grant(kind, access.Edit))
		require.Equal(t, http.StatusOK, set(true, grant(kind, access.Own)).status, kind)
		refused()
		refused(grant(kind, access.Edit))
		require.Equal(t, http.StatusOK, set(false).status, "what is public needs no owner")
		require.Equal(t, http.StatusOK, set(true, grant(kind, access.Own)).status)
		require.Equal(t, http.StatusNoContent, a.do(t, http.MethodDelete, path, nil, admin).status, "without grants it is public")
		require.Equal(t, auth.Access{Grants: []auth.Grant{}}, live())
	}

	// As it was before there was this rule: what stays as it is was said already.
	object := uuid.New()
	before := auth.Access{Private: true, Grants: []auth.Grant{grant("team", access.View)}}
	_, err := a.Grants.SetAccess(t.Context(), system, object, before)
	require.NoError(t, err)
	require.Equal(t, http.StatusOK, a.do(t, http.MethodPut, "/api/grants/catalog.system/"+object.String(), before, admin).status)
}

// The team that owns an object is taken away by itself.
func TestTheTeamIsNotTakenFromWhatIsPrivateAndNobodyElses(t *testing.T) {
	t.Parallel()
	a := newApp(t)
	ada, platform, payments := a.user(t, "ada@example.org"), a.team(t, "Platform"), a.team(t, "Payments")
	own := func(kind string, id uuid.UUID) auth.Grant {
		return auth.Grant{SubjectType: kind, SubjectID: id, Relation: access.Own}
	}
	for _, c := range []struct {
		of    auth.Access
		taken bool
	}{
		{auth.Access{Private: true, Grants: []auth.Grant{own("team", platform.ID)}}, false},
		{auth.Access{Private: true, Grants: []auth.Grant{own("team", platform.ID), own("team", payments.ID)}}, false},
		{auth.Access{Private: true, Grants: []auth.Grant{own("team", platform.ID), own("user", ada.ID)}}, true},
		{auth.Access{Grants: []auth.Grant{own("team", platform.ID)}}, true},
	} {
		object := uuid.New()
		before, err := a.Grants.SetAccess(t.Context(), system, object, c.of)
		require.NoError(t, err)
		err = a.Grants.SetOwner(t.Context(), system, object, uuid.Nil)
		after, readErr := a.Grants.Access(t.Context(), system, object)
		require.NoError(t, readErr)
		if c.taken {
			require.NoError(t, err)
			require.NotEqual(t, before, after)
			continue
		}
		require.True(t, problem.Is(err, problem.Conflict), "%v", err)
		require.Equal(t, before, after)
		require.NoError(t, a.Grants.SetOwner(t.Context(), system, object, payments.ID), "another one may have it")
	}
}

// With the account of its last owner goes the last grant: then it is for administrators, who take it over.
func TestPrivateRecordsOfADeletedUserAreTakenOver(t *testing.T) {
	t.Parallel()
	a := newApp(t)
	a.user(t, "admin@example.org", auth.AdminRole)
	kind := access.Kind{ObjectType: system, Read: "catalog.system.read", Manage: "catalog.system.manage"}
	who := func(rules ...string) principal.Principal {
		return principal.Principal{Kind: principal.User, ID: uuid.New(), Rules: rules, TeamIDs: []uuid.UUID{uuid.New()}}
	}
	manager, administrator, reader, nobody := who(kind.Manage), who(principal.Admin), who(kind.Read, auth.RuleTeamsManage), who()
	holds := func(p principal.Principal, object uuid.UUID) access.Level {
		t.Helper()
		ctx := principal.NewContext(t.Context(), p)
		sight := kind.Sight(ctx)
		levels, err := sight.Levels(ctx, a.db, object)
		require.NoError(t, err)
		var seen bool
		require.NoError(t, a.db.Conn(ctx).QueryRow(ctx, "SELECT EXISTS (SELECT FROM access_opens($1, $2, $3, $4, $5, $6))",
			system, object, sight.Every(), sight.SubjectType, sight.SubjectID, sight.TeamIDs).Scan(&seen))
		require.Equal(t, levels[object] != access.None, seen, "what a query finds and what a record says are one")
		return levels[object]
	}
	for _, c := range []struct {
		kind string
		left bool
	}{{"user", false}, {"application", false}, {"user", true}, {"application", true}} {
		object := uuid.New()
		owner := auth.Grant{SubjectType: c.kind, Relation: access.Own}
		var gone func() error
		if c.kind == "user" {
			owner.SubjectID = a.user(t, uuid.NewString()+"@example.org").ID
			gone = func() error { return a.Directory.DeleteUser(t.Context(), root, owner.SubjectID, nil) }
		} else {
			robot, _ := a.application(t, uuid.NewString())
			owner.SubjectID = robot.ID
			gone = func() error { return a.Directory.DeleteApplication(t.Context(), root, robot.ID, nil) }
		}
		grants := []auth.Grant{owner}
		if c.left {
			grants = append(grants, auth.Grant{SubjectType: "team", SubjectID: a.team(t, uuid.NewString()).ID, Relation: access.View})
		}
		_, err := a.Grants.SetAccess(t.Context(), system, object, auth.Access{Private: true, Grants: grants})
		require.NoError(t, err)
		for _, p := range []principal.Principal{manager, administrator, reader, nobody} {
			require.Equal(t, access.None, holds(p, object))
		}
		require.NoError(t, gone())
		want := access.Own
		if c.left {
			want = access.None // it stays what it was to those who see it
		}
		require.Equal(t, want, holds(administrator, object))
		require.Equal(t, access.None, holds(manager, object), "who manages records may be who has deleted the account")
		require.Equal(t, access.None, holds(reader, object))
		require.Equal(t, access.None, holds(nobody, object))
	}

	// Over the API: by an administrator, and not by somebody who manages teams and systems.
	roles, err := a.Directory.CreateRole(t.Context(), root, auth.NewRole{Name: "Keepers", Rules: []string{auth.RuleTeamsManage, kind.Manage}})
	require.NoError(t, err)
	keeper, ada := a.user(t, "keeper@example.org", roles.ID), a.user(t, "ada@example.org")
	signedIn, byRoot := a.signIn(t, "keeper@example.org"), a.signIn(t, "admin@example.org")
	object := uuid.New()
	path := "/api/grants/catalog.system/" + object.String()
	_, err = a.Grants.SetAccess(
		t.Context(),
		system,
		object,
		auth.Access{Private: true, Grants: []auth.Grant{{SubjectType: "user", SubjectID: ada.ID, Relation: access.Own}}},
	)
	require.NoError(t, err)
	mine := auth.Access{
		Private: true,
		Grants:  []auth.Grant{{SubjectType: "user", SubjectID: keeper.ID, SubjectName: keeper.Name, Relation: access.Own}},
	}
	require.Equal(t, http.StatusForbidden, a.do(t, http.MethodPut, path, mine, signedIn).status, "it has an owner")
	require.NoError(t, a.Directory.DeleteUser(t.Context(), root, ada.ID, nil))
	require.Equal(t, http.StatusForbidden, a.do(t, http.MethodPut, path, mine, signedIn).status, "it is for administrators")
	taken := a.do(t, http.MethodPut, path, mine, byRoot)
	require.Equal(t, http.StatusOK, taken.status, string(taken.body))
	require.Equal(t, mine, decode[auth.Access](t, taken))
	require.Equal(t, access.None, holds(manager, object), "and is private to the new owner")
}
