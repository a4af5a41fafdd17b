package vault_test

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
	"countersign/modules/vault"
	"countersign/principal"
	"countersign/problem"
	"countersign/secret"
	"countersign/store"
	"countersign/store/storetest"
)

const path = "/api/secrets"

type object = map[string]any

// app is the API with the vault over a database of its own. People sign in with their name as the bearer token.
type app struct {
	*vault.Service
	db     *store.DB
	keys   *secret.Keyset
	server *api.Server
	people map[string]principal.Principal
	places []vault.SecretPlace
	// log is everything that the API has logged.
	log *bytes.Buffer
}

func newApp(t testing.TB) *app {
	t.Helper()
	keys, err := secret.New()
	require.NoError(t, err)
	a := &app{db: storetest.New(t), keys: keys, people: map[string]principal.Principal{}, log: &bytes.Buffer{}}
	a.Service = a.serviceWith(t, keys)
	a.server, err = api.New(api.Options{
		DB: a.db, Log: slog.New(slog.NewTextHandler(a.log, &slog.HandlerOptions{Level: slog.LevelDebug})), Authenticator: a,
		IdempotencyKey: keys.Derive("idempotency"), Modules: []api.Routes{a.Service},
	})
	require.NoError(t, err)
	a.person("root", principal.Admin)
	a.person("keeper", vault.Read, vault.Manage)
	a.person("reader", vault.Read)
	a.person("nobody")
	return a
}

func (a *app) serviceWith(t testing.TB, keys *secret.Keyset) *vault.Service {
	t.Helper()
	service, err := vault.New(vault.Options{DB: a.db, Sealer: keys, Names: a, Referrers: []vault.Referrer{a}})
	require.NoError(t, err)
	return service
}

func (a *app) person(name string, rules ...string) principal.Principal {
	p := principal.Principal{Kind: principal.User, ID: uuid.New(), Name: name, Rules: rules}
	a.people[name] = p
	return p
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

func (a *app) SecretPlaces(_ context.Context, name string) ([]vault.SecretPlace, error) {
	if name == "API_TOKEN" {
		return a.places, nil
	}
	return nil, nil
}

type answer struct {
	status int
	header http.Header
	body   []byte
}

func (a *app) do(t testing.TB, as, method, path string, body any, headers ...string) answer {
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
	require.Equal(t, code.Status(), r.status)
	return e
}

func decode[T any](t testing.TB, r answer) T {
	t.Helper()
	require.Less(t, r.status, 300, string(r.body))
	var v T
	require.NoError(t, json.Unmarshal(r.body, &v), string(r.body))
	return v
}

func (a *app) create(t testing.TB, name, value string) vault.Secret {
	t.Helper()
	return decode[vault.Secret](t, a.do(t, "keeper", http.MethodPost, path, object{"name": name, "value": value}))
}

func (a *app) uses(t testing.TB, name string) vault.SecretHistory {
	t.Helper()
	return decode[vault.SecretHistory](t, a.do(t, "reader", http.MethodGet, path+"/"+name+"/uses", nil))
}

// dump is every row of every table as text.
func (a *app) dump(t testing.TB) string {
	t.Helper()
	ctx := t.Context()
	rows, err := a.db.Conn(ctx).Query(ctx, "SELECT c.relname FROM pg_class c WHERE c.relnamespace = 'public'::regnamespace AND c.relkind = 'r'")
	require.NoError(t, err)
	var tables []string
	for rows.Next() {
		var name string
		require.NoError(t, rows.Scan(&name))
		tables = append(tables, name)
	}
	require.NoError(t, rows.Err())
	require.Contains(t, tables, "vault_secrets")
	var all strings.Builder
	for _, table := range tables {
		rows, err := a.db.Conn(ctx).Query(ctx, `SELECT row_to_json(t)::text FROM "`+table+`" t`)
		require.NoError(t, err)
		for rows.Next() {
			var text string
			require.NoError(t, rows.Scan(&text))
			all.WriteString(text + "\n")
		}
		require.NoError(t, rows.Err())
	}
	return all.String()
}
