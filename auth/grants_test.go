package auth_test

import (
	"net/http"
	"slices"
	"sync"
	"testing"

	"github.com/google/uuid"
	"github.com/stretchr/testify/require"

	"countersign/auth"
	"countersign/internal/access"
	"countersign/internal/principal"
	"countersign/internal/problem"
)

const system = "catalog.system"

func TestAnOwnerMayEditAndAnEditorMayView(t *testing.T) {
	t.Parallel()
	a := newApp(t)
	user := a.user(t, "ada@example.org")
	p := principal.Principal{Kind: principal.User, ID: user.ID}
	for granted, allowed := range map[access.Level][]access.Level{
		access.None: {},
		access.View: {access.View},
		access.Edit: {access.View, access.Edit},
		access.Own:  {access.View, access.Edit, access.Own},
	} {
		object := uuid.New()
		if granted != access.None {
			_, err := a.Grants.SetAccess(
				t.Context(),
				system,
				object,
				auth.Access{Grants: []auth.Grant{{SubjectType: "user", SubjectID: user.ID, Relation: granted}}},
			)
			require.NoError(t, err)
		}
		for _, asked := range []access.Level{access.View, access.Edit, access.Own} {
			may := a.level(t, p, system, object).Includes(asked)
			require.Equal(t, slices.Contains(allowed, asked), may, "%s asked, %q granted", asked, granted)
		}
		require.Equal(t, len(allowed) > 0, a.opens(t, p, system, object), "what a query finds and what a record says are one")
		require.Equal(t, access.None, a.level(t, p, "catalog.group", object), "another type of object")
		require.False(t, a.opens(t, p, "catalog.group", object))
	}
	_, err := a.Grants.SetAccess(
		t.Context(),
		system,
		uuid.New(),
		auth.Access{Grants: []auth.Grant{{SubjectType: "user", SubjectID: user.ID, Relation: "private"}}},
	)
	require.Error(t, err)
}

// level is what grants let somebody do with an object.
func (a *app) level(t *testing.T, p principal.Principal, objectType string, object uuid.UUID) access.Level {
	t.Helper()
	ctx := principal.NewContext(t.Context(), p)
	levels, err := access.Kind{ObjectType: objectType}.Sight(ctx).Levels(ctx, a.db, object)
	require.NoError(t, err)
	return levels[object]
}

// opens reports whether somebody sees an object, as queries ask.
func (a *app) opens(t *testing.T, p principal.Principal, objectType string, object uuid.UUID) (seen bool) {
	t.Helper()
	require.NoError(t, a.db.Conn(t.Context()).QueryRow(t.Context(), "SELECT EXISTS (SELECT FROM access_opens($1, $2, false, $3, $4, $5))",
		objectType, object, string(p.Kind), p.ID, p.TeamIDs).Scan(&seen))
	return seen
}

func TestAGrantReachesTheTeamsMembersAndNobodyElse(t *testing.T) {
	t.Parallel()
	a := newApp(t)
	member := a.user(t, "in@example.org")
	a.user(t, "out@example.org")
	team := a.team(t, "Platform")
	_, err := a.Directory.AddMember(t.Context(), team.ID, member.ID, nil)
	require.NoError(t, err)
	object := uuid.New()
	require.NoError(t, a.Grants.SetOwner(t.Context(), system, object, team.ID))

	may := func(email string) bool {
		p, err := a.principalOf(t, a.signIn(t, email))
		require.NoError(t, err)
		return a.level(t, p, system, object).Includes(access.Edit)
	}
	require.True(t, may("in@example.org"))
	require.False(t, may("out@example.org"))

	application, token := a.application(t, "CI")
	p, err := a.principalOf(t, bearer(token))
	require.NoError(t, err)
	_, err = a.Grants.SetAccess(
		t.Context(),
		system,
		object,
		auth.Access{Grants: []auth.Grant{{SubjectType: "application", SubjectID: application.ID, Relation: access.View}}},
	)
	require.NoError(t, err)
	require.Equal(t, access.View, a.level(t, p, system, object))
	require.False(t, may("in@example.org"), "all grants were replaced")
	sameID := principal.Principal{Kind: principal.User, ID: application.ID}
	require.Equal(t, access.None, a.level(t, sameID, system, object), "the kind of subject counts")
	require.False(t, a.opens(t, sameID, system, object))
}

