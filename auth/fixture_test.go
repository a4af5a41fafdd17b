package auth_test

import (
	"bytes"
	"encoding/json"
	"io"
	"log/slog"
	"net/http"
	"net/http/httptest"
	"testing"
	"time"

	"github.com/google/uuid"
	"github.com/stretchr/testify/require"

	"countersign/api"
	"countersign/auth"
	"countersign/auth/password"
	"countersign/internal/principal"
	"countersign/internal/problem"
	"countersign/internal/secret"
	"countersign/internal/store"
	"countersign/internal/store/storetest"
	"countersign/tool"
)

const goodPassword = "correct horse"

// app is the API over a database of its own, as one process serves it.
type app struct {
	*auth.Auth
	db     *store.DB
	server *api.Server
	key    []byte
	log    *bytes.Buffer
	shelf  *shelf
}

func registry(t testing.TB, more ...auth.Rule) *auth.Registry {
	t.Helper()
	rules, err := auth.NewRegistry(new(auth.Auth).Rules(), []auth.Rule{
		{ID: "ai.chat.read", Description: "Chat", Default: true},
		{ID: "catalog.system.read", Description: "See systems", Default: true},
		{ID: "catalog.system.manage", Description: "Change systems"},
	}, more)
	require.NoError(t, err)
	return rules
}

func newApp(t testing.TB, tune ...func(*auth.Options)) *app {
	t.Helper()
	keys, err := secret.New()
	require.NoError(t, err)
	return newProcess(t, storetest.New(t), keys.Derive("delegation"), tune...)
}

// newProcess makes another process on the same database.
func newProcess(t testing.TB, db *store.DB, key []byte, tune ...func(*auth.Options)) *app {
	t.Helper()
	log := &bytes.Buffer{}
	o := auth.Options{
		DB: db, Log: slog.New(slog.NewTextHandler(log, nil)), Rules: registry(t), DelegationKey: key,
		Password: password.Params{MemoryKiB: 64, Time: 1, Threads: 1},
	}
	for _, f := range tune {
		f(&o)
	}
	if o.Throttle.First == 0 {
		o.Throttle.First = time.Hour // waits are over when a test says so
	}
	a, err := auth.New(o)
	require.NoError(t, err)
	require.NoError(t, a.Directory.SyncRules(t.Context()))
	owned := &shelf{hidden: map[uuid.UUID]bool{}, gone: map[uuid.UUID]bool{}, touched: map[uuid.UUID]int{}}
	a.Grants.Bind(owned)
	server, err := api.New(api.Options{DB: db, Log: slog.New(slog.DiscardHandler), Authenticator: a.Authenticator, Modules: []api.Routes{a}})
	require.NoError(t, err)
	return &app{Auth: a, db: db, server: server, key: key, log: log, shelf: owned}
}

// root acts with every rule, as a seed of the test's own data.
var root = principal.Principal{Kind: principal.User, ID: uuid.New(), Rules: []string{principal.Admin}}

func (a *app) user(t testing.TB, email string, roles ...uuid.UUID) auth.User {
	t.Helper()
	u, err := a.Directory.CreateUser(t.Context(), root, auth.NewUser{Email: email, Name: email, Password: goodPassword, RoleIDs: roles})
	require.NoError(t, err)
	return u
}

func (a *app) role(t testing.TB, name string, rules ...string) auth.Role {
	t.Helper()
	r, err := a.Directory.CreateRole(t.Context(), root, auth.NewRole{Name: name, Rules: rules})
	require.NoError(t, err)
	return r
}

func (a *app) application(t testing.TB, name string, roles ...uuid.UUID) (auth.Application, string) {
	t.Helper()
	made, token, err := a.Directory.CreateApplication(t.Context(), root, auth.NewApplication{Name: name, RoleIDs: roles})
	require.NoError(t, err)
	return made, token
}

func (a *app) team(t testing.TB, name string) auth.Team {
	t.Helper()
	team, err := a.Directory.CreateTeam(t.Context(), auth.NewTeam{Name: name})
	require.NoError(t, err)
	return team
}

type answer struct {
	status int
	header http.Header
	body   []byte
}

