package catalog_test

import (
	"context"
	"net/http"
	"testing"

	"github.com/google/uuid"
	"github.com/stretchr/testify/require"

	"countersign/api/apitest"
	"countersign/auth"
	"countersign/internal/access"
	"countersign/internal/principal"
	"countersign/internal/problem"
	"countersign/modules/catalog"
)

func ownedBy(kind string, id uuid.UUID) auth.Grant {
	return auth.Grant{SubjectType: kind, SubjectID: id, Relation: access.Own}
}

// robot makes an application that can be granted something.
func (a *app) robot(t testing.TB) uuid.UUID {
	t.Helper()
	made, _, err := a.auth.Directory.CreateApplication(
		t.Context(),
		principal.Principal{Kind: principal.User, ID: uuid.New(), Rules: []string{principal.Admin}},
		auth.NewApplication{Name: uuid.NewString()},
	)
	require.NoError(t, err)
	return made.ID
}

func (a *app) closes(t testing.TB, id uuid.UUID, grants ...auth.Grant) {
	t.Helper()
	_, err := a.auth.Grants.SetAccess(t.Context(), "catalog.system", id, auth.Access{Private: true, Grants: grants})
	require.NoError(t, err)
}

// The owning team is not taken from a private system that nobody else owns, by whoever may choose its owner.
func TestAPrivateSystemKeepsAnOwner(t *testing.T) {
	t.Parallel()
	a := newApp(t)
	team, other := a.team(t, "Mine"), a.team(t, "Other")
	a.member("owner", []uuid.UUID{team}, auth.RuleTeamsRead)
	a.member("administrator", []uuid.UUID{team}, principal.Admin)
	s := a.system(t, "Payments")
	path, grants := at(systems, s.ID)+"/owner", "/api/grants/catalog.system/"+s.ID.String()
	a.closes(t, s.ID, ownedBy("team", team))
	for _, who := range []string{"owner", "administrator"} {
		e := a.Do(t, who, http.MethodPut, path, object{"teamId": nil}).Refused(t, problem.Conflict)
		require.Contains(t, e.Detail, "make it public first")
		_, err := a.propose(t, who, "setSystemOwner", object{"id": s.ID, "teamId": nil})
		require.True(t, problem.Is(err, problem.Conflict), "%v", err)
		require.Len(t, a.as(t, who, s.ID).Owners, 1)
	}
	a.Do(t, "administrator", http.MethodPut, grants, auth.Access{Private: true, Grants: []auth.Grant{}}).Refused(t, problem.Conflict)
	_, err := a.Propose(
		t,
		"administrator",
		"auth.setGrants",
		object{"objectType": "catalog.system", "objectId": s.ID, "private": true, "grants": []any{}},
	)
	require.True(t, problem.Is(err, problem.Conflict), "%v", err)

	a.closes(t, s.ID, ownedBy("team", team), ownedBy("application", a.robot(t)))
	proposed, err := a.propose(t, "owner", "setSystemOwner", object{"id": s.ID, "teamId": nil})
	require.NoError(t, err)
	require.Len(t, proposed.Diff, 1)
	require.Equal(t, http.StatusOK, a.Do(t, "owner", http.MethodPut, path, object{"teamId": other}).Status)
	a.closes(t, s.ID, ownedBy("team", team))
	require.Equal(t, http.StatusNoContent, a.Do(t, "administrator", http.MethodDelete, grants, nil).Status, "it is public then")
	a.Do(t, "administrator", http.MethodPut, path, object{"teamId": team})
	require.Equal(t, http.StatusOK, a.Do(t, "administrator", http.MethodPut, path, object{"teamId": nil}).Status)
}

func (a *app) as(t testing.TB, who string, id uuid.UUID) catalog.System {
	t.Helper()
	return apitest.Decode[catalog.System](t, a.Do(t, who, http.MethodGet, at(systems, id), nil))
}