func TestAnObjectHasOneOwningTeam(t *testing.T) {
	t.Parallel()
	a := newApp(t)
	platform, payments := a.team(t, "Platform"), a.team(t, "Payments")
	one, other := uuid.New(), uuid.New()
	owners := func() map[uuid.UUID][]auth.Owner {
		found, err := a.Grants.Owners(t.Context(), system, []uuid.UUID{one, other})
		require.NoError(t, err)
		return found
	}
	require.Empty(t, owners())
	require.NoError(t, a.Grants.SetOwner(t.Context(), system, one, platform.ID))
	require.NoError(t, a.Grants.SetOwner(t.Context(), system, one, payments.ID))
	require.Equal(t, map[uuid.UUID][]auth.Owner{one: {{TeamID: payments.ID, TeamName: "Payments"}}}, owners())

	err := a.Grants.SetOwner(t.Context(), system, one, uuid.New())
	require.True(t, problem.Is(err, problem.Invalid), err)
	require.Len(t, owners()[one], 1, "the refused change took nothing away")
	require.NoError(t, a.Grants.SetOwner(t.Context(), system, one, uuid.Nil))
	require.Empty(t, owners())

	require.NoError(t, a.Grants.SetOwner(t.Context(), system, other, platform.ID))
	require.NoError(t, a.Grants.Remove(t.Context(), system, other))
	require.Empty(t, owners())
	exists, err := a.Grants.TeamExists(t.Context(), platform.ID)
	require.NoError(t, err)
	require.True(t, exists)
	exists, err = a.Grants.TeamExists(t.Context(), uuid.New())
	require.NoError(t, err)
	require.False(t, exists)
}

func TestGrantsAreManagedOverTheAPI(t *testing.T) {
	t.Parallel()
	a := newApp(t)
	a.user(t, "admin@example.org", auth.AdminRole)
	admin := a.signIn(t, "admin@example.org")
	ada, team := a.user(t, "ada@example.org"), a.team(t, "Platform")
	object := uuid.New()
	path := "/api/grants/catalog.system/" + object.String()
	want := auth.Access{Private: true, Grants: []auth.Grant{
		{SubjectType: "team", SubjectID: team.ID, SubjectName: "Platform", Relation: "owner"},
		{SubjectType: "user", SubjectID: ada.ID, SubjectName: "ada@example.org", Relation: "viewer"},
	}}
	require.Equal(t, want, decode[auth.Access](t, a.do(t, http.MethodPut, path, want, admin)))
	require.Equal(t, want, decode[auth.Access](t, a.do(t, http.MethodGet, path, nil, admin)))
	reader := principal.Principal{Kind: principal.User, ID: uuid.New(), Rules: []string{principal.Admin}}
	require.Equal(t, access.None, a.level(t, reader, system, object), "no rule opens it")

	for name, bad := range map[string]any{
		"relation": map[string]any{"grants": []any{map[string]any{"subjectType": "user", "subjectId": ada.ID, "relation": "private"}}},
		"subject":  map[string]any{"grants": []any{map[string]any{"subjectType": "public", "subjectId": ada.ID, "relation": "viewer"}}},
		"nobody":   map[string]any{"private": false, "grants": []any{map[string]any{"subjectType": "team", "subjectId": ada.ID, "relation": "viewer"}}},
	} {
		require.Equal(t, http.StatusUnprocessableEntity, a.do(t, http.MethodPut, path, bad, admin).status, name)
	}
	require.Equal(t, http.StatusUnprocessableEntity, a.do(t, http.MethodGet, "/api/grants/Nonsense/"+object.String(), nil, admin).status)
	require.Equal(t, want, decode[auth.Access](t, a.do(t, http.MethodGet, path, nil, admin)), "refused changes change nothing")

	require.Equal(t, http.StatusNoContent, a.do(t, http.MethodDelete, path, nil, admin).status)
	require.Equal(t, auth.Access{Grants: []auth.Grant{}}, decode[auth.Access](t, a.do(t, http.MethodGet, path, nil, admin)))

	// Its history says so in words of people.
	for _, summary := range []string{
		"Access to own it was given", "Access to see and use it was given", "Access to own it was taken away", "Access to see and use it was taken away",
	} {
		require.Equal(
			t,
			1,
			a.count(t, "SELECT count(*) FROM ai_audit_entries WHERE object_id = $1 AND summary = $2", object.String(), summary),
			summary,
		)
	}
}