func (a answer) problem(t testing.TB) *problem.Error {
	t.Helper()
	require.Equal(t, "application/problem+json", a.header.Get("Content-Type"), string(a.body))
	e := &problem.Error{}
	require.NoError(t, json.Unmarshal(a.body, e))
	return e
}

func decode[T any](t testing.TB, a answer) T {
	t.Helper()
	require.Less(t, a.status, 300, string(a.body))
	var v T
	require.NoError(t, json.Unmarshal(a.body, &v), string(a.body))
	return v
}

type with func(*http.Request)

func bearer(token string) with {
	return func(r *http.Request) { r.Header.Set("Authorization", "Bearer "+token) }
}

func cookie(name, value string) with {
	return func(r *http.Request) { r.AddCookie(&http.Cookie{Name: name, Value: value}) }
}

func header(name, value string) with {
	return func(r *http.Request) { r.Header.Set(name, value) }
}

func from(address string) with {
	return func(r *http.Request) { r.RemoteAddr = address }
}

func (a *app) do(t testing.TB, method, path string, body any, with ...with) answer {
	t.Helper()
	var payload io.Reader
	if body != nil {
		data, err := json.Marshal(body)
		require.NoError(t, err)
		payload = bytes.NewReader(data)
	}
	r := httptest.NewRequestWithContext(t.Context(), method, path, payload)
	r.Header.Set("Content-Type", "application/json")
	for _, f := range with {
		f(r)
	}
	w := httptest.NewRecorder()
	a.server.ServeHTTP(w, r)
	return answer{w.Code, w.Result().Header, w.Body.Bytes()}
}

// signIn returns the option that makes a request with a new session of the user.
func (a *app) signIn(t testing.TB, email string) with {
	t.Helper()
	return cookie(auth.PlainCookie, sessionOf(t, a.login(t, email, goodPassword)).Value)
}

func (a *app) login(t testing.TB, email, given string, with ...with) answer {
	t.Helper()
	return a.do(t, http.MethodPost, "/api/auth/login", map[string]string{"email": email, "password": given}, with...)
}

func sessionOf(t testing.TB, a answer) *http.Cookie {
	t.Helper()
	require.Equal(t, http.StatusOK, a.status, string(a.body))
	cookies := (&http.Response{Header: a.header}).Cookies()
	require.NotEmpty(t, cookies)
	require.LessOrEqual(t, len(cookies), 2)
	return cookies[0]
}

// device is the option that sends the cookie by which the device of a sign-in is known.
func device(t testing.TB, a answer) with {
	t.Helper()
	require.Equal(t, http.StatusOK, a.status, string(a.body))
	cookies := (&http.Response{Header: a.header}).Cookies()
	require.Len(t, cookies, 2)
	return cookie(cookies[1].Name, cookies[1].Value)
}

// pass lets so many seconds go by for the failures that are counted.
func (a *app) pass(t testing.TB, seconds int) {
	t.Helper()
	a.exec(
		t,
		"UPDATE throttled_failures SET last_at = last_at - make_interval(secs => $1), kept_until = kept_until - make_interval(secs => $1)",
		seconds,
	)
}

// principalOf is who a request with these options is made by.
func (a *app) principalOf(t testing.TB, with ...with) (principal.Principal, error) {
	t.Helper()
	r := httptest.NewRequestWithContext(t.Context(), http.MethodGet, "/api/me", nil)
	for _, f := range with {
		f(r)
	}
	return a.Authenticator.Authenticate(t.Context(), r)
}

// inProcess makes tool calls with a turn's credential, the way tools make them.
func (a *app) inProcess(credential string) *tool.Client {
	router := &tool.Router{}
	router.Bind(a.server)
	return &tool.Client{Router: router, Credential: credential}
}

func (a *app) exec(t testing.TB, sql string, args ...any) {
	t.Helper()
	_, err := a.db.Conn(t.Context()).Exec(t.Context(), sql, args...)
	require.NoError(t, err)
}

func (a *app) count(t testing.TB, sql string, args ...any) int {
	t.Helper()
	var n int
	require.NoError(t, a.db.Conn(t.Context()).QueryRow(t.Context(), sql, args...).Scan(&n))
	return n
}
