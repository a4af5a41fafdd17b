package catalog_test

import (
	"context"
	"encoding/json"
	"log/slog"
	"net/http"
	"testing"

	"github.com/google/uuid"
	"github.com/stretchr/testify/require"

	"countersign/api/apitest"
	"countersign/auth"
	"countersign/internal/access"
	"countersign/internal/principal"
	"countersign/modules/catalog"
)

// app is the API with the catalog and the people module.
type app struct {
	*apitest.Server
	auth   *auth.Auth
	module *catalog.Module
}

// grants fits the grants of the people module to what the catalog asks for.
type grants struct{ *auth.Grants }

func (g grants) Owners(ctx context.Context, objectType string, ids []uuid.UUID) (map[uuid.UUID][]catalog.Owner, error) {
	found, err := g.Grants.Owners(ctx, objectType, ids)
	owners := make(map[uuid.UUID][]catalog.Owner, len(found))
	for id, teams := range found {
		for _, team := range teams {
			owners[id] = append(owners[id], catalog.Owner(team))
		}
	}
	return owners, err
}

// directory is the users of the test.
type directory map[uuid.UUID]catalog.Person

func (d directory) People(_ context.Context, ids []uuid.UUID) (map[uuid.UUID]catalog.Person, error) {
	found := map[uuid.UUID]catalog.Person{}
	for _, id := range ids {
		if person, ok := d[id]; ok {
			found[id] = person
		}
	}
	return found, nil
}

var ada = uuid.MustParse("0199aa00-0000-7000-8000-00000000ada0")

func newApp(t testing.TB) *app {
	t.Helper()
	a := &app{Server: apitest.New(t)}
	rules, err := auth.NewRegistry(new(auth.Auth).Rules(), new(catalog.Module).Rules())
	require.NoError(t, err)
	a.auth, err = auth.New(auth.Options{DB: a.DB, Log: slog.New(slog.DiscardHandler), Rules: rules, DelegationKey: make([]byte, 32)})
	require.NoError(t, err)
	a.module = catalog.New(
		catalog.Options{DB: a.DB, Grants: grants{a.auth.Grants}, Directory: directory{ada: {Name: "Ada Lovelace", Email: "ada@example.org"}}},
	)
	a.auth.Grants.Bind(a.module)
	a.Mount(t, a.module, a.auth)
	a.Person("root", principal.Admin)
	return a
}

// member signs somebody in who is in these teams.
func (a *app) member(name string, teams []uuid.UUID, rules ...string) {
	a.SignIn(name, principal.Principal{Kind: principal.User, ID: uuid.New(), Name: name, Rules: rules, TeamIDs: teams})
}

func (a *app) team(t testing.TB, name string) uuid.UUID {
	t.Helper()
	team, err := a.auth.Directory.CreateTeam(t.Context(), auth.NewTeam{Name: name})
	require.NoError(t, err)
	return team.ID
}

// grant replaces what is granted on an object: relation by team. What is private and none of theirs has an owner elsewhere.
func (a *app) grant(t testing.TB, objectType string, id uuid.UUID, private bool, relations map[uuid.UUID]string) {
	t.Helper()
	wanted := auth.Access{Private: private, Grants: []auth.Grant{}}
	for team, relation := range relations {
		wanted.Grants = append(wanted.Grants, auth.Grant{SubjectType: "team", SubjectID: team, Relation: access.Level(relation)})
	}
	if private && len(relations) == 0 {
		wanted.Grants = append(wanted.Grants, auth.Grant{SubjectType: "team", SubjectID: a.team(t, uuid.NewString()), Relation: access.Own})
	}
	_, err := a.auth.Grants.SetAccess(t.Context(), objectType, id, wanted)
	require.NoError(t, err)
}

const (
	systems      = "/api/catalog/systems"
	groups       = "/api/catalog/groups"
	environments = "/api/catalog/environments"
)

type object = map[string]any

func (a *app) system(t testing.TB, name string) catalog.System {
	t.Helper()
	return apitest.Decode[catalog.System](t, a.Do(t, "root", http.MethodPost, systems, object{"name": name}))
}

func (a *app) group(t testing.TB, name string, members ...uuid.UUID) catalog.Group {
	t.Helper()
	g := apitest.Decode[catalog.Group](t, a.Do(t, "root", http.MethodPost, groups, object{"name": name}))
	for _, id := range members {
		require.True(t, a.setMember(t, "root", http.MethodPut, g.ID, id))
	}
	return apitest.Decode[catalog.Group](t, a.Do(t, "root", http.MethodGet, at(groups, g.ID), nil))
}

func (a *app) setMember(t testing.TB, as, method string, group, system uuid.UUID, headers ...string) bool {
	t.Helper()
	return apitest.Decode[struct{ Changed bool }](
		t,
		a.Do(t, as, method, at(groups, group)+"/systems/"+system.String(), nil, headers...),
	).Changed
}

func (a *app) environment(t testing.TB, name string) catalog.Environment {
	t.Helper()
	return apitest.Decode[catalog.Environment](t, a.Do(t, "root", http.MethodPost, environments, object{"name": name}))
}

func (a *app) readSystem(t testing.TB, id uuid.UUID) catalog.System {
	t.Helper()
	return apitest.Decode[catalog.System](t, a.Do(t, "root", http.MethodGet, at(systems, id), nil))
}

func (a *app) list(t testing.TB, as, query string) []string {
	t.Helper()
	page := apitest.Decode[struct{ Systems []catalog.System }](t, a.Do(t, as, http.MethodGet, systems+query, nil))
	names := []string{}
	for _, s := range page.Systems {
		names = append(names, s.Name)
	}
	return names
}

func at(collection string, id uuid.UUID) string { return collection + "/" + id.String() }

func marshal(t testing.TB, v any) string {
	t.Helper()
	data, err := json.Marshal(v)
	require.NoError(t, err)
	return string(data)
}
