package scriptpolicy_test

import (
	"bytes"
	"context"
	"encoding/json"
	"io"
	"log/slog"
	"net/http"
	"net/http/httptest"
	"strings"
	"testing"

	"github.com/google/uuid"
	"github.com/stretchr/testify/require"

	"countersign/api"
	"countersign/modules/scriptpolicy"
	"countersign/principal"
	"countersign/problem"
	"countersign/store"
	"countersign/store/storetest"
)

const path = "/api/script-policy"

// app is the API with the policy over a database of its own. People sign in with their name as the bearer token.
type app struct {
	*scriptpolicy.Service
	db     *store.DB
	server *api.Server
	people map[string]principal.Principal
}

func newApp(t testing.TB) *app {
	t.Helper()
	a := &app{db: storetest.New(t), people: map[string]principal.Principal{}}
	for name, rules := range map[string][]string{"ada": {scriptpolicy.Manage}, "bob": {scriptpolicy.Manage}, "nobody": nil} {
		a.people[name] = principal.Principal{Kind: principal.User, ID: uuid.New(), Name: name, Rules: rules}
	}
	a.Service = scriptpolicy.New(scriptpolicy.Options{DB: a.db, Names: a})
	var err error
	a.server, err = api.New(api.Options{DB: a.db, Log: slog.New(slog.DiscardHandler), Authenticator: a, Modules: []api.Routes{a.Service}})
	require.NoError(t, err)
	return a
}

func (a *app) Authenticate(_ context.Context, r *http.Request) (principal.Principal, error) {
	return a.people[strings.TrimPrefix(r.Header.Get("Authorization"), "Bearer ")], nil
}

func (a *app) Names(_ context.Context, ids []uuid.UUID) (map[uuid.UUID]string, error) {
	names := map[uuid.UUID]string{}
	for name, p := range a.people {
		for _, id := range ids {
			if p.ID == id {
				names[id] = name
			}
		}
	}
	return names, nil
}

type answer struct {
	status int
	header http.Header
	body   []byte
}

func (a *app) do(t testing.TB, as, method, path string, body any, headers ...string) answer {
	t.Helper()
	var payload io.Reader
	if body != nil {
		data, err := json.Marshal(body)
		require.NoError(t, err)
		payload = bytes.NewReader(data)
	}
	r := httptest.NewRequestWithContext(t.Context(), method, path, payload)
	r.Header.Set("Content-Type", "application/json")
	r.Header.Set("Authorization", "Bearer "+as)
	for i := 0; i+1 < len(headers); i += 2 {
		r.Header.Set(headers[i], headers[i+1])
	}
	w := httptest.NewRecorder()
	a.server.ServeHTTP(w, r)
	return answer{w.Code, w.Result().Header, w.Body.Bytes()}
}

func (r answer) refused(t testing.TB, code problem.Code) *problem.Error {
	t.Helper()
	e := &problem.Error{}
	require.NoError(t, json.Unmarshal(r.body, e), string(r.body))
	require.Equal(t, code, e.Code, e.Detail)
	return e
}

func decode[T any](t testing.TB, r answer) T {
	t.Helper()
	require.Less(t, r.status, 300, string(r.body))
	var v T
	require.NoError(t, json.Unmarshal(r.body, &v), string(r.body))
	return v
}

func (a *app) exec(t testing.TB, statement string) {
	t.Helper()
	_, err := a.db.Conn(t.Context()).Exec(t.Context(), statement)
	require.NoError(t, err)
}

// open is a policy with everything at a value of its own.
func open(network scriptpolicy.Network, allow ...string) scriptpolicy.Policy {
	return scriptpolicy.Policy{
		Network: network, Allow: append([]string{}, allow...),
		Test: scriptpolicy.ScriptLimits{TimeoutMs: 5_000, MemoryBytes: 32 << 20, OutputBytes: 4096, ResultBytes: 8192, HostCalls: 7, HostBytes: 2048},
		Run:  scriptpolicy.ScriptLimits{TimeoutMs: 300_000, MemoryBytes: 128 << 20, OutputBytes: 5 << 20, ResultBytes: 5 << 20, HostCalls: 1000, HostBytes: 64 << 20},
	}
}