// Two people each take one of two owners away. Who comes second finds only one left.
func TestTwoWhoEachTakeOneOwnerAwayLeaveOne(t *testing.T) {
	t.Parallel()
	a := newApp(t)
	team := a.team(t, "Mine")
	a.member("owner", []uuid.UUID{team}, principal.Admin)
	s := a.system(t, "Payments")
	robot := a.robot(t)
	grants := "/api/grants/catalog.system/" + s.ID.String()
	both := []auth.Grant{ownedBy("team", team), ownedBy("application", robot)}
	first := func(do func(ctx context.Context) error, second func() apitest.Answer) apitest.Answer {
		t.Helper()
		answer := make(chan apitest.Answer, 1)
		require.NoError(t, a.DB.InTx(t.Context(), func(ctx context.Context) error {
			_, err := a.module.Touch(ctx, "catalog.system", s.ID)
			require.NoError(t, err)
			require.NoError(t, do(ctx))
			go func() { answer <- second() }()
			a.waitsForALock(t)
			return nil
		}))
		return <-answer
	}
	live := func() auth.Access {
		found, err := a.auth.Grants.Access(t.Context(), "catalog.system", s.ID)
		require.NoError(t, err)
		return found
	}

	a.closes(t, s.ID, both...)
	first(func(ctx context.Context) error {
		_, err := a.auth.Grants.SetAccess(ctx, "catalog.system", s.ID, auth.Access{Private: true, Grants: both[:1]})
		return err
	}, func() apitest.Answer {
		return a.Do(t, "owner", http.MethodPut, at(systems, s.ID)+"/owner", object{"teamId": nil})
	}).Refused(t, problem.Conflict)
	require.Len(t, live().Grants, 1)
	require.Equal(t, "team", live().Grants[0].SubjectType)

	a.closes(t, s.ID, both...)
	tag := a.Do(t, "owner", http.MethodGet, grants, nil).Header.Get("ETag")
	first(func(ctx context.Context) error {
		return a.auth.Grants.SetOwner(ctx, "catalog.system", s.ID, uuid.Nil)
	}, func() apitest.Answer {
		return a.Do(t, "owner", http.MethodPut, grants, auth.Access{Private: true, Grants: both[:1]}, "If-Match", tag)
	}).Refused(t, problem.Precondition)
	require.Len(t, live().Grants, 1)
	require.Equal(t, "application", live().Grants[0].SubjectType)
}

// What is private and granted to nobody is found by administrators, everywhere a record is found, and by nobody else: not by those who
// manage its kind, who may have deleted the account that it was granted to.
func TestWhatIsGrantedToNobodyIsFoundByAdministrators(t *testing.T) {
	t.Parallel()
	a := newApp(t)
	s, g := a.system(t, "Forsaken"), a.group(t, "Forsaken too")
	require.True(t, a.setMember(t, "root", http.MethodPut, g.ID, s.ID))
	for objectType, id := range map[string]uuid.UUID{"catalog.system": s.ID, "catalog.group": g.ID} {
		a.Exec(
			t,
			`INSERT INTO relation_tuples (object_type, object_id, relation, subject_type, subject_id) VALUES ($1, $2, 'private', 'public', $3)`,
			objectType,
			id,
			uuid.Nil,
		)
	}
	a.member("manager", []uuid.UUID{a.team(t, "Team")}, catalog.SystemManage, catalog.GroupManage, auth.RuleTeamsManage, auth.RuleTeamsRead)
	a.Person("reader", catalog.SystemRead, catalog.GroupRead, auth.RuleTeamsManage, auth.RuleTeamsRead)
	a.Person("administrator", principal.Admin)
	for _, who := range []string{"administrator", "root"} {
		require.Equal(t, []string{s.Name}, a.list(t, who, ""), who)
		require.Equal(t, []string{s.Name}, a.list(t, who, "?query=forsaken"))
		require.Equal(t, []string{s.Name}, a.list(t, who, "?groupId="+g.ID.String()))
		require.Equal(t, access.Own, a.as(t, who, s.ID).Access)
		require.Equal(t, []uuid.UUID{s.ID}, apitest.Decode[catalog.Group](t, a.Do(t, who, http.MethodGet, at(groups, g.ID), nil)).SystemIDs)
	}
	mine := auth.Access{Private: true, Grants: []auth.Grant{ownedBy("application", a.robot(t))}}
	require.Empty(t, a.list(t, "reader", ""))
	require.Empty(t, a.list(t, "manager", ""))
	for path, objectType := range map[string]string{at(systems, s.ID): "catalog.system", at(groups, g.ID): "catalog.group"} {
		grants := "/api/grants/" + objectType + path[len(path)-37:]
		for _, who := range []string{"manager", "reader"} {
			a.Do(t, who, http.MethodGet, path, nil).Refused(t, problem.NotFound)
			a.Do(t, who, http.MethodPut, grants, mine).Refused(t, problem.Forbidden)
		}
		require.Equal(t, http.StatusOK, a.Do(t, "administrator", http.MethodPut, grants, mine).Status)
		for _, who := range []string{"administrator", "manager", "root", "reader"} {
			a.Do(t, who, http.MethodGet, path, nil).Refused(t, problem.NotFound)
		}
	}
}
