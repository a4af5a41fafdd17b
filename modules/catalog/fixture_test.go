package catalog_test

import (
	"bytes"
	"context"
	"encoding/json"
	"io"
	"log/slog"
	"net/http"
	"net/http/httptest"
	"strings"
	"sync"
	"testing"

	"github.com/google/uuid"
	"github.com/stretchr/testify/require"

	"countersign/api"
	"countersign/auth"
	"countersign/modules/catalog"
	"countersign/principal"
	"countersign/problem"
	"countersign/store"
	"countersign/store/storetest"
	"countersign/tool"
)

// app is the API with the catalog and the people module over a database of its own.
type app struct {
	db      *store.DB
	auth    *auth.Auth
	module  *catalog.Module
	server  *api.Server
	router  *tool.Router
	signers *signers
}

// signers authenticates by the name in the bearer token.
type signers struct {
	mu     sync.Mutex
	byName map[string]principal.Principal
}

func (s *signers) Authenticate(_ context.Context, r *http.Request) (principal.Principal, error) {
	s.mu.Lock()
	defer s.mu.Unlock()
	return s.byName[strings.TrimPrefix(r.Header.Get("Authorization"), "Bearer ")], nil
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
	db := storetest.New(t)
	log := slog.New(slog.DiscardHandler)
	rules, err := auth.NewRegistry(auth.Rules(), accessRules())
	require.NoError(t, err)
	people, err := auth.New(auth.Options{DB: db, Log: log, Rules: rules, DelegationKey: make([]byte, 32)})
	require.NoError(t, err)
	module := catalog.New(db, grants{people.Grants}, directory{ada: {Name: "Ada Lovelace", Email: "ada@example.org"}})
	s := &signers{byName: map[string]principal.Principal{}}
	server, err := api.New(api.Options{DB: db, Log: log, Authenticator: s, Modules: []api.Routes{module, people}})
	require.NoError(t, err)
	a := &app{db: db, auth: people, module: module, server: server, router: &tool.Router{}, signers: s}
	a.router.Bind(server)
	a.person("root", principal.Admin)
	return a
}

func accessRules() []auth.Rule {
	return catalog.Rules()
}

// person signs somebody in who has these rules and nothing else, under a name that is also the credential.
func (a *app) person(name string, rules ...string) principal.Principal {
	return a.member(name, nil, rules...)
}

func (a *app) member(name string, teams []uuid.UUID, rules ...string) principal.Principal {
	p := principal.Principal{Kind: principal.User, ID: uuid.New(), Name: name, Rules: rules, TeamIDs: teams}
	a.signers.mu.Lock()
	defer a.signers.mu.Unlock()
	a.signers.byName[name] = p
	return p
}

func (a *app) team(t testing.TB, name string) uuid.UUID {
	t.Helper()
	team, err := a.auth.Directory.CreateTeam(t.Context(), auth.NewTeam{Name: name})
	require.NoError(t, err)
	return team.ID
}

// grant replaces what is granted on an object: relation by team.
func (a *app) grant(t testing.TB, objectType string, id uuid.UUID, private bool, relations map[uuid.UUID]string) {
	t.Helper()
	access := auth.Access{Private: private, Grants: []auth.Grant{}}
	for team, relation := range relations {
		access.Grants = append(access.Grants, auth.Grant{SubjectType: "team", SubjectID: team, Relation: relation})
	}
	_, err := a.auth.Grants.SetAccess(t.Context(), objectType, id, access)
	require.NoError(t, err)
}

type answer struct {
	status int
	header http.Header
	body   []byte
}

type option func(*http.Request)

func ifMatch(etag string) option { return func(r *http.Request) { r.Header.Set("If-Match", etag) } }

func idempotencyKey(key string) option {
	return func(r *http.Request) { r.Header.Set("Idempotency-Key", key) }
}

// do makes a request as somebody. A body that is a string is sent as it is.
func (a *app) do(t testing.TB, as, method, path string, body any, options ...option) answer {
	t.Helper()
	var payload io.Reader
	switch b := body.(type) {
	case nil:
	case string:
		payload = strings.NewReader(b)
	default:
		data, err := json.Marshal(b)
		require.NoError(t, err)
		payload = bytes.NewReader(data)
	}
	r := httptest.NewRequestWithContext(t.Context(), method, path, payload)
	if payload != nil {
		r.Header.Set("Content-Type", "application/json")
	}
	r.Header.Set("Authorization", "Bearer "+as)
	for _, o := range options {
		o(r)
	}
	w := httptest.NewRecorder()
	a.server.ServeHTTP(w, r)
	return answer{w.Code, w.Result().Header, w.Body.Bytes()}
}

func (r answer) problem(t testing.TB) *problem.Error {
	t.Helper()
	require.Equal(t, "application/problem+json", r.header.Get("Content-Type"), string(r.body))
	e := &problem.Error{}
	require.NoError(t, json.Unmarshal(r.body, e))
	return e
}

// refused requires a problem of this code and returns it.
func (r answer) refused(t testing.TB, code problem.Code) *problem.Error {
	t.Helper()
	e := r.problem(t)
	require.Equal(t, code, e.Code, e.Detail)
	require.Equal(t, code.Status(), r.status)
	return e
}

func decoded[T any](t testing.TB, r answer) T {
	t.Helper()
	require.Less(t, r.status, 300, string(r.body))
	var v T
	require.NoError(t, json.Unmarshal(r.body, &v), string(r.body))
	return v
}

const (
	systems      = "/api/catalog/systems"
	groups       = "/api/catalog/groups"
	environments = "/api/catalog/environments"
)

type object = map[string]any

func (a *app) system(t testing.TB, name string) catalog.System {
	t.Helper()
	return decoded[catalog.System](t, a.do(t, "root", http.MethodPost, systems, object{"name": name}))
}

func (a *app) group(t testing.TB, name string, members ...uuid.UUID) catalog.Group {
	t.Helper()
	g := decoded[catalog.Group](t, a.do(t, "root", http.MethodPost, groups, object{"name": name}))
	for _, id := range members {
		require.True(t, a.setMember(t, "root", http.MethodPut, g.ID, id))
	}
	return decoded[catalog.Group](t, a.do(t, "root", http.MethodGet, at(groups, g.ID), nil))
}

func (a *app) setMember(t testing.TB, as, method string, group, system uuid.UUID, options ...option) bool {
	t.Helper()
	return decoded[struct{ Changed bool }](t, a.do(t, as, method, at(groups, group)+"/systems/"+system.String(), nil, options...)).Changed
}

func (a *app) environment(t testing.TB, name string) catalog.Environment {
	t.Helper()
	return decoded[catalog.Environment](t, a.do(t, "root", http.MethodPost, environments, object{"name": name}))
}

func (a *app) readSystem(t testing.TB, id uuid.UUID) catalog.System {
	t.Helper()
	return decoded[catalog.System](t, a.do(t, "root", http.MethodGet, at(systems, id), nil))
}

func (a *app) list(t testing.TB, as, query string) []string {
	t.Helper()
	page := decoded[struct{ Systems []catalog.System }](t, a.do(t, as, http.MethodGet, systems+query, nil))
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