func TestGrantsEndWithTheirSubject(t *testing.T) {
	t.Parallel()
	a := newApp(t)
	a.user(t, "admin@example.org", auth.AdminRole)
	ada, team := a.user(t, "ada@example.org"), a.team(t, "Platform")
	application, _ := a.application(t, "CI")
	_, err := a.Grants.SetAccess(t.Context(), system, uuid.New(), auth.Access{Grants: []auth.Grant{
		{SubjectType: "user", SubjectID: ada.ID, Relation: "owner"},
		{SubjectType: "team", SubjectID: team.ID, Relation: "editor"},
		{SubjectType: "application", SubjectID: application.ID, Relation: "viewer"},
	}})
	require.NoError(t, err)
	require.NoError(t, a.Directory.DeleteUser(t.Context(), root, ada.ID, nil))
	require.NoError(t, a.Directory.DeleteTeam(t.Context(), team.ID, nil))
	require.NoError(t, a.Directory.DeleteApplication(t.Context(), root, application.ID, nil))
	require.Zero(t, a.count(t, "SELECT count(*) FROM relation_tuples"))
}

func TestATeamHasMembersAndStaysWhileItOwnsAnything(t *testing.T) {
	t.Parallel()
	a := newApp(t)
	a.user(t, "admin@example.org", auth.AdminRole)
	admin := a.signIn(t, "admin@example.org")
	ada := a.user(t, "ada@example.org")

	created := a.do(t, http.MethodPost, "/api/teams", auth.NewTeam{Name: "Platform", Description: "Two\nlines"}, admin)
	require.Equal(t, http.StatusCreated, created.status, string(created.body))
	team := decode[auth.Team](t, created)
	path := "/api/teams/" + team.ID.String()
	member := path + "/members/" + ada.ID.String()
	for range 2 {
		require.Equal(t, http.StatusNoContent, a.do(t, http.MethodPut, member, nil, admin).status, "adding twice is no error")
	}
	require.Equal(t, http.StatusNotFound, a.do(t, http.MethodPut, path+"/members/"+uuid.NewString(), nil, admin).status)
	full := decode[auth.Team](t, a.do(t, http.MethodGet, path, nil, admin))
	require.Equal(t, []auth.Member{{ID: ada.ID, Name: ada.Name, Email: ada.Email}}, full.Members)
	list := decode[struct{ Teams []auth.Team }](t, a.do(t, http.MethodGet, "/api/teams", nil, admin)).Teams
	require.Equal(t, int64(1), list[0].MemberCount)

	require.Equal(t, http.StatusNoContent, a.do(t, http.MethodDelete, member, nil, admin).status)
	require.Equal(t, http.StatusNotFound, a.do(t, http.MethodDelete, member, nil, admin).status)
	// Its members are part of what it is.
	require.Equal(
		t,
		http.StatusPreconditionFailed,
		a.do(t, http.MethodPatch, path, map[string]any{"name": "Core"}, admin, header("If-Match", created.header.Get("ETag"))).status,
	)
	read := a.do(t, http.MethodGet, path, nil, admin)
	changed := a.do(
		t,
		http.MethodPatch,
		path,
		map[string]any{"name": "Core", "description": ""},
		admin,
		header("If-Match", read.header.Get("ETag")),
	)
	require.Equal(t, "Core", decode[auth.Team](t, changed).Name)
	require.Equal(
		t,
		http.StatusPreconditionFailed,
		a.do(t, http.MethodDelete, path, nil, admin, header("If-Match", created.header.Get("ETag"))).status,
	)

	object := uuid.New()
	require.NoError(t, a.Grants.SetOwner(t.Context(), system, object, team.ID))
	require.Equal(t, http.StatusConflict, a.do(t, http.MethodDelete, path, nil, admin).status)
	require.NoError(t, a.Grants.Remove(t.Context(), system, object))
	require.Equal(t, http.StatusNoContent, a.do(t, http.MethodDelete, path, nil, admin).status)
	require.Equal(t, http.StatusNotFound, a.do(t, http.MethodGet, path, nil, admin).status)
}

// Ownership is given while the team is deleted. Either the team stays or it owns nothing.
func TestATeamCannotVanishFromUnderWhatItGets(t *testing.T) {
	t.Parallel()
	a := newApp(t)
	for range 10 {
		team := a.team(t, uuid.NewString())
		var given, deleted error
		var wg sync.WaitGroup
		wg.Go(func() { given = a.Grants.SetOwner(t.Context(), system, uuid.New(), team.ID) })
		wg.Go(func() { deleted = a.Directory.DeleteTeam(t.Context(), team.ID, nil) })
		wg.Wait()
		require.NotEqual(t, given == nil, deleted == nil, "%v, %v", given, deleted)
	}
	require.Zero(t, a.count(t, "SELECT count(*) FROM relation_tuples r WHERE NOT EXISTS (SELECT 1 FROM teams WHERE id = r.subject_id)"))
}
